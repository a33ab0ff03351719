import { randomUUID } from 'node:crypto';
import { packageName } from '../../e2e/manifest.mts';
import type { Rest } from '../../e2e/rest.mts';
import { connect, type Secrets, type WorkflowNode } from '../../e2e/workflow.mts';
import type { Batch } from './checks.mts';

const SSH_KEY =
	'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGk4pZDaIei5shtCoeMCuXiUcyd82DvBJuCALXACjhB example';

/** Requests to n8n at the same time */
const AT_A_TIME = 20;

type Kind = 'chat' | 'document' | 'machine';

const locator = (value: unknown) => ({ __rl: true, mode: 'id', value });

const NAME = "job-{{ $('Webhook').first().json.body.number }}-";

interface Step extends Pick<WorkflowNode, 'name' | 'type' | 'credentials'> {
	typeVersion?: number;
	parameters: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

const STEPS: Record<Kind, Step[]> = {
	chat: [
		{
			name: 'Chat',
			type: `${packageName}.chatCompletion`,
			credentials: { computeIntelligenceApi: { name: 'Compute Intelligence' } },
			parameters: {
				resource: 'chat',
				operation: 'complete',
				model: locator('meta-llama/Llama-3.3-70B-Instruct'),
				messages: { values: [{ role: 'user', content: '=Question {{ $json.body.number }}' }] },
			},
		},
	],
	document: [
		{
			name: 'Ingest',
			type: `${packageName}.rag`,
			credentials: { computeIntelligenceApi: { name: 'Compute Intelligence' } },
			parameters: {
				resource: 'document',
				operation: 'create',
				source: 'rawText',
				rawText: '=The papers of job {{ $json.body.number }} lie in room {{ $json.body.number }}.',
				// Makes the request idempotent: the ID of a document is made from its text
				options: { ifExists: 'skip', waitUntilIngested: true },
			},
		},
		{
			name: 'Search',
			type: `${packageName}.rag`,
			credentials: { computeIntelligenceApi: { name: 'Compute Intelligence' } },
			parameters: {
				resource: 'retrieval',
				operation: 'search',
				query: "=job {{ $('Webhook').first().json.body.number }}",
				topK: 3,
			},
		},
	],
	machine: [
		{
			// Makes the request idempotent: a job that has come as far as its end is not started again
			name: 'Find Earlier Try',
			type: `${packageName}.vmaas`,
			credentials: { computeMarketplaceApi: { name: 'Compute Marketplace' } },
			parameters: {
				resource: 'deployment',
				operation: 'getAll',
				returnAll: true,
				filters: { namePrefix: `=${NAME}` },
			},
			settings: { alwaysOutputData: true },
		},
		{
			name: 'If Not Ended',
			type: 'n8n-nodes-base.filter',
			typeVersion: 2.2,
			parameters: {
				conditions: {
					options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
					combinator: 'and',
					conditions: [
						{
							id: '1',
							leftValue: "={{ ['termination requested', 'destroyed'].includes($json.status) }}",
							rightValue: '',
							operator: { type: 'boolean', operation: 'false', singleValue: true },
						},
					],
				},
			},
		},
		{
			name: 'Deploy',
			type: `${packageName}.vmaas`,
			credentials: { computeMarketplaceApi: { name: 'Compute Marketplace' } },
			parameters: {
				resource: 'deployment',
				operation: 'deploy',
				resourcePrivateName: `=${NAME}`,
				hardwareId: locator(7),
				gpusPerVm: 0,
				locationId: locator('us-west-2'),
				durationHours: 1,
				sshKeys: { keys: [{ name: 'example', publicKey: SSH_KEY }] },
				// And a job that has bought its deployment uses that one, of whose hour some minutes are gone
				safety: { ifNameExists: 'useExisting', minRemainingHours: 0.5 },
			},
		},
		{
			name: 'Destroy',
			type: `${packageName}.vmaas`,
			credentials: { computeMarketplaceApi: { name: 'Compute Marketplace' } },
			parameters: {
				resource: 'deployment',
				operation: 'destroy',
				deploymentId: locator('={{ $json.deployment_id }}'),
				options: { verify: true },
			},
		},
	],
};

/** Creates an active workflow that begins with a webhook, so that each request is one execution on a worker */
export async function createBatch(
	rest: Rest,
	kind: Kind,
	count: number,
	secrets: Secrets,
): Promise<Batch> {
	const path = `${kind}-${randomUUID()}`;
	const webhook = {
		name: 'Webhook',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		webhookId: randomUUID(),
		parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'noData' },
	};
	const nodes: WorkflowNode[] = [
		webhook,
		...STEPS[kind].map(({ settings, ...step }) => ({ typeVersion: 1, ...step, ...settings })),
	].map((node, index) => ({
		id: randomUUID(),
		position: [index * 220, 0],
		...node,
	}));
	const types = new Set(nodes.flatMap((node) => Object.keys(node.credentials ?? {})));
	const ids: Record<string, string> = {};
	for (const type of types) ids[type] = await rest.createCredential(type, secrets[type] ?? {});
	const connections = Object.fromEntries(
		nodes
			.slice(1)
			.map(({ name }, index) => [
				nodes[index]?.name,
				{ main: [[{ node: name, type: 'main', index: 0 }]] },
			]),
	);
	const workflowId = await rest.createWorkflow(
		connect({ name: kind, nodes, connections, settings: { executionOrder: 'v1' } }, ids),
	);
	await rest.activate(workflowId);
	return { kind, workflowId, path, count };
}

/** Requests an execution for each number. Returns the numbers whose execution was not successful, as n8n answers */
export async function post(url: string, { path }: Batch, numbers: number[]): Promise<number[]> {
	const left = [...numbers];
	const failed: number[] = [];
	const next = async (): Promise<void> => {
		for (let number = left.shift(); number !== undefined; number = left.shift()) {
			const response = await fetch(`${url}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ number }),
			});
			await response.arrayBuffer();
			if (!response.ok) failed.push(number);
		}
	};
	await Promise.all(Array.from({ length: AT_A_TIME }, next));
	return failed;
}
