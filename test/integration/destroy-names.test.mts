import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { destroysOf } from './destroys.mts';

const fixture = useFixture();
const { deployed, destroy, stateOf } = destroysOf(fixture);

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

	it('an empty list of names is an error, and nothing is sent', async () => {
		expect(errorOf(await destroyNamed('={{ [] }}')).message).toMatch(
			/^Deployment is required: the list of names is empty/,
		);
		expect(fixture.sandbox.requests).toEqual([]);
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
