import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, jobParameters, MARKETPLACE, SSH, vmaas } from '../../engine/nodes.mts';
import { MINUTE, type Machine, type Service } from './service.mts';
import { deploy, destroy, destroyMany, stage, told, type Stage } from './stage.mts';

type Row = Record<string, unknown>;

/** What the list shows of what starts. */
const STARTING: Array<[string, (entry: Row) => Row | undefined]> = [
	['nothing', () => undefined],
	['no name', (entry) => ({ ...entry, name: null })],
	['the ID as its name', (entry) => ({ ...entry, name: entry.id })],
];

/** A service with another deployment, whose list shows something else of what is younger than so many milliseconds. */
async function young(
	ms: number,
	show: (entry: Row) => Row | undefined,
	changes: Partial<Service> = {},
): Promise<Stage> {
	const set = await stage(changes);
	const { service } = set;
	service.add({ name: 'other' });
	service.listed = (machine, entry) =>
		service.clock.now() < machine.boughtAt + ms ? show(entry) : entry;
	return set;
}

/** So is one whose details do not show either. */
async function hidden(ms: number, changes: Partial<Service> = {}): Promise<Stage> {
	const set = await young(ms, () => undefined, changes);
	const { service } = set;
	service.detailed = (machine, details) =>
		service.clock.now() < machine.boughtAt + ms ? undefined : details;
	return set;
}

const left = ({ service }: Stage) => service.bills.map(({ name }) => name);
const nightly = deploy({ resourcePrivateName: 'nightly-1' });

describe.each(STARTING)('Destroy Many, where the list shows %s of what starts', (_, show) => {
	it.each([
		['nightly-', { match: 'prefix' }],
		['nightly-1', { match: 'exact' }],
	])('ends what its execution has bought (%s)', async (namePrefix, more) => {
		const set = await young(10 * MINUTE, show);
		const { of, error } = told(await set.chain([nightly, destroyMany(namePrefix, more)]));
		expect(error).toBeUndefined();
		expect(of('N2')).toMatchObject([
			{ deleted: true, verified: true, deployment_id: 'dep-2', resource_private_name: 'nightly-1' },
		]);
		expect(left(set)).toEqual(['other']);
	});

	it('lists it in a dry run, with what its details show', async () => {
		const set = await young(10 * MINUTE, show);
		const { of } = told(await set.chain([nightly, destroyMany('nightly-', { dryRun: true })]));
		expect(of('N2')).toMatchObject([
			{ dry_run: true, deployment_id: 'dep-2', resource_private_name: 'nightly-1', total_gpus: 1 },
		]);
		expect(set.service.sent('DELETE')).toEqual([]);
	});

	it('leaves what has another name, and what has ended', async () => {
		for (const nodes of [
			[nightly, destroyMany('nightly-2')],
			[nightly, destroy('={{ $json.deployment_id }}'), destroyMany('nightly-')],
		]) {
			const set = await young(10 * MINUTE, show);
			const run = await set.chain(nodes);
			expect(told(run).error).toBeUndefined();
			expect(told(run).of(`N${nodes.length}`)).toEqual([]);
		}
	});

	it('counts it for the limit', async () => {
		const set = await young(10 * MINUTE, show);
		set.service.add({ name: 'nightly-0' });
		const { of } = told(await set.chain([nightly, destroyMany('nightly-', { limit: 1 })]));
		expect(of('N2')).toMatchObject([
			{ deleted: true, deployment_id: 'dep-2' },
			{ reason: 'limit', left_over: 1, deployment_ids: ['dep-3'] },
		]);
	});
});

