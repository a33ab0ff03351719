import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

const fixture = useFixture();

const DESTROY = { method: 'DELETE', path: /vmaas\/deployment\// };

const deployed = async (name = 'job') =>
	String(
		onlyJson(
			await fixture.run(deployment('deploy', deployParameters({ resourcePrivateName: name }))),
		).deployment_id,
	);
const destroy = async (deploymentId: unknown, options: IDataObject = {}, settings = {}) =>
	await fixture.run(deployment('destroy', { deploymentId: '={{ $json.id }}', options }, settings), [
		{ id: deploymentId as string },
	]);
const stateOf = (id: string) => fixture.sandbox.books.find(id)?.state;

describe('destroy', () => {
	it('returns deleted; what is not used after the first hour is refunded', async () => {
		const id = await deployed();
		fixture.sandbox.clock.advance(30_000 + 1.2 * 3_600_000);
		expect(onlyJson(await destroy(id))).toEqual({
			deleted: true,
			deployment_id: id,
			already_gone: false,
			verified: true,
			status: expect.any(String),
		});
		expect(fixture.sandbox.books.find(id)?.refunds).toEqual([
			expect.objectContaining({ hours: 0.8 }),
		]);
	});

	it('is asked again within Verify Timeout; then the error says that the deployment may still run', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DESTROY, times: Infinity, ...errorForms.empty(503) });
		const error = errorOf(await destroy(id));
		expect(error.message).toContain('503');
		expect(error.description).toContain(`Deployment ${id} may still run and bill.`);
		expect(fixture.sent('DELETE', DESTROY.path).length).toBeGreaterThan(20);
		fixture.sandbox.faults.clear();
		fixture.sandbox.faults.add({ match: DESTROY, times: 12, drop: 'before' });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
		expect(stateOf(id)).toBe('destroyed');
	});

	it('an empty 2xx is a success; a web page with status 200 is not', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({
			match: DESTROY,
			times: Infinity,
			status: 200,
			rawBody: '<html></html>',
			contentType: 'text/html',
		});
		expect(errorOf(await destroy(id)).description).toContain(
			`Deployment ${id} may still run and bill.`,
		);
		fixture.sandbox.faults.clear();
		fixture.sandbox.faults.add({ match: DESTROY, emptyBody: true });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
	});

	it('Verify, which is on by default: polls until it has ended', async () => {
		const id = await deployed();
		expect(onlyJson(await destroy(id))).toMatchObject({
			deleted: true,
			verified: true,
		});
		expect(stateOf(id)).toBe('destroyed');
	});

	it('Verify: details without a state do not prove the end', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: new RegExp(`/deployment/${id}$`) },
			times: Infinity,
			status: 200,
			body: { data: { id } },
		});
		expect(errorOf(await destroy(id, { verify: true, verifyTimeout: 1 })).message).toContain(
			'after 1 seconds it is still "unknown"',
		);
	});

	it('Verify: an error where it does not end', async () => {
		const id = await deployed();
		const error = errorOf(await destroy(id, { verifyTimeout: 10 }));
		expect(error.message).toBe(
			`Deployment ${id} was told to end, but after 10 seconds it is still "termination requested"`,
		);
	});

	it('several IDs: all are tried where one fails, and the error names them all', async () => {
		const ids = [await deployed('a'), await deployed('b'), await deployed('c')];
		fixture.sandbox.faults.add({
			match: { method: 'DELETE', path: String(ids[1]) },
			...errorForms.detailString(403, 'not yours'),
		});
		const error = errorOf(await destroy(ids));
		expect(error.message).toBe(`1 of 3 deployments may still run: ${ids[1]}`);
		expect(error.description).toContain('not yours');
		expect(error.description).toContain(`${ids[2]} was destroyed`);
		expect(ids.map(stateOf)).toEqual(['destroyed', 'deployment requested', 'destroyed']);
		expect(JSON.stringify(fixture.engine.log)).not.toContain('Cancelled');
	});

	it('several IDs with On Error = Continue: an item for each', async () => {
		const ids = [await deployed('a'), await deployed('b')];
		fixture.sandbox.faults.add({
			match: { method: 'DELETE', path: String(ids[0]) },
			...errorForms.detailString(403, 'not yours'),
		});
		const items = jsonOf(await destroy(ids, {}, { onError: 'continueRegularOutput' }));
		expect(items).toEqual([
			{ error: expect.stringContaining('not yours'), details: { deployment_id: ids[0] } },
			expect.objectContaining({ deleted: true, deployment_id: ids[1] }),
		]);
	});

	it.each([0, 1])(
		'several IDs with On Error = Continue: Retry On Fail tries what failed again (ID %d)',
		async (which) => {
			const ids = [await deployed('a'), await deployed('b')];
			fixture.sandbox.faults.add({
				match: { method: 'DELETE', path: String(ids[which]) },
				...errorForms.detailString(403, 'not yours'),
			});
			const items = jsonOf(await destroy(ids, {}, { ...RETRY, onError: 'continueRegularOutput' }));
			expect(items).toMatchObject(ids.map((id) => ({ deleted: true, deployment_id: id })));
			expect(fixture.sent('DELETE', new RegExp(String(ids[which])))).toHaveLength(2);
			expect(ids.map(stateOf)).toEqual(['destroyed', 'destroyed']);
		},
	);

	it('cancelled: the log names each deployment that may still run', async () => {
		const ids = [await deployed('a'), await deployed('b'), await deployed('c')];
		fixture.sandbox.faults.add({ match: DESTROY, skip: 1, hang: true });
		const cancel = new AbortController();
		const { length } = fixture.engine.log;
		const running = fixture.run(
			deployment('destroy', { deploymentId: '={{ $json.ids }}', options: {} }),
			[{ ids }],
			{ cancel: cancel.signal },
		);
		await until(() => fixture.sent('DELETE', DESTROY.path).length === 3);
		cancel.abort();
		await running;
		const lines = fixture.engine.log
			.slice(length)
			.filter(({ message }) => message.startsWith('Cancelled before the end was seen'));
		// The first one was told as well, but its end was not seen yet
		expect(lines.map(({ facts }) => facts)).toEqual(
			ids.map((id) => expect.objectContaining({ deployment_id: id })),
		);
	});

	it('cancelled with several items: the log names those of all items', async () => {
		const ids = [await deployed('a'), await deployed('b'), await deployed('c')];
		fixture.sandbox.faults.add({ match: DESTROY, ...errorForms.detailString(403, 'not yours') });
		fixture.sandbox.faults.add({ match: DESTROY, hang: true });
		const cancel = new AbortController();
		const { length } = fixture.engine.log;
		const running = fixture.run(
			deployment('destroy', { deploymentId: '={{ $json.ids }}', options: {} }),
			[{ ids: ids.slice(0, 2) }, { ids: ids[2] as string }],
			{ cancel: cancel.signal },
		);
		await until(() => fixture.sent('DELETE', DESTROY.path).length === 2);
		cancel.abort();
		await running;
		const lines = fixture.engine.log
			.slice(length)
			.filter(({ message }) => message.startsWith('Cancelled before the end was seen'));
		expect(lines.map(({ facts }) => facts)).toEqual(
			ids.map((id) => expect.objectContaining({ deployment_id: id })),
		);
	});

	it('several items: all are tried where one fails', async () => {
		const ids = [await deployed('a'), await deployed('b'), await deployed('c')];
		fixture.sandbox.faults.add({
			match: { method: 'DELETE', path: String(ids[0]) },
			...errorForms.detailString(403, 'not yours'),
		});
		const run = await fixture.run(
			deployment('destroy', { deploymentId: '={{ $json.id }}', options: {} }),
			ids.map((id) => ({ id })),
		);
		expect(errorOf(run).message).toContain('not yours');
		expect(errorOf(run).description).toContain(`Item 2 was done: deployment_id ${ids[2]}`);
		expect(ids.map(stateOf)).toEqual(['deployment requested', 'destroyed', 'destroyed']);
	});
});

