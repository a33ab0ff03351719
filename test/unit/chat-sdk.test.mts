import type { Message, MessageContent } from '@n8n/ai-node-sdk';
import { describe, expect, it } from 'vitest';
import { callIds, fromCompletion, toApiMessage } from '../../nodes/LmChatCompute/sdkMessages.ts';

/** The messages of n8n's SDK and those of the API, without a service. */
const text = (value: string): MessageContent => ({ type: 'text', text: value });
const call = (input: string, toolCallId?: string): MessageContent => ({
	type: 'tool-call',
	toolCallId,
	toolName: 'price',
	input,
});
const file = (more: object): MessageContent => ({ type: 'file', data: 'AQID', ...more });
const user = (...content: MessageContent[]): Message => ({ role: 'user', content });
const image = (more: object) => toApiMessage(user(file(more))).content;

describe('a message to the service', () => {
	it('is its text, without what is no text', () =>
		expect(toApiMessage(user(text('Why '), { type: 'reasoning', text: 'hm' }, text('?')))).toEqual({
			role: 'user',
			content: 'Why ?',
		}));

	it.each([
		['text', 'as it is', 'as it is'],
		['blocks of text', [text('a'), text('b')], 'ab'],
		[
			'blocks of other kinds',
			[text('a'), { type: 'image' }],
			'[{"type":"text","text":"a"},{"type":"image"}]',
		],
		['a list of values', ['a', null], '["a",null]'],
		['an object', { price: 2 }, '{"price":2}'],
		['nothing', undefined, ''],
	])('has the result of a tool as text: %s', (_, result, content) =>
		expect(
			toApiMessage({
				role: 'tool',
				content: [{ type: 'tool-result', toolCallId: 'a', result }],
			}),
		).toEqual({ role: 'tool', tool_call_id: 'a', content }),
	);

	it('has the text of a tool that has no result', () =>
		expect(toApiMessage({ role: 'tool', content: [text('done')] })).toEqual({
			role: 'tool',
			tool_call_id: '',
			content: 'done',
		}));

	it('has the calls of the model, with IDs of their own where they have none', () => {
		const calls = [call('{"a":1}', 'x'), call('{}')];
		const expected = [
			{ id: 'x', type: 'function', function: { name: 'price', arguments: '{"a":1}' } },
			{ id: 'call_1', type: 'function', function: { name: 'price', arguments: '{}' } },
		];
		const said = (...content: MessageContent[]) => toApiMessage({ role: 'assistant', content });
		expect(said(...calls)).toEqual({ role: 'assistant', content: null, tool_calls: expected });
		expect(said(text('Let me see'), ...calls)).toEqual({
			role: 'assistant',
			content: 'Let me see',
			tool_calls: expected,
		});
		expect(said(text('Yes'))).toEqual({ role: 'assistant', content: 'Yes' });
	});
});

describe('an image', () => {
	const part = (url: string, more: object = {}) => ({
		type: 'image_url',
		image_url: { url, ...more },
	});

	it.each([
		['base64', { mediaType: 'image/png' }, 'data:image/png;base64,AQID'],
		[
			'bytes',
			{ mediaType: 'image/webp', data: Uint8Array.of(1, 2, 3) },
			'data:image/webp;base64,AQID',
		],
		['a type in upper case', { mediaType: 'IMAGE/GIF' }, 'data:image/gif;base64,AQID'],
		['the wrong name of a type', { mediaType: 'image/jpg' }, 'data:image/jpeg;base64,AQID'],
		['a link', { data: undefined, providerMetadata: { url: 'https://a/b' } }, 'https://a/b'],
		[
			'a link of a type',
			{ mediaType: 'image/bmp', data: '', providerMetadata: { url: 'https://a/b' } },
			'https://a/b',
		],
	])('is sent from %s', (_, given, url) => expect(image(given)).toEqual([part(url)]));

	it('is sent after the text, with its detail', () => {
		const metadata = { mediaType: 'image/png', providerMetadata: { detail: 'low' } };
		expect(toApiMessage(user(file(metadata), text('What is it?'))).content).toEqual([
			text('What is it?'),
			part('data:image/png;base64,AQID', { detail: 'low' }),
		]);
		expect(image({ mediaType: 'image/png', providerMetadata: { detail: 3 } })).toEqual([
			part('data:image/png;base64,AQID'),
		]);
	});

	it.each([
		['another type', { mediaType: 'application/pdf' }, 'not application/pdf'],
		['a type around it', { mediaType: 'x-image/png' }, 'not x-image/png'],
		['a longer type', { mediaType: 'image/pngx' }, 'not image/pngx'],
		['an image that models do not take', { mediaType: 'image/bmp' }, 'not image/bmp'],
		['no type', {}, 'not a file without a type'],
		[
			'no data',
			{ mediaType: 'image/png', data: '' },
			'The model takes text and images (JPEG, PNG, WEBP, GIF)',
		],
		[
			'a link to something else',
			{ mediaType: 'text/html', providerMetadata: { url: 'https://a' } },
			'not text/html',
		],
		['a link that is no text', { providerMetadata: { url: 3 } }, 'not a file without a type'],
	])('is an error with %s', (_, given, message) => expect(() => image(given)).toThrow(message));
});

