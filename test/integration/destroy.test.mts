import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';
import { DESTROY, destroysOf } from './destroys.mts';

const fixture = useFixture();
const { deployed, destroy, stateOf } = destroysOf(fixture);

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
		expect(JSON.stringify(fixture.log)).not.toContain('Cancelled');
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
		const running = fixture.run(
			deployment('destroy', { deploymentId: '={{ $json.ids }}', options: {} }),
			[{ ids }],
			{ cancel: cancel.signal },
		);
		await until(() => fixture.sent('DELETE', DESTROY.path).length === 3);
		cancel.abort();
		await running;
		const lines = fixture.log.filter(({ message }) =>
			message.startsWith('Cancelled before the end was seen'),
		);
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
		const running = fixture.run(
			deployment('destroy', { deploymentId: '={{ $json.ids }}', options: {} }),
			[{ ids: ids.slice(0, 2) }, { ids: ids[2] as string }],
			{ cancel: cancel.signal },
		);
		await until(() => fixture.sent('DELETE', DESTROY.path).length === 2);
		cancel.abort();
		await running;
		const lines = fixture.log.filter(({ message }) =>
			message.startsWith('Cancelled before the end was seen'),
		);
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
