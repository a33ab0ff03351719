import { describe, expect, it } from 'vitest';
import { subNode } from '../../engine/nodes.mts';
import { chunk, sse, stream, type Answer } from './forms.mts';
import { agent, askDocuments, ragQuery, usePlay } from './setup.mts';

const play = usePlay();
const STREAM = { stream: true };
const delta = (text: string) => ({
	id: 'm',
	object: 'rag.answer.delta',
	delta: { content: [{ type: 'text', payload: { value: text, annotations: [] } }] },
});
const message = (text: string) => ['message', delta(text)];
const final = (text: string, more = {}) => ['final_answer', { generated_answer: text, ...more }];
const cited = (id: string) => [
	'citation',
	{
		id,
		object: 'citation',
		span: { start: 0, end: 1 },
		source_type: 'chunk',
		payload: { document_id: id },
	},
];

describe('world: an answer is streamed in another form than the engine has', () => {
	const forms: Record<string, Answer> = {
		'as chunks of a completion': stream([
			chunk({ content: 'Forty' }),
			chunk({ content: '-two' }),
			chunk({}, 'stop'),
		]),
		'as plain text': stream(['Forty', '-two']),
		'with the type in the data': stream([
			{ event: 'message', data: delta('Forty') },
			{ event: 'message', data: delta('-two') },
			{ event: 'final_answer', data: { generated_answer: 'Forty-two' } },
		]),
		'with the text in the event': stream([
			['message', { text: 'Forty' }],
			['message', { text: '-two' }],
		]),
		'under events of another name': stream([
			['delta', { content: 'Forty' }],
			['delta', { content: '-two' }],
		]),
		'as JSON a line': {
			type: 'application/x-ndjson',
			parts: ['{"content":"Forty"}\n', '{"content":"-two"}\n'],
		},
	};
	for (const [what, answer] of Object.entries(forms))
		for (const end of ['end', 'cut'] as const)
			it(`${what}: ${end}; the paid words are there`, async () => {
				play.service.on('POST /retrieval/rag', { ...answer, end });
				const { items, error, known } = await play.run(ragQuery(STREAM));
				const text = error ? known : String(items[0]?.generated_answer);
				expect(text).toMatch(/Forty/);
				expect(text).toMatch(/-two/);
			});
});

describe('world: events come late, twice, not at all', () => {
	it('citations after the final answer', async () => {
		play.service.on(
			'POST /retrieval/rag',
			stream([
				message('A'),
				cited('x'),
				final('A', { citations: [{ id: 'x' }] }),
				cited('y'),
				cited('z'),
			]),
		);
		const { items } = await play.run(ragQuery(STREAM));
		expect(JSON.stringify(items[0]?.citations)).toMatch(/"x".*"y".*"z"/);
	});
	it('unknown events, no final answer, no [DONE]: said to be cut', async () => {
		play.service.on(
			'POST /retrieval/rag',
			stream(
				[['thinking', { delta: 'hm' }], message('A half'), ['telemetry', { a: 1 }]],
				'end',
				false,
			),
		);
		const { items } = await play.run(ragQuery(STREAM));
		expect(items[0]).toMatchObject({ generated_answer: 'A half', truncated: true });
	});
	for (const end of ['cut', 'silent'] as const)
		it(`${end} before the final answer: the part is in the error`, async () => {
			play.service.on('POST /retrieval/rag', stream([message('A ha'), message('lf')], end, false));
			const { error, known } = await play.run(ragQuery(STREAM));
			expect(error).toBeDefined();
			expect(known).toContain('A half');
			expect(play.service.sent('POST /retrieval/rag')).toHaveLength(1);
		});
	it('cut inside UTF-8 of the final answer', async () => {
		const bytes = Buffer.from(
			sse([message('Grüße '), message('你好'), final('Grüße 你好')], false).join(''),
		);
		play.service.on('POST /retrieval/rag', {
			type: 'text/event-stream',
			parts: [bytes.subarray(0, bytes.lastIndexOf('好') + 1)],
			end: 'cut',
		});
		const { error, known } = await play.run(ragQuery(STREAM));
		expect(error).toBeDefined();
		expect(known).toContain('Grüße 你好');
	});
	it('an error event, then more text and a final answer', async () => {
		play.service.on(
			'POST /retrieval/rag',
			stream([message('A'), ['error', { message: 'model crashed' }], message('B'), final('AB')]),
		);
		const { error, known } = await play.run(ragQuery(STREAM));
		expect(error?.message).toContain('model crashed');
		expect(known).toContain('"A"');
	});
	it('the same message event twice is no other answer where the final one says the whole', async () => {
		play.service.on(
			'POST /retrieval/rag',
			stream([message('A'), message('A'), message('B'), final('AB')]),
		);
		expect((await play.run(ragQuery(STREAM))).items[0]).toMatchObject({ generated_answer: 'AB' });
	});
	it('conversation of the agent: only where it is named', async () => {
		play.service.on(
			'POST /retrieval/agent',
			stream([message('A'), ['final_answer', { generated_answer: 'A', conversation_id: null }]]),
		);
		const { items } = await play.run(agent(STREAM));
		expect(items[0]?.conversation_id ?? null).toBeNull();
	});
});