describe('Destroy Many', () => {
	it('takes once what the list shows, too', async () => {
		const set = await young(0, () => undefined);
		const { of } = told(await set.chain([nightly, destroyMany('nightly-')]));
		expect(of('N2')).toMatchObject([{ deleted: true, deployment_id: 'dep-2' }]);
		expect(of('N2')).toHaveLength(1);
	});

	it('takes what was bought under a name that the service has changed', async () => {
		const set = await young(0, () => undefined, { named: (name) => name.toLowerCase() });
		const order = deploy({ resourcePrivateName: 'Nightly-1' });
		const { of } = told(await set.chain([order, destroyMany('Nightly-')]));
		expect(of('N2')).toMatchObject([{ deleted: true, deployment_id: 'dep-2' }]);
	});

	it('ends the one of the name where the answer has the ID of the request, and tells of both', async () => {
		const set = await young(0, () => undefined, { deployed: ({ id }) => ({ id: `req-${id}` }) });
		const { error } = told(await set.chain([nightly, destroyMany('nightly-')]));
		expect(error).toMatch(/1 of 2 deployments may still run: req-dep-2/);
		expect(error).toContain('dep-2 was destroyed');
		expect(left(set)).toEqual(['other']);
	});
});

/** A deploy whose deployment has no ID that is known to its execution. */
const UNKNOWN: Array<[string, Partial<Service>]> = [
	['was confirmed without an ID', { deployed: () => ({ status: 'deployment requested' }) }],
	[
		'has an unknown outcome',
		{ answered: (call, said) => (call.method === 'POST' ? { reset: true } : said) },
	],
];

describe.each(UNKNOWN)('Destroy Many after a deploy that %s', (_, changes) => {
	const order = deploy({ resourcePrivateName: 'nightly-1' }, CONTINUE);

	it('waits until it shows, and ends it', async () => {
		const set = await hidden(3 * MINUTE, changes);
		const { of, error } = told(await set.chain([order, destroyMany('nightly-')]));
		expect(error).toBeUndefined();
		expect(of('N2')).toMatchObject([
			{ deleted: true, deployment_id: 'dep-2', resource_private_name: 'nightly-1' },
		]);
		expect(left(set)).toEqual(['other']);
	});

	it('takes it once where it shows by then', async () => {
		// Deploy looks for two minutes
		const set = await hidden(2 * MINUTE + 5_000, changes);
		const run = await set.chain([order, destroyMany('other'), destroyMany('nightly-')]);
		expect(told(run).of('N3')).toHaveLength(1);
	});

	it('is an error that names it where it never shows', async () => {
		const set = await hidden(Infinity, changes);
		const { error } = told(await set.chain([order, destroyMany('nightly-')]));
		expect(error).toContain('"nightly-1" may still run and bill');
	});

	it('names it in a dry run', async () => {
		const set = await hidden(Infinity, changes);
		const { of } = told(await set.chain([order, destroyMany('nightly-', { dryRun: true })]));
		expect(of('N2')).toMatchObject([
			{ dry_run: true, deployment_id: null, resource_private_name: 'nightly-1' },
		]);
	});
});

describe('an error about the ID of a request', () => {
	it('names what has the name that was ordered, also as the service has changed it', async () => {
		const set = await young(0, () => undefined, {
			deployed: ({ id }) => ({ id: `req-${id}` }),
			named: (name) => name.toLowerCase(),
		});
		const order = deploy({ resourcePrivateName: 'Nightly-1' });
		const { error } = told(await set.chain([order, destroy('={{ $json.deployment_id }}')]));
		expect(error).toMatch(/no deployment req-dep-2: .* dep-2 \("nightly-1"\)/);
	});
});

describe('a job whose answer has the ID of the request', () => {
	it('says within minutes that the machine of its name has ended', async () => {
		const vms = ({ id }: Machine) => [
			{ vm_id: `vm-${id}`, status: 'running', ssh_access: 'root@127.0.0.1:1' },
		];
		const set = await stage({ vms, deployed: ({ id }) => ({ id: `req-${id}` }) });
		const job = vmaas('job', 'run', jobParameters({ options: { waitTimeout: 60 } }), {
			credentials: { ...MARKETPLACE, ...SSH },
			...CONTINUE,
		});
		const { of } = told(await set.run(job));
		expect((of()[0] as { details: IDataObject }).details).toMatchObject({
			deployment_id: 'dep-1',
			destroyed: true,
			verified: true,
		});
		const { boughtAt, endedAt = Infinity } = set.service.made(1);
		expect(endedAt - boughtAt).toBeLessThan(5 * MINUTE);
	});
});
