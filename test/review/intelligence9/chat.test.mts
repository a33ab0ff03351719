import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chat, locator, RETRY } from '../../engine/nodes.mts';
import { chunk, DONE, event, type Json, type Said } from '../intelligence7/service.mts';
import { complete, useStage } from '../intelligence7/stage.mts';

// Independent review: chats and embeddings
const stage = useStage();

/** A chunk whose choice has a message in place of a delta. */
function message(said: Json, reason: string | null = null, index = 0): string {
	return event({
		id: 'c1',
		model: 'm',
		choices: [{ index, message: said, finish_reason: reason }],
	});
}

function delta(said: Json, reason: string | null = null, index = 0): string {
	return event({ id: 'c1', model: 'm', choices: [{ index, delta: said, finish_reason: reason }] });
}

function stream(...pieces: string[]): Said {
	return { pieces: [...pieces, DONE] };
}

const parts = (...texts: string[]) =>
	stream(...texts.map((content) => message({ role: 'assistant', content })), message({}, 'stop'));

/** Streams whose parts are messages. */
const PARTS: Array<[world: string, said: Said, text: string]> = [
	['all different', parts('I', ' look', ' up'), 'I look up'],
];

describe.each(PARTS)('a stream of messages as parts: %s', (_world, said, text) => {
	it('is all of its text for an agent that reads the stream', async () => {
		stage.service.answer = () => said;
		const told = await stage.asked(true);
		expect(told.message === '' ? told.text : text).toBe(text);
	});

	it('is all of its text in the output', async () => {
		stage.service.answer = () => said;
		const { items } = await stage.run(complete({ stream: true }));
		expect(items.map(({ content }) => content)).toEqual([text]);
	});
});

/** Deltas, and the whole answer in a last message that differs from them a little. */
const LAST: Array<[world: string, deltas: string[], last: string]> = [
	['the blank of a first token and more', [' The sky', ' is blue. '], 'The sky is blue.'],
];

describe.each(LAST)('a last message with all of the answer but for %s', (_world, deltas, last) => {
	it.each(['output', 'agent'])('does not say it twice (%s)', async (reader) => {
		stage.service.answer = () =>
			stream(
				...deltas.map((content) => chunk({ content })),
				message({ role: 'assistant', content: last }, 'stop'),
			);
		if (reader === 'agent') {
			expect((await stage.asked(true)).text.split('blue')).toHaveLength(2);
			return;
		}
		const { items } = await stage.run(complete({ stream: true }));
		expect(String(items[0]?.content).split('blue')).toHaveLength(2);
	});
});

const call = (id: string | undefined, args: string) => ({
	...(id !== undefined && { id }),
	type: 'function',
	function: { name: 'pay', arguments: args },
});
const ONE = call('t1', '{"to":1}');
const TWO = call('t2', '{"to":2}');

