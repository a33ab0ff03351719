import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY, deployment, locator } from '../../engine/nodes.mts';
import { deploy, destroy, extend, told, waitFor } from './forms.mts';
import { HOUR, MINUTE, openMarket, type Market } from './service.mts';
import type { Call } from './types.mts';

const isDeploy = ({ method, path }: Call) => method === 'POST' && path === '/deploy';

/** A request that is done, and its answer lost, so many times. */
function losing(market: Market, is: (call: Call) => boolean, times = 1, isDone = true): void {
	const before = market.odd;
	let left = times;
	market.odd = (call) => {
		if (left === 0 || !is(call)) return before(call);
		left--;
		if (isDone) market.documented(call);
		return 'cut';
	};
}

describe('quotas', () => {
	const AFTER = [
		'5',
		'5, 5',
		'-5',
		'0',
		'1e9',
		'99999999999999999999',
		'Sun, 25 Oct 2026 00:30:10 GMT',
		'Sun, 25 Oct 2099 00:30:10 GMT',
		'Thu, 01 Jan 1970 00:00:00 GMT',
		'soon',
		'5s',
		'',
	];

	it.each(AFTER)('Retry-After: %s of a deploy is no purchase, and no long wait', async (after) => {
		const market = await openMarket();
		const start = market.now;
		market.odd = (call) =>
			isDeploy(call)
				? {
						status: 429,
						text: '<title>1015</title>',
						headers: { 'retry-after': after, 'content-type': 'text/html' },
					}
				: undefined;
		const { error } = await told(market, deploy({}, RETRY));
		expect(error).toMatch(/429/);
		expect(error).not.toMatch(/NaN|Infinity|-\d+ (second|minute|hour)/);
		expect(market.rented).toEqual([]);
		expect(market.now - start).toBeLessThan(3 * MINUTE);
	});

	it.each(AFTER)('Retry-After: %s of the list ends the wait within five minutes', async (after) => {
		const market = await openMarket();
		const start = market.now;
		market.odd = ({ path }) =>
			path === '/deployments' ? { status: 429, headers: { 'retry-after': after } } : undefined;
		const { error } = await told(market, deploy());
		expect(error).toMatch(/list of deployments could not be read.*Nothing was deployed/);
		expect(market.now - start).toBeLessThan(5 * MINUTE);
	});
});

describe('clocks', () => {
	it.each([-3 * HOUR, -HOUR, HOUR, 3 * HOUR])(
		'that jump by %d ms during Wait For leave a bound',
		async (jumpMs) => {
			const market = await openMarket({ startMs: 100 * HOUR });
			const { id } = market.buy('vmaas', { gpus_per_vm: 1, duration_hours: 2, location_ids: [] });
			const start = market.now;
			market.onWait = () => {
				if (market.now - start > 20_000) market.nodeAheadMs = jumpMs;
			};
			const { error } = await told(market, waitFor(id, { timeout: 120 }));
			expect(error).toMatch(/was still/);
			expect(market.now - start).toBeLessThanOrEqual(5 * MINUTE);
		},
	);

	it.each([-10 * MINUTE, 10 * MINUTE])(
		'of a service that are off by %d ms: a lost answer is found, older ones are not taken',
		async (clockAheadMs) => {
			const market = await openMarket({ clockAheadMs });
			losing(market, isDeploy);
			expect((await told(market, deploy())).items).toMatchObject([
				{ recovered: true, deployment_id: 'd-1' },
			]);
			losing(market, isDeploy, 1, false);
			expect((await told(market, deploy({ resourcePrivateName: 'other' }))).error).toMatch(
				/outcome unknown/,
			);
		},
	);
});

describe('a service that hangs after a lost answer', () => {
	it('does not hold the node longer than half an hour', async () => {
		const market = await openMarket();
		const start = market.now;
		let isLost = false;
		market.odd = async (call) => {
			if (isDeploy(call)) {
				isLost = true;
				market.documented(call);
				return 'cut';
			}
			if (!isLost) return undefined;
			await Promise.resolve();
			market.advance(60_000);
			return 'cut';
		};
		const { error } = await told(market, deploy());
		expect(error).toMatch(/"job": outcome unknown/);
		expect(market.now - start).toBeLessThanOrEqual(30 * MINUTE);
	});
});

describe('what is young', () => {
	const orders: Array<[number, number]> = [
		[60_000, 0],
		[0, 60_000],
		[60_000, 30_000],
		[30_000, 60_000],
		[100_000, 100_000],
	];

	it.each(orders)(
		'is destroyed right after its deploy, list %d ms and details %d ms behind',
		async (listBehindMs, detailsBehindMs) => {
			const market = await openMarket({ listBehindMs, detailsBehindMs });
			market.add({ boughtAt: market.now - HOUR });
			const { items } = await told(market, deploy());
			const ended = await told(market, destroy(items[0]?.deployment_id));
			const one = market.nth(1);
			expect(ended.items).toMatchObject([{ deleted: true }]);
			expect(one.endedAt).toBeDefined();
		},
	);

	it.each(orders)(
		'is extended right after its deploy, list %d ms and details %d ms behind',
		async (listBehindMs, detailsBehindMs) => {
			const market = await openMarket({ listBehindMs, detailsBehindMs });
			const { items } = await told(market, deploy());
			const longer = await told(market, extend(items[0]?.deployment_id, 3, { maxPrice: 3 }));
			expect(longer.items).toMatchObject([{ added_hours: 3 }]);
			expect(market.nth(0).hours).toBe(5);
		},
	);
});

describe('several items', () => {
	it('of one name, the first lost and never made: nothing is bought twice, and every item is told of', async () => {
		const market = await openMarket();
		losing(market, isDeploy, 1, false);
		const items: IDataObject[] = [{ n: 1 }, { n: 2 }, { n: 3 }];
		const run = await told(market, deploy({}, { ...CONTINUE, ...RETRY }), items);
		expect(run.items).toHaveLength(3);
		expect(market.rented.length).toBeLessThanOrEqual(1);
		expect(run.items.every(({ error, deployment_id: id }) => Boolean(error) !== Boolean(id))).toBe(
			true,
		);
	});

	it('that are equal and named by an expression buy one each, in order', async () => {
		const market = await openMarket({ listBehindMs: 60_000 });
		const node = deploy({ resourcePrivateName: '=job-{{ $itemIndex }}' }, RETRY);
		losing(
			market,
			({ method, path, body }) =>
				method === 'POST' && path === '/deploy' && body.resource_private_name === 'job-1',
		);
		const { items } = await told(market, node, [{}, {}, {}]);
		expect(items.map(({ resource_private_name: name }) => name)).toEqual([
			'job-0',
			'job-1',
			'job-2',
		]);
		expect(market.rented).toHaveLength(3);
	});

	it('are destroyed by a list of IDs that has one twice and one that is not there', async () => {
		const market = await openMarket();
		const [one, other] = [market.add(), market.add()];
		const ids = `={{ ${JSON.stringify([one.id, one.id, 'd-77', other.id])} }}`;
		const run = await told(
			market,
			deployment('destroy', { deploymentId: locator(ids), options: {} }, CONTINUE),
		);
		expect(market.running()).toEqual([]);
		expect(run.items.filter(({ deleted }) => deleted === true)).toHaveLength(3);
		expect(run.items.filter(({ error }) => error)).toMatchObject([{ error: /d-77/ }]);
	});
});
