import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, deployment, locator, MARKETPLACE, RETRY } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Said } from './market.mts';
import { collect, open, runJob, startJob, untold, type Opened } from './open.mts';

const isList = ({ path }: { path: string }) => path === '/deployments';

/** A job of Start whose deploy has made two, after some minutes. */
async function started(changes: Parameters<typeof open>[0] = {}, ageMs = 5 * MINUTE) {
	const opened = await open({ twins: [{}], ...changes });
	const [item = {}] = (await opened.run(startJob({ command: 'sleep 900' }))).items;
	await opened.time.pass(ageMs);
	const [first, twin] = opened.market.ordered;
	if (!first) throw new Error('Nothing was bought');
	return { ...opened, item, first, twin };
}

/** How a list fails for a moment. */
const FAILURES: Array<[string, Said]> = [
	['500', { status: 500, body: 'internal' }],
	['429', { status: 429, body: { detail: 'slow down' }, headers: { 'retry-after': '40' } }],
	['429 for longer', { status: 429, body: { detail: 'slow' }, headers: { 'retry-after': '90' } }],
	['a reset', { isLost: true }],
	['an HTML page', { body: '<html>maintenance</html>', headers: { 'content-type': 'text/html' } }],
	['404 of a gateway', { status: 404, body: { message: 'no Route matched' } }],
];

describe('a lost job whose deploy has made two: both names are in the list', () => {
	it.each(FAILURES)('ends the other one where the list begins with %s', async (_how, said) => {
		const opened = await started();
		const { market, run, item, first, twin } = opened;
		first.status = 'failed';
		const until = market.clock.now() + 30 * SECOND;
		market.before = (call) => (isList(call) && market.clock.now() < until ? said : undefined);
		const seen = await run(collect(), [item]);
		expect(seen.items[0]).toMatchObject({ state: 'lost' });
		expect(twin?.toldAt).toBeDefined();
		expect(untold(opened, seen)).toEqual([]);
	});

	it.each([20 * SECOND, MINUTE])('ends it where the list is %i ms behind', async (lagMs) => {
		const opened = await started({}, SECOND);
		const { market, run, item, first, twin } = opened;
		first.status = 'failed';
		const shownAt = market.clock.now() + lagMs;
		for (const one of market.ordered) one.listedAfterMs = shownAt - one.madeAt;
		await run(collect(), [item]);
		expect(twin?.toldAt).toBeDefined();
	});

	it('ends it in an account of 60 in pages of 20', async () => {
		const { market, run, item, first, twin } = await started({ mostPerPage: 20 });
		for (let nth = 0; nth < 60; nth++) market.add(`web-${nth}`);
		first.status = 'failed';
		await run(collect(), [item]);
		expect(twin?.toldAt).toBeDefined();
	});

	it('ends or tells it where Collect chooses the deployment by its name', async () => {
		const opened = await started();
		const { run, item, first, twin } = opened;
		first.status = 'completed';
		const deploymentId = locator(item.resource_private_name, 'name');
		const { error, all } = await run(collect({ deploymentId }), [item]);
		const isTold = error.includes(String(twin?.id)) && /\bbills?\b/.test(all);
		expect(twin?.toldAt !== undefined || isTold).toBe(true);
	});
});

describe('a Collect that fails while its deployment goes on', () => {
	const FILES = 'for i in $(seq 120); do : > "part-$i"; done';
	const CASES: Array<[string, IDataObject, IDataObject]> = [
		['the VM has no such job', {}, { jobId: '0123456711' }],
		['too many files match', { command: FILES }, { resultFiles: 'part-*' }],
	];

	it.each(CASES)('says which, and that it bills: %s', async (_what, job, changes) => {
		const { market, run, time } = await open();
		const [item = {}] = (await run(startJob(job))).items;
		await time.pass(5 * MINUTE);
		const { error } = await run(collect(changes), [item]);
		expect(market.billing).toHaveLength(1);
		expect(error).toMatch(/\bbills?\b/);
	});

	it('says so where the VM rejects the key', async () => {
		const { market, run, item } = await started({ twins: [] });
		const credentials = { ...MARKETPLACE, computeSshApi: { id: 'other-ssh', name: 'Other' } };
		const { error } = await run(collect({}, { credentials }), [item]);
		expect(market.billing).toHaveLength(1);
		expect(error).toMatch(/\bbills?\b/);
	});
});