describe('world: the agent answers with the whole conversation', () => {
	const user = (content: string) => ({ role: 'user', content });
	const assistant = (content: string | null, more = {}) => ({
		role: 'assistant',
		content,
		...more,
	});
	const cases: Record<string, [unknown[], string | undefined]> = {
		'its new answer last': [
			[user('Old?'), assistant('Old answer'), user('What?'), assistant('New answer')],
			'New answer',
		],
		'no new answer': [[user('Old?'), assistant('Old answer'), user('What?')], undefined],
		'a tool call, and no answer': [
			[
				user('Old?'),
				assistant('Old answer'),
				user('What?'),
				assistant(null, { tool_calls: [] }),
				{ role: 'tool', content: 'found' },
			],
			undefined,
		],
		'an empty answer': [
			[user('Old?'), assistant('Old answer'), user('What?'), assistant('')],
			undefined,
		],
		'the messages of the turn alone': [[assistant('New answer')], 'New answer'],
	};
	for (const [what, [messages, expected]] of Object.entries(cases))
		it(what, async () => {
			play.service.on('POST /retrieval/agent', {
				json: { results: { messages, conversation_id: 'c' } },
			});
			const { items, error } = await play.run(agent());
			if (expected === undefined) expect(error, JSON.stringify(items)).toBeDefined();
			else expect(items[0]).toMatchObject({ answer: expected, conversation_id: 'c' });
		});
});

describe('world: chunks in another form', () => {
	const search = (chunks: unknown) => ({ json: { results: { chunk_search_results: chunks } } });
	const retrieve = async () => {
		const { response } = await play.engine.supply(
			subNode('retrieverCompute', { topK: 3, options: {} }),
		);
		return await (response as { invoke(query: string): Promise<unknown[]> })
			.invoke('What?')
			.catch((error: Error) => error);
	};
	for (const [what, chunks] of Object.entries({
		'text as content': [{ id: 'a', document_id: 'd', content: 'The first hour', score: 1 }],
		'text inside chunk': [{ chunk: { id: 'a', text: 'The first hour' }, score: 1 }],
		'text null': [{ id: 'a', document_id: 'd', text: null, score: 1 }],
	}))
		it(`${what}: nobody is told that nothing was found`, async () => {
			play.service.on('POST /retrieval/search', search(chunks));
			const { items, error } = await play.run(askDocuments());
			if (!error) expect(items[0]).toMatchObject({ found: true });
			const documents = await retrieve();
			if (Array.isArray(documents)) expect(documents).toHaveLength(1);
		});
	it('no scores at all with a Minimum Score', async () => {
		play.service.on(
			'POST /retrieval/search',
			search([{ id: 'a', document_id: 'd', text: 'The first hour' }]),
		);
		const { items, error } = await play.run(askDocuments({ minScore: 0.5 }));
		expect(error?.message ?? JSON.stringify(items)).toMatch(/score/);
		if (!error) expect(items[0]).toMatchObject({ found: true });
	});
	it('none: the refusal text, and no model is asked', async () => {
		for (const nothing of [[], null]) {
			play.service.rules = [];
			play.service.on('POST /retrieval/search', search(nothing));
			expect((await play.run(askDocuments())).items[0]).toMatchObject({
				found: false,
				sources: [],
			});
		}
		expect(play.service.sent('POST /rag/generate')).toHaveLength(0);
	});
	it('the sources of an answer are the chunks that were sent', async () => {
		play.service.add({
			content: 'One',
			title: 'ünïcode.pdf',
			metadata: { title: 7, odd: [null, { a: 1 }] } as never,
		});
		play.service.add({ content: 'Two', metadata: { title: 'two.pdf' } });
		const { items } = await play.run(askDocuments());
		const [sent] = play.service.sent('POST /rag/generate');
		expect(sent?.body.inputs).toMatchObject({ context: 'One\nTwo' });
		expect((items[0]?.sources as Array<{ text: string }>).map(({ text }) => text)).toEqual([
			'One',
			'Two',
		]);
	});
});

describe('world: the service repeats the key, in pieces', () => {
	const pieces = ['Your key is key-of-', 'the-rev', 'iewer.'];
	// The engine of the tests searches each output and each error for it
	for (const end of ['end', 'cut'] as const)
		for (const isFinal of [true, false])
			it(`${end}, ${isFinal ? 'with' : 'without'} a final answer: nowhere in output or error`, async () => {
				const events = [...pieces.map(message), ...(isFinal ? [final('')] : [])];
				play.service.on('POST /retrieval/rag', stream(events, end, false));
				const { items, error, known } = await play.run(ragQuery(STREAM));
				expect(error ? known : JSON.stringify(items)).toContain('Your key is ***');
			});
});
