import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { CONTINUE, jobParameters, MARKETPLACE, SSH, vmaas } from '../../engine/nodes.mts';
import { waitOn } from '../../sandbox/core/clock.mts';
import type { Call, Machine, Service } from './service.mts';
import { stage, told, type Stage } from './stage.mts';

const isPost = ({ method }: Call) => method === 'POST';

const job = (
	operation: 'run' | 'start' = 'run',
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
) => {
	const { resultFiles, ...common } = jobParameters({ options: { waitTimeout: 60 }, ...parameters });
	const all = operation === 'run' ? { ...common, resultFiles } : common;
	return vmaas('job', operation, all, { credentials: { ...MARKETPLACE, ...SSH }, ...settings });
};

/** VMs to which nobody listens: the job never runs, and all that was bought must end. */
async function unreachable(changes: Partial<Service> = {}, behindMs = 0): Promise<Stage> {
	const set = await stage({
		vms: ({ id }) => [{ vm_id: `vm-${id}`, status: 'running', ssh_access: 'root@127.0.0.1:1' }],
		...changes,
	});
	const { service } = set;
	if (behindMs > 0) {
		const isShown = ({ boughtAt }: Machine) => service.clock.now() >= boughtAt + behindMs;
		service.listed = (machine, entry) => (isShown(machine) ? entry : undefined);
		service.detailed = (machine, details) => (isShown(machine) ? details : undefined);
	}
	return set;
}

/** Nothing of it bills; or, where `mayBill`, what bills is told by its name or ID. */
function expectEnded({ service }: Stage, all: string, mayBill = false): void {
	const running = service.machines.filter(
		({ endedAt, status }) => endedAt === undefined && !status,
	);
	if (!mayBill) expect(running.map(({ id, name }) => `${id} ${name}`)).toEqual([]);
	// The digits of a name are its own, however it is stored
	for (const { id, name } of running)
		expect(all).toMatch(new RegExp(`\\b${id}|${/[0-9a-f]{6,}/i.exec(name)?.[0] ?? name}`, 'i'));
	if (running.length > 0) expect(all).not.toContain('"destroyed":true');
}

const NAMED: Array<[string, (name: string) => string]> = [
	['as it is', (name) => name],
	['in lower case', (name) => name.toLowerCase()],
	['in upper case', (name) => name.toUpperCase()],
	['with underscores', (name) => name.replaceAll('-', '_')],
	['with the account before it', (name) => `acc-7-${name}`],
	['cut at 20', (name) => name.slice(0, 20)],
];

describe.each(NAMED)('where a name is stored %s', (how, named) => {
	it.each([0, 45_000, 100_000])(
		'a job without SSH ends what it bought (%d ms behind)',
		async (ms) => {
			for (const operation of ['run', 'start'] as const) {
				const set = await unreachable({ named }, ms);
				const { all, error } = told(await set.run(job(operation, { jobKey: 'Nightly' })));
				expect(error).toBeDefined();
				expect(set.service.machines).toHaveLength(1);
				expectEnded(set, all);
			}
		},
	);

	it.each([0, 45_000, 100_000, 300_000])(
		'so does one whose answer was lost (%d ms)',
		async (ms) => {
			const set = await unreachable({ named }, ms);
			set.service.answered = (call, said) => (isPost(call) ? { reset: true } : said);
			const { all } = told(await set.run(job('run', { jobKey: 'Nightly' }, CONTINUE)));
			expect(set.service.machines).toHaveLength(1);
			expectEnded(set, all, !['as it is', 'in lower case', 'in upper case'].includes(how));
		},
	);
});

