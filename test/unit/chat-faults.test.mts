import { describe, expect, it } from 'vitest';
import { faultOf, isIncomplete, readMessage, textOf } from '../../nodes/intelligence/choice.ts';

type Fields = Record<string, unknown>;

/** What is wrong with a choice of this message. */
const faultIn = (message: Fields, more: Fields = {}, body = {}) =>
	faultOf({ message, ...more }, body)?.message;
const IMAGE = { type: 'image_url', image_url: { url: 'https://a/b' } };

describe('a choice that says nothing', () => {
	it.each<Fields>([
		{},
		{ content: null },
		{ content: '' },
		{ content: ' \n' },
		{ content: [] },
		{ content: [null] },
		{ content: false },
		{ content: { type: 'refusal', refusal: '' } },
		{ content: [{ type: 'thinking', thinking: 'Hm.' }] },
		{ content: ' ', reasoning_content: 'Hm.' },
		{ tool_calls: [{ id: 'a', function: { arguments: '{}' } }] },
	])('is empty: %j', (message) => {
		expect(faultIn(message)).toBe('The response is empty');
		expect(faultIn(message, { finish_reason: 'length' })).toBe(
			'The response was cut off at the token limit',
		);
	});

	it.each<Fields>([
		{ content: 'Hello' },
		{ content: [IMAGE] },
		{ content: null, images: [IMAGE] },
		{ content: null, audio: { data: 'AA' } },
		{ content: null, tool_calls: [{ id: 'a', function: { name: 'list', arguments: '{}' } }] },
	])('is no other one: %j', (message) => expect(faultIn(message)).toBeUndefined());

	it('of the older form has no text', () => {
		expect(faultOf({ text: ' ' }, {})?.message).toBe('The response is empty');
		expect(faultOf({ text: 'Hello' }, {})).toBeUndefined();
	});
});

describe('a choice that the service ended', () => {
	const hello = { content: 'Hello' };

	it.each<[Fields, string]>([
		[{ finish_reason: 'abort' }, 'The service stopped the response: abort'],
		[{ error: { code: 429 } }, 'The service stopped the response: error'],
		[{ error: { code: 429 }, finish_reason: 'stop' }, 'The service stopped the response: error'],
		[
			{ error: { message: 'Out of memory' }, finish_reason: 'error' },
			'The service stopped the response: Out of memory',
		],
		[{ error: 'Out of memory' }, 'The service stopped the response: Out of memory'],
		[
			{ finish_reason: 'connection_refused_error' },
			'The service stopped the response: connection_refused_error',
		],
		[{ finish_reason: 'SAFETY' }, 'The response was stopped by a content filter'],
	])('%j', (end, fault) => {
		expect(faultIn(hello, end)).toBe(fault);
		expect(isIncomplete({ message: hello, ...end })).toBe(true);
	});

	it.each([['stop'], ['end_turn'], [null], [undefined]])('is whole with %j', (reason) => {
		expect(faultIn(hello, { finish_reason: reason, error: {} })).toBeUndefined();
		expect(isIncomplete({ finish_reason: reason, error: {} })).toBe(false);
	});

	it.each<[Fields, Fields, string | undefined]>([
		[{ content: '' }, {}, 'The service stopped the response: upstream died'],
		[hello, { finish_reason: 'error' }, 'The service stopped the response: upstream died'],
		[hello, { error: 'busy' }, 'The service stopped the response: busy'],
		[hello, { finish_reason: 'stop' }, undefined],
	])('%j with %j beside an error: %j', (message, end, fault) => {
		const found = faultOf({ message, ...end }, {}, { message: 'upstream died' });
		expect(found?.message).toBe(fault);
	});

	it('with a refusal says why', () => {
		expect(faultIn({ content: null, refusal: ' I cannot. ' })).toBe('The model refuses: I cannot.');
		for (const part of [{ type: 'refusal', refusal: 'No.' }, { refusal: 'No.' }])
			for (const content of [part, [part], ['Say ', part, '!']])
				expect(faultIn({ content })).toBe('The model refuses: No.');
		expect(faultIn(hello, { finish_reason: 'Refusal' })).toBe('The model refuses: Hello');
		for (const content of [null, [IMAGE]])
			expect(faultIn({ content }, { finish_reason: 'refusal' })).toBe('The model refuses: refusal');
	});

	it.each([
		[{}, false],
		[{ tools: [] }, false],
		[{ response_format: { type: 'text' } }, false],
		[{ tools: [{}] }, true],
		[{ response_format: { type: 'json_object' } }, true],
		[{ guided_regex: 'a+' }, true],
	])('at a limit is of use to a request with %j, unless all of it is needed', (body, isFault) => {
		expect(faultIn(hello, { finish_reason: 'length' }, body)).toBe(
			isFault ? 'The response was cut off at the token limit' : undefined,
		);
		expect(isIncomplete({ finish_reason: 'length' })).toBe(true);
	});
});

