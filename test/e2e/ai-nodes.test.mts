import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Sandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import type { Execution, Rest } from './rest.mts';
import { itemsOf, runWorkflow, succeeded, type WorkflowFile } from './workflow.mts';

const LANGCHAIN = '@n8n/n8n-nodes-langchain';
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const EMBEDDING = 'mixedbread-ai/mxbai-embed-large-v1';
const credentials = { computeIntelligenceApi: { name: 'Compute Intelligence' } };
const locator = (value: string) => ({ __rl: true, mode: 'id', value });

/** What is known, and ten questions about it: each question is answered by the text at its place. */
const KNOWN = [
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

interface Part {
	type: string;
	typeVersion?: number;
	parameters?: object;
	credentials?: Record<string, { id?: string; name: string }>;
	webhookId?: string;
	/** The node that it is connected to, and as what. */
	to?: [node: string, as: string];
}

const model = (to: string): Part => ({
	type: `${packageName}.lmChatCompute`,
	parameters: { authentication: 'apiKey', model: locator(MODEL), options: { temperature: 0 } },
	credentials,
	to: [to, 'ai_languageModel'],
});
const embeddings = (to: string): Part => ({
	type: `${packageName}.embeddingsCompute`,
	parameters: { authentication: 'apiKey', model: locator(EMBEDDING), options: { batchSize: 4 } },
	credentials,
	to: [to, 'ai_embedding'],
});
const retriever = (to: string): Part => ({
	type: `${packageName}.retrieverCompute`,
	parameters: { authentication: 'apiKey', topK: 3, options: { useHybridSearch: true } },
	credentials,
	to: [to, 'ai_retriever'],
});
const chain = (text: string): Part => ({
	type: `${LANGCHAIN}.chainRetrievalQa`,
	typeVersion: 1.7,
	parameters: { promptType: 'define', text, options: {} },
});

function workflowOf(parts: Record<string, Part>): WorkflowFile {
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

async function run(
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
async function ingest(rest: Rest, sandbox: Sandbox): Promise<void> {
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
const runsOf = (execution: Execution, node: string) =>
	execution.data?.resultData.runData[node]?.length ?? 0;

test("n8n's vector store with our embeddings: the right document first for ten questions", async ({
	rest,
	sandbox,
}) => {
	const store = (parameters: object): Part => ({
		type: `${LANGCHAIN}.vectorStoreInMemory`,
		typeVersion: 1.3,
		parameters: { memoryKey: { __rl: true, mode: 'id', value: 'facts' }, ...parameters },
	});
	const inserted = await run(
		rest,
		sandbox,
		{
			Root: store({ mode: 'insert', clearStore: true }),
			Embeddings: embeddings('Root'),
			Loader: {
				type: `${LANGCHAIN}.documentDefaultDataLoader`,
				typeVersion: 1.1,
				parameters: {
					jsonMode: 'expressionData',
					jsonData: '={{ $json.text }}',
					options: {},
				},
				to: ['Root', 'ai_document'],
			},
		},
		KNOWN.map(([text]) => ({ text })),
	);
	expect(itemsOf(inserted, 'Root')).toHaveLength(KNOWN.length);
	expect(runsOf(inserted, 'Embeddings')).toBeGreaterThan(0);

	const found = await run(
		rest,
		sandbox,
		{
			Root: store({ mode: 'load', prompt: '={{ $json.question }}', topK: 1 }),
			Embeddings: embeddings('Root'),
		},
		KNOWN.map(([, question]) => ({ question })),
	);
	const documents = itemsOf(found, 'Root').map(
		(json) => (json.document as { pageContent: string }).pageContent,
	);
	expect(documents).toEqual(KNOWN.map(([text]) => text));
	expect(runsOf(found, 'Embeddings')).toBe(KNOWN.length);
});

test('the Question and Answer Chain answers from our retriever, alone and behind Contextual Compression', async ({
	rest,
	sandbox,
}) => {
	await ingest(rest, sandbox);
	const [text, question] = KNOWN[6];
	const execution = await run(rest, sandbox, {
		Root: chain(question),
		Model: model('Root'),
		Retriever: retriever('Root'),
	});
	expect(JSON.stringify(itemsOf(execution, 'Root'))).toContain(text);
	expect(runsOf(execution, 'Retriever')).toBe(1);

	const compressed = await run(rest, sandbox, {
		Root: chain(question),
		Model: model('Root'),
		Compression: {
			type: `${LANGCHAIN}.retrieverContextualCompression`,
			to: ['Root', 'ai_retriever'],
		},
		Compressor: model('Compression'),
		Retriever: retriever('Compression'),
	});
	expect(runsOf(compressed, 'Retriever')).toBe(1);
	expect(runsOf(compressed, 'Compressor')).toBeGreaterThan(0);
});

test('an AI Agent remembers three turns in a conversation of the service', async ({
	rest,
	sandbox,
}) => {
	const before = sandbox.library.conversations.size;
	const turns = ['My name is Anna.', 'I rent two GPUs.', 'What is my name?'];
	for (const chatInput of turns) {
		const execution = await run(
			rest,
			sandbox,
			{
				Root: {
					type: `${LANGCHAIN}.agent`,
					typeVersion: 3.1,
					parameters: { promptType: 'auto', options: {} },
				},
				Model: model('Root'),
				Memory: {
					type: `${packageName}.memoryCompute`,
					parameters: { authentication: 'apiKey', sessionIdType: 'fromInput' },
					credentials,
					to: ['Root', 'ai_memory'],
				},
			},
			[{ sessionId: 'session of anna', chatInput }],
		);
		expect(runsOf(execution, 'Memory')).toBeGreaterThan(0);
	}
	const conversations = [...sandbox.library.conversations.values()];
	expect(conversations).toHaveLength(before + 1);
	const { name, messages = [] } = conversations.at(-1) ?? {};
	expect(name).toBe('session of anna');
	expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(
		turns,
	);
	const last = sandbox.requests.findLast(({ path }) => path.endsWith('/chat/completions'));
	const sent = (last?.body as { messages: Array<{ content: string }> }).messages;
	expect(sent.map(({ content }) => content)).toEqual(expect.arrayContaining(turns));
});

test("the RAG node as an agent's tool finds the document", async ({ rest, sandbox }) => {
	await ingest(rest, sandbox);
	const [text, question] = KNOWN[6];
	const execution = await run(rest, sandbox, {
		Root: {
			type: `${LANGCHAIN}.agent`,
			typeVersion: 3.1,
			parameters: {
				promptType: 'define',
				text: `${question} Search the documents.`,
				options: {},
			},
		},
		Model: model('Root'),
		Search: {
			type: `${packageName}.ragTool`,
			parameters: {
				authentication: 'apiKey',
				descriptionType: 'manual',
				toolDescription: 'Searches the documents for a question',
				resource: 'retrieval',
				operation: 'search',
				query: question,
				topK: 3,
				options: {},
			},
			credentials,
			to: ['Root', 'ai_tool'],
		},
	});
	expect(itemsOf(execution, 'Root').at(-1)?.output).toContain(text);
	expect(runsOf(execution, 'Search')).toBe(1);
});

test.for([
	['RAG Query', { operation: 'rag', query: '={{ $json.chatInput }}', topK: 3, options: {} }],
	['Agent', { operation: 'agent', message: '={{ $json.chatInput }}', options: {} }],
] as const)(
	"%s streams its answer with its sources into n8n's public chat",
	async ([, parameters], { rest, sandbox, credentials: saved, n8n }) => {
		await ingest(rest, sandbox);
		const [text, question] = KNOWN[6];
		const webhookId = randomUUID();
		const key = { id: saved.computeIntelligenceApi, ...credentials.computeIntelligenceApi };
		const workflowId = await rest.createWorkflow(
			workflowOf({
				Chat: {
					type: `${LANGCHAIN}.chatTrigger`,
					typeVersion: 1.1,
					parameters: {
						public: true,
						mode: 'hostedChat',
						options: { responseMode: 'streaming' },
					},
					webhookId,
					to: ['Answer', 'main'],
				},
				Answer: {
					type: `${packageName}.rag`,
					parameters: { authentication: 'apiKey', resource: 'retrieval', ...parameters },
					credentials: { computeIntelligenceApi: key },
				},
			}),
		);
		await rest.activate(workflowId);
		// As the page of the chat sends a question
		const response = await fetch(`${n8n.url}/webhook/${webhookId}/chat`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ action: 'sendMessage', sessionId: webhookId, chatInput: question }),
		});
		const lines = (await response.text()).split('\n').filter((line) => line !== '');
		await rest.deactivate(workflowId);
		const chunks = lines.map((line) => JSON.parse(line) as { type: string; content?: string });
		const pieces = chunks.filter(({ type }) => type === 'item').map(({ content }) => content);
		expect([chunks.at(0)?.type, chunks.at(-1)?.type]).toEqual(['begin', 'end']);
		expect(pieces.length).toBeGreaterThan(5);
		expect(pieces.join('')).toContain(text);
		expect(pieces.join('')).toContain('Sources:');
	},
);
