import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND, type Machine } from './market.mts';
import { collect, open, runJob, startJob, untold } from './open.mts';

/** The name of a Run that another n8n has begun and not ended (docs/jobs.md). */
const LEFT_NAME = 'train-run-0123456711';

describe.each([45 * SECOND, 100 * SECOND, 115 * SECOND])(
	'a Run was killed just after a proxy had sent its deploy twice, and one shows %i ms later',
	(listedAfterMs) => {
		it('has both ended by the next Run, or does not call them verified', async () => {
			const opened = await open();
			const { market, run } = opened;
			const order = { isOrdered: true, madeAt: market.clock.now() };
			market.add(LEFT_NAME, order);
			market.add(LEFT_NAME, { ...order, listedAfterMs });
			market.bootMs = SECOND;
			expect(untold(opened, await run(runJob()))).toEqual([]);
		});
	},
);

/** How a list may show the second of two of a name. */
const SHOWN: Array<[string, Partial<Machine>]> = [
	['without a name while it starts', { listedAs: null, status: 'deployment requested' }],
	['with an empty name', { listedAs: '' }],
	['some seconds later', { listedAfterMs: 40 * SECOND }],
];

/** What a service makes of a name that it has already; the list shows it behind the name itself. */
const SUFFIXES = ['-2', ' (1)', '_1'];

const COMMANDS: Array<[string, IDataObject]> = [
	['succeeds', {}],
	['fails', { command: 'exit 4' }],
];

describe.each(COMMANDS)('a Run that %s, whose deploy has made two', (_end, changes) => {
	it.each(SHOWN)('ends or tells the one that is listed %s', async (_how, twin) => {
		const opened = await open({ twins: [twin] });
		opened.market.add('web');
		expect(untold(opened, await opened.run(runJob(changes)))).toEqual([]);
	});

	it.each(SUFFIXES)('ends or tells the one that is listed with "%s" at its end', async (suffix) => {
		const opened = await open({ twins: [{}] });
		opened.market.entry = (machine, shown) =>
			machine === opened.market.ordered[1] ? { ...shown, name: `${machine.name}${suffix}` } : shown;
		expect(untold(opened, await opened.run(runJob(changes)))).toEqual([]);
	});
});

describe('a Collect of a job whose deploy has made two', () => {
	it.each(SHOWN)('ends or tells the one that is listed %s', async (_how, twin) => {
		const opened = await open({ twins: [twin] });
		const { run, time } = opened;
		const [started = {}] = (await run(startJob())).items;
		await time.pass(5 * MINUTE);
		expect(untold(opened, await run(collect(), [started]))).toEqual([]);
	});

	it.each(['finished', 'running'])('tells it while the first one is kept (%s)', async (state) => {
		const opened = await open({ twins: [{ listedAfterMs: MINUTE }] });
		const { market, run, time } = opened;
		const command = state === 'running' ? 'sleep 900' : 'true';
		const [started = {}] = (await run(startJob({ command }))).items;
		await time.pass(5 * MINUTE);
		const seen = await run(collect({ whenFinished: 'keep' }), [started]);
		const [, twin] = market.ordered;
		expect(twin?.toldAt !== undefined || seen.all.includes(String(twin?.id))).toBe(true);
	});
});

describe('a job whose VM boots for three minutes, and whose deploy has made two', () => {
	it('has Start end or tell the second one, which shows after one minute', async () => {
		const { market, run } = await open({
			twins: [{ listedAfterMs: MINUTE }],
			bootMs: 3 * MINUTE,
		});
		const seen = await run(startJob({ options: { waitTimeout: 600 }, command: 'sleep 900' }));
		const [, twin] = market.ordered;
		expect(seen.items[0]?.state).toBe('running');
		expect(twin?.toldAt !== undefined || seen.all.includes(String(twin?.id))).toBe(true);
	});
});

describe('two executions side by side with one job key', () => {
	it('end their own, each once, and touch nothing of each other', async () => {
		const opened = await open({ bootMs: MINUTE });
		const { market, engine, time } = opened;
		const runs = ['left', 'right'].map(
			async (executionId) => await engine.run(runJob(), [{}], { executionId }),
		);
		await time.during(Promise.all(runs), 24 * HOUR);
		expect(market.ordered).toHaveLength(2);
		expect(new Set(market.ordered.map(({ name }) => name)).size).toBe(2);
		for (const { askedAt } of market.ordered) expect(askedAt).toHaveLength(1);
	});
});
