import { describe, expect, it } from 'vitest';
import { CONTINUE, MARKETPLACE, RETRY } from '../../engine/nodes.mts';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { cheapest, deploy, deployContainers, extend, told, toldBy } from './forms.mts';
import { HOUR, openMarket, type Market } from './service.mts';
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

describe('wrong values for money are refused before anything is sent, with their field', () => {
	const WRONG = [
		'={{ undefined }}',
		'={{ null }}',
		'={{ {} }}',
		'={{ [] }}',
		'={{ "  " }}',
		'={{ "1,5" }}',
		'={{ NaN }}',
		'={{ true }}',
		'={{ "-1" }}',
		'={{ "5 usdc" }}',
		'={{ new Date() }}',
		'={{ Infinity }}',
		'={{ $json.missing }}',
	];

	it.each(['maxPrice', 'maxHourlyPrice', 'maxRunningCost', 'minRemainingHours'])(
		'%s',
		async (name) => {
			for (const value of WRONG) {
				const market = await openMarket();
				for (const node of [
					deploy({ safety: { [name]: value } }),
					cheapest({ safety: { [name]: value } }),
					deployContainers({ safety: { [name]: value } }),
				]) {
					const { error } = await told(market, node);
					expect(error, value).toMatch(/^Safety: (Max|Min)[A-Za-z ]+ must be a number/);
				}
				expect(market.calls, value).toEqual([]);
			}
		},
	);

	it.each(['durationHours'])('%s of deploy and extend', async (name) => {
		for (const value of [...WRONG, '={{ 1.5 }}', '={{ 0 }}', '={{ 8761 }}', '={{ "2h" }}']) {
			const market = await openMarket();
			const { id } = market.add();
			const nodes = [deploy({ [name]: value }), deployContainers({ [name]: value })];
			if (value !== '={{ 8761 }}') nodes.push(extend(id, value));
			for (const node of nodes) expect((await told(market, node)).error, value).toMatch(/Hours/);
			expect(market.calls, value).toEqual([]);
		}
	});

	it.each([
		['ifNameExists', ['={{ undefined }}', '={{ "Deploy" }}', '={{ {} }}']],
		['uniqueName', ['={{ undefined }}', '={{ "yes" }}', '={{ 1 }}']],
		['dryRun', ['={{ undefined }}', '={{ "" }}', '={{ "TRUE" }}']],
		['currency', ['={{ {} }}', '={{ undefined }}']],
	])('%s', async (name, values) => {
		for (const value of values) {
			const market = await openMarket();
			const { error } = await told(market, deploy({ safety: { maxPrice: 5, [name]: value } }));
			expect(error, value).toMatch(/^Safety: /);
			expect(market.calls, value).toEqual([]);
		}
	});
});

