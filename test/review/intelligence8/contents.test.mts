import { describe, expect, it } from 'vitest';
import { chunk, completion, DONE, event, type Json, type Said } from '../intelligence7/service.mts';
import { complete, useStage } from '../intelligence7/stage.mts';

const stage = useStage();

/** A chunk whose choice has a message in place of a delta. */
function message(said: Json, finishReason: string | null = 'stop'): string {
	return event({
		id: 'c1',
		model: 'm',
		choices: [{ index: 0, message: said, finish_reason: finishReason }],
	});
}

function stream(...pieces: string[]): Said {
	return { pieces: [...pieces, DONE] };
}

const CALL = { id: 't1', type: 'function', function: { name: 'f', arguments: '{}' } };

/** Streams, and the text that they hold. */
const STREAMS: Array<[world: string, said: Said, text: string]> = [
	[
		'a number among its deltas',
		stream(
			chunk({ content: 'It is ' }),
			chunk({ content: 42 }),
			chunk({ content: ' km.' }),
			chunk({}, 'stop'),
		),
		'It is 42 km.',
	],
	['a number alone', stream(chunk({ content: 4 }), chunk({ content: 2 }), chunk({}, 'stop')), '42'],
	[
		'a last message without the blank that the deltas begin with',
		stream(
			chunk({ content: ' Hello' }),
			chunk({ content: ' you' }),
			message({ role: 'assistant', content: 'Hello you' }),
		),
		'Hello you',
	],
	[
		'a last message without the line end of the deltas',
		stream(
			chunk({ content: 'Hello' }),
			chunk({ content: ' you\n' }),
			message({ role: 'assistant', content: 'Hello you' }),
		),
		'Hello you',
	],
	[
		'a last message with all of it, as parts',
		stream(
			chunk({ content: 'Hello' }),
			message({ content: [{ type: 'text', text: 'Hello you' }] }),
		),
		'Hello you',
	],
	[
		'choices that are counted from 1',
		stream(
			event({ choices: [{ index: 1, delta: { content: 'Hello ' }, finish_reason: null }] }),
			event({ choices: [{ index: 1, delta: { content: 'you' }, finish_reason: 'stop' }] }),
		),
		'Hello you',
	],
	[
		'a message in each chunk beside an empty delta',
		stream(
			event({
				choices: [{ index: 0, delta: {}, message: { content: 'Hello' }, finish_reason: null }],
			}),
			event({
				choices: [
					{ index: 0, delta: {}, message: { content: 'Hello you' }, finish_reason: 'stop' },
				],
			}),
		),
		'Hello you',
	],
	[
		'messages that each have all so far, and an empty last one',
		stream(
			message({ content: 'Hello' }, null),
			message({ content: 'Hello you' }, null),
			message({ content: '' }),
		),
		'Hello you',
	],
	[
		'an image between its texts',
		stream(
			chunk({ content: 'Hello ' }),
			chunk({ content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }] }),
			chunk({ content: 'you' }, 'stop'),
		),
		'Hello you',
	],
];

describe.each(STREAMS)('a stream with %s', (_world, said, text) => {
	it('is all of its text for an agent, once', async () => {
		stage.service.answer = () => said;
		const told = await stage.asked(true);
		expect(told.message === '' ? told.text.trim() : text).toBe(text);
	});

	it('is all of its text in the output, once, or an error with it', async () => {
		stage.service.answer = () => said;
		const told = await stage.run(complete({ stream: true }));
		const [{ content } = {}] = told.items;
		const isText = typeof content === 'string' || typeof content === 'number';
		if (isText) expect(String(content).trim()).toBe(text);
		else for (const word of text.split(' ')) expect(told.all).toContain(word);
	});
});

describe('a part of text whose words are not under text', () => {
	it.each<[string, Json]>([
		['value', { type: 'output_text', value: 'you' }],
		['content', { type: 'text', content: 'you' }],
	])('is not lost in silence: they are under %s', async (_where, part) => {
		stage.service.answer = () => completion({ content: [{ type: 'text', text: 'Hello ' }, part] });
		expect((await stage.run(complete())).all).toContain('you');
	});
});

describe('a last message after deltas', () => {
	it.each<[string, string[]]>([
		[
			'a tool call',
			[chunk({ content: 'I look.' }), chunk({ tool_calls: [{ index: 0, ...CALL }] }, 'stop')],
		],
		['a refusal', [chunk({ content: 'I look.' }), chunk({ refusal: 'I cannot.' })]],
	])('does not take %s away that they had', async (_what, pieces) => {
		stage.service.answer = () =>
			stream(...pieces, message({ role: 'assistant', content: 'I look.' }));
		const told = await stage.run(complete({ stream: true }));
		expect(told.all).toMatch(/"name":"f"|I cannot/);
	});
});

/** Answers of models that a service has parsed, or that only look like a no. */
const VALUES: Array<[world: string, message: Json, content: unknown]> = [
	['"false"', { content: 'false' }, false],
	['false', { content: false }, false],
	['0', { content: 0 }, 0],
	['{"deleted": false}', { content: '{"deleted": false}' }, { deleted: false }],
	['{"success": false} as an object', { content: { success: false } }, { success: false }],
	['{"error": "none found"}', { content: '{"error": "none found"}' }, { error: 'none found' }],
];

describe.each(VALUES)('a JSON answer of %s', (_world, said, content) => {
	it.each([false, true])('is the answer (stream: %s)', async (isStream) => {
		stage.service.answer = () =>
			isStream ? stream(chunk(said), chunk({}, 'stop')) : completion(said);
		const { items, message: problem } = await stage.run(
			complete({ jsonSchema: '{}', stream: isStream }),
		);
		expect(problem).toBe('');
		expect(items.map((item) => item.content)).toEqual([content]);
	});
});

/** Half answers, and the words that the error must have. */
const HALVES: Array<[world: string, said: Said, words: string[]]> = [
	['a lost connection', { pieces: [chunk({ content: 'Half' })], isCut: true }, ['Half']],
	['an end without a finish reason', { pieces: [chunk({ content: 'Half' })] }, ['Half']],
	[
		'an error in a named event of words',
		{
			pieces: [chunk({ content: 'Half' }), 'event: failure\ndata: {"message":"GPU was lost"}\n\n'],
		},
		['Half', 'GPU was lost'],
	],
	[
		'an error beside a finish reason of null',
		{
			pieces: [
				chunk({ content: 'Half' }),
				event({ error: { message: 'GPU was lost' }, choices: [] }),
			],
		},
		['Half', 'GPU was lost'],
	],
	[
		'deltas that are texts',
		{ pieces: [event({ choices: [{ index: 0, delta: 'Half', finish_reason: null }] })] },
		['Half'],
	],
	[
		'an error in its message',
		{
			...completion({ content: null, error: { message: 'GPU was lost' } }, { finish_reason: null }),
		},
		['GPU was lost'],
	],
];

describe.each(HALVES)('half an answer with %s', (_world, said, words) => {
	it.each([true, false])('is an error that has all that came (stream: %s)', async (isStream) => {
		stage.service.answer = () => said;
		const told = await stage.run(complete({ stream: isStream }));
		expect(told.items).toEqual([]);
		expect(told.message).not.toBe('');
		for (const word of words) expect(told.all).toContain(word);
	});

	it.each([true, false])('is an error for an agent (stream: %s)', async (isStream) => {
		stage.service.answer = () => said;
		expect((await stage.asked(isStream)).message).not.toBe('');
	});
});
