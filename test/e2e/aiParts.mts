import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { packageName } from './manifest.mts';
import type { Execution, Rest } from './rest.mts';
import { runWorkflow, succeeded, type WorkflowFile } from './workflow.mts';

export const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
export const credentials = { computeIntelligenceApi: { name: 'Compute Intelligence' } };
export const locator = (value: string) => ({ __rl: true, mode: 'id', value });

/** What is known, and ten questions about it: each question is answered by the text at its place. */
export const KNOWN = [
	['The first hour of a deployment is never refunded', 'Is the first hour refunded?'],
	['A cluster can be extended while it is running', 'Can a running cluster be extended?'],
	['Logs of a container are followed with an offset', 'How are logs of a container followed?'],
	['Spot prices change every night at midnight', 'When do spot prices change?'],
	['Support answers letters within two working days', 'How fast does support answer letters?'],
	['Windows images need a licence key of your own', 'Do Windows images need a licence key?'],
	['The data center in Oslo runs on water power', 'What power does the Oslo data center use?'],
	['An invoice is sent on the third of each month', 'When is the invoice sent?'],
	['Backups are encrypted with your public key', 'How are backups encrypted?'],
	['Students get a discount of ten percent', 'What discount do students get?'],
] as const;

/** A node of a workflow with AI nodes. */
export interface Part {
	type: string;
	typeVersion?: number;
	parameters?: object;
	credentials?: Record<string, { id?: string; name: string }>;
	webhookId?: string;
	/** The node that it is connected to, and as what. */
	to?: [node: string, as: string];
}

export const model = (to: string): Part => ({
	type: `${packageName}.lmChatCompute`,
	parameters: { authentication: 'apiKey', model: locator(MODEL), options: { temperature: 0 } },
	credentials,
	to: [to, 'ai_languageModel'],
});

/** A workflow of these nodes, by name. */
export function workflowOf(parts: Record<string, Part>): WorkflowFile {
	const connections: Record<string, Record<string, object[][]>> = {};
	const nodes = Object.entries(parts).map(([name, { to, ...part }], index) => {
		if (to) {
			const [node, type] = to;
			connections[name] = { [type]: [[{ node, type, index: 0 }]] };
		}
		return { id: `n${index}`, name, typeVersion: 1, position: [index * 200, 0], ...part };
	});
	return { name: 'ai nodes', settings: { executionOrder: 'v1' }, nodes, connections };
}

/** Runs these nodes once the manual trigger has given `Root` the items. */
export async function run(
	rest: Rest,
	sandbox: Sandbox,
	parts: Record<string, Part>,
	json: Record<string, unknown>[] = [{}],
): Promise<Execution> {
	const start: Part = { type: 'n8n-nodes-base.manualTrigger', to: ['Root', 'main'] };
	const pins = { Start: json.map((one) => ({ json: one })) };
	const workflow = workflowOf({ Start: start, ...parts });
	return succeeded(
		await runWorkflow(rest, workflow, secretsFor(sandbox), { trigger: 'Start', pins }),
	);
}

/** Uploads the texts to the retrieval engine, unless an earlier test has. */
export async function ingest(rest: Rest, sandbox: Sandbox): Promise<void> {
	if (sandbox.library.documents.size >= KNOWN.length) return;
	const create: Part = {
		type: `${packageName}.rag`,
		parameters: {
			authentication: 'apiKey',
			resource: 'document',
			operation: 'create',
			source: 'rawText',
			rawText: '={{ $json.text }}',
			options: { waitUntilIngested: true },
		},
		credentials,
	};
	await run(
		rest,
		sandbox,
		{ Root: create },
		KNOWN.map(([text]) => ({ text })),
	);
}

/** How often a sub-node ran by n8n's log view. */
export const runsOf = (execution: Execution, node: string) =>
	execution.data?.resultData.runData[node]?.length ?? 0;
