import { describe, expect, it } from 'vitest';
import {
	caas,
	containerParameters,
	CONTINUE,
	deployment,
	locator,
	RETRY,
} from '../../engine/nodes.mts';
import type { Answer } from '../money/service.mts';
import { itemsOf, order, toldBy, world } from '../money/world.mts';

/* A 404 to a purchase may be a gateway's, whose routes change while the request is under way. */

const GATEWAYS: Array<[string, Partial<Answer>]> = [
	['nothing', { body: undefined }],
	['a text', { body: 'Not Found' }],
	['a word of JSON', { body: { detail: 'Not Found' } }],
	['a route', { body: { message: 'no Route matched with those values' } }],
	['a page', { body: '<html><head><title>404 Not Found</title></head></html>' }],
	[
		'the path',
		{ body: { message: 'Cannot POST /enterprise/v1/svc-cloud/vmaas/deployment/dep-1/extend' } },
	],
];

const PURCHASES = {
	'a deploy': deployment('deploy', order(), { ...RETRY, ...CONTINUE }),
	'a deploy of containers': caas('deployment', 'deploy', containerParameters(), {
		...RETRY,
		...CONTINUE,
	}),
};
const EXTENSION = deployment(
	'extend',
	{ deploymentId: locator('dep-1'), durationHours: 2, safety: {} },
	{ ...RETRY, ...CONTINUE },
);

describe.each(GATEWAYS)('a 404 with %s', (_, said) => {
	const notFound = { status: 404, ...said };

	it.each(Object.entries(PURCHASES))('after %s that was made: it is found', async (__, node) => {
		const here = await world({ listBehind: 40_000, detailsBehind: 40_000 });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return call.path.endsWith('/deploy') ? notFound : answer;
		};
		const run = await here.run(node);
		expect(here.service.machines).toHaveLength(1);
		expect(itemsOf(run)[0]).toMatchObject({ deployment_id: 'dep-1', recovered: true });
	});

	it.each(Object.entries(PURCHASES))('after %s that does not show: unknown', async (__, node) => {
		const here = await world();
		here.service.gateway = (call, forward) =>
			call.path.endsWith('/deploy') ? notFound : forward(call);
		const run = await here.run(node);
		expect(here.service.sent('POST', '/deploy')).toHaveLength(1);
		expect(toldBy(run)).toContain('outcome unknown');
	});

	it('after an extension that was made: it is found', async () => {
		const here = await world({ detailsBehind: 40_000 });
		here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(60_000);
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return call.path.endsWith('/extend') ? notFound : answer;
		};
		const run = await here.run(EXTENSION);
		expect(here.service.machines[0]?.extensions).toHaveLength(1);
		expect(itemsOf(run)[0]).toMatchObject({ added_hours: 2, recovered: true });
	});

	it('after an extension that does not show: unknown', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		here.service.gateway = (call, forward) =>
			call.path.endsWith('/extend') ? notFound : forward(call);
		const run = await here.run(EXTENSION);
		expect(here.service.sent('POST', '/extend')).toHaveLength(1);
		expect(toldBy(run)).toContain('outcome unknown');
	});
});

it.each(['Hardware 7 was not found', 'There is no location FI', 'No GPU of this kind is free'])(
	'a 404 of the service is a no: %s',
	async (detail) => {
		const here = await world();
		here.service.gateway = (call, forward) =>
			call.path.endsWith('/deploy') ? { status: 404, body: { detail } } : forward(call);
		const run = await here.run(deployment('deploy', order()));
		expect(toldBy(run)).toContain(detail);
		expect(toldBy(run)).not.toContain('unknown');
	},
);
