import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { runAsTool } from '../../engine/agent.mts';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { caas, containerParameters, deployment, locator } from '../../engine/nodes.mts';
import { order, world, type World } from '../money/world.mts';

/* A limit that an agent can move is none: what it sends reaches expressions as $fromAI, as $json, and through other nodes. */

const REFUSED = /price limit that a person has set.*not an expression/;

/** What an agent sends to raise its own limit. */
const GREEDY = {
	maxPrice: 1_000_000,
	safety: { maxPrice: 1_000_000 },
	hours: 8_000,
	currency: 'usdc',
};

const MOVED: Array<[string, IDataObject]> = [
	['$fromAI', { safety: { maxPrice: '={{ $fromAI("maxPrice", "", "number") }}' } }],
	['the arguments of the call', { safety: { maxPrice: '={{ $json.maxPrice }}' } }],
	['$fromAI by another name', { safety: { maxPrice: '={{ $fromAi("maxPrice") }}' } }],
	['the whole Safety', { safety: '={{ $json.safety }}' }],
	['the whole Safety of $fromAI', { safety: '={{ $fromAI("safety", "", "json") }}' }],
	['the whole Safety in JavaScript', { safety: '={{ ({ maxPrice: 1e6 }) }}' }],
	['an expression that is a number', { safety: { maxPrice: '=1000000' } }],
	['the input', { safety: { maxPrice: '={{ $input.first().json.maxPrice }}' } }],
	['the hourly price', { safety: { maxHourlyPrice: '={{ $json.maxPrice }}' } }],
	[
		'the hours of a price per hour',
		{ safety: { maxHourlyPrice: 5 }, durationHours: '={{ $json.hours }}' },
	],
	['the currency', { safety: { maxPrice: 5, currency: '={{ $json.currency }}' } }],
];

/** What a model is told of a call that n8n's engine makes for its agent. */
async function toldByEngine(here: World, node: NodeUnderTest): Promise<string> {
	const run = await here.clock.during(runAsTool(here.engine, node, [GREEDY]));
	return (run.data.resultData.runData.Node ?? []).map(({ error }) => error?.message).join('\n');
}

describe.each(MOVED)('a limit that an agent moves by %s', (_, changes) => {
	const nodes = {
		'buys no VMs': deployment('deploy', order(changes)),
		'buys not the cheapest VMs': deployment(
			'deployCheapest',
			order({ filters: {}, maxTries: 1, ...changes }),
		),
		'extends nothing': deployment('extend', {
			deploymentId: locator('dep-1'),
			durationHours: 2,
			...changes,
		}),
	};

	it.each(Object.entries(nodes))('%s', async (__, node) => {
		const here = await world();
		here.service.buy({ resource_private_name: 'other' });
		expect(await toldByEngine(here, node)).toMatch(REFUSED);
		await expect(here.clock.during(here.engine.tool(node)(GREEDY))).rejects.toThrow();
		expect(here.service.calls).toEqual([]);
	});
});

describe('a limit that an agent cannot move', () => {
	it.each([
		['a number', { safety: { maxPrice: 5 } }],
		['a number as text', { safety: { maxPrice: '5' } }],
		[
			'a price of the whole time',
			{ safety: { maxPrice: 5 }, durationHours: '={{ $fromAI("hours", "", "number") }}' },
		],
		['a price per hour of fixed hours', { safety: { maxHourlyPrice: 5 } }],
	])('is %s', async (_, changes) => {
		const here = await world();
		await here.clock.during(here.engine.tool(deployment('deploy', order(changes)))({ hours: 2 }));
		expect(here.service.machines).toHaveLength(1);
	});

	it('is asked for containers, too', async () => {
		const here = await world();
		const safety = { maxPrice: '={{ $json.maxPrice }}' };
		const node = caas('deployment', 'deploy', containerParameters({ safety }));
		expect(await toldByEngine(here, node)).toMatch(REFUSED);
		expect(here.service.calls).toEqual([]);
	});

	it('is no matter of a workflow without an agent', async () => {
		const here = await world();
		const node = deployment('deploy', order({ safety: { maxPrice: '={{ $json.most }}' } }));
		await here.run(node, [{ most: 5 }]);
		expect(here.service.machines).toHaveLength(1);
	});
});