it('a Collect that is stopped while it ends its deployment logs what else may bill', async () => {
	const opened = await started();
	const { market, run, item } = opened;
	market.entry = (machine, shown) => (machine.isOrdered ? { ...shown, name: null } : shown);
	const stop = new AbortController();
	market.before = ({ method }) => {
		if (method === 'DELETE') stop.abort();
		return undefined;
	};
	const ends = collect({ ifStillRunning: 'destroy' });
	const { log } = await run(ends, [item], { cancel: stop.signal });
	expect(untold(opened, { items: [], error: '', log, all: log })).toEqual([]);
});

describe('a service whose clock, and the times that it shows, are behind', () => {
	const BEHIND = [0, 5 * MINUTE, 50 * MINUTE];

	it.each(BEHIND)('by %i ms: a lost young job leaves nothing untold', async (behindMs) => {
		const opened = await started({ behindMs, twins: [{ listedAfterMs: 90 * SECOND }] }, SECOND);
		opened.first.status = 'failed';
		expect(untold(opened, await opened.run(collect(), [opened.item]))).toEqual([]);
	});

	it.each(BEHIND)('by %i ms: a young one that is away for 70 s has not ended', async (behindMs) => {
		const { market, run } = await open({ behindMs });
		market.add('other');
		const young = market.add('young', { madeAt: market.clock.now() });
		const from = market.clock.now() + 5 * SECOND;
		const isAway = () => market.clock.now() > from && market.clock.now() < from + 70 * SECOND;
		market.detail = (one, shown) => (one === young && isAway() ? undefined : shown);
		market.entry = market.detail;
		const { items } = await run(
			deployment('waitFor', {
				deploymentId: locator(young.id),
				waitUntil: 'final',
				pollInterval: 5,
				timeout: 110,
				onTimeout: 'output',
			}),
		);
		expect(items[0]).toMatchObject({ reached: false });
	});
});

/** The ID in the answer to a deploy is in capitals; a look just after it shows nothing. */
function inCapitals({ market }: Opened): void {
	market.after = ({ path }, said) => {
		const body = said.body as IDataObject;
		if (path !== '/deploy') return said;
		return { ...said, body: { ...body, deployment_id: String(body.deployment_id).toUpperCase() } };
	};
	market.detail = ({ madeAt }, shown) =>
		market.clock.now() < madeAt + 15 * SECOND ? undefined : shown;
}

describe('an ID that the answer to a deploy has in another case', () => {
	it('is that of one deployment for Run, which is paid once', async () => {
		const opened = await open();
		inCapitals(opened);
		const [item] = (await opened.run(runJob())).items;
		expect(item).toMatchObject({ destroyed: true, verified: true, amount_paid: 6 });
	});

	it('is that of one deployment for Collect', async () => {
		const opened = await open();
		const { run, time } = opened;
		inCapitals(opened);
		const [item = {}] = (await run(startJob())).items;
		await time.pass(5 * MINUTE);
		const [collected] = (await run(collect(), [item])).items;
		expect(collected).toMatchObject({ destroyed: true, verified: true, amount_paid: 6 });
	});
});

describe.each([CONTINUE, RETRY, { ...CONTINUE, ...RETRY }])(
	'three jobs collected, %o',
	(settings) => {
		it('are ended and put out, where each second list fails', async () => {
			const { market, run, time } = await open();
			const jobs: IDataObject[] = [];
			for (const text of ['a', 'b', 'c'])
				jobs.push(...(await run(startJob({ jobKey: text, command: `echo out-${text}` }))).items);
			// All VMs but the first are one machine, which has all of their jobs
			await time.pass(5 * MINUTE);
			market.before = (call) =>
				isList(call) && call.nth % 2 === 0 ? { status: 500, body: 'internal' } : undefined;
			const { items, error } = await run(collect({}, settings), jobs);
			expect(error).toBe('');
			expect(items.map(({ stdout }) => stdout)).toEqual(['out-a\n', 'out-b\n', 'out-c\n']);
			expect(market.billing).toEqual([]);
			expect(market.ordered).toHaveLength(3);
		});
	},
);