describe('tool calls in messages of a stream', () => {
	it.each<[string, string[], number]>([
		[
			'one, in pieces and then whole under another ID',
			[
				delta({ tool_calls: [{ index: 0, ...call('t1', '{"to"') }] }),
				delta({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
				message({ content: null, tool_calls: [call('x9', '{"to": 1}')] }, 'tool_calls'),
			],
			1,
		],
		['two, each in a message', [message({ tool_calls: [ONE] }), message({ tool_calls: [TWO] })], 2],
		[
			'two, of which the second message has both',
			[message({ tool_calls: [ONE] }), message({ tool_calls: [ONE, TWO] }, 'tool_calls')],
			2,
		],
		[
			'two without IDs, each in a message',
			[
				message({ tool_calls: [call(undefined, '{"to":1}')] }),
				message({ tool_calls: [call(undefined, '{"to":2}')] }, 'tool_calls'),
			],
			2,
		],
		[
			'two after a text, and a last message with the text alone',
			[
				delta({ content: 'I pay.' }),
				delta({ tool_calls: [{ index: 0, ...ONE }] }),
				delta({ tool_calls: [{ index: 1, ...TWO }] }),
				message({ content: 'I pay.', tool_calls: [] }, 'tool_calls'),
			],
			2,
		],
	])('are as many as the model made: %s', async (_world, pieces, count) => {
		stage.service.answer = () => stream(...pieces, delta({}, 'tool_calls'));
		const { items, message: problem } = await stage.run(complete({ stream: true }));
		expect(problem).toBe('');
		expect(items).toHaveLength(1);
		expect(items[0]?.tool_calls).toHaveLength(count);
	});
});

describe('two choices', () => {
	it('of a stream, one in deltas and one in messages, are two answers', async () => {
		stage.service.answer = () =>
			stream(
				delta({ content: 'A' }, null, 0),
				message({ content: 'B' }, null, 1),
				delta({ content: 'a' }, 'stop', 0),
				message({ content: 'Bb' }, 'stop', 1),
			);
		const { items } = await stage.run(complete({ stream: true, n: 2 }));
		expect(items.map(({ content }) => content)).toEqual(['Aa', 'Bb']);
	});

	it.each([true, false])(
		'of which one is no choice are an error with both (%s)',
		async (isStream) => {
			const choices = ['yes\n', 'maybe'].map((content, index) => ({
				index,
				message: { role: 'assistant', content },
				finish_reason: 'stop',
			}));
			stage.service.answer = () =>
				isStream
					? stream(delta({ content: 'yes\n' }, 'stop', 0), delta({ content: 'maybe' }, 'stop', 1))
					: { body: { id: 'c', model: 'm', choices } };
			const told = await stage.run(
				complete({ n: 2, stream: isStream, extraBody: '{"guided_choice":["yes","no"]}' }),
			);
			expect(told.message).toContain('Guided Choice');
			expect(told.all).toContain('yes');
			expect(told.all).toContain('maybe');
		},
	);

	it.each([
		['in deltas', delta],
		['in messages', message],
	])('of which one does not come are an error with the other (%s)', async (_form, piece) => {
		stage.service.answer = () => ({
			pieces: [piece({ content: 'whole' }, 'stop', 0)],
			isCut: true,
		});
		const told = await stage.run(complete({ stream: true, n: 2 }));
		expect(told.message).not.toBe('');
		expect(told.all).toContain('whole');
	});

	it('of which one breaks off are an error with both', async () => {
		stage.service.answer = () => ({
			pieces: [delta({ content: 'whole' }, 'stop', 0), delta({ content: 'half' }, null, 1)],
			isCut: true,
		});
		const told = await stage.run(complete({ stream: true, n: 2 }));
		expect(told.message).not.toBe('');
		expect(told.all).toContain('whole');
		expect(told.all).toContain('half');
	});
});

it('reasoning is there once, under another name in the last message', async () => {
	stage.service.answer = () => ({
		pieces: [
			chunk({ reasoning_content: 'I think' }),
			chunk({ content: 'Yes' }),
			message({ content: 'Yes', reasoning: 'I think' }, 'stop'),
		],
	});
	const { items, message: problem } = await stage.run(complete({ stream: true }));
	expect(problem).toBe('');
	expect(items).toMatchObject([{ content: 'Yes', reasoning_content: 'I think' }]);
});

describe('embeddings in batches', () => {
	const embed = (options: IDataObject, settings = {}) =>
		chat(
			'embedding',
			'create',
			{ model: locator('e'), input: '={{ $json.t }}', options },
			settings,
		);
	const texts = Array.from({ length: 8 }, (_, at) => `text ${at}`);
	const rows = texts.map((t) => ({ t }));
	const vectors = (input: unknown, size = 2): Said => ({
		body: {
			data: (input as string[]).map((text, index) => ({
				index,
				embedding: Array.from({ length: size }, () => Number(text.at(-1)) + 0.5),
			})),
			model: 'e',
		},
	});

	it.each([1, 5])('buy no text twice after a lost answer (%i at once)', async (requestsAtOnce) => {
		const bought: string[] = [];
		let isLost = false;
		stage.service.answer = ({ body }) => {
			const input = body.input as string[];
			if (input.includes('text 4') && !isLost) {
				isLost = true;
				return { status: 500, body: { detail: 'down' } };
			}
			bought.push(...input);
			return vectors(input);
		};
		const { items, message: problem } = await stage.run(
			embed({ batchSize: 2, requestsAtOnce }, RETRY),
			rows,
		);
		expect(problem).toBe('');
		expect(items.map(({ embedding }) => (embedding as number[])[0])).toEqual(
			texts.map((_, at) => at + 0.5),
		);
		expect([...bought].sort()).toEqual(texts);
	});

	it('tell all that is paid where a later batch fails', async () => {
		stage.service.answer = ({ body }) =>
			(body.input as string[]).includes('text 6') ? { status: 500, body: {} } : vectors(body.input);
		const told = await stage.run(embed({ batchSize: 2 }), [{ t: texts }]);
		expect(told.message).not.toBe('');
		for (const at of [0, 1, 2, 3, 4, 5]) expect(told.all).toContain(`${at}.5`);
	});

	it('are halved for a service that takes three, and each text is bought once', async () => {
		const bought: string[] = [];
		stage.service.answer = ({ body }) => {
			const input = body.input as string[];
			if (input.length > 3) return { status: 413, body: { detail: 'too many' } };
			bought.push(...input);
			return vectors(input);
		};
		const { items } = await stage.run(embed({ batchSize: 8 }), rows);
		expect(items).toHaveLength(8);
		expect([...bought].sort()).toEqual(texts);
	});

	it('are an error where a later batch has vectors of another size', async () => {
		stage.service.answer = ({ body }) =>
			vectors(body.input, (body.input as string[]).includes('text 4') ? 3 : 2);
		const told = await stage.run(embed({ batchSize: 2 }), rows);
		expect(told.message).toContain('dimensions');
	});
});
