import { expect } from 'vitest';
import { deployParameters } from '../engine/nodes.mts';
import { packageName } from './manifest.mts';
import { test } from './fixture.mts';
import { until } from './until.mts';
import { afterStart, connect, ended } from './workflow.mts';

const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
/** In seconds; the answer to a deploy takes longer than the timeout. */
const TIMEOUT = 2;
const SLOW = { match: DEPLOY, afterWork: true, delayMs: 4_000 };

interface Choices {
	uniqueName: boolean;
	executionTimeout?: number;
}

/** n8n's Retry starts a new execution from what it has saved of another one: what is in there decides what is bought */
const it = test.extend('deploy', { scope: 'file' }, ({ rest, credentials, sandbox }) => {
	return async (name: string, { uniqueName, executionTimeout = -1 }: Choices, items = 1) => {
		const deployNode = {
			name: 'Deploy',
			type: `${packageName}.vmaas`,
			parameters: {
				resource: 'deployment',
				operation: 'deploy',
				...deployParameters({
					resourcePrivateName: `=${name}-{{ $json.index }}`,
					safety: { uniqueName },
				}),
			},
			credentials: { computeMarketplaceApi: { name: 'Compute Marketplace' } },
		};
		const settings = { saveExecutionProgress: true, executionTimeout };
		const workflowId = await rest.createWorkflow({
			...connect(afterStart(name, deployNode, settings), credentials),
			pinData: { Start: Array.from({ length: items }, (_, index) => ({ json: { index } })) },
		});
		const executionId = await rest.run(workflowId, 'Start');
		const bought = () =>
			sandbox.books.deployments.filter(({ order }) => order.name.startsWith(name)).length;
		return { executionId, bought };
	};
});

it('of an execution that was half done: only the rest is bought', async ({
	rest,
	sandbox,
	deploy,
}) => {
	sandbox.faults.add({ match: DEPLOY, skip: 1, status: 422, body: { detail: 'Not now' } });
	const { executionId, bought } = await deploy('half', { uniqueName: true }, 2);
	expect((await ended(rest, executionId)).status).toBe('error');
	expect(bought()).toBe(1);
	expect(await rest.retry(executionId)).toBe('success');
	expect(bought()).toBe(2);
	// What the retry has bought is not in the execution that it began from
	expect(await rest.retry(executionId)).toBe('success');
	expect(bought()).toBe(3);
});

it('of an execution that timed out in a deploy: it is found', async ({ rest, sandbox, deploy }) => {
	sandbox.faults.add(SLOW);
	const choices = { uniqueName: true, executionTimeout: TIMEOUT };
	const { executionId, bought } = await deploy('late', choices);
	expect((await ended(rest, executionId)).status).toBe('canceled');
	expect(await rest.retry(executionId)).toBe('success');
	expect(bought()).toBe(1);
});

it.for([
	{ uniqueName: false, outcome: 'error', deployments: 1 },
	{ uniqueName: true, outcome: 'success', deployments: 2 },
])(
	'of an execution that a person stopped in a deploy, with uniqueName $uniqueName: $deployments',
	async ({ uniqueName, outcome, deployments }, { rest, sandbox, deploy }) => {
		sandbox.faults.add(SLOW);
		const { executionId, bought } = await deploy(`stopped-${uniqueName}`, { uniqueName });
		await until('it is bought', () => bought() === 1, 30_000);
		await rest.stop(executionId);
		expect((await ended(rest, executionId)).status).toBe('canceled');
		expect(await rest.retry(executionId)).toBe(outcome);
		expect(bought()).toBe(deployments);
	},
);
