import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { caas, containerParameters, deployment, locator } from '../../engine/nodes.mts';
import { redactor, contentRedactor } from '../../../nodes/shared/http/redact.ts';
import type { Answer } from '../money/service.mts';
import { itemsOf, toldBy, world, type World } from '../money/world.mts';

/* What an output claims of money and of changes, against what the service has shown. */

const extension = (safety: IDataObject = {}) =>
	deployment('extend', { deploymentId: locator('dep-1'), durationHours: 2, safety });

/** Details change so once something was extended, and with it the answer to the extension. */
function detailsThen(here: World, change: (details: IDataObject) => IDataObject): void {
	let isSent = false;
	here.service.gateway = (call, forward) => {
		isSent ||= call.path.endsWith('/extend');
		if (call.path.endsWith('/extend')) return { status: 200, body: { status: 'succeeded' } };
		const answer = forward(call) as Answer & { body: { data: IDataObject } };
		const isDetails = isSent && /\/deployment\/[^/]+$/.test(call.path);
		return isDetails ? { ...answer, body: { data: change(answer.body.data) } } : answer;
	};
}

describe('Extend', () => {
	it('claims no hours where the served minutes jump and the remaining ones stay', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(60_000);
		detailsThen(here, (details) => ({
			...details,
			compute_minutes_served: Number(details.compute_minutes_served) + 120,
		}));
		const [item] = itemsOf(await here.run(extension()));
		expect(item).toMatchObject({ added_hours: null, accepted: true, requested_hours: 2 });
		expect(item?.hint).toContain('its remaining time does not show it');
	});

	it('claims no hours where more was paid, and the remaining minutes stay', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(60_000);
		detailsThen(here, (details) => ({ ...details, amount_paid: Number(details.amount_paid) + 2 }));
		const changed = here.service.gateway;
		here.service.gateway = async (call, forward) => {
			const answer = await changed(call, forward);
			const data = (answer.body as IDataObject | undefined)?.data as IDataObject | undefined;
			if (data && 'compute_minutes_served' in data) delete data.compute_minutes_served;
			return answer;
		};
		const [item] = itemsOf(await here.run(extension({ maxPrice: 10 })));
		expect(item).toMatchObject({ added_hours: null, accepted: true });
	});

	it.each([0, 30])('claims the hours that %i minutes later show', async (minutes) => {
		const here = await world({ detailsBehind: 60_000 });
		here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(minutes * 60_000 + 120_000);
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return call.path.endsWith('/extend') ? { status: 200, body: {} } : answer;
		};
		expect(itemsOf(await here.run(extension()))[0]).toMatchObject({ added_hours: 2 });
	});

	it('says that more was billed than its price', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		here.service.gateway = (call, forward) => {
			if (call.path.endsWith('/extend')) here.service.behaviour.rate = 5;
			return forward(call);
		};
		const [item] = itemsOf(await here.run(extension({ maxPrice: 3 })));
		expect(item).toMatchObject({ added_hours: 2, total_price: 2 });
		expect(item?.hint).toContain('10 more paid than before instead of the price of 2');
	});

	it('says nothing of a bill that is as its price', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'job' });
		const [item] = itemsOf(await here.run(extension({ maxPrice: 3 })));
		expect(item).toMatchObject({ added_hours: 2 });
		expect(item).not.toHaveProperty('hint');
	});
});

describe('a container update', () => {
	const update = caas('deployment', 'update', {
		deploymentId: locator('dep-1'),
		updateFields: { imageUrl: 'registry.example/web:2' },
	});

	it.each([
		{ updated: null },
		{ updated: false, deployment_id: 'dep-1' },
		{ deployment_id: 'dep-1', updated: null },
		{ data: { deployment_id: 'dep-1', updated: null } },
		{ data: null },
		{ status: null, data: {} },
		{ success: null },
	])('is not claimed after %j', async (body) => {
		const here = await world();
		here.service.buy({ resource_private_name: 'web', container_config: {} }, 'caas');
		here.service.gateway = (call, forward) =>
			call.method === 'PATCH' ? { status: 200, body } : forward(call);
		const [item] = itemsOf(await here.run(update));
		expect(item).toMatchObject({ updated: null, accepted: true });
		expect(item?.hint).toContain('do not tell');
	});

	it.each([
		{ status: 'succeeded', deployment_id: 'dep-1' },
		{ updated: true },
		{ data: { updated: ['image_url'] } },
	])('is told after %j', async (body) => {
		const here = await world();
		here.service.buy({ resource_private_name: 'web', container_config: {} }, 'caas');
		here.service.gateway = (call, forward) =>
			call.method === 'PATCH' ? { status: 200, body } : forward(call);
		expect(itemsOf(await here.run(update))[0]).toMatchObject({ updated: true });
	});
});

describe('a secret of digits', () => {
	const SECRET = '4815162342';
	const JSON_OF = (value: string) => `{"id":"dep-1","key":${value},"list":[${value}],"price":2.5}`;
	const REDACTED = '{"id":"dep-1","key":"***","list":["***"],"price":2.5}';

	it.each([SECRET, `${SECRET}.0`, '4.815162342e9', `"${SECRET}"`])('as %s', (shown) => {
		expect(redactor([SECRET])(JSON_OF(shown))).toBe(REDACTED);
		expect(contentRedactor([SECRET], () => false)(JSON_OF(shown))).toBe(REDACTED);
	});

	it('of many digits, that no double is', () => {
		const long = '481516234248151623424815';
		expect(redactor([long])(JSON_OF(long))).toBe(REDACTED);
		expect(contentRedactor([long], () => false)(JSON_OF('4.8151623424815162e23'))).toBe(REDACTED);
	});

	it('in a text is replaced as before, and other numbers stay', () => {
		expect(redactor([SECRET])(`key ${SECRET} of 12`)).toBe('key *** of 12');
		expect(redactor([SECRET])('{"id":48151623420}')).toBe('{"id":48151623420}');
	});

	it('of containers that the service repeats as a number is not shown', async () => {
		const here = await world({
			deployed: ({ id }) => ({ status: 'succeeded', deployment_id: id, token: Number(SECRET) }),
		});
		const secrets = { variables: [{ name: 'PIN', value: SECRET }] };
		const node = caas('deployment', 'deploy', containerParameters({ secretEnvironment: secrets }));
		const run = await here.run(node);
		expect(itemsOf(run)[0]).toMatchObject({ deployment_id: 'dep-1' });
		expect(toldBy(run)).not.toContain(SECRET);
	});
});
