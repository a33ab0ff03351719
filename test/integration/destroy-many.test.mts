import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { DESTROY, destroysOf } from './destroys.mts';
import { DETAILS, EMPTY_COPY } from './ordered.mts';

const fixture = useFixture();
const { deployed, destroy, stateOf } = destroysOf(fixture);

describe('destroyMany', () => {
	const destroyMany = async (parameters: IDataObject) =>
		await fixture.run(
			deployment('destroyMany', { namePrefix: 'job-', limit: 50, options: {}, ...parameters }),
		);

	it('a dry run, the default, destroys nothing', async () => {
		const id = await deployed('job-1');
		await deployed('other');
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

	it('destroys by prefix, up to the limit, with the names in the output', async () => {
		const ids = [await deployed('job-1'), await deployed('job-2'), await deployed('job-3')];
		const kept = await deployed('jobs');
		const items = jsonOf(await destroyMany({ dryRun: false, limit: 2 }));
		expect(items.pop()).toEqual({
			deleted: false,
			reason: 'limit',
			left_over: 1,
			deployment_ids: ids.filter((id) => stateOf(id) !== 'destroyed'),
			hint: expect.stringContaining('the Limit is 2'),
		});
		expect(items).toHaveLength(2);
		expect(
			items.every(
				({ deleted, resource_private_name: name }) =>
					deleted === true && String(name).startsWith('job-'),
			),
		).toBe(true);
		expect(ids.filter((id) => stateOf(id) === 'destroyed')).toHaveLength(2);
		expect(jsonOf(await destroyMany({ dryRun: false }))).toHaveLength(1);
		expect(jsonOf(await destroyMany({ dryRun: false }))).toHaveLength(0);
		expect(stateOf(kept)).toBe('running');
	});

	it('destroys them where one copy of the service has no deployments', async () => {
		const id = await deployed('job-1');
		fixture.sandbox.faults.add(EMPTY_COPY);
		expect(jsonOf(await destroyMany({ dryRun: false }))).toMatchObject([
			{ deployment_id: id, deleted: true },
		]);
		expect(stateOf(id)).toBe('destroyed');
	});

	it('whitespace in the prefix is significant', async () => {
		const [id, kept] = [await deployed('job 1'), await deployed('jobs-prod')];
		expect(jsonOf(await destroyMany({ namePrefix: 'job ', dryRun: false }))).toMatchObject([
			{ deployment_id: id },
		]);
		expect(stateOf(kept)).toBe('deployment requested');
	});

	it.each([true, false])('a hint with the number above the limit (dry run: %s)', async (dryRun) => {
		for (const name of ['job-1', 'job-2', 'job-3']) await deployed(name);
		const hintsOf = async (limit: number) =>
			(await destroyMany({ dryRun, limit })).data.resultData.runData.Node?.[0]?.hints ?? [];
		expect(await hintsOf(3)).toEqual([]);
		fixture.sandbox.reset();
		for (const name of ['job-1', 'job-2', 'job-3']) await deployed(name);
		expect(await hintsOf(1)).toEqual([
			{
				message: expect.stringMatching(/^2 more deployments .*"job-".* Limit is 1$/),
				type: 'warning',
				location: 'outputPane',
			},
		]);
	});

	it.each([[''], ['   ']])(
		'an empty prefix %j is an error: it would match all',
		async (namePrefix) => {
			expect(
				errorOf(await destroyMany({ namePrefix: `={{ "${namePrefix}" }}`, dryRun: false })).message,
			).toMatch(/Name or Prefix is required/);
			expect(fixture.sandbox.requests).toHaveLength(0);
		},
	);

	it('one that is ending already is waited for with Verify alone', async () => {
		const id = await deployed('job-1');
		await destroy(id, { verify: false });
		const run = async (options: IDataObject) =>
			await fixture.run(
				deployment('destroyMany', { namePrefix: 'job-', limit: 5, dryRun: false, options }),
			);
		expect(jsonOf(await run({ verify: false }))).toEqual([]);
		expect(jsonOf(await run({}))).toMatchObject([{ deployment_id: id, verified: true }]);
		expect(stateOf(id)).toBe('destroyed');
	});

	it('Match = Exact: that name and no longer one', async () => {
		const [id, kept] = [await deployed('job-'), await deployed('job-1')];
		const items = jsonOf(await destroyMany({ match: 'exact', dryRun: false }));
		expect(items).toMatchObject([{ deleted: true, deployment_id: id }]);
		expect(stateOf(kept)).toBe('deployment requested');
	});

	it.each(['prefix', 'exact'])('names that differ in case alone are told (%s)', async (match) => {
		const id = await deployed('JOB-');
		expect(jsonOf(await destroyMany({ match, dryRun: false }))).toEqual([
			{
				deleted: false,
				reason: 'similar name',
				hint: expect.stringContaining(`these have a similar name: ${id} ("JOB-")`),
			},
		]);
		expect(fixture.sent('DELETE', /./)).toHaveLength(0);
	});

	describe('called by an AI agent', () => {
		const call = async (parameters: IDataObject, options: IDataObject = {}) =>
			await fixture.engine.tool(
				deployment('destroyMany', { namePrefix: 'job-', limit: 5, options, ...parameters }),
			)({ allow: true });

		it('is refused, but for a dry run', async () => {
			const id = await deployed('job-1');
			await expect(call({ dryRun: false })).rejects.toThrow(
				'Destroy Many is not allowed for AI agents. Nothing was destroyed.',
			);
			expect(JSON.parse(await call({}))).toMatchObject([{ deployment_id: id, dry_run: true }]);
			expect(fixture.sent('DELETE', /./)).toHaveLength(0);
		});

		it('is done where a person allows it, and not the model', async () => {
			const id = await deployed('job-1');
			const byModel = { allowAiAgents: '={{ $fromAI("allow", "", "boolean") }}' };
			await expect(call({ dryRun: false }, byModel)).rejects.toThrow('is not allowed');
			expect(JSON.parse(await call({ dryRun: false }, { allowAiAgents: true }))).toMatchObject([
				{ deleted: true, deployment_id: id },
			]);
		});
	});

	describe('with Retry On Fail', () => {
		const limited = async (limit: number, options: IDataObject) =>
			await fixture.run(
				deployment('destroyMany', { namePrefix: 'job-', limit, dryRun: false, options }, RETRY),
			);
		const stay = () =>
			fixture.sandbox.faults.add({
				match: DETAILS,
				times: Infinity,
				status: 200,
				body: { data: { status: 'termination requested' } },
			});

		it('never destroys more than the limit', async () => {
			const ids = [await deployed('job-1'), await deployed('job-2'), await deployed('job-3')];
			stay();
			const error = errorOf(await limited(1, { verify: true, verifyTimeout: 1 }));
			expect(error.message).toContain('it is still "termination requested"');
			expect(ids.filter((id) => stateOf(id) === 'termination requested')).toHaveLength(1);
		});

		it('a deployment that does not end is an error in each try', async () => {
			await deployed('job-1');
			stay();
			expect(errorOf(await limited(5, { verify: true, verifyTimeout: 1 })).message).toContain(
				'it is still "termination requested"',
			);
		});

		it('the hint about the others survives a retry', async () => {
			for (const name of ['job-1', 'job-2', 'job-3']) await deployed(name);
			fixture.sandbox.faults.add({ match: DESTROY, ...errorForms.detailString(403, 'not now') });
			const run = await limited(1, {});
			expect(jsonOf(run)).toMatchObject([{ deleted: true }, { reason: 'limit', left_over: 2 }]);
			expect(JSON.stringify(run.data.resultData.runData)).toContain(
				'2 more deployments start with',
			);
		});

		it('what an earlier try destroyed is in the output', async () => {
			const ids = [await deployed('job-1'), await deployed('job-2'), await deployed('job-3')];
			fixture.sandbox.faults.add({ match: DESTROY, times: 5, ...errorForms.empty(503) });
			const output = jsonOf(await limited(5, {}));
			expect(
				output.map(({ deployment_id: id, resource_private_name: name }) => [id, name]).sort(),
			).toEqual(ids.map((id, index) => [id, `job-${index + 1}`]).sort());
		});
	});
});
