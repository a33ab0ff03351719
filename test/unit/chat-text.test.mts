import { describe, expect, it } from 'vitest';
import {
	choicesOf,
	errorWords,
	firstDelta,
	isPart,
	messageOf,
	readMessage,
	restOf,
	textOf,
} from '../../nodes/intelligence/choice.ts';

describe('text and reasoning of a message', () => {
	it.each([
		[
			{ content: 'a', reasoning_content: 'r' },
			{ text: 'a', reasoning: 'r' },
		],
		[
			{ content: 'a', reasoning: 'r' },
			{ text: 'a', reasoning: 'r' },
		],
		[
			{ content: [{ type: 'text', text: 'a' }, 'b', { type: 'output_text', text: 'c' }] },
			{ text: 'abc' },
		],
		[
			{
				content: [
					{ type: 'thinking', thinking: [{ type: 'text', text: 'r' }] },
					{ type: 'text', text: 'a' },
				],
			},
			{ text: 'a', reasoning: 'r' },
		],
		[{ content: [{ type: 'image_url', image_url: {} }] }, {}],
		[{ content: null }, {}],
		[{ content: { type: 'text', text: 'a' } }, { text: 'a' }],
		[{ content: { type: 'output_text', text: 'a' } }, { text: 'a' }],
		[{ content: { text: 'a' } }, { text: 'a' }],
		[{ content: { type: 'thinking', thinking: 'r' } }, { text: '', reasoning: 'r' }],
		[{ content: [[{ type: 'text', text: 'a' }]] }, { text: 'a' }],
		[{ content: ['a', null, { type: 'refusal', refusal: null }] }, { text: 'a' }],
		[{ content: ['a', { type: 'refusal', refusal: 'I cannot' }] }, {}],
		[{ content: {} }, {}],
		[{ content: { text: 'a', label: 'b' } }, {}],
		[{ content: { type: 'context', text: 'a' } }, {}],
	])('%j', (message, said) => expect(readMessage(message)).toEqual(said));
});

it('the choices of a completion are those that are objects', () => {
	expect(choicesOf({ choices: [null, { index: 0 }, 'a'] })).toEqual([{ index: 0 }]);
	expect([{}, { choices: null }, { choices: { index: 0 } }].map(choicesOf)).toEqual([[], [], []]);
});

it.each([
	[{ message: { content: 'a' }, text: 'b' }, { content: 'a' }],
	[
		{ message: null, text: 'b' },
		{ role: 'assistant', content: 'b' },
	],
	[{ message: 'a', text: null }, {}],
	[{}, {}],
])('the message of %j is %j', (choice, message) => expect(messageOf(choice)).toEqual(message));

it('a chat shows what a chunk adds to the choice 0', () => {
	const choices = [{ index: 1, delta: { content: 'b' } }, { delta: { content: 'a' } }];
	expect(firstDelta({ choices }).text).toBe('a');
	expect(firstDelta({ choices: choices.slice(0, 1) })).toEqual({});
});

it.each<[unknown, boolean]>([
	[{ type: 'Output_Text' }, true],
	[{ type: 'refusal', refusal: null }, true],
	[{ refusal: 'I cannot' }, true],
	[{ type: 'chart' }, false],
	[{ text: 'a', label: 'b' }, false],
	[{}, false],
	[['a'], false],
	['text', false],
	[null, false],
])('%j is a part without its list: %j', (content, expected) =>
	expect(isPart(content)).toBe(expected),
);

it('an agent gets the text of a list in a list, and none of what cannot be read', () => {
	expect(textOf({ content: [['a', { text: 'b' }], 'c'] })).toBe('abc');
	const unread = [{}, [null], { type: 'text', text: ['a'] }, [{ type: 'chart', chart: {} }], false];
	expect(unread.map((content) => textOf({ content })).join('')).toBe('');
});

it.each<[unknown, string]>([
	[{ message: 'upstream died' }, 'upstream died'],
	['upstream died', 'upstream died'],
	[{ code: 429 }, ''],
	['none', ''],
	[undefined, ''],
])('the words of the error %j are %j', (error, words) => expect(errorWords(error)).toBe(words));

it('the rest of a text is what follows what was shown; nothing of another text', () => {
	expect(restOf('one two', 'one ')).toBe('two');
	expect(restOf('one', '')).toBe('one');
	expect(restOf('one two', 'two')).toBe('');
	expect(restOf('one', 'other')).toBe('');
});

describe('text in another form', () => {
	it.each<[unknown, string]>([
		[42, '42'],
		[0, '0'],
		[['It is ', 42], 'It is 42'],
		[[{ type: 'output_text', value: 'you' }], 'you'],
		[[{ type: 'text', content: 'you' }], 'you'],
		[[{ type: 'text', text: 4 }], '4'],
		[[{ type: 'text', text: '', content: 'notes' }], ''],
	])('%j is text', (content, text) => {
		expect(readMessage({ content }).text).toBe(text);
		expect(textOf({ content })).toBe(text);
	});

	it('is none in a part of another type', () => {
		expect(readMessage({ content: [{ type: 'chart', value: 'x' }] }).text).toBeUndefined();
	});
});
