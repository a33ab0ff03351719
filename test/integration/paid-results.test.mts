import { expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { RETRY, chat, locator, rag } from '../engine/nodes.mts';
import { jsonOf } from '../engine/results.mts';

/** n8n's Retry On Fail executes a node again whose first item has an `error`: what is billed must not come in such an item. */
const fixture = useFixture();

const error = { message: 'partly done' };
const model = locator('m');
const events = (...data: object[]) =>
	data.map((one) => `event: final_answer\ndata: ${JSON.stringify(one)}\n\n`).join('');
const message = { role: 'assistant', content: 'Yes.' };
const ask = (operation: string, options = {}) =>
	rag('retrieval', operation, {
		query: 'a',
		message: 'a',
		topK: 1,
		promptName: 'rag',
		context: 'b',
		options,
	});

it.each([
	[
		'agent > run',
		chat('agent', 'run', { agentName: locator('summary_agent'), objective: 'a' }),
		{ error, text: 'a' },
		{ service_error: error, text: 'a' },
	],
	[
		'chat',
		chat('chat', 'complete', { model, input: 'prompt', prompt: 'a', simplify: false }),
		{ error, choices: [{ message }] },
		{ service_error: error, choices: [{ message }] },
	],
	[
		'simplified chat',
		chat('chat', 'complete', { model, input: 'prompt', prompt: 'a', simplify: true }),
		{ error, choices: [{ message }] },
		{ content: 'Yes.', finish_reason: null, usage: null, service_error: error },
	],
	[
		'embeddings',
		chat('embedding', 'create', { model, input: 'a' }),
		{ data: [{ error, index: 0, embedding: [1] }] },
		{ service_error: error, index: 0, embedding: [1] },
	],
	[
		'RAG agent',
		ask('agent'),
		{ results: { error, messages: [message] } },
		{ answer: 'Yes.', service_error: error, messages: [message] },
	],
	[
		'RAG query',
		ask('rag'),
		{ results: { error, generated_answer: 'Yes.' } },
		{ service_error: error, generated_answer: 'Yes.' },
	],
	[
		'RAG agent with the error beside its results',
		ask('agent'),
		{ error, results: { messages: [message] } },
		{ answer: 'Yes.', service_error: error, messages: [message] },
	],
	[
		'RAG query with the error beside its results',
		ask('rag'),
		{ error, results: { generated_answer: 'Yes.' } },
		{ service_error: error, generated_answer: 'Yes.' },
	],
	[
		'RAG generate',
		ask('generate'),
		{ results: { error, generated_answer: 'Yes.' } },
		{ answer: 'Yes.', service_error: error, generated_answer: 'Yes.' },
	],
])(
	'%s: a response with an error field is one item, requested once',
	async (_, node, body, item) => {
		fixture.sandbox.faults.add({ status: 200, body });
		expect(jsonOf(await fixture.run({ ...node, ...RETRY }))).toEqual([item]);
		expect(fixture.sandbox.requests).toHaveLength(1);
	},
);

it('RAG query: so is a streamed one', async () => {
	fixture.sandbox.faults.add({
		status: 200,
		rawBody: events({ error, generated_answer: 'Yes.' }),
		contentType: 'text/event-stream',
	});
	expect(jsonOf(await fixture.run({ ...ask('rag', { stream: true }), ...RETRY }))).toEqual([
		{ service_error: error, citations: [], generated_answer: 'Yes.' },
	]);
	expect(fixture.sandbox.requests).toHaveLength(1);
});
