import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { now } from '../../nodes/shared/time.ts';
import { endDeployments, endPurchase } from '../../nodes/Vmaas/resources/job/end.ts';
import { DEPLOYMENT, jobBench, outcome, type Answer, type Bench } from './job-bench.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const NAME = 'train-run-0123456789abc';
const MINUTE = 60_000;

type Seen = Record<string, IDataObject>;

/** A service of these deployments, by ID; the answer to a request to destroy one, where it is another. */
function serviceOf(
	shown: Seen,
	refusal: (id: string) => Answer | undefined = () => undefined,
): Bench {
	return jobBench({
		instead(request) {
			const [method, path] = request.split(' ') as [string, string];
			const id = path.replace(/.*\//, '');
			if (id === 'deployments') {
				const deployments = Object.entries(shown).map(([one, facts]) => ({
					deployment_id: one,
					...facts,
				}));
				return [200, { data: { deployments, total: deployments.length } }];
			}
			const one = shown[id];
			if (!one) return [404, {}];
			if (method === 'GET') return [200, { data: { deployment_id: id, ...one } }];
			const refused = refusal(id);
			if (refused) return refused;
			one.status = 'destroyed';
			return [200, {}];
		},
	});
}

const running = (more: IDataObject = {}) => ({ name: NAME, status: 'running', ...more });
const contextOf = (bench: Bench) => ({ ...bench.context(), product: VMAAS });
const destroyed = ({ requests }: Bench) =>
	requests.flatMap((one) => /^DELETE .*\/(.*)/.exec(one)?.[1] ?? []);

async function ended(bench: Bench, id = DEPLOYMENT) {
	const startedAt = now();
	const context = contextOf(bench);
	const result = await outcome(async () => await endDeployments(context, [id], { name: NAME }));
	if (result instanceof Error) throw result;
	return { ...result, minutes: (now() - startedAt) / MINUTE };
}

const seen = (id: string | null, amount: number | null = null) => ({
	deployment_id: id,
	resource_private_name: NAME,
	destroyed: true,
	verified: true,
	amount_paid: amount,
});
const unseen = (id: string | null) => ({ ...seen(id), destroyed: null, verified: false });

const NEVER_SHOWN =
	'The service has never shown dep-1, the ID in its answer to the deploy: it may be that of the order. Look for it in the console of the service';

describe('the end of a deployment of a job', () => {
	it('is seen, with what was paid', async () => {
		const { end, warning } = await ended(
			serviceOf({ [DEPLOYMENT]: running({ amount_paid: '1.25' }) }),
		);
		expect({ end, warning }).toEqual({ end: seen(DEPLOYMENT, 1.25), warning: undefined });
	});

	it('is asked for again where it was refused', async () => {
		const refusals: Answer[] = [
			[403, {}],
			[403, {}],
		];
		const bench = serviceOf({ [DEPLOYMENT]: running() }, () => refusals.shift());
		const { end, warning, minutes } = await ended(bench);
		expect({ end, warning }).toEqual({ end: seen(DEPLOYMENT), warning: undefined });
		expect(destroyed(bench)).toHaveLength(3);
		// With pauses of 20 seconds
		expect(minutes).toBeCloseTo(40 / 60, 1);
	});

	it('is given up after a quarter of an hour, with the last reason that the service gave', async () => {
		const until = now() + 14.5 * MINUTE;
		// The time is over while it is asked for again and again
		const refusal = (): Answer => [now() < until ? 403 : 500, {}];
		const bench = serviceOf({ [DEPLOYMENT]: running() }, refusal);
		const { end, warning, minutes } = await ended(bench);
		expect(end).toEqual(unseen(DEPLOYMENT));
		expect(warning).toMatch(
			/^Deployment dep-1 \("train-run-0123456789abc"\) may still run and bill: .*\(403\)/,
		);
		expect(minutes).toBeCloseTo(15, 1);
	});

	it('is given up after a quarter of an hour where the service takes the request and the deployment goes on', async () => {
		const bench = serviceOf({ [DEPLOYMENT]: running() }, () => [200, {}]);
		const { end, warning, minutes } = await ended(bench);
		expect(end).toEqual(unseen(DEPLOYMENT));
		expect(warning).toContain('may still run and bill: ');
		expect(warning).not.toContain('undefined');
		expect(minutes).toBeCloseTo(15, 1);
	});

	it('is that of what has the name, where the ID never shows: it is told', async () => {
		const bench = serviceOf({ 'real-1': running(), other: running({ name: 'other' }) });
		const { end, warning } = await ended(bench);
		expect({ end, warning }).toEqual({ end: seen('real-1'), warning: NEVER_SHOWN });
		expect(destroyed(bench)).toContain('real-1');
		expect(destroyed(bench)).not.toContain('other');
	});

	it('is that of each that has the name, in whatever case', async () => {
		const shown: Seen = { 'real-1': running(), 'real-2': running({ name: NAME.toUpperCase() }) };
		const bench = serviceOf(shown);
		const { end } = await ended(bench);
		expect(end).toMatchObject({ destroyed: true, verified: true });
		expect(shown).toMatchObject({
			'real-1': { status: 'destroyed' },
			'real-2': { status: 'destroyed' },
		});
	});

	it('is that of what has the name as soon as it shows, and nothing else is asked to end', async () => {
		const shown: Seen = { other: running({ name: 'other' }) };
		const until = now() + 3 * MINUTE;
		const bench = serviceOf(shown);
		const usually = bench.instead;
		bench.instead = (request) => {
			if (now() >= until) shown['real-1'] ??= running();
			return usually?.(request);
		};
		const { end, warning } = await ended(bench);
		expect({ end, warning }).toEqual({ end: seen('real-1'), warning: NEVER_SHOWN });
		expect(new Set(destroyed(bench))).toEqual(new Set([DEPLOYMENT, 'real-1']));
	});

	it('tells all that may still run', async () => {
		const bench = serviceOf({ 'real-1': running(), 'real-2': running() }, () => [403, {}]);
		const { end, warning } = await ended(bench);
		expect(end).toEqual(unseen('real-1'));
		expect(warning).toMatch(/^Deployment real-1, real-2 \("train-run-0123456789abc"\) may still/);
	});
});

describe('the end of a purchase that was cut short', () => {
	/** What is ended of a purchase that has noted this, so many milliseconds ago. */
	async function endedOf(bench: Bench, noted: IDataObject | undefined, ageMs = 0) {
		const startedAt = now();
		const context = contextOf(bench);
		Object.assign(context.journal, {
			intent: () => noted,
			ageMs: () => ageMs + now() - startedAt,
		});
		const result = await outcome(async () => await endPurchase(context, NAME));
		if (result instanceof Error) throw result;
		return { result, minutes: (now() - startedAt) / MINUTE };
	}

	const UNKNOWN = {
		end: unseen(null),
		warning: `The outcome of the deploy of "${NAME}" is unknown: it may exist and bill. Look for it by its name`,
		isOpen: true,
	};

	it('is nothing where nothing was sent', async () => {
		const bench = serviceOf({ [DEPLOYMENT]: running() });
		expect((await endedOf(bench, undefined)).result).toBeUndefined();
		expect(bench.requests).toEqual([]);
	});

	it('is that of the deployment that was noted, and then of what else has the name', async () => {
		const bench = serviceOf({
			second: running({ amount_paid: 0.5 }),
			noted: running({ amount_paid: 2 }),
			other: running({ name: 'other' }),
		});
		const { result } = await endedOf(bench, { deployment_id: 'noted' });
		expect(result).toEqual({ end: seen('noted', 2.5) });
		expect(destroyed(bench)).toEqual(['noted', 'second']);
	});

	it('tells the one that may bill where another one was noted', async () => {
		const bench = serviceOf({ second: running(), noted: running() }, (id) =>
			id === 'second' ? [403, {}] : undefined,
		);
		const { result } = await endedOf(bench, { deployment_id: 'noted' });
		expect(result?.end).toEqual(unseen('second'));
		expect(result?.warning).toMatch(/^Deployment second \(/);
	});

	it('is that of what shows under the name, and of no other', async () => {
		const bench = serviceOf({
			ended: running({ status: 'destroyed' }),
			mine: running(),
			other: running({ name: 'other' }),
		});
		const { result } = await endedOf(bench, {});
		expect(result).toEqual({ end: seen('mine') });
		expect(destroyed(bench)).toEqual(['mine']);
	});

	it('is that of what shows a few minutes later', async () => {
		const shown: Seen = { other: running({ name: 'other' }) };
		const bench = serviceOf(shown);
		const usually = bench.instead;
		let looks = 0;
		bench.instead = (request) => {
			if (request.endsWith('/deployments') && ++looks === 5) shown.mine = running();
			return usually?.(request);
		};
		const { result } = await endedOf(bench, {});
		expect(result).toEqual({ end: seen('mine') });
	});

	it('is that of each that shows, and tells which may still run', async () => {
		const bench = serviceOf({ 'real-1': running(), 'real-2': running() }, (id) =>
			id === 'real-2' ? [403, {}] : undefined,
		);
		const { result } = await endedOf(bench, {});
		expect(result?.end).toEqual(unseen('real-2'));
		expect(result?.warning).toMatch(
			new RegExp(`^Deployment real-2 \\("${NAME}"\\) may still run and bill: `),
		);
		expect(result?.warning).not.toContain('real-1');
	});

	it('tells of several that may still run in one sentence', async () => {
		const shown = { 'real-1': running(), 'real-2': running() };
		const { result } = await endedOf(
			serviceOf(shown, () => [403, {}]),
			{},
		);
		expect(result?.end).toEqual(unseen('real-1'));
		expect(result?.warning).toMatch(
			/^Deployment real-1, real-2 .* may still run and bill: .*\(403\)/,
		);
	});

	it('has a cost that is not known where that of one is not', async () => {
		for (const [one, other] of [
			[undefined, 2],
			[2, undefined],
		]) {
			const bench = serviceOf({
				'real-1': running({ amount_paid: one }),
				'real-2': running({ amount_paid: other }),
			});
			expect((await endedOf(bench, {})).result).toEqual({ end: seen('real-1', null) });
		}
	});

	it('is unknown where the list cannot be read', async () => {
		const bench = jobBench({ list: [403, {}] });
		const { result, minutes } = await endedOf(bench, {});
		expect(result).toEqual(UNKNOWN);
		expect(minutes).toBeGreaterThanOrEqual(6);
		expect(minutes).toBeLessThan(6.5);
	});

	it('has cost what all of them have', async () => {
		const bench = serviceOf({
			'real-1': running({ amount_paid: 1.5 }),
			'real-2': running({ amount_paid: 2 }),
		});
		const { result } = await endedOf(bench, {});
		expect(result).toEqual({ end: seen('real-1', 3.5) });
		expect(destroyed(bench)).toEqual(['real-1', 'real-2']);
	});

	it('is unknown where nothing shows for six minutes after it was sent', async () => {
		const bench = serviceOf({ other: running({ name: 'other' }) });
		const { result, minutes } = await endedOf(bench, {}, 2 * MINUTE);
		expect(result).toEqual(UNKNOWN);
		expect(minutes).toBeGreaterThanOrEqual(4);
		expect(minutes).toBeLessThan(4.5);
		expect(destroyed(bench)).toEqual([]);
	});

	it('is unknown after a quarter of an hour, also where the clock was set back since', async () => {
		const bench = serviceOf({ other: running({ name: 'other' }) });
		const { result, minutes } = await endedOf(bench, {}, -60 * MINUTE);
		expect(result).toEqual(UNKNOWN);
		expect(minutes).toBeCloseTo(15, 1);
		expect(destroyed(bench)).toEqual([]);
	});
});
