import { describe, expect, it } from 'vitest';
import { caas, containerParameters, deployment, locator, RETRY } from '../../engine/nodes.mts';
import { expectAllTold, itemsOf, order, OTHER_PROCESS, world } from './world.mts';

const HOUR = 3_600_000;
const local = (hours: number) => (ms: number) =>
	new Date(ms + hours * HOUR).toISOString().slice(0, 19);

describe('times without a zone, of a service in another one', () => {
	it.each([-8, -1, 0, 9])('at %i hours destroy no young machine', async (zone) => {
		const here = await world({ timeText: local(zone) });
		const body = (name: string) => ({ resource_private_name: name, duration_hours: 48 });
		here.service.buy(body('young')).createdAt -= HOUR;
		here.service.buy(body('old')).createdAt -= 30 * HOUR;
		const filters = { olderThanHours: 6 };
		const run = await here.run(deployment('getAll', { returnAll: true, filters }));
		const ids = itemsOf(run).map((item) => item.deployment_id);
		expect(ids).not.toContain('dep-1');
		expect(ids).toContain('dep-2');
	});

	it.each([-8, 0, 9])('at %i hours recover a lost deploy', async (zone) => {
		const here = await world({ timeText: local(zone) });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return call.path.endsWith('/deploy') ? { ...answer, cut: 'before' } : answer;
		};
		const run = await here.run(deployment('deploy', order(), RETRY));
		expect(itemsOf(run)[0]).toMatchObject({ deployment_id: 'dep-1', recovered: true });
	});
});

describe('a clock of the service that is wrong', () => {
	it.each([-HOUR / 2, -12 * 60_000, 12 * 60_000, HOUR / 2])('by %i ms', async (clockAhead) => {
		const here = await world({ clockAhead });
		here.service.gateway = (call, forward) => {
			const answer = forward(call);
			return call.path.endsWith('/deploy') ? { ...answer, cut: 'amid' } : answer;
		};
		const run = await here.chain([
			deployment('deploy', order()),
			deployment('destroy', { deploymentId: locator('={{ $json.deployment_id }}') }),
		]);
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, deployment_id: 'dep-1' });
		here.service.buy({ resource_private_name: 'young' });
		const filters = { olderThanHours: 0.2 };
		const many = await here.run(deployment('getAll', { returnAll: true, filters }));
		expect(itemsOf(many).map((item) => item.deployment_id)).not.toContain('dep-2');
	});
});

describe('a no to the second try of a proxy, while what is read is behind', () => {
	it('is no reason to extend again', async () => {
		const here = await world({ detailsBehind: 40_000, listBehind: 40_000 });
		here.service.buy({ resource_private_name: 'job' });
		here.clock.pass(600_000);
		here.service.gateway = (call, forward) => {
			if (!call.path.endsWith('/extend')) return forward(call);
			forward(call);
			return { status: 409, body: { detail: 'An extension is already in progress' } };
		};
		const parameters = { deploymentId: locator('dep-1'), durationHours: 2, safety: {} };
		const run = await here.run(deployment('extend', parameters, RETRY));
		expect(here.service.machines[0]?.extensions).toHaveLength(1);
		expect(run.data.resultData.error?.message).toContain('outcome unknown');
	});

	it('is no reason to deploy again', async () => {
		const here = await world({ detailsBehind: 40_000, listBehind: 40_000 });
		here.service.gateway = (call, forward) => {
			if (!call.path.endsWith('/deploy')) return forward(call);
			forward(call);
			return { status: 409, body: { detail: 'Duplicate request' } };
		};
		const run = await here.run(caas('deployment', 'deploy', containerParameters(), RETRY));
		expect(here.service.machines).toHaveLength(1);
		expectAllTold(here, run);
	});
});

describe('a service that fails over to a copy of an hour ago, for forty seconds', () => {
	it('is not believed that what was seen has ended', async () => {
		const here = await world();
		here.service.buy({ resource_private_name: 'other' }).createdAt -= 2 * HOUR;
		here.service.buy({ resource_private_name: 'job' });
		const failsAt = here.clock.now() + 1;
		here.service.gateway = (call, forward) => {
			const at = here.clock.now();
			if (call.method === 'DELETE') here.clock.pass(1);
			if (here.clock.now() < failsAt || at > failsAt + 40_000) return forward(call);
			if (call.method === 'DELETE') return { status: 404, body: { detail: 'Not found' } };
			Object.assign(here.service.behaviour, { listBehind: HOUR, detailsBehind: HOUR });
			const answer = forward(call);
			Object.assign(here.service.behaviour, { listBehind: 0, detailsBehind: 0 });
			return answer;
		};
		const run = await here.run(deployment('destroy', { deploymentId: locator('dep-2') }));
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, verified: true });
		expect(here.service.alive('job')).toHaveLength(0);
	});
});

describe('names of a service that makes host names of them', () => {
	it('are found by the name that was ordered, in the same execution', async () => {
		const here = await world({ nameOf: (name) => name.toLowerCase().replace(/\W+/g, '-') });
		const name = locator('My Job', 'name');
		const run = await here.chain([
			deployment('deploy', order({ resourcePrivateName: 'My Job' })),
			deployment('waitFor', { deploymentId: name, waitUntil: 'running' }),
			deployment('extend', { deploymentId: name, durationHours: 1, safety: {} }),
			deployment('destroy', { deploymentId: name }),
		]);
		expect(itemsOf(run)[0]).toMatchObject({ deleted: true, deployment_id: 'dep-1' });
		const again = await here.run(
			deployment('deploy', order({ resourcePrivateName: 'my_job' }), OTHER_PROCESS),
		);
		expect(itemsOf(again)[0]).toMatchObject({ deployment_id: 'dep-2' });
	});
});