describe('an answer to the agent', () => {
	const answer = (choice: object, more: object = {}) =>
		fromCompletion({ choices: [choice], ...more }).result;

	it('has its text, ID, reasoning and reason', () =>
		expect(
			answer(
				{ message: { content: 'Yes', reasoning_content: 'hm' }, finish_reason: 'stop' },
				{ id: 'c1' },
			),
		).toEqual({
			id: 'c1',
			finishReason: 'stop',
			usage: undefined,
			message: { role: 'assistant', content: [text('Yes')] },
			providerMetadata: { reasoning_content: 'hm', finish_reason: 'stop' },
		}));

	it('says nothing that the service did not say', () =>
		expect(answer({ message: {} }, { id: 3, usage: 'none' })).toEqual({
			id: undefined,
			finishReason: 'other',
			usage: undefined,
			message: { role: 'assistant', content: [text('')] },
			providerMetadata: { finish_reason: null },
		}));

	it('of no choice is empty', () => expect(fromCompletion({ choices: [] }).text).toBe(''));

	it.each([
		['stop', 'stop'],
		['length', 'length'],
		['tool_calls', 'tool-calls'],
		['function_call', 'tool-calls'],
		['content_filter', 'content-filter'],
		['paused', 'other'],
		[7, 'other'],
	])('ended by %j is %s for the agent', (reason, expected) =>
		expect(answer({ message: { content: 'a' }, finish_reason: reason }).finishReason).toBe(
			expected,
		),
	);

	it('has the calls that have a name', () => {
		const calls = [
			{ id: 'x', type: 'function', function: { name: 'price', arguments: '{"a":1}' } },
			{ id: 'y', type: 'function', function: { name: '', arguments: '{}' } },
		];
		const found = fromCompletion({ choices: [{ message: { content: 'See', tool_calls: calls } }] });
		expect(found.calls).toEqual([call('{"a":1}', 'x')]);
		expect(found.text).toBe('See');
		expect(found.result.message.content).toEqual([text('See'), ...found.calls]);
	});

	it('gives a call an ID that the conversation does not have', () => {
		const earlier: Message = { role: 'assistant', content: [text('a'), call('{}', 'x')] };
		expect(callIds([user(text('Why?')), earlier])).toEqual(new Set(['x']));
		const calls = [{ id: 'x', function: { name: 'price', arguments: '{"b":1}' } }];
		const [found] = fromCompletion(
			{ choices: [{ message: { tool_calls: calls } }] },
			callIds([earlier]),
		).calls;
		expect(found?.toolCallId).not.toBe('x');
	});

	it('counts tokens as far as the service does', () => {
		const usage = (one: unknown) => answer({ message: { content: 'a' } }, { usage: one }).usage;
		expect(usage({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 6 })).toEqual({
			promptTokens: 3,
			completionTokens: 2,
			totalTokens: 6,
		});
		expect(
			usage({
				prompt_tokens: 3,
				completion_tokens: 2,
				prompt_tokens_details: { cached_tokens: 1 },
				completion_tokens_details: { reasoning_tokens: 0 },
			}),
		).toEqual({
			promptTokens: 3,
			completionTokens: 2,
			totalTokens: 5,
			inputTokenDetails: { cacheRead: 1 },
			outputTokenDetails: { reasoning: 0 },
		});
		expect(
			usage({
				completion_tokens: 2,
				prompt_tokens_details: { cached_tokens: '1' },
				completion_tokens_details: 'none',
			}),
		).toEqual({ promptTokens: 0, completionTokens: 2, totalTokens: 2 });
		expect(usage({ prompt_tokens: 0 })).toMatchObject({ totalTokens: 0 });
	});

	it.each([{}, { prompt_tokens: null, completion_tokens: null, total_tokens: null }])(
		'counts no tokens where the service says no number: %j',
		(usage) => {
			expect(answer({ message: { content: 'a' } }, { usage }).usage).toBeUndefined();
		},
	);
});
