import type { IDataObject, StructuredChunk } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { locator, rag } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { TEXTS, useRetrieval } from '../engine/retrieval.mts';

const { fixture } = useRetrieval();
const QUESTION = 'Is the first hour refunded?';

const ask = (options: IDataObject = {}) =>
	rag('retrieval', 'ask', { query: QUESTION, topK: 2, promptName: locator('rag'), options });
const query = (options: IDataObject = {}, settings = {}) =>
	rag('retrieval', 'rag', { query: QUESTION, topK: 2, options }, settings);
const agent = (options: IDataObject = {}) =>
	rag('retrieval', 'agent', { message: QUESTION, options });

/** What a chat shows of an execution. */
async function heard(node: ReturnType<typeof rag>) {
	const chunks: StructuredChunk[] = [];
	const run = await fixture.run(node, [{}], {
		mode: 'webhook',
		onChunk: (chunk) => chunks.push(chunk),
	});
	const pieces = chunks.filter(({ type }) => type === 'item').map(({ content }) => content ?? '');
	return { run, types: chunks.map(({ type }) => type), pieces, text: pieces.join('') };
}
const SOURCE = `\n\nSources:\n- ${TEXTS[0]}`;
const lastStream = () => {
	const { rag_generation_config: config } = fixture.sandbox.requests.at(-1)?.body as IDataObject;
	return (config as IDataObject | undefined)?.stream;
};

describe('answers in a chat', () => {
	it.each([
		['RAG Query', query, 'generated_answer'],
		['Agent', agent, 'answer'],
	] as const)('%s appears while it is written, its sources after it', async (_, node, key) => {
		const { run, types, pieces, text } = await heard(node());
		const answer = String(onlyJson(run)[key]);
		expect(text).toBe(answer + SOURCE);
		expect(pieces.length).toBeGreaterThan(5);
		expect([types[0], types.at(-1)]).toEqual(['begin', 'end']);
		expect(lastStream()).toBe(true);
	});

	it('Ask appears in one piece, since the service sends it so, with all sources after it', async () => {
		const { run, types, text } = await heard(ask());
		expect(text).toBe(`${String(onlyJson(run).answer)}${SOURCE}\n- ${TEXTS[1]}`);
		expect(types).toEqual(['begin', 'item', 'item', 'end']);
		const refusal = await heard(ask({ minScore: 1_000, refusalText: 'No idea.' }));
		expect(refusal.text).toBe('No idea.');
	});

	it('an answer of a service that cannot stream appears in one piece', async () => {
		const body = { results: { generated_answer: 'Yes.' } };
		fixture.sandbox.faults.add({ match: { path: '/retrieval/rag' }, status: 200, body });
		const { run, types, text } = await heard(query());
		expect([types, text]).toEqual([['begin', 'item', 'end'], 'Yes.']);
		expect(onlyJson(run)).toEqual({ generated_answer: 'Yes.' });
	});

	it('nothing appears of a response without an answer', async () => {
		const body = { results: { generated_answer: null } };
		fixture.sandbox.faults.add({ match: { path: '/retrieval/rag' }, status: 200, body });
		const { run, pieces } = await heard(query());
		expect(errorOf(run).message).toBe('The response contains no answer');
		expect(pieces).toEqual([]);
	});

	it('with Stream off nothing appears and nothing is streamed; so it is without a chat', async () => {
		expect((await heard(query({ stream: false }))).types).toEqual([]);
		expect(lastStream()).toBeUndefined();
		await fixture.run(agent());
		expect(lastStream()).toBeUndefined();
	});

	it('a stream that breaks is an error with what came, in the chat and in the output', async () => {
		const rawBody =
			'event: message\ndata: {"content":"Half"}\n\nevent: error\ndata: {"message":"no"}\n\n';
		const fault = {
			match: { path: '/retrieval/rag' },
			status: 200,
			rawBody,
			contentType: 'text/event-stream',
		};
		fixture.sandbox.faults.add(fault);
		const { run, types, text } = await heard(query());
		expect([types, text]).toEqual([['begin', 'item', 'error'], 'Half']);
		expect(JSON.stringify(errorOf(run).context)).toContain('"generated_answer":"Half"');
		fixture.sandbox.faults.add(fault);
		expect((await heard(query({}, { onError: 'continueRegularOutput' }))).types.at(-1)).toBe(
			'error',
		);
	});

	it('an answer that ends without its last event was cut off, which the chat shows', async () => {
		const rawBody = 'event: message\ndata: {"content":"Half"}\n\n';
		const stream = { status: 200, rawBody, contentType: 'text/event-stream' };
		fixture.sandbox.faults.add({ match: { path: '/retrieval/rag' }, ...stream });
		const { run, types, text } = await heard(query());
		expect(onlyJson(run)).toMatchObject({ generated_answer: 'Half', truncated: true });
		expect([types.at(-1), text]).toEqual(['end', 'Half\n\n(The answer was cut off.)']);
	});

	it.each([
		['is lost', { cutBodyAt: 200 }],
		['stays open', { slowBytes: { chunk: 200, everyMs: 5 } }],
	])('an answer with its last event is whole, though its connection %s', async (_, fault) => {
		const events = [
			'event: message\ndata: {"content":"All."}',
			'event: final_answer\ndata: {"generated_answer":"All.","citations":null}',
			...Array.from({ length: 20_000 }, () => ': ping'),
		];
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/rag' },
			status: 200,
			rawBody: events.join('\n\n'),
			contentType: 'text/event-stream',
			...fault,
		});
		const ticking = setInterval(() => fixture.sandbox.clock.advance(1_000), 5);
		const { run, types, text } = await heard(query()).finally(() => clearInterval(ticking));
		expect(onlyJson(run)).toEqual({ generated_answer: 'All.', citations: [] });
		expect([types.at(-1), text]).toEqual(['end', 'All.']);
	});

	it('a tool answers its agent, not the chat', async () => {
		expect(JSON.parse(await fixture.engine.tool(query())({}))).toHaveLength(1);
		expect(lastStream()).toBeUndefined();
	});
});

describe('Agent with Stream', () => {
	it('gives the same answer as without, with its citations', async () => {
		const plain = onlyJson(await fixture.run(agent()));
		const streamed = onlyJson(await fixture.run(agent({ stream: true })));
		expect(streamed.answer).toBe(plain.answer);
		expect(streamed.citations).toHaveLength(1);
	});

	it('goes on in the conversation that was given', async () => {
		const { conversation_id: id } = onlyJson(await fixture.run(agent()));
		const [streamed] = jsonOf(await fixture.run(agent({ stream: true, conversationId: id })));
		expect(streamed?.conversation_id).toBe(id);
	});
});
