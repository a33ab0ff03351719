import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deployParameters } from '../engine/fixture.mts';
import { errorOf, jsonOf, MoneyBench, onlyJson } from '../engine/hooks.mts';
import { errorForms } from '../sandbox/index.mts';

const bench = new MoneyBench();

const DESTROY = { method: 'DELETE', path: /vmaas\/deployment\// };

const machine = async (name = 'job') => String(onlyJson(await bench.run('deploy', deployParameters({ resourcePrivateName: name }))).deployment_id);
const destroy = async (deploymentId: unknown, options: IDataObject = {}, settings = {}) =>
	await bench.run('destroy', { deploymentId: '={{ $json.id }}', options }, settings, [{ id: deploymentId as string }]);
const stateOf = (id: string) => bench.sandbox.books.find(id)?.state;

describe('destroy', () => {
	it('answers deleted, and the book refunds what is not used after the first hour', async () => {
		const id = await machine();
		bench.sandbox.clock.advance(30_000 + 1.2 * 3_600_000);
		expect(onlyJson(await destroy(id))).toEqual({ deleted: true, deployment_id: id, already_gone: false, verified: false, status: expect.any(String) });
		expect(bench.sandbox.books.find(id)?.refunds).toEqual([expect.objectContaining({ hours: 0.8 })]);
	});

	it('a 404 is a success: already gone', async () => {
		expect(onlyJson(await destroy('gone-long-ago'))).toEqual({ deleted: true, deployment_id: 'gone-long-ago', already_gone: true, verified: false });
	});

	it('is tried five times, and says that the machine may still run when it did not work', async () => {
		const id = await machine();
		bench.sandbox.faults.add({ match: DESTROY, times: 5, ...errorForms.empty(503) });
		const error = errorOf(await destroy(id));
		expect(error.message).toContain('503');
		expect(error.description).toContain(`Deployment ${id} may still run and bill.`);
		expect(bench.sent('DELETE', DESTROY.path)).toHaveLength(5);
		bench.sandbox.faults.add({ match: DESTROY, times: 4, drop: 'before' });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
		expect(stateOf(id)).toBe('termination requested');
	});

	it('an empty 2xx is a yes; a welcome page with status 200 is none', async () => {
		const id = await machine();
		bench.sandbox.faults.add({ match: DESTROY, status: 200, rawBody: '<html></html>', contentType: 'text/html' });
		expect(errorOf(await destroy(id)).description).toContain(`Deployment ${id} may still run and bill.`);
		bench.sandbox.faults.add({ match: DESTROY, emptyBody: true });
		expect(onlyJson(await destroy(id))).toMatchObject({ deleted: true });
	});

	it('Verify polls until it is gone', async () => {
		const id = await machine();
		expect(onlyJson(await destroy(id, { verify: true }))).toMatchObject({ deleted: true, verified: true });
		expect(stateOf(id)).toBe('destroyed');
	});

	it('Verify fails loudly when it stays', async () => {
		const id = await machine();
		const error = errorOf(await destroy(id, { verify: true, verifyTimeout: 10 }));
		expect(error.message).toBe(`Deployment ${id} was told to end, but after 10 seconds it is still "termination requested"`);
	});

	it('several ids in one go: all are tried also when one fails, and one error names them all', async () => {
		const ids = [await machine('a'), await machine('b'), await machine('c')];
		bench.sandbox.faults.add({ match: { method: 'DELETE', path: String(ids[1]) }, ...errorForms.detailString(403, 'not yours') });
		const error = errorOf(await destroy(ids));
		expect(error.message).toBe(`1 of 3 deployments may still run: ${ids[1]}`);
		expect(error.description).toContain('not yours');
		expect(error.description).toContain(`${ids[2]} was destroyed`);
		expect(ids.map(stateOf)).toEqual(['termination requested', 'deployment requested', 'termination requested']);
	});

	it('several ids with continue on fail: each result its own item', async () => {
		const ids = [await machine('a'), await machine('b')];
		bench.sandbox.faults.add({ match: { method: 'DELETE', path: String(ids[0]) }, ...errorForms.detailString(403, 'not yours') });
		const items = jsonOf(await destroy(ids, {}, { onError: 'continueRegularOutput' }));
		expect(items).toEqual([
			{ error: expect.stringContaining('not yours'), details: { deployment_id: ids[0] } },
			expect.objectContaining({ deleted: true, deployment_id: ids[1] }),
		]);
	});

	it('several items: all are tried also when one fails', async () => {
		const ids = [await machine('a'), await machine('b'), await machine('c')];
		bench.sandbox.faults.add({ match: { method: 'DELETE', path: String(ids[0]) }, ...errorForms.detailString(403, 'not yours') });
		const run = await bench.run('destroy', { deploymentId: '={{ $json.id }}', options: {} }, {}, ids.map((id) => ({ id })));
		expect(errorOf(run).message).toContain('not yours');
		expect(errorOf(run).description).toContain(`Item 2 was done: deployment_id ${ids[2]}`);
		expect(ids.map(stateOf)).toEqual(['deployment requested', 'termination requested', 'termination requested']);
	});
});

describe('destroyMany', () => {
	const destroyMany = async (parameters: IDataObject) => await bench.run('destroyMany', { namePrefix: 'job-', limit: 50, options: {}, ...parameters });

	it('a dry run is the default and destroys nothing', async () => {
		const id = await machine('job-1');
		await machine('other');
		expect(jsonOf(await destroyMany({}))).toEqual([expect.objectContaining({ deleted: false, dry_run: true, deployment_id: id, resource_private_name: 'job-1' })]);
		expect(bench.sent('DELETE', /./)).toHaveLength(0);
	});

	it('destroys by prefix, up to the limit, with names in the output', async () => {
		const ids = [await machine('job-1'), await machine('job-2'), await machine('job-3')];
		const kept = await machine('jobs');
		const items = jsonOf(await destroyMany({ dryRun: false, limit: 2 }));
		expect(items).toHaveLength(2);
		expect(items.every(({ deleted, resource_private_name: name }) => deleted === true && String(name).startsWith('job-'))).toBe(true);
		expect(ids.filter((id) => stateOf(id) === 'termination requested')).toHaveLength(2);
		expect(jsonOf(await destroyMany({ dryRun: false }))).toHaveLength(1);
		expect(jsonOf(await destroyMany({ dryRun: false }))).toHaveLength(0);
		expect(stateOf(kept)).toBe('deployment requested');
	});

	it.each([[''], ['   ']])('an empty prefix %j would destroy everything: refused', async (namePrefix) => {
		expect(errorOf(await destroyMany({ namePrefix: `={{ "${namePrefix}" }}`, dryRun: false })).message).toMatch(/Name Prefix is required/);
		expect(bench.sandbox.requests).toHaveLength(0);
	});
});