describe('reasoning', () => {
	it.each<[Fields, string | undefined]>([
		[{ reasoning_content: '', reasoning: 'Hm.' }, 'Hm.'],
		[{ reasoning_content: 'Hm.', reasoning: 'Oh.' }, 'Hm.'],
		[{ reasoning: { text: 'Hm.' } }, undefined],
		[{ reasoning: '' }, undefined],
		[{ content: [{ type: 'reasoning', text: 'Hm.' }] }, 'Hm.'],
		[{ content: [{ type: 'Thinking', text: 'H' }, 'Hi', { type: 'think', text: 'm.' }] }, 'Hm.'],
		[{ content: [{ thinking: 'Hm.' }] }, 'Hm.'],
		[{ content: [{ type: 'thinking', thinking: [IMAGE] }] }, undefined],
		[{ content: [{ type: 'thinking', thinking: null }] }, undefined],
	])('of %j is %j', (message, reasoning) => expect(readMessage(message).reasoning).toBe(reasoning));

	it('is no text, and takes none away', () => {
		const content = [{ type: 'reasoning', text: 'Hm.' }, { thinking: null }, 'Hel', { text: 'lo' }];
		expect(readMessage({ content }).text).toBe('Hello');
		expect(textOf({ content: [...content, IMAGE] })).toBe('Hello');
	});
});

it('the JSON false, and the number 0, are answers', () => {
	const body = { response_format: { type: 'json_object' } };
	expect(faultIn({ content: false }, {}, body)).toBeUndefined();
	expect(faultIn({ content: false })).toBe('The response is empty');
	expect(faultIn({ content: 0 })).toBeUndefined();
	expect(faultIn({ content: null }, {}, body)).toBe('The response is empty');
});

it.each(['after_tool_use', 'tool_calls_allowed'])('%s is no end for a call', (reason) => {
	expect(faultIn({ content: 'Hello' }, { finish_reason: reason })).toBeUndefined();
});

it('a part that is no refusal refuses nothing', () => {
	expect(faultIn({ content: [{ type: 'text', text: 'Hello', refusal: 'No.' }] })).toBeUndefined();
});

describe('the arguments of a call', () => {
	const called = (args: string, more: Fields = {}) => ({
		tool_calls: [{ id: 'a', function: { name: 'deploy', arguments: args }, ...more }],
	});

	it('are in an error as far as they can be read', () => {
		const fault = faultIn(called('x'.repeat(201)));
		expect(fault).toBe(
			`The arguments of the tool call deploy are not a JSON object: ${'x'.repeat(200)}`,
		);
	});

	it('are enough where others are beside them', () => {
		expect(faultIn(called('{"x":1}', { input: 'y' }))).toBeUndefined();
	});
});

it.each<[Fields, Fields, string]>([
	[{ content: null }, {}, 'Change the prompt'],
	[{ content: 'a' }, { finish_reason: 'abort' }, 'This one may be billed'],
	[{ content: '' }, { finish_reason: 'length' }, 'Raise Max Completion Tokens'],
	[{ content: 'a' }, { finish_reason: 'tool_use' }, 'choose another model'],
	[{ tool_calls: [{ function: { name: 'f', arguments: '[' } }] }, {}, 'The call was not run'],
])('%j with %j says what to do: %s', (message, end, advice) => {
	expect(faultOf({ message, ...end }, {})?.description).toContain(advice);
});