describe('what is gone was seen', () => {
	const DETAILS = { method: 'GET', path: /vmaas\/deployment\/[^/]+$/ };
	const LIST = { path: '/vmaas/deployments' };
	const NOTHING = { times: Infinity, status: 404, body: {} };
	const looks = () => fixture.time.waits.reduce((sum, ms) => sum + ms, 0);
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

	/** Nothing shows the deployment after the first look. */
	const forget = (deployments: object[] = []) => {
		fixture.sandbox.faults.add({ match: DETAILS, skip: 1, ...NOTHING });
		const body = { data: { deployments, total: deployments.length } };
		fixture.sandbox.faults.add({ match: LIST, times: Infinity, status: 200, body });
	};

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

	it('a list that is down for a while is waited for', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DETAILS, ...NOTHING });
		fixture.sandbox.faults.add({ match: LIST, times: 12, ...errorForms.empty(500) });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
	});

	it('a state that cannot be read is an error', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DETAILS, ...NOTHING });
		fixture.sandbox.faults.add({ match: LIST, times: Infinity, ...errorForms.empty(500) });
		const error = errorOf(await destroy(id));
		expect(error.message).toContain(
			'after 120 seconds its state could not be read: The list of deployments could not be read: Server error (500)',
		);
		expect(error.description).toContain(`Deployment ${id} may still run and bill.`);
	});

	it.each([404, 405])(
		'the bare contract (%d to details and list): accepted, not deleted',
		async (status) => {
			const id = await deployed();
			fixture.sandbox.faults.add({ match: { method: 'GET' }, ...NOTHING, status });
			const accepted = {
				deleted: null,
				deployment_id: id,
				already_gone: false,
				verified: false,
				accepted: true,
				status: 'succeeded',
				hint: expect.stringContaining('it may still bill'),
			};
			expect(onlyJson(await destroy(id))).toEqual(accepted);
			expect(looks()).toBe(0);
			expect(errorOf(await destroy('x')).message).toBe('There is no deployment x');
		},
	);

	it('the bare contract: a second teardown in an execution is no error', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: { method: 'GET' }, ...NOTHING });
		fixture.sandbox.faults.add({ match: DESTROY, skip: 1, ...NOTHING });
		expect(jsonOf(await destroy([id, id]))).toMatchObject([
			{ deleted: null, accepted: true },
			{ deleted: null, accepted: true },
		]);
	});

	it.each([
		['{"success": false}', { success: false, message: 'not now' }, 'not now'],
		['a status of failure', { status: 'failed', error: 'locked' }, 'locked'],
	])('%s with status 200 is no yes', async (_, body, words) => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DESTROY, times: Infinity, status: 200, body });
		const error = errorOf(await destroy(id));
		expect(error.message).toBe(`The service answered 200, but says no: ${words}`);
		expect(error.description).toContain(`Deployment ${id} may still run and bill.`);
	});

	it.each([303, 409, 410, 500])(
		'%d to a DELETE that was carried out: the state tells',
		async (status) => {
			const id = await deployed();
			fixture.sandbox.faults.add({ match: DESTROY, afterWork: true, times: 5, status, body: {} });
			expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
		},
	);

	it('409 "already terminated" of one that has ended: already gone', async () => {
		const id = await deployed();
		await destroy(id);
		fixture.sandbox.faults.add({ match: DESTROY, ...errorForms.detailString(409, 'terminated') });
		expect(onlyJson(await destroy(id))).toEqual({
			deleted: true,
			deployment_id: id,
			already_gone: true,
			verified: true,
		});
	});

	it('a web page: the state tells', async () => {
		const id = await deployed();
		const page = { status: 200, rawBody: '<html></html>', contentType: 'text/html' };
		fixture.sandbox.faults.add({ match: DESTROY, times: Infinity, ...page });
		expect(errorOf(await destroy(id)).message).toContain('an HTML page');
		fixture.sandbox.faults.clear();
		fixture.sandbox.faults.add({ match: DESTROY, afterWork: true, ...page });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
	});

	it('Verify off: says what one look shows', async () => {
		const id = await deployed();
		const running = { data: { id, status: 'running' } };
		fixture.sandbox.faults.add({ match: DETAILS, times: 2, status: 200, body: running });
		const options = { verify: false };
		expect(onlyJson(await destroy(id, options))).toMatchObject({ deleted: null, accepted: true });
		expect(onlyJson(await destroy(id, options))).toMatchObject({ deleted: true, verified: false });
		fixture.sandbox.clock.advance(60_000);
		expect(onlyJson(await destroy(id, options))).toMatchObject({ deleted: true, verified: true });
		expect(looks()).toBe(0);
	});

	it.each(['Destroyed', 'DESTROYED', 'terminated'])('a service that says "%s"', async (status) => {
		const id = await deployed();
		fixture.sandbox.faults.add({
			match: DETAILS,
			skip: 1,
			times: Infinity,
			status: 200,
			body: { data: { id, status } },
		});
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true, verified: true });
	});

	it.each(['uuid', 'deploymentId'])('an ID under %s', async (key) => {
		const entry = { [key]: 'd-1', status: 'running' };
		fixture.sandbox.faults.add({ match: DETAILS, ...NOTHING });
		const body = { data: { deployments: [entry], total: 1 } };
		fixture.sandbox.faults.add({ match: LIST, times: 2, status: 200, body });
		fixture.sandbox.faults.add({ match: DESTROY, status: 200, body: { success: true } });
		expect(onlyJson(await destroy('d-1', { verify: false }))).toMatchObject({ accepted: true });
	});

	it('details that say no with status 200 are no details', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({
			match: DETAILS,
			times: Infinity,
			status: 200,
			body: { status: 'failed', success: false, error: 'try later' },
		});
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
		expect(stateOf(id)).toBe('destroyed');
	});
});

