import type { AddressInfo, Server } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { caas, containerParameters, deployment, locator } from '../../engine/nodes.mts';
import type { Answer, Gateway } from '../money/service.mts';
import { itemsOf, order, toldBy, world, type World } from '../money/world.mts';

/* Prices that rise while the node waits between its look at the price and the request that spends. */

const LIMIT = { maxPrice: 5 };
const RISEN = 5;

const buying = (changes: IDataObject): Array<[string, NodeUnderTest]> => [
	['Deploy', deployment('deploy', order(changes))],
	[
		'Deploy Cheapest',
		deployment('deployCheapest', order({ filters: {}, maxTries: 2, ...changes })),
	],
	['Deploy of containers', caas('deployment', 'deploy', containerParameters(changes))],
];

/** The price rises some seconds after it was read first. */
function risesAfter(here: World, seconds: number, gateway: Gateway): void {
	let readAt: number | undefined;
	here.service.gateway = async (call, forward) => {
		if (readAt !== undefined && here.clock.now() >= readAt + seconds * 1_000)
			here.service.behaviour.rate = RISEN;
		if (call.path.endsWith('/price')) readAt ??= here.clock.now();
		return await gateway(call, forward);
	};
}

const slowDown = (seconds: number): Answer => ({
	status: 429,
	body: { detail: 'slow down' },
	headers: { 'Retry-After': String(seconds) },
});

/** Nothing was bought or extended above the limit. */
function expectWithin({ service }: World): void {
	for (const { price, extensions } of service.machines)
		for (const one of [price, ...extensions.map((extension) => extension.price)])
			expect(one).toBeLessThanOrEqual(LIMIT.maxPrice);
}

/** The service is away for a moment from the answer to the first price on: the next request is never sent. */
function awayAfterPrice(here: World, rate: number): void {
	const server = (here.service as unknown as { server: Server }).server;
	const { port } = server.address() as AddressInfo;
	let isOver = false;
	here.service.gateway = (call, forward) => {
		if (!isOver && call.path.endsWith('/price')) {
			isOver = true;
			server.close();
			void here.clock.wait(100).then(() => {
				here.service.behaviour.rate = rate;
				server.listen(port, '127.0.0.1');
			});
		}
		return forward(call);
	};
}

describe.each(buying({ safety: { ...LIMIT, maxRunningCost: 100 } }))('%s', (_, node) => {
	it('reads the price after the lists of Maximum Running Cost, which may take minutes', async () => {
		const here = await world();
		let lists = 0;
		risesAfter(here, 20, (call, forward) =>
			call.path.endsWith('/deployments') && lists++ % 2 === 0 ? slowDown(30) : forward(call),
		);
		const run = await here.run(node);
		expectWithin(here);
		// The cheapest offer was chosen by its price, before the lists
		if (node.parameters.operation === 'deployCheapest')
			expect(toldBy(run)).toContain('above the Maximum Price');
		else expect(itemsOf(run)[0]).toMatchObject({ total_price: 2, deployment_id: 'dep-1' });
	});

	it('is above a limit that the price has passed in the meantime', async () => {
		const here = await world();
		here.service.gateway = (call, forward) => {
			if (call.path.endsWith('/deployments')) here.service.behaviour.rate = RISEN;
			return forward(call);
		};
		expect(toldBy(await here.run(node))).toContain('above the Maximum Price');
		expect(here.service.machines).toHaveLength(0);
	});
});

describe.each(buying({ safety: LIMIT }))('%s that could not be sent at once', (_, node) => {
	it('is not sent again above the limit', async () => {
		const here = await world();
		awayAfterPrice(here, RISEN);
		const run = await here.run(node);
		expect(here.service.machines).toHaveLength(0);
		expect(toldBy(run)).toContain('above the Maximum Price');
		expect(toldBy(run)).not.toContain('unknown');
	});

	it('is sent again within the limit, and tells the price of that moment', async () => {
		const here = await world();
		awayAfterPrice(here, 2);
		const [item] = itemsOf(await here.run(node));
		expect(item).toMatchObject({ total_price: 4, hourly_price: 2 });
		expect(String(item?.hint)).not.toContain('instead of the price');
		expect(here.service.machines).toHaveLength(1);
	});
});

describe('Extend that could not be sent at once', () => {
	const node = deployment('extend', {
		deploymentId: locator('dep-1'),
		durationHours: 2,
		safety: LIMIT,
	});

	it.each([
		[RISEN, 0],
		[2, 1],
	])('at a price of %i an hour is made %i times', async (rate, times) => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		awayAfterPrice(here, rate);
		const run = await here.run(node);
		expect(here.service.machines[0]?.extensions).toHaveLength(times);
		expectWithin(here);
		if (times === 0) expect(toldBy(run)).toContain('above the Maximum Price');
		else expect(itemsOf(run)[0]).toMatchObject({ added_hours: 2, total_price: 4 });
	});
});

it('a price that is compared with that of one is read again after it', async () => {
	const here = await world();
	risesAfter(here, 20, (call, forward) => {
		const answer = forward(call);
		if (!call.path.endsWith('/price')) return answer;
		const { replica_count: _count, ...data } = (answer.body as { data: IDataObject }).data;
		const isFirstOfOne =
			call.query.get('replica_count') === '1' &&
			here.service.calls.filter(({ query }) => query.get('replica_count') === '1').length === 1;
		return isFirstOfOne ? slowDown(30) : { ...answer, body: { data } };
	});
	const run = await here.run(
		deployment('deploy', order({ additionalFields: { vmsQty: 2 }, safety: LIMIT })),
	);
	expect(here.service.machines).toHaveLength(0);
	expect(toldBy(run)).toContain('above the Maximum Price');
});

describe('Deploy Cheapest', () => {
	const node = (safety: IDataObject) =>
		deployment('deployCheapest', order({ filters: {}, gpusPerVm: 0, maxTries: 2, safety }));

	it('reads the price of the cheapest again after that of the others', async () => {
		const here = await world();
		let prices = 0;
		// Below ten seconds, too
		risesAfter(here, 4, (call, forward) =>
			call.path.endsWith('/price') && ++prices === 2 ? slowDown(5) : forward(call),
		);
		const run = await here.run(node(LIMIT));
		expect(here.service.machines).toHaveLength(0);
		expect(toldBy(run)).toContain('above the Maximum Price');
	});

	it('goes on to the next offer where the price of the first has risen', async () => {
		const here = await world();
		let prices = 0;
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			if (!call.path.endsWith('/price')) return answer;
			const isFirst = call.query.get('hardware_id') === '7';
			if (isFirst && ++prices > 1)
				return { status: 200, body: { data: { replica_count: 1, total_cost_usdc: 50 } } };
			return answer;
		};
		const [item] = itemsOf(await here.run(node(LIMIT)));
		expect(item).toMatchObject({
			hardware_id: 8,
			tried: [{ hardware_id: 7, reason: expect.stringContaining('above the Maximum Price') }],
		});
		expect(here.service.machines).toMatchObject([{ hardware: 8, price: 4 }]);
	});
});
