import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Call, type Json, type Said } from '../money7/service.mts';
import { collectJob, job, startJob, type Stage, type Told } from '../money7/stage.mts';
import { hideSecond, withVms } from '../money7/vms.mts';

const isDeploy = ({ path }: Call) => path === '/deploy';
const isDelete = ({ method }: Call) => method === 'DELETE';
const isList = ({ method, path }: Call) => method === 'GET' && path === '/deployments';

const KEY = { jobKey: 'nightly-training' };

/** What bills of the own is told, and not all is called ended. */
function expectHonest({ service }: Stage, { items, all }: Told): void {
	const open = service.billing.filter(({ isOwn }) => isOwn);
	for (const { id } of open) expect(all).toContain(id);
	expectUnverified(open.length, items);
}

function expectUnverified(open: number, items: Json[]): void {
	if (open === 0) return;
	for (const { destroyed, verified, details } of items) {
		const said = { destroyed, verified, ...(details as Json | undefined) };
		expect(said).not.toMatchObject({ destroyed: true, verified: true });
	}
}

/** Two that one deploy has made, in a list that shows the names of the own otherwise. */
async function twice(shownAs: (name: string) => string | null, changes = {}): Promise<Stage> {
	const set = await withVms({ copies: 2, ...changes });
	const { service } = set;
	service.add('other', { product: 'vmaas' });
	const { list } = service;
	service.list = (entries, call) => {
		const isOwn = (id: unknown) => service.own.some((one) => one.id === id);
		const shown = (entry: Json) =>
			isOwn(entry.id) ? { ...entry, name: shownAs(String(entry.name)) } : entry;
		return list(entries.map(shown), call);
	};
	return set;
}

const NAMES: Array<[string, (name: string) => string | null]> = [
	['as they are', (name) => name],
	['in upper case', (name) => name.toUpperCase()],
	['with underscores', (name) => name.replaceAll('-', '_')],
	['cut at 20', (name) => name.slice(0, 20)],
	['with the name of the team before', (name) => `team-b/${name}`],
	['as one and the same', () => 'GPU cluster'],
	['not', () => null],
];

/** How a run of a job ends. */
const ENDS: Array<[string, IDataObject]> = [
	['succeeds', KEY],
	['fails', { ...KEY, command: 'exit 3' }],
];

describe.each(NAMES)('two that one deploy has made, whose names show %s', (_names, shownAs) => {
	it.each(ENDS)('are ended, or told, by a Run that %s', async (_end, changes) => {
		const set = await twice(shownAs);
		expectHonest(set, await set.run(job(changes, CONTINUE)));
	});

	it('are ended, or told, by a Run whose VM fails', async () => {
		const set = await twice(shownAs, { named: 'first' });
		const { service, run } = set;
		service.after = (call, own) => {
			if (isDeploy(call)) Object.assign(service.own[0] ?? {}, { status: 'failed' });
			return own;
		};
		const told = await run(job(KEY, CONTINUE));
		const open = service.own.filter(({ endsAt, status }) => !endsAt && status === undefined);
		for (const { id } of open) expect(told.all).toContain(id);
		expectUnverified(open.length, told.items);
	});
});

describe.each([404, 405, 501])('a service whose list is always a %i', (status) => {
	it.each(ENDS)('has two not told as ended by a Run that %s', async (_end, changes) => {
		const set = await withVms({ copies: 2 });
		const { service, run } = set;
		service.before = (call) =>
			isList(call) ? { status, body: { detail: 'no route' } } : undefined;
		const { items } = await run(job(changes, CONTINUE));
		expectUnverified(service.billing.length, items);
	});
});

describe.each(['failed', 'completed'])('a job whose VM is %s before Collect', (status) => {
	it.each([0, 10 * SECOND])(
		'has the other one ended or told (shown after %i ms)',
		async (lagMs) => {
			const set = await withVms({ copies: 2, named: 'first' });
			const { service, run } = set;
			hideSecond(service, lagMs);
			const [started] = (await run(startJob())).items;
			const [first, second] = service.own;
			Object.assign(first ?? {}, { status });
			const { all } = await run(collectJob(started?.deployment_id, started?.job_id));
			expect(second?.endsAt !== undefined || all.includes(String(second?.id))).toBe(true);
		},
	);
});

it.each([MINUTE, 30 * MINUTE])(
	'one that shows %i ms after the other, and whose ID the answer has, is told',
	async (lagMs) => {
		const set = await withVms({ copies: 2, named: 'first' });
		const { service, run } = set;
		const { list } = service;
		const isHidden = (id: unknown) =>
			service.own.findIndex((own) => own.id === id) === 0 &&
			service.own.some(({ madeAt }) => service.clock.now() < madeAt + lagMs);
		service.list = (entries, call) =>
			list(
				entries.filter(({ id }) => !isHidden(id)),
				call,
			);
		service.details = ({ id }, shown) => (isHidden(id) ? undefined : shown);
		service.before = (call) =>
			isDelete(call) && isHidden(call.path.slice('/deployment/'.length))
				? { status: 404, body: { detail: 'no such deployment' } }
				: undefined;
		const { all } = await run(job({}, CONTINUE));
		for (const { id } of service.billing) expect(all).toContain(id);
	},
);

const NOS: Array<[string, Said]> = [
	['409, the name exists', { status: 409, body: { detail: 'name already exists' } }],
	['409, sold out', { status: 409, body: { detail: 'sold out' } }],
	['402', { status: 402, body: { detail: 'insufficient balance' } }],
	['429', { status: 429, body: { detail: 'slow down' } }],
	['a 504', { status: 504, body: '' }],
	['an empty 200', { body: '' }],
];

describe.each(NOS)('a deploy of a job that is made behind %s', (_no, said) => {
	it.each([0, 5 * SECOND, MINUTE])('leaves nothing untold (shown after %i ms)', async (lagMs) => {
		const set = await withVms({ lagMs });
		const { service, run } = set;
		service.add('other', { product: 'vmaas' });
		service.after = (call, own) => (isDeploy(call) ? said : own);
		const { all } = await run(job({}, CONTINUE));
		for (const { id, name } of service.billing.filter(({ isOwn }) => isOwn))
			expect(all.includes(id) || (all.includes(name) && all.includes('unknown'))).toBe(true);
	});
});
