import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

const DESTROY = { method: 'DELETE', path: /vmaas\/deployment\// };

const machine = async (name = 'job') =>
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
	it('answers deleted, and the book refunds what is not used after the first hour', async () => {
		const id = await machine();
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

	it('a 404 is a success: already gone', async () => {
		expect(onlyJson(await destroy('gone-long-ago'))).toEqual({
			deleted: true,
			deployment_id: 'gone-long-ago',
			already_gone: true,
			verified: false,
		});
	});

	it('is tried five times, and says that the machine may still run when it did not work', async () => {
		const id = await machine();
		fixture.sandbox.faults.add({ match: DESTROY, times: 5, ...errorForms.empty(503) });
		const error = errorOf(await destroy(id));
		expect(error.message).toContain('503');
		expect(error.description).toContain(`Deployment ${id} may still run and bill.`);
		expect(fixture.sent('DELETE', DESTROY.path)).toHaveLength(5);
		fixture.sandbox.faults.add({ match: DESTROY, times: 4, drop: 'before' });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
		expect(stateOf(id)).toBe('termination requested');
	});

	it('an empty 2xx is a yes; a welcome page with status 200 is none', async () => {
		const id = await machine();
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

	it('Verify polls until it is gone', async () => {
		const id = await machine();
		expect(onlyJson(await destroy(id, { verify: true }))).toMatchObject({
			deleted: true,
			verified: true,
		});
		expect(stateOf(id)).toBe('destroyed');
	});

	it('details without a state are no end', async () => {
		const id = await machine();
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

	it('Verify fails loudly when it stays', async () => {
		const id = await machine();
		const error = errorOf(await destroy(id, { verify: true, verifyTimeout: 10 }));
		expect(error.message).toBe(
			`Deployment ${id} was told to end, but after 10 seconds it is still "termination requested"`,
		);
	});

	describe('Verify after a 404', () => {
		const GONE = { match: DESTROY, status: 404, body: {} };
		const LIST = { path: '/vmaas/deployments' };
		const lists = () => fixture.sent('GET', /vmaas\/deployments$/).length;

		it('what no list names is gone: one list for all ids', async () => {
			await machine();
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
			await machine();
			await destroy(['x'], { verify: true });
			expect(three).toBe(lists());
		});

		it('what is listed as running may still run', async () => {
			const ids = [await machine('a'), await machine('b')];
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

		it('what is listed as going down is waited for', async () => {
			const id = await machine();
			await destroy(id);
			fixture.sandbox.faults.add(GONE);
			expect(onlyJson(await destroy(id, { verify: true }))).toMatchObject({
				already_gone: true,
				verified: true,
			});
			expect(stateOf(id)).toBe('destroyed');
		});

		it('a list that cannot be read proves nothing', async () => {
			fixture.sandbox.faults.add({ match: LIST, times: 3, ...errorForms.empty(500) });
			const error = errorOf(await destroy('x', { verify: true }));
			expect(error.message).toBe(
				'The list of deployments could not be read: The service could not answer (500)',
			);
			expect(error.description).toContain('Deployment x may still run and bill.');
		});

		it('a service without the list: not verified, and the item says so', async () => {
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

		it('a welcome page and no such deployment: the list tells', async () => {
			const id = await machine();
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

	it('several ids in one go: all are tried also when one fails, and one error names them all', async () => {
		const ids = [await machine('a'), await machine('b'), await machine('c')];
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

	it('several ids with continue on fail: each result its own item', async () => {
		const ids = [await machine('a'), await machine('b')];
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
		"several ids with continue on fail: n8n's Retry On Fail tries what failed again (id %d)",
		async (which) => {
			const ids = [await machine('a'), await machine('b')];
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

	it('cancelled: the log names every machine that may still run, also those whose turn did not come', async () => {
		const ids = [await machine('a'), await machine('b'), await machine('c')];
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

	it('cancelled with one machine an item: the log names those of all items, also one that failed before', async () => {
		const ids = [await machine('a'), await machine('b'), await machine('c')];
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

	it('several items: all are tried also when one fails', async () => {
		const ids = [await machine('a'), await machine('b'), await machine('c')];
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

describe('destroyMany', () => {
	const destroyMany = async (parameters: IDataObject) =>
		await fixture.run(
			deployment('destroyMany', { namePrefix: 'job-', limit: 50, options: {}, ...parameters }),
		);

	it('a dry run is the default and destroys nothing', async () => {
		const id = await machine('job-1');
		await machine('other');
		expect(jsonOf(await destroyMany({}))).toEqual([
			expect.objectContaining({
				deleted: false,
				dry_run: true,
				deployment_id: id,
				resource_private_name: 'job-1',
			}),
		]);
		expect(fixture.sent('DELETE', /./)).toHaveLength(0);
	});

	it('destroys by prefix, up to the limit, with names in the output', async () => {
		const ids = [await machine('job-1'), await machine('job-2'), await machine('job-3')];
		const kept = await machine('jobs');
		const items = jsonOf(await destroyMany({ dryRun: false, limit: 2 }));
		expect(items).toHaveLength(2);
		expect(
			items.every(
				({ deleted, resource_private_name: name }) =>
					deleted === true && String(name).startsWith('job-'),
			),
		).toBe(true);
		expect(ids.filter((id) => stateOf(id) === 'termination requested')).toHaveLength(2);
		expect(jsonOf(await destroyMany({ dryRun: false }))).toHaveLength(1);
		expect(jsonOf(await destroyMany({ dryRun: false }))).toHaveLength(0);
		expect(stateOf(kept)).toBe('deployment requested');
	});

	it('the prefix is taken with its blanks', async () => {
		const [id, kept] = [await machine('job 1'), await machine('jobs-prod')];
		expect(jsonOf(await destroyMany({ namePrefix: 'job ', dryRun: false }))).toMatchObject([
			{ deployment_id: id },
		]);
		expect(stateOf(kept)).toBe('deployment requested');
	});

	it.each([true, false])('says how many the limit left (dry run: %s)', async (dryRun) => {
		for (const name of ['job-1', 'job-2', 'job-3']) await machine(name);
		const hintsOf = async (limit: number) =>
			(await destroyMany({ dryRun, limit })).data.resultData.runData.Node?.[0]?.hints ?? [];
		expect(await hintsOf(3)).toEqual([]);
		fixture.sandbox.reset();
		for (const name of ['job-1', 'job-2', 'job-3']) await machine(name);
		expect(await hintsOf(1)).toEqual([
			{
				message: expect.stringMatching(/^2 more deployments .*"job-".* Limit is 1$/),
				type: 'warning',
				location: 'outputPane',
			},
		]);
	});

	it.each([[''], ['   ']])(
		'an empty prefix %j would destroy everything: refused',
		async (namePrefix) => {
			expect(
				errorOf(await destroyMany({ namePrefix: `={{ "${namePrefix}" }}`, dryRun: false })).message,
			).toMatch(/Name Prefix is required/);
			expect(fixture.sandbox.requests).toHaveLength(0);
		},
	);

	it('with Verify one that is ending already is waited for; without, it is left alone', async () => {
		const id = await machine('job-1');
		await destroy(id);
		const run = async (options: IDataObject) =>
			await fixture.run(
				deployment('destroyMany', { namePrefix: 'job-', limit: 5, dryRun: false, options }),
			);
		expect(jsonOf(await run({}))).toEqual([]);
		expect(jsonOf(await run({ verify: true }))).toMatchObject([
			{ deployment_id: id, verified: true },
		]);
		expect(stateOf(id)).toBe('destroyed');
	});

	describe('with Retry On Fail', () => {
		const limited = async (limit: number, options: IDataObject) =>
			await fixture.run(
				deployment('destroyMany', { namePrefix: 'job-', limit, dryRun: false, options }, RETRY),
			);
		const stay = () =>
			fixture.sandbox.faults.add({
				match: { method: 'GET', path: /vmaas\/deployment\/[^/]+$/ },
				times: Infinity,
				status: 200,
				body: { data: { status: 'termination requested' } },
			});

		it('never destroys more than the limit', async () => {
			const ids = [await machine('job-1'), await machine('job-2'), await machine('job-3')];
			stay();
			const error = errorOf(await limited(1, { verify: true, verifyTimeout: 1 }));
			expect(error.message).toContain('it is still "termination requested"');
			expect(ids.filter((id) => stateOf(id) === 'termination requested')).toHaveLength(1);
		});

		it('a machine that does not end is an error in each try', async () => {
			await machine('job-1');
			stay();
			expect(errorOf(await limited(5, { verify: true, verifyTimeout: 1 })).message).toContain(
				'it is still "termination requested"',
			);
		});

		it('the hint about the others is there after a retry, too', async () => {
			for (const name of ['job-1', 'job-2', 'job-3']) await machine(name);
			fixture.sandbox.faults.add({ match: DESTROY, ...errorForms.detailString(403, 'not now') });
			const run = await limited(1, {});
			expect(jsonOf(run)).toHaveLength(1);
			expect(JSON.stringify(run.data.resultData.runData)).toContain(
				'2 more deployments start with',
			);
		});

		it('what an earlier try destroyed stands in the output', async () => {
			const ids = [await machine('job-1'), await machine('job-2'), await machine('job-3')];
			fixture.sandbox.faults.add({ match: DESTROY, times: 5, ...errorForms.empty(503) });
			const output = jsonOf(await limited(5, {}));
			expect(
				output.map(({ deployment_id: id, resource_private_name: name }) => [id, name]).sort(),
			).toEqual(ids.map((id, index) => [id, `job-${index + 1}`]).sort());
		});
	});
});