describe('two at once', () => {
	const pair = (one: NodeUnderTest, other: NodeUnderTest) => ({
		nodes: [
			{
				id: 's',
				name: 'Start',
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0] as [number, number],
				parameters: {},
			},
			...[one, other].map((node, index) => ({
				id: `n${index}`,
				name: `Node ${index}`,
				typeVersion: 1,
				position: [0, 0] as [number, number],
				credentials: MARKETPLACE,
				...node,
			})),
		],
		connections: {
			Start: { main: [[{ node: 'Node 0', type: 'main' as const, index: 0 }]] },
			'Node 0': { main: [[{ node: 'Node 1', type: 'main' as const, index: 0 }]] },
		},
	});

	it('Deploy nodes of one workflow for one name buy one, with the list 60 s behind', async () => {
		const market = await openMarket({ listBehindMs: 60_000, detailsBehindMs: 60_000 });
		const { error } = toldBy(await market.engine.runWorkflow(pair(deploy(), deploy())));
		expect(error).toMatch(/already exists \(d-1/);
		expect(market.rented).toHaveLength(1);
	});

	it('a lost Deploy and one that uses the existing deployment buy one', async () => {
		const market = await openMarket({ listBehindMs: 30_000 });
		losing(market, isDeploy);
		const run = await market.engine.runWorkflow(
			pair(deploy({}, CONTINUE), deploy({ safety: { ifNameExists: 'useExisting' } })),
		);
		expect(toldBy(run).error).toBeUndefined();
		expect(market.rented).toHaveLength(1);
	});

	it('executions that deploy one name while the first answer is lost buy one', async () => {
		const market = await openMarket({ listBehindMs: 90_000 });
		losing(market, isDeploy);
		const runs = await Promise.all(
			['1', '2'].map(async (executionId) =>
				toldBy(await market.engine.run(deploy(), [{}], { executionId })),
			),
		);
		expect(market.rented).toHaveLength(1);
		expect(runs.filter(({ items }) => items.length > 0)).toHaveLength(1);
		expect(runs.filter(({ error }) => error?.includes('d-1'))).toHaveLength(1);
	});

	it('executions that extend one deployment, with the details 60 s behind, tell the hours that were added', async () => {
		const market = await openMarket();
		const one = market.add({ boughtAt: market.now - HOUR, startedAt: market.now - HOUR });
		const seen = [[market.now, one.hours]] as Array<[number, number]>;
		market.look = (shown) => {
			if (seen.at(-1)?.[1] !== one.hours) seen.push([market.now, one.hours]);
			const hours = seen.findLast(([at]) => at <= market.now - 60_000)?.[1] ?? 3;
			return {
				...shown,
				compute_minutes_remaining:
					Number(shown.compute_minutes_remaining) - (one.hours - hours) * 60,
			};
		};
		losing(market, ({ path }) => path.endsWith('/extend'));
		const runs = await Promise.all(
			['1', '2'].map(async (executionId) =>
				toldBy(await market.engine.run(extend(one.id, 2), [{}], { executionId })),
			),
		);
		const added = runs.reduce((sum, { items }) => sum + Number(items[0]?.added_hours ?? 0), 0);
		expect(one.hours).toBeGreaterThanOrEqual(3 + added);
		expect(one.hours).toBeLessThanOrEqual(7);
		expect(
			runs.every(({ items, error }) => items[0]?.added_hours === 2 || items[0]?.accepted || error),
		).toBe(true);
	});

	it('executions under one Maximum Running Cost buy what fits', async () => {
		const market = await openMarket({ listBehindMs: 60_000 });
		const safety = { maxRunningCost: 1.5 };
		const runs = await Promise.all(
			['a', 'b', 'c'].map(async (name) =>
				toldBy(
					await market.engine.run(deploy({ resourcePrivateName: name, safety }), [{}], {
						executionId: name,
					}),
				),
			),
		);
		expect(market.rented).toHaveLength(1);
		expect(runs.filter(({ error }) => error?.includes('Maximum Running Cost'))).toHaveLength(2);
	});
});

describe('partial capacity', () => {
	it.each([{}, { uniqueName: true }, { ifNameExists: 'deploy' }])(
		'of a lost deploy is not bought again: %j',
		async (safety) => {
			const market = await openMarket();
			market.odd = (call) => {
				if (!isDeploy(call)) return undefined;
				market.buy(call.product, { ...call.body, vms_qty: 2 });
				return 'cut';
			};
			const { error } = await told(
				market,
				deploy({ safety, additionalFields: { vmsQty: 3 } }, RETRY),
			);
			expect(error).toMatch(/outcome unknown.*d-1/);
			expect(market.rented).toHaveLength(1);
		},
	);

	it('is told where the answer came', async () => {
		const market = await openMarket();
		market.odd = (call) =>
			isDeploy(call)
				? {
						status: 200,
						json: { deployment_id: market.buy(call.product, { ...call.body, vms_qty: 2 }).id },
					}
				: undefined;
		const { items } = await told(market, deploy({ additionalFields: { vmsQty: 3 } }));
		expect(items[0]?.hint).toMatch(/total_vms 2 instead of 3/);
	});
});

describe('prices', () => {
	it('that rise between quote and purchase are told', async () => {
		const market = await openMarket();
		market.odd = (call) => {
			if (isDeploy(call)) market.pricePerGpu = 7;
			return undefined;
		};
		const { items } = await told(market, deploy({ safety: { maxPrice: 5 } }));
		expect(items[0]?.hint).toMatch(/14 paid instead of the price of 2/);
	});

	it.each([
		'12,5',
		'1.234,50',
		'$2',
		'2 USDC',
		null,
		'',
		-2,
		0,
		'0x2',
		'2e0',
		[2],
		{ amount: 2 },
		true,
		'NaN',
	])('of %j are read right, or nothing is bought', async (total) => {
		const market = await openMarket();
		market.odd = ({ path }) =>
			path === '/price'
				? { status: 200, json: { data: { replica_count: 1, total_cost_usdc: total } } }
				: undefined;
		for (const node of [
			deploy({ safety: { maxPrice: 5 } }),
			cheapest({ resourcePrivateName: 'other', safety: { maxPrice: 5 } }),
			deployContainers({ safety: { maxPrice: 5 } }),
		]) {
			const { items, error } = await told(market, node);
			if (error === undefined) expect(items[0]?.total_price).toBe(2);
			else expect(error).toMatch(/price/i);
		}
		expect(market.rented.length % 3).toBe(0);
	});
});
