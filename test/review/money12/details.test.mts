import { describe, expect, it } from 'vitest';
import { computeTrigger, deployment, locator } from '../../engine/nodes.mts';
import { PolledTrigger } from '../../engine/poll.mts';
import { HOUR, MINUTE, type Json } from './service.mts';
import { begin, deploy, destroy } from './stage.mts';

/** What a gateway or a failing backend says with 200 in place of details: its status is that of the request, or its own. */
const BODIES: Json[] = [
	{ status: 'FAILED', errorCode: 'UPSTREAM_TIMEOUT', errorMessage: 'upstream timed out' },
	{ status: 'failed', errors: [{ title: 'timeout' }], meta: { node: 3 } },
	{ ok: false, status: 'failed', retry_after: 5 },
	{ status: 'expired', message: 'The session has expired' },
	{ status: 'completed', result: null, took_ms: 12 },
];

describe.each(BODIES)('details that are %j and show no deployment', (body) => {
	const shown = (what: string) => (what === 'details' ? { body } : undefined);

	it.each(['id', 'name'] as const)('are no end for a Destroy by %s', async (mode) => {
		const stage = await begin();
		const { service, run } = stage;
		const rental = service.add('train');
		service.instead = ({ what }) =>
			what === 'destroy' ? { status: 409, body: { detail: 'locked' } } : shown(what);
		const { items, error } = await run(destroy(mode === 'id' ? rental.id : 'train', mode));
		expect(service.statusOf(rental)).toBe('running');
		expect(service.sent('destroy').length).toBeGreaterThan(0);
		expect(items).toEqual([]);
		expect(error).toContain('may still');
	});

	it('are no end for Destroy Many', async () => {
		const stage = await begin();
		const rentals = ['job-1', 'job-2'].map((name) => stage.service.add(name));
		stage.service.instead = ({ what }) => shown(what);
		const parameters = { namePrefix: 'job-', match: 'prefix', limit: 50, dryRun: false };
		await stage.run(deployment('destroyMany', { ...parameters, options: {} }));
		expect(rentals.map(({ asked }) => asked > 0)).toEqual([true, true]);
	});

	it('do not make a name free', async () => {
		const stage = await begin();
		stage.service.add('job');
		stage.service.instead = ({ what }) => shown(what);
		const { error } = await stage.run(deploy());
		expect(stage.service.bought).toEqual([]);
		expect(error).toContain('already exists');
	});

	it('do not take a deployment out of Maximum Running Cost', async () => {
		const stage = await begin();
		stage.service.add('other', { paid: 24 * 100 });
		stage.service.instead = ({ what }) => shown(what);
		const { error } = await stage.run(deploy({ safety: { maxRunningCost: 10 } }));
		expect(stage.service.bought).toEqual([]);
		expect(error).toContain('Maximum Running Cost');
	});

	it('are no end to wait for', async () => {
		const stage = await begin();
		const { id } = stage.service.add('train');
		stage.service.instead = ({ what }) => shown(what);
		const wait = { waitUntil: 'final', pollInterval: 5, timeout: 60, onTimeout: 'output' };
		const { items } = await stage.run(
			deployment('waitFor', { deploymentId: locator(id), ...wait }),
		);
		expect(items.filter(({ reached }) => reached === true)).toEqual([]);
	});

	it('are no event of a deployment that the list leaves out for some polls', async () => {
		const stage = await begin();
		const { service, engine, time } = stage;
		service.add('web');
		const train = service.add('train');
		const node = computeTrigger('deploymentStateChanged', { product: 'vmaas', options: {} });
		const trigger = new PolledTrigger(engine, node);
		await time.during(trigger.activate(), HOUR);
		stage.service.instead = ({ what }) => shown(what);
		train.shownAt = service.clock.now() + 10 * MINUTE;
		for (let nth = 0; nth < 3; nth++) {
			await time.pass(MINUTE);
			await time.during(trigger.poll(), HOUR);
		}
		expect(trigger.items).toEqual([]);
	});
});

describe('details that are asked for since the list shows no minutes', () => {
	it('are a failed poll where they show no deployment', async () => {
		const { service, engine, time } = await begin();
		service.add('train', { hours: 2 });
		service.then = ({ what }, answer) =>
			what === 'list'
				? { body: JSON.stringify(answer.body).replaceAll(/"(compute_\w+)":-?\d+/g, '"$1":null') }
				: answer;
		const form = { product: 'vmaas', minutes: 60, options: {} };
		const trigger = new PolledTrigger(engine, computeTrigger('deploymentExpiresSoon', form));
		await time.during(trigger.activate(), HOUR);
		service.instead = ({ what }) => (what === 'details' ? { body: BODIES[0] } : undefined);
		await time.pass(30 * MINUTE);
		await time.during(trigger.poll(), HOUR);
		expect([trigger.items.length, trigger.errors.length]).toEqual([0, 1]);
	});
});

describe('the greeting of a gateway in place of details', () => {
	it('is no deployment that runs', async () => {
		const stage = await begin();
		const { id } = stage.service.add('train', { status: 'deployment requested' });
		const body = { status: 'running', service: 'api-gateway', version: '2.1' };
		stage.service.instead = ({ what }) => (what === 'details' ? { body } : undefined);
		const wait = { waitUntil: 'running', pollInterval: 5, timeout: 60, onTimeout: 'output' };
		const { items } = await stage.run(
			deployment('waitFor', { deploymentId: locator(id), ...wait }),
		);
		expect(items.filter(({ reached }) => reached === true)).toEqual([]);
	});
});