describe('where the answer to a deploy has', () => {
	const ANSWERS: Array<[string, (machine: Machine) => unknown, boolean]> = [
		['no ID', () => ({ status: 'deployment requested' }), false],
		['nothing', () => undefined, false],
		['the ID as a number', ({ id }) => ({ deployment_id: Number(id.replace('dep-', '')) }), false],
		['the ID of the request', ({ id }) => ({ id: `req-${id}`, status: 'accepted' }), true],
		['another ID in front', ({ id }) => ({ id: `order-${id}`, data: { id } }), false],
		['a list', ({ id }) => ({ data: [{ id }] }), false],
		['the machine under another key', ({ id }) => ({ cluster: { id } }), false],
	];
	describe.each(ANSWERS)('%s', (what, deployed, isHard) => {
		it.each([0, 45_000, 200_000])('a job ends what it bought (%d ms behind)', async (ms) => {
			const idOf = (count: number) => (what.includes('number') ? `${count}` : `dep-${count}`);
			const set = await unreachable({ deployed, idOf }, ms);
			const { all } = told(await set.run(job('run', {}, CONTINUE)));
			expect(set.service.machines).toHaveLength(1);
			expectEnded(set, all, isHard);
			if (!isHard) return;
			// Its name is nobody else's, and the list shows it
			expect(set.service.machines[0]?.endedAt).toBeDefined();
		});
	});
});

describe('the end of a job', () => {
	const NOES: Array<[string, (call: Call, service: Service) => boolean]> = [
		['fails for five minutes', ({ at }, service) => at < service.made(1).boughtAt + 300_000],
		['fails for ever', () => true],
	];
	it.each(NOES)('that %s is made or told', async (_, fails) => {
		for (const status of [500, 409, 404, 429]) {
			const set = await unreachable();
			const { service } = set;
			service.instead = (call) =>
				call.method === 'DELETE' && fails(call, service) ? { status } : undefined;
			const { all } = told(await set.run(job('run', {}, CONTINUE)));
			expectEnded(set, all, _.includes('ever'));
		}
	});

	it('of a machine that fails at its start is seen', async () => {
		const set = await unreachable();
		set.service.answered = (call, said) => {
			if (isPost(call)) set.service.made(1).status = 'failed';
			return said;
		};
		const { all, error } = told(await set.run(job()));
		expect(error).toContain('failed');
		expect(all).toContain('dep-1');
	});
});

describe('a job that is cancelled', () => {
	it.each([0, 40_000])('at each of its requests leaves nothing (%d ms behind)', async (ms) => {
		for (let count = 1; count <= 24; count += 1) {
			const set = await unreachable({}, ms);
			const { service, engine } = set;
			const stop = new AbortController();
			let seen = 0;
			service.answered = (call, said) => {
				if (++seen === count) {
					stop.abort();
					// What was cut was done all the same
					if (isPost(call)) return { reset: true };
				}
				return said;
			};
			const from = engine.log.length;
			await set.run(job(), [{}], { cancel: stop.signal }).catch(() => undefined);
			await set.time.pass(1_200_000);
			expect(service.machines.length).toBeLessThanOrEqual(1);
			const left = service.machines.filter(({ endedAt }) => endedAt === undefined);
			expect(left).toEqual([]);
			if (stop.signal.aborted && service.machines.length > 0)
				expect(JSON.stringify(engine.log.slice(from))).toContain(service.made(1).name);
			service.close();
		}
	});
});

describe('two jobs of one key at the same time', () => {
	it('do not end each other, and each ends its own', async () => {
		const set = await unreachable({}, 30_000);
		const { service, engine, time } = set;
		const runs = ['a', 'b'].map(async (executionId) => {
			await waitOn(service.clock, executionId === 'a' ? 0 : 20_000, new AbortController().signal);
			return await engine.run(job(), [{}], { executionId });
		});
		const all = (await time.during(Promise.all(runs), 7_200_000)).map((run) => told(run).all);
		expect(service.machines).toHaveLength(2);
		expectEnded(set, all.join());
	});
});

describe('a second execution of a job', () => {
	it.each([0, 60_000])('ends what a killed n8n has left (%d ms behind)', async (ms) => {
		const set = await unreachable({}, ms);
		const { service } = set;
		// Its first execution, which ended with its process
		await set.run(job());
		service.made(1).endedAt = undefined;
		await set.time.pass(600_000);
		const { all } = told(await set.run(job(), [{}], { executionId: '2' }));
		expect(service.machines).toHaveLength(2);
		expectEnded(set, all);
	});
});
