import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY, vmaas, LIMIT } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';
import { until } from '../engine/time.mts';

const fixture = useFixture();
const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };

const deployTool = (safety = {}, maxTries = RETRY.maxTries) =>
	fixture.engine.tool(
		vmaas(
			'deployment',
			'deploy',
			deployParameters({
				resourcePrivateName: '={{ $fromAI("name", "Name of the machine", "string") }}',
				safety: { ...LIMIT, ...safety },
			}),
			{ ...RETRY, maxTries },
		),
	);

describe('as a tool of an AI agent', () => {
	it('the model reads the deployment', async () => {
		const [answer] = JSON.parse(await deployTool()({ name: 'agent' })) as [
			{ deployment_id: string },
		];
		expect(fixture.sandbox.books.find(answer.deployment_id)?.resource_private_name).toBe('agent');
	});

	it('a retry reconciles first, although n8n gives it another run index', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		await expect(deployTool({ ifNameExists: 'deploy' })({ name: 'agent' })).rejects.toThrow(
			/outcome unknown[\s\S]*Details: The deployment may exist and bill/,
		);
		expect(fixture.sent('POST', DEPLOY.path)).toHaveLength(1);
	});

	it('a retry reconciles first, although the expression gives another name each time', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const tool = fixture.engine.tool(
			vmaas(
				'deployment',
				'deploy',
				deployParameters({
					resourcePrivateName: '=agent-{{ $now.toMillis() }}',
					safety: LIMIT,
				}),
				RETRY,
			),
		);
		await expect(tool({})).rejects.toThrow(/outcome unknown/);
		expect(fixture.sent('POST', DEPLOY.path)).toHaveLength(1);
	});

	it('so does another call for the same name', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'before' });
		const tool = deployTool();
		for (const more of [{}, { reason: 'again' }])
			await expect(tool({ name: 'agent', ...more })).rejects.toThrow(
				/^Deploy of "agent": outcome unknown.* Do not deploy it again/,
			);
		expect(fixture.sent('POST', DEPLOY.path)).toHaveLength(1);
	});

	it('a lost answer is found by name', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, drop: 'after' });
		expect(JSON.parse(await deployTool()({ name: 'agent' }))).toEqual([
			expect.objectContaining({ recovered: true, resource_private_name: 'agent' }),
		]);
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
	});

	it('a call that repeats an extension is told of it in each try; minutes later it adds more', async () => {
		const { deployment_id: deploymentId } = onlyJson(
			await fixture.run(deployment('deploy', deployParameters())),
		);
		fixture.sandbox.clock.advance(60_000);
		const EXTEND = { method: 'POST', path: /\/extend$/ };
		fixture.sandbox.faults.add({ match: EXTEND, delayMs: 400_000 });
		const tool = fixture.engine.tool(
			vmaas(
				'deployment',
				'extend',
				{ deploymentId, durationHours: 3, safety: LIMIT },
				{ ...RETRY, maxTries: 2 },
			),
		);
		const first = tool({});
		await until(() => fixture.sent('POST', EXTEND.path).length === 1);
		fixture.sandbox.clock.advance(120_000);
		await expect(first).rejects.toThrow(/outcome unknown/);
		const again = { reason: 'again' };
		await expect(tool(again)).rejects.toThrow('was made. Nothing was added now');
		fixture.sandbox.clock.advance(299_000);
		await expect(tool(again)).rejects.toThrow('was made. Nothing was added now');
		fixture.sandbox.clock.advance(1_000);
		expect(JSON.parse(await tool(again))).toMatchObject([
			{ deployment_id: deploymentId, added_hours: 3 },
		]);
		expect(fixture.sandbox.books.find(String(deploymentId))?.extensions).toEqual([3, 3]);
	});

	it('two calls for two names are two intents', async () => {
		const tool = deployTool();
		await tool({ name: 'first' });
		await tool({ name: 'second' });
		expect(
			fixture.sandbox.books.deployments.map((machine) => machine.resource_private_name),
		).toEqual(['first', 'second']);
	});

	it('the same call again: the name exists', async () => {
		const tool = deployTool();
		await tool({ name: 'agent' });
		await expect(tool({ name: 'agent' })).rejects.toThrow(/already exists/);
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
	});

	it('a wrong argument is an error with the limit', async () => {
		const tool = fixture.engine.tool(
			vmaas(
				'deployment',
				'deploy',
				deployParameters({ durationHours: '={{ $fromAI("hours", "Hours to rent", "number") }}' }),
			),
		);
		await expect(tool({ hours: 9000 })).rejects.toThrow(
			'Duration (Hours) must be a whole number from 1 to 8760, got 9000',
		);
	});
});
