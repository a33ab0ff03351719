import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';

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
			verified: false,
			status: expect.any(String),
		});
		expect(fixture.sandbox.books.find(id)?.refunds).toEqual([
			expect.objectContaining({ hours: 0.8 }),
		]);
	});

	it('is tried five times; then the error says that the deployment may still run', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: DESTROY, times: 5, ...errorForms.empty(503) });
		const error = errorOf(await destroy(id));
		expect(error.message).toContain('503');
		expect(error.description).toContain(`Deployment ${id} may still run and bill.`);
		expect(fixture.sent('DELETE', DESTROY.path)).toHaveLength(5);
		fixture.sandbox.faults.add({ match: DESTROY, times: 4, drop: 'before' });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
		expect(stateOf(id)).toBe('termination requested');
	});

	it('an empty 2xx is a success; a web page with status 200 is not', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({
			match: DESTROY,
			status: 200,
			rawBody: '<html></html>',
			contentType: 'text/html',
		});
		expect(errorOf(await destroy(id)).description).toContain(
			`Deployment ${id} may still run and bill.`,
		);
		fixture.sandbox.faults.add({ match: DESTROY, emptyBody: true });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
	});

	it('Verify: polls until it has ended', async () => {
		const id = await deployed();
		expect(onlyJson(await destroy(id, { verify: true }))).toMatchObject({
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
			'after 1 seconds it is still "undefined"',
		);
	});

	it('Verify: an error where it does not end', async () => {
		const id = await deployed();
		const error = errorOf(await destroy(id, { verify: true, verifyTimeout: 10 }));
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
		expect(ids.map(stateOf)).toEqual([
			'termination requested',
			'deployment requested',
			'termination requested',
		]);
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
				times: 5,
				...errorForms.empty(503),
			});
			const items = jsonOf(await destroy(ids, {}, { ...RETRY, onError: 'continueRegularOutput' }));
			expect(items).toMatchObject(ids.map((id) => ({ deleted: true, deployment_id: id })));
			expect(fixture.sent('DELETE', new RegExp(String(ids[which])))).toHaveLength(6);
			expect(ids.map(stateOf)).toEqual(['termination requested', 'termination requested']);
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
		await until(() => fixture.sent('DELETE', DESTROY.path).length === 2);
		cancel.abort();
		await running;
		const lines = fixture.engine.log
			.slice(length)
			.filter(({ message }) => message.startsWith('Cancelled before the end was seen'));
		expect(lines.map(({ facts }) => facts)).toEqual(
			ids.slice(1).map((id) => expect.objectContaining({ deployment_id: id })),
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
		expect(ids.map(stateOf)).toEqual([
			'deployment requested',
			'termination requested',
			'termination requested',
		]);
	});
});

describe('Verify after a 404', () => {
	const GONE = { match: DESTROY, status: 404, body: {} };
	const LIST = { path: '/vmaas/deployments' };
	const lists = () => fixture.sent('GET', /vmaas\/deployments$/).length;

	it('not listed: gone, with one list for all IDs', async () => {
		await deployed();
		expect(jsonOf(await destroy(['x', 'y', 'z'], { verify: true }))).toEqual(
			['x', 'y', 'z'].map((id) => ({
				deleted: true,
				deployment_id: id,
				already_gone: true,
				verified: true,
			})),
		);
		const three = lists();
		fixture.sandbox.reset();
		await deployed();
		await destroy(['x'], { verify: true });
		expect(three).toBe(lists());
	});

	it('listed as running: it may still run', async () => {
		const ids = [await deployed('a'), await deployed('b')];
		fixture.sandbox.faults.add({ ...GONE, times: 3 });
		const error = errorOf(await destroy(ids[0], { verify: true }));
		expect(error.message).toBe(
			`Deployment ${ids[0]} may still run: the service does not know it, but lists it as "deployment requested"`,
		);
		expect(error.context.known).toEqual({ deployment_id: ids[0] });
		// A list that was read for the first id is too old for the second
		expect(errorOf(await destroy(['x', ids[1]], { verify: true })).message).toBe(
			`1 of 2 deployments may still run: ${ids[1]}`,
		);
	});

	it('listed as ending: it is waited for', async () => {
		const id = await deployed();
		await destroy(id);
		fixture.sandbox.faults.add(GONE);
		expect(onlyJson(await destroy(id, { verify: true }))).toMatchObject({
			already_gone: true,
			verified: true,
		});
		expect(stateOf(id)).toBe('destroyed');
	});

	it('a list that cannot be read is an error', async () => {
		fixture.sandbox.faults.add({ match: LIST, times: 3, ...errorForms.empty(500) });
		const error = errorOf(await destroy('x', { verify: true }));
		expect(error.message).toBe('The list of deployments could not be read: Server error (500)');
		expect(error.description).toContain('Deployment x may still run and bill.');
	});

	it('a service without the list: not verified, with a hint', async () => {
		fixture.sandbox.faults.add({ match: { path: /./ }, times: Infinity, status: 404, body: {} });
		expect(onlyJson(await destroy('x', { verify: true }))).toEqual({
			deleted: true,
			deployment_id: 'x',
			already_gone: true,
			verified: false,
			hint: expect.stringContaining('service segment'),
		});
		expect(onlyJson(await destroy('x'))).toEqual({
			deleted: true,
			deployment_id: 'x',
			already_gone: true,
			verified: false,
		});
	});

	it('a web page, and a 404 to the details: the list decides', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({
			match: DESTROY,
			status: 200,
			rawBody: '<html></html>',
			contentType: 'text/html',
		});
		fixture.sandbox.faults.add({ match: { method: 'GET', path: id }, status: 404, body: {} });
		expect(errorOf(await destroy(id, { verify: true })).message).toContain(
			`Deployment ${id} may still run`,
		);
	});
});
