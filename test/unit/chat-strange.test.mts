import { describe, expect, it, vi } from 'vitest';
import { parseResponse } from '../../nodes/ChatCompletion/responseJson.ts';
import { problemOf } from '../../nodes/intelligence/vectors.ts';
import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';
import { callsOf, faultOf, firstDelta, textOf } from '../../nodes/intelligence/choice.ts';
import { saysError } from '../../nodes/shared/http/refusal.ts';
import { gate } from '../../nodes/LmChatCompute/gate.ts';

/** Forms of calls, ends and parts that an independent service sent. */
const DEPLOY = '{"name":"x"}';

function messageOf(...calls: unknown[]) {
	const accumulator = new CompletionAccumulator(new Set(['deploy', 'price']));
	for (const call of calls)
		accumulator.add({ choices: [{ index: 0, delta: { tool_calls: call } }] });
	const [{ message } = { message: {} }] = accumulator.completion().choices as Array<{
		message: object;
	}>;
	return message;
}
const merged = (...calls: unknown[]) => callsOf({ ...messageOf(...calls) });
const streamed = (...calls: unknown[]) =>
	merged(...calls).map(({ function: called }) => [called.name, called.arguments]);
const call = (index: unknown, id: unknown, name?: string, args?: unknown) => ({
	index,
	id,
	function: { name, arguments: args },
});

describe('a call gets the arguments that the model gave it', () => {
	it('where indices are texts', () =>
		expect(
			streamed(
				[call('0', 'a', 'deploy', '')],
				[call('1', 'b', 'price', '{}')],
				[call('0', undefined, undefined, DEPLOY)],
			),
		).toEqual([
			['deploy', DEPLOY],
			['price', '{}'],
		]));

	it('where IDs are numbers', () => {
		const calls = merged(
			[call(undefined, 1, 'deploy', '')],
			[call(undefined, 2, 'price', '{}')],
			[call(undefined, 1, undefined, DEPLOY)],
		);
		expect(calls).toMatchObject([
			{ function: { name: 'deploy', arguments: DEPLOY } },
			{ function: { name: 'price', arguments: '{}' } },
		]);
	});

	it('where each delta has the name and an ID of its own', () =>
		expect(streamed([call(0, 'a', 'deploy', '')], [call(0, 'b', 'deploy', DEPLOY)])).toEqual([
			['deploy', DEPLOY],
		]));

	it('in one object in place of a list', () => {
		expect(streamed(call(0, 'a', 'deploy', DEPLOY))).toEqual([['deploy', DEPLOY]]);
		expect(callsOf({ tool_calls: call(0, 'a', 'deploy', DEPLOY) })).toHaveLength(1);
	});

	it('where the name comes after them', () =>
		expect(
			streamed(
				[call(0, 'a', 'deploy', DEPLOY)],
				[call(1, 'b', undefined, '{}')],
				[call(1, undefined, 'price')],
			),
		).toEqual([
			['deploy', DEPLOY],
			['price', '{}'],
		]));

	it.each([
		['{} and a line break come before them', ['{}\n', '{"name"', ':"x"}']],
		['an object comes after a part of them', ['{"na', { name: 'x' }]],
	])('where %s', (_, pieces) =>
		expect(streamed(...pieces.map((piece) => [call(0, 'a', 'deploy', piece)]))).toEqual([
			['deploy', DEPLOY],
		]),
	);

	it.each([
		['none', [undefined], { name: 'list' }],
		['an object, with nothing after it', [{ x: 1 }, ' '], { name: 'list', arguments: { x: 1 } }],
	])('in the completion as they came: %s', (_, pieces, called) =>
		expect(messageOf(...pieces.map((piece) => [call(0, 'a', 'list', piece)]))).toEqual({
			tool_calls: [{ id: 'a', function: called }],
		}),
	);

	it.each([
		['arguments beside the function', { arguments: DEPLOY, function: { name: 'deploy' } }],
		['parameters as text', { function: { name: 'deploy', parameters: DEPLOY } }],
		['input as text', { name: 'deploy', input: DEPLOY }],
	])('or is not run: %s', (_, sent) => {
		const fault = faultOf({ message: { tool_calls: [{ id: 'a', ...sent }] } }, {});
		expect(fault?.message).toMatch('are not a JSON object');
	});

	it.each([
		[
			'two objects',
			call(0, 'a', 'deploy', { name: 'x' }),
			call(0, undefined, undefined, { size: 2 }),
		],
		['two of one ID', call(0, 'a', 'deploy', DEPLOY), call(0, 'a', 'deploy', '{"name":"y"}')],
		[
			'two, without a second name',
			call(0, '', 'deploy', ''),
			call(0, '', undefined, DEPLOY),
			call(0, '', undefined, '{"name":"y"}'),
		],
		['two, the first of them {}', call(0, 'a', 'deploy', '{}{"name":'), call(0, 'a', '', DEPLOY)],
	])('or is not run: %s', (_, ...deltas) => {
		const calls = merged(...deltas.map((delta) => [delta]));
		expect(calls).toHaveLength(1);
		expect(faultOf({ message: { tool_calls: calls } }, {})?.message).toMatch('not a JSON object');
	});
});

