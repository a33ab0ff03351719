import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { DESTROY, destroysOf, NOTHING } from './destroys.mts';
import { DETAILS, LIST } from './ordered.mts';

const fixture = useFixture();
const { deployed, destroy, looks, stateOf } = destroysOf(fixture);

describe('what is gone was seen', () => {
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