describe('by name', () => {
	const byName = (name: unknown): IDataObject => ({
		__rl: true,
		mode: 'name',
		value: name as string,
	});
	const destroyNamed = async (name: unknown, options: IDataObject = {}, items?: IDataObject[]) =>
		await fixture.run(deployment('destroy', { deploymentId: byName(name), options }), items);

	it('the only one that has not ended', async () => {
		const [old, kept] = [await deployed('job'), await deployed('job-2')];
		await destroy(old);
		const id = await deployed('job');
		expect(onlyJson(await destroyNamed('job'))).toMatchObject({
			deleted: true,
			deployment_id: id,
			resource_private_name: 'job',
			verified: true,
		});
		expect([id, kept].map(stateOf)).toEqual(['destroyed', 'running']);
	});

	it('a second teardown is a success that names what has ended', async () => {
		const id = await deployed('job');
		await destroyNamed('job');
		expect(onlyJson(await destroyNamed('job'))).toEqual({
			deleted: true,
			deployment_id: id,
			already_gone: true,
			verified: true,
			resource_private_name: 'job',
			hint: `Every deployment of this name has ended: ${id}`,
		});
	});

	it('several that have not ended: an error that names them, and nothing is destroyed', async () => {
		const ids = [await deployed('job')];
		const { json } = await fixture.client.post('/deploy', {
			...sampleDeploy,
			resource_private_name: 'job',
		});
		ids.unshift(String((json as IDataObject).deployment_id));
		const error = errorOf(await destroyNamed('job'));
		expect(error.message).toMatch(/^2 deployments named "job" have not ended: .*Choose one/);
		for (const id of ids) expect(error.message).toContain(id);
		expect(fixture.sent('DELETE', /./)).toHaveLength(0);
	});

	it('none: it is looked for, then the error names similar ones', async () => {
		const id = await deployed('job');
		const error = errorOf(await destroyNamed('Job'));
		expect(error.message).toBe(
			`There is no deployment named "Job". A similar name has ${id} ("job")`,
		);
		expect(error.context.known).toEqual({ resource_private_name: 'Job' });
		expect(fixture.time.waits.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
		expect(onlyJson(await destroyNamed('Job', { ifNotFound: 'output' }))).toMatchObject({
			deleted: null,
			deployment_id: null,
			resource_private_name: 'Job',
		});
	});

	it('several names by expression', async () => {
		const ids = [await deployed('a'), await deployed('b')];
		const run = await destroyNamed('={{ $json.names }}', {}, [{ names: ['a', 'b'] }]);
		expect(jsonOf(run).map(({ deployment_id: id }) => id)).toEqual(ids);
	});

	it.each(['', '   '])('%j is no name', async (name) => {
		expect(errorOf(await destroyNamed(`={{ "${name}" }}`)).message).toContain(
			'Deployment must be a name',
		);
		expect(fixture.sandbox.requests).toHaveLength(0);
	});

	it('Get and Extend, too; where there is not exactly one, an error at once', async () => {
		const id = await deployed('job');
		const run = async (operation: string, name: string, more: IDataObject = {}) =>
			await fixture.run(deployment(operation, { deploymentId: byName(name), ...more }));
		expect(onlyJson(await run('get', 'job'))).toMatchObject({ deployment_id: id });
		const hours = { durationHours: 2, safety: {} };
		expect(onlyJson(await run('extend', 'job', hours))).toMatchObject({ deployment_id: id });
		expect(errorOf(await run('get', 'other')).message).toBe('There is no deployment named "other"');
		await destroy(id);
		const error = errorOf(await run('extend', 'job', hours));
		expect(error.message).toBe(`Every deployment named "job" has ended: ${id}`);
		expect(error.description).toContain('Nothing was extended.');
	});
});