describe('a call runs once', () => {
	const again = [call(0, 'a', 'deploy', DEPLOY), call(1, 'a', 'deploy', DEPLOY)];

	it('that comes again with its ID', () => {
		expect(callsOf({ tool_calls: again })).toHaveLength(1);
		expect(streamed([again[0]], [again[1]])).toHaveLength(1);
	});

	it('that comes again under its index, with another ID', () =>
		expect(
			streamed([call(0, 'a', 'deploy', DEPLOY)], [call(0, 'b', 'deploy', DEPLOY)]),
		).toHaveLength(1));

	it('but not one of two with the same ID and other arguments', () => {
		const calls = callsOf({
			tool_calls: [call(0, 'a', 'deploy', DEPLOY), call(1, 'a', 'deploy', '{"name":"y"}')],
		});
		expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
	});
});

describe('a call is not run that the model did not finish', () => {
	it.each([
		['max_output_tokens', 'cut off at the token limit'],
		['max_new_tokens', 'cut off at the token limit'],
		['model_context_window_exceeded', 'cut off at the token limit'],
		['token_limit', 'cut off at the token limit'],
		['truncated', 'cut off at the token limit'],
		['timeout', 'The service stopped the response: timeout'],
		['repetition', 'The service stopped the response'],
		['UNEXPECTED_TOOL_CALL', 'The service stopped the response'],
		['pause_turn', 'The service stopped the response'],
		['guardrail_intervened', 'stopped by a content filter'],
		['moderation', 'stopped by a content filter'],
		['refusal', 'The model refuses'],
	])('%s', (reason, message) => {
		const choice = {
			message: { tool_calls: [call(0, 'a', 'deploy', DEPLOY)] },
			finish_reason: reason,
		};
		expect(faultOf(choice, {})?.message).toMatch(message);
	});
});

it('a refusal is no answer, as a part or as the reason of the end', () => {
	const part = { message: { content: [{ type: 'refusal', refusal: 'I cannot' }] } };
	expect(faultOf(part, {})?.message).toBe('The model refuses: I cannot');
	const end = { message: { content: 'I cannot' }, finish_reason: 'refusal' };
	expect(faultOf(end, {})?.message).toBe('The model refuses: I cannot');
});

it('text is kept beside parts of other kinds', () => {
	const reference = { type: 'reference', reference_ids: [1] };
	const pieces = ['Hello ', [{ type: 'text', text: 'world' }, reference], ' and more'];
	const accumulator = new CompletionAccumulator();
	const shown = pieces.map((content) => {
		const chunk = accumulator.add({ choices: [{ index: null, delta: { content } }] });
		return firstDelta(chunk).text;
	});
	const [choice] = accumulator.completion().choices as Array<{ message: { content: unknown } }>;
	expect(choice?.message.content).toEqual([
		{ type: 'text', text: 'Hello world' },
		reference,
		{ type: 'text', text: ' and more' },
	]);
	expect(shown.join('')).toBe('Hello world and more');
	expect(textOf({ ...choice?.message })).toBe('Hello world and more');
});

it.each([['null'], ['42'], ['[1,2]'], ['See source [1].']])('%j is no JSON object', (text) =>
	expect(parseResponse(text).problem).toBe('is not a JSON object'),
);

it('an error that says nothing is none', () => {
	expect([{}, { code: 0, message: '' }, null, '', false].map(saysError)).not.toContain(true);
	expect([{ code: 429 }, 'busy'].map(saysError)).toEqual([true, true]);
});

it.each([[[0, 1, 3]], [[0.5, 0.2, 1]]])(
	'vectors with the indices %j are of other texts',
	(indices) =>
		expect(
			problemOf(
				indices.map((index) => ({ index, embedding: [1] })),
				3,
				undefined,
			),
		).toMatch('vectors of other texts'),
);

it('vectors may be counted from one', () =>
	expect(
		problemOf(
			[3, 1, 2].map((index) => ({ index, embedding: [1] })),
			3,
			undefined,
		),
	).toBeUndefined());

it('long arguments in small pieces are not read with each piece', () => {
	const accumulator = new CompletionAccumulator(new Set(['deploy']));
	const add = (one: object) =>
		accumulator.add({ choices: [{ index: 0, delta: { tool_calls: [one] } }] });
	add(call(0, 'a', 'deploy', '{"name":"'));
	const parse = vi.spyOn(JSON, 'parse');
	for (let piece = 0; piece < 50_000; piece++) add(call(0, undefined, undefined, 'abcd'));
	expect(parse).not.toHaveBeenCalled();
	add(call(0, undefined, undefined, '"}'));
	expect(parse).toHaveBeenCalled();
	parse.mockRestore();
});

it('who waits for a turn leaves when it is cancelled, and takes no place', async () => {
	const begin = gate(1);
	const end = await begin();
	const controller = new AbortController();
	const waiting = begin(controller.signal);
	const next = begin();
	controller.abort();
	(await waiting)();
	let isNext = false;
	void next.then(() => (isNext = true));
	await new Promise(setImmediate);
	expect(isNext).toBe(false);
	end();
	await next;
});
