import { describe, expect, it } from 'vitest';
import { chunk, completion, DONE, event, type Json, type Said } from './service.mts';
import { locator, rag } from '../../engine/nodes.mts';
import { complete, useStage } from './stage.mts';

const stage = useStage();
const text = (words: unknown) => ({ type: 'text', text: words });
const stream = complete({ stream: true });
const STOP = chunk({}, 'stop');

const streamed = (...deltas: Json[]): Said => ({
	pieces: [...deltas.map((one) => chunk(one)), STOP, DONE],
});
const amid = (content: unknown) => streamed({ content: 'Say ' }, { content }, { content: '!' });

/** Forms of the text "Hello" that are no list. */
const ALONE: Array<[form: string, content: unknown]> = [
	['text', text('Hello')],
	['text without a type', { text: 'Hello' }],
	['output_text', { type: 'output_text', text: 'Hello' }],
	['text with notes', text({ value: 'Hello', annotations: [] })],
	['text beside null', [text('Hello'), null]],
	['text beside an empty refusal', [text('Hello'), { type: 'refusal', refusal: '' }]],
	['text beside a null refusal', [text('Hello'), { type: 'refusal', refusal: null }]],
];

describe.each(ALONE)('a part as %s', (_form, content) => {
	it('is the text of a completion', async () => {
		stage.service.answer = () => completion({ content });
		const { items, message } = await stage.run(complete());
		expect(message).toBe('');
		expect(items).toMatchObject([{ content: 'Hello' }]);
		expect(await stage.asked(false)).toEqual({ text: 'Hello', message: '' });
	});

	it('among texts of a stream takes none of them away', async () => {
		stage.service.answer = () => amid(content);
		const { items, message } = await stage.run(stream);
		expect(message).toBe('');
		expect(items).toMatchObject([{ content: 'Say Hello!' }]);
		expect(await stage.asked(true)).toEqual({ text: 'Say Hello!', message: '' });
	});
});

it('JSON beside an empty refusal is read', async () => {
	const content = [text('{"a":1}'), { type: 'refusal', refusal: null }];
	stage.service.answer = () => completion({ content });
	const { items, message } = await stage.run(complete({ responseFormat: 'json_object' }));
	expect(message).toBe('');
	expect(items).toMatchObject([{ content: { a: 1 } }]);
});

describe.each<[string, unknown]>([
	['as one part', { type: 'refusal', refusal: 'I cannot' }],
	['as one part without a type', { refusal: 'I cannot' }],
	['in a list', [{ type: 'refusal', refusal: 'I cannot' }]],
])('a refusal %s', (_form, content) => {
	it.each<[string, Said, boolean]>([
		['in one piece', completion({ content }), false],
		['in a stream', streamed({ content }), true],
		['among texts of a stream', amid(content), true],
	])('%s is an error', async (_world, said, isStream) => {
		stage.service.answer = () => said;
		const { items, message } = await stage.run(complete({ stream: isStream }));
		expect(items).toEqual([]);
		expect(message).toContain('The model refuses: I cannot');
		expect((await stage.asked(isStream)).message).toContain('The model refuses: I cannot');
	});
});

describe.each<[string, unknown]>([
	['an empty object', {}],
	['null in a list', [null]],
	['a list in a list', [[text('Hello')]]],
	['a text in a text', text([text('Hello')])],
	['a part of an unknown type', [{ type: 'chart', chart: {} }]],
	['false', false],
	['an empty list', []],
])('a content that is %s', (_form, content) => {
	it.each([
		[false, completion({ content })],
		[true, streamed({ content })],
	])('is no empty answer to an agent (stream: %j)', async (isStream, said) => {
		stage.service.answer = () => said;
		const { text: words, message } = await stage.asked(isStream);
		expect(words === '' && message === '').toBe(false);
	});

	it('takes nothing away from a stream', async () => {
		stage.service.answer = () => amid(content);
		const { all } = await stage.run(stream);
		expect(all).toContain('Say ');
	});
});

const DIED = { message: 'upstream died' };
/** Completions beside an error: each is not what the model meant to say. */
const BESIDE: Array<[world: string, said: Said]> = [
	[
		'a beginning without its end',
		completion({ content: 'Hel' }, { finish_reason: null }, { error: DIED }),
	],
	['nothing', completion({ content: null }, { finish_reason: null }, { error: DIED })],
	['an empty text', completion({ content: '' }, {}, { error: 'upstream died' })],
	[
		'the finish reason "error"',
		completion({ content: '' }, { finish_reason: 'error' }, { error: DIED }),
	],
	['no choice', { body: { choices: [], error: DIED } }],
];

describe.each(BESIDE)('an error with 200 beside %s', (_world, said) => {
	it.each([false, true])('is told in its own words (stream: %j)', async (isStream) => {
		stage.service.answer = () => said;
		const { items, message } = await stage.run(complete({ stream: isStream }));
		expect(items).toEqual([]);
		expect(message).toContain('upstream died');
		expect((await stage.asked(isStream)).message).toContain('upstream died');
	});
});

it.each<[string, string[]]>([
	['as an event', [event({ error: DIED })]],
	['as an event, and [DONE]', [event({ error: DIED }), DONE]],
	['as a detail', [event({ detail: 'upstream died' })]],
	['as a body that follows the events', [JSON.stringify({ error: DIED })]],
])('an error in the middle of a stream, %s, is told with what came', async (_world, pieces) => {
	stage.service.answer = () => ({ pieces: [chunk({ content: 'Hel' }), ...pieces] });
	const { message, all } = await stage.run(stream);
	expect(message).toContain('upstream died');
	expect(all).toContain('Hel');
});

it.each([false, true])(
	'an error beside a whole answer is in the item (stream: %j)',
	async (isStream) => {
		stage.service.answer = () => completion({ content: 'Hello' }, {}, { error: DIED });
		const { items, message, all } = await stage.run(complete({ stream: isStream }));
		expect(message === '' ? items : []).toMatchObject([{ content: 'Hello' }]);
		expect(all).toContain('upstream died');
	},
);

describe('an answer from documents', () => {
	const ask = rag('retrieval', 'ask', {
		query: 'What?',
		topK: 5,
		promptName: locator('p'),
		options: {},
	});
	const found = { results: { chunk_search_results: [{ id: 'a', text: 'one', score: 1 }] } };
	const answered = (body: unknown) =>
		void (stage.service.answer = ({ id }) => ({ body: id === 'search' ? found : body }));

	it.each(ALONE)('is read where it is %s', async (_form, content) => {
		answered({ results: { completion: { choices: [{ message: { content } }] } } });
		const { items, message } = await stage.run(ask);
		expect(message).toBe('');
		expect(items).toMatchObject([{ answer: 'Hello' }]);
	});

	it('is told with the error beside it', async () => {
		answered({ error: DIED, results: { answer: 'Hel' } });
		expect((await stage.run(ask)).all).toContain('upstream died');
	});
});
