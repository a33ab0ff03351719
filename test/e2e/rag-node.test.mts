import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import {
	credentials,
	ingest,
	KNOWN,
	LANGCHAIN,
	model,
	run,
	runsOf,
	workflowOf,
} from './aiParts.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import { itemsOf } from './workflow.mts';

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
