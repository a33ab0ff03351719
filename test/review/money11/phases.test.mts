import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { MINUTE, SECOND, type Machine, type Market, type Request, type Said } from './market.mts';
import { collect, open, runJob, startJob, untold } from './open.mts';

const isDeploy = ({ path }: Request) => path === '/deploy';
const isList = ({ path }: Request) => path === '/deployments';
const isDetail = ({ method, path }: Request) =>
	method === 'GET' && /^\/deployment\/[^/]+$/.test(path);
const isVms = ({ path }: Request) => path.endsWith('/vms');
const isEnd = ({ method }: Request) => method === 'DELETE';

const DOWN: Said = { status: 500, body: 'internal' };

/** What fails, for how long from the first deploy on; an answer that comes after the work was done is lost. */
interface Phase {
	what: (call: Request) => boolean;
	ms: number;
	said: Said;
	isDone?: boolean;
}

const PHASES: Array<[string, Phase]> = [
	['the offers', { what: ({ path }) => path === '/hardware', ms: MINUTE, said: DOWN }],
	[
		'the second price',
		{ what: ({ path, nth }) => path === '/price' && nth === 1, ms: 0, said: DOWN },
	],
	[
		'the deploy, done',
		{ what: isDeploy, ms: SECOND, said: { status: 504, body: '' }, isDone: true },
	],
	[
		'the deploy, done and reset',
		{ what: isDeploy, ms: SECOND, said: { isLost: true }, isDone: true },
	],
	['the details', { what: isDetail, ms: 3 * MINUTE, said: DOWN }],
	['details, as absent', { what: isDetail, ms: 30 * MINUTE, said: { status: 404, body: '' } }],
	['the VMs', { what: isVms, ms: 5 * MINUTE, said: { status: 403, body: { detail: 'no' } } }],
	['its end', { what: isEnd, ms: 25 * MINUTE, said: DOWN }],
	['its end, done', { what: isEnd, ms: 25 * MINUTE, said: DOWN, isDone: true }],
	['the list', { what: isList, ms: 25 * MINUTE, said: DOWN }],
	[
		'details and list',
		{ what: (call) => isDetail(call) || isList(call), ms: 25 * MINUTE, said: DOWN },
	],
];

/** What a Run asks for before it buys fails once. */
const isBefore = ({ path, nth }: Request) =>
	(path === '/hardware' && nth === 0) || (path === '/price' && nth === 1);

/** Lets it fail; returns the most that billed at once. */
function fail(market: Market, { what, ms, said, isDone }: Phase): () => number {
	let begin = Infinity;
	let most = 0;
	const isOn = (call: Request) => {
		const at = market.clock.now();
		return what(call) && (begin === Infinity ? isBefore(call) : at >= begin && at <= begin + ms);
	};
	market.before = (call) => {
		if (isDeploy(call)) begin = Math.min(begin, market.clock.now());
		return isDone !== true && isOn(call) ? said : undefined;
	};
	market.after = (call, own) => {
		most = Math.max(most, market.billing.length);
		return isDone === true && isOn(call) ? said : own;
	};
	return () => most;
}

describe.each(PHASES)('a Run that meets a failure of %s', (_what, phase) => {
	it.each([RETRY, CONTINUE, { ...CONTINUE, ...RETRY }])('%o', async (settings) => {
		const opened = await open();
		const { market, run } = opened;
		const most = fail(market, phase);
		const seen = await run(runJob({}, settings));
		expect(untold(opened, seen)).toEqual([]);
		expect(most()).toBeLessThanOrEqual(1);
	});

	it.each(['start', 'details', 'end'])('is stopped at its %s', async (when) => {
		const opened = await open();
		const { market, run, time } = opened;
		fail(market, phase);
		const { before } = market;
		const stop = new AbortController();
		const stops = { start: isDeploy, details: isDetail, end: isEnd }[when] ?? isDeploy;
		market.before = (call) => {
			if (stops(call)) stop.abort();
			return before(call);
		};
		const logged = opened.engine.log.length;
		await run(runJob(), [{}], { cancel: stop.signal });
		await time.pass(40 * MINUTE);
		const log = JSON.stringify(opened.engine.log.slice(logged));
		const left = market.billing.filter(({ id, name }) => !log.includes(id) && !log.includes(name));
		expect(left).toEqual([]);
		expect(market.ordered.length).toBeLessThanOrEqual(1);
	});
});

/** Of each of two Starts, what fails of the Collect in another execution. */
describe.each(PHASES.slice(4))(
	'two jobs of Start, collected beside a failure of %s',
	(_what, phase) => {
		it.each([RETRY, { ...CONTINUE, ...RETRY }])('%o', async (settings) => {
			const opened = await open();
			const { market, run, time } = opened;
			const jobs = [];
			for (const jobKey of ['a', 'b']) jobs.push(...(await run(startJob({ jobKey }))).items);
			await time.pass(5 * MINUTE);
			const from = market.clock.now();
			market.before = (call) =>
				phase.isDone !== true && phase.what(call) && market.clock.now() <= from + phase.ms
					? phase.said
					: undefined;
			const seen = await run(collect({}, settings), jobs);
			expect(untold(opened, seen)).toEqual([]);
			const isKept = (machine: Machine) => market.billing.includes(machine);
			const outputs = seen.items.filter(({ stdout }) => stdout === 'done\n');
			if (seen.error === '' && seen.items.every(({ error }) => error === undefined))
				expect(outputs).toHaveLength(2);
			expect(market.ordered.filter(isKept).every(({ id }) => seen.all.includes(id))).toBe(true);
		});
	},
);
