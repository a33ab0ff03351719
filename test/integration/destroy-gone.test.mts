import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { DESTROY, destroysOf, NOTHING } from './destroys.mts';
import { DETAILS, LIST } from './ordered.mts';

const fixture = useFixture();
const { deployed, destroy, forget, looks, stateOf } = destroysOf(fixture);

describe('what is gone was seen', () => {
	/** What the service shows lags behind what it does for so many seconds. */
	const lag = (seconds: number, ...matches: object[]) => {
		const end = fixture.sandbox.clock.now() + seconds * 1_000;
		for (const match of matches) fixture.sandbox.faults.add({ match, ...NOTHING });
		fixture.time.onWait = (ms) => {
			if (fixture.sandbox.clock.now() + ms >= end) fixture.sandbox.faults.clear();
		};
	};

	it('an ID that was never seen is looked for for two minutes, then an error', async () => {
		const error = errorOf(await destroy('x'));
		expect(error.message).toBe('There is no deployment x');
		expect(error.description).toContain('Deployment x may still run and bill.');
		expect(error.context.known).toEqual({ deployment_id: 'x' });
		expect(looks()).toBe(120_000);
	});

	it('the name of a deployment in place of its ID: the error names its ID', async () => {
		const id = await deployed('job');
		expect(errorOf(await destroy('job')).message).toBe(
			`There is no deployment job: that is the name of ${id}. Choose By Name`,
		);
		expect(stateOf(id)).toBe('running');
	});

	it('If Not Found = Return an Item', async () => {
		expect(jsonOf(await destroy(['x', 'y'], { ifNotFound: 'output' }))).toEqual(
			['x', 'y'].map((id) => ({
				deleted: null,
				deployment_id: id,
				already_gone: false,
				verified: false,
				accepted: false,
				reason: 'not found',
				hint: `There is no deployment ${id}`,
			})),
		);
		// Both were in hand since the node began
		expect(looks()).toBe(120_000);
	});

	it('a retry does not look for two more minutes', async () => {
		errorOf(await destroy('x', {}, RETRY));
		expect(looks()).toBe(120_000);
	});

	it('ends at once when the execution is cancelled', async () => {
		const cancel = new AbortController();
		fixture.time.onWait = () => cancel.abort();
		await fixture.run(deployment('destroy', { deploymentId: 'x' }), [{}], {
			cancel: cancel.signal,
		});
		expect(fixture.time.waits).toHaveLength(1);
	});

	it('details and list that are a minute behind: it is destroyed as soon as it shows', async () => {
		const id = await deployed();
		lag(60, { path: new RegExp(`/deployment/${id}$`) });
		fixture.sandbox.faults.add({
			match: LIST,
			times: Infinity,
			status: 200,
			body: { data: { deployments: [], total: 0 } },
		});
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
		expect(stateOf(id)).toBe('destroyed');
	});

	it('a 404 to the DELETE of one that shows: it is sent again', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DESTROY, times: 3, status: 404, body: {} });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, already_gone: false });
		expect(stateOf(id)).toBe('destroyed');
	});

	it('details that are unknown: the list tells', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DETAILS, ...NOTHING });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
		expect(stateOf(id)).toBe('destroyed');
	});

	it.each([{}, { verifyTimeout: 10 }])(
		'a service that forgets what has ended: gone after a minute, since it was seen before (%j)',
		async (options) => {
			const id = await deployed();
			forget();
			expect(onlyJson(await destroy(id, options))).toEqual({
				deleted: true,
				deployment_id: id,
				already_gone: false,
				verified: true,
				status: 'succeeded',
			});
			expect(looks()).toBe(60_000);
		},
	);

	it('a service that forgets what has ended, and shows others: gone at a second look', async () => {
		const id = await deployed();
		fixture.sandbox.clock.advance(120_000);
		forget([{ id: 'other', status: 'running' }]);
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
		expect(looks()).toBe(20_000);
	});

	it('not so soon if it is too young to be in every copy of the list, or a 404 was the answer', async () => {
		const others = [{ id: 'other', status: 'running' }];
		const young = await deployed('a');
		forget(others);
		expect(onlyJson(await destroy(young))).toMatchObject({ deleted: true, verified: true });
		expect(looks()).toBe(60_000);
		fixture.sandbox.faults.clear();
		const old = await deployed('b');
		fixture.sandbox.clock.advance(120_000);
		forget(others);
		fixture.sandbox.faults.add({ match: DESTROY, ...NOTHING });
		expect(onlyJson(await destroy(old))).toMatchObject({ deleted: true, already_gone: true });
		expect(looks()).toBe(120_000);
	});

	it('without Verify, what no longer shows is accepted and not deleted', async () => {
		const id = await deployed();
		forget();
		expect(onlyJson(await destroy(id, { verify: false }))).toMatchObject({
			deleted: null,
			accepted: true,
			verified: false,
		});
	});

	it('what shows again was not destroyed by the copy that took the request', async () => {
		const id = await deployed();
		forget();
		fixture.sandbox.faults.add({ match: DESTROY, status: 200, body: { status: 'succeeded' } });
		const again = fixture.sandbox.clock.now() + 40_000;
		fixture.time.onWait = () => {
			if (fixture.sandbox.clock.now() >= again) fixture.sandbox.faults.clear();
		};
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
		expect(fixture.sent('DELETE', DESTROY.path)).toHaveLength(2);
		expect(stateOf(id)).toBe('destroyed');
	});

	it('a 404 to everything after the first look is no end', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DETAILS, skip: 1, ...NOTHING });
		fixture.sandbox.faults.add({ match: LIST, ...NOTHING });
		fixture.sandbox.faults.add({ match: DESTROY, ...NOTHING });
		expect(errorOf(await destroy(id)).message).toBe(
			`Deployment ${id} may still run: the service says that it does not know it, but it cannot be told whether it has ended: it was seen before, and nothing shows it now`,
		);
	});

	it('what shows at one time and not at another is an error', async () => {
		const id = await deployed();
		forget();
		let waits = 0;
		fixture.time.onWait = () => {
			fixture.sandbox.faults.clear();
			if (++waits % 2 === 0) forget();
			const body = { data: { id, status: 'running' } };
			fixture.sandbox.faults.add({ match: DETAILS, times: 1, status: 200, body });
		};
		const error = errorOf(await destroy(id));
		expect(error.message).toMatch(/^Deployment .* was told to end, but after 120 seconds /);
		expect(looks()).toBeLessThanOrEqual(240_000);
	});
});
