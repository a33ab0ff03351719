import { describe, expect, it } from 'vitest';
import { readMessage, restOf } from '../../nodes/intelligence/choice.ts';

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
	])('%j', (message, said) => expect(readMessage(message)).toEqual(said));
});

it('the rest of a text is what follows what was shown; nothing of another text', () => {
	expect(restOf('one two', 'one ')).toBe('two');
	expect(restOf('one', '')).toBe('one');
	expect(restOf('one two', 'two')).toBe('');
	expect(restOf('one', 'other')).toBe('');
});
