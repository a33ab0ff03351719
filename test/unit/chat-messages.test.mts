import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { messageFields, readMessages } from '../../nodes/ChatCompletion/messages.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { message, node } from './parameters-form.mts';

/** The messages of a form that is filled in like this. */
const read = (values: IDataObject) =>
	readMessages(new Parameters(node, 0, messageFields, (name) => values[name]));
const problemOf = (values: IDataObject) => message(() => read(values));

const text = (role: string, content: string) => ({ body: { role, content }, images: [] });

describe('a prompt', () => {
	it('is a message of the user, as it was entered', () => {
		expect(read({ input: 'prompt', prompt: ' Hello\n' })).toEqual([text('user', ' Hello\n')]);
	});

	it.each([undefined, ''])('has no system message where that is %j', (systemPrompt) => {
		expect(read({ input: 'prompt', prompt: 'Hello', systemPrompt })).toHaveLength(1);
	});

	it('comes after its system message', () => {
		expect(read({ input: 'prompt', prompt: 'Hello', systemPrompt: ' Be short. ' })).toEqual([
			text('system', ' Be short. '),
			text('user', 'Hello'),
		]);
	});

	it('is required', () => {
		expect(problemOf({ input: 'prompt', prompt: ' ' })).toContain('Prompt');
	});
});

describe('messages of the form', () => {
	const rows = (...values: IDataObject[]) => read({ input: 'messages', messages: { values } });
	const row = (values: IDataObject) => rows(values)[0];

	it('come in their order, each with its role', () => {
		const roles = ['developer', 'system', 'user', 'assistant'];
		expect(rows(...roles.map((role) => ({ role, content: `I am ${role}` })))).toEqual(
			roles.map((role) => text(role, `I am ${role}`)),
		);
	});

	it('are of the user where nothing else is chosen', () => {
		expect(row({ content: ' Hello ' })).toEqual(text('user', ' Hello '));
	});

	it('need at least one, and a content', () => {
		expect(problemOf({ input: 'messages', messages: {} })).toBe(
			'Messages is required: add at least one message',
		);
		expect(message(() => row({ role: 'user' }))).toContain('Content');
	});

	it('tell a result of a tool by the ID of its call', () => {
		expect(row({ role: 'tool', content: '42', toolCallId: 'call_1' })).toEqual({
			body: { role: 'tool', content: '42', tool_call_id: 'call_1' },
			images: [],
		});
		expect(message(() => row({ role: 'tool', content: '42' }))).toContain('Tool Call ID');
		expect(row({ role: 'user', content: 'x', toolCallId: 'call_1' })).toEqual(text('user', 'x'));
	});

	it('of a user may have images: addresses, or names of binary fields', () => {
		const images = ['HTTPS://a/b.png', ' http://a/c.png ', 'data:image/png;base64,AA', ' data '];
		expect(row({ role: 'user', content: 'Look', images })).toEqual({
			body: { role: 'user', content: 'Look' },
			images: [
				{ url: 'HTTPS://a/b.png' },
				{ url: 'http://a/c.png' },
				{ url: 'data:image/png;base64,AA' },
				{ binaryField: 'data' },
			],
		});
	});

	it('may be images alone, but not of others', () => {
		expect(row({ role: 'user', images: ['data'] })).toEqual({
			body: { role: 'user', content: '' },
			images: [{ binaryField: 'data' }],
		});
		expect(row({ role: 'system', content: 'x', images: ['data'] })).toEqual(text('system', 'x'));
		expect(row({ role: 'user', content: 'x', images: [] })).toEqual(text('user', 'x'));
	});

	describe('of an assistant', () => {
		const calls = [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }];

		it('may be an earlier output with calls of tools', () => {
			const content = { role: 'assistant', tool_calls: calls, finish_reason: 'tool_calls' };
			expect(row({ role: 'assistant', content })).toEqual({
				body: { role: 'assistant', content: null, tool_calls: calls },
				images: [],
			});
			expect(row({ role: 'assistant', content: { ...content, content: 'Wait' } })).toEqual({
				body: { role: 'assistant', content: 'Wait', tool_calls: calls },
				images: [],
			});
		});

		it('may not be another object, nor that one of somebody else', () => {
			const problem = (values: IDataObject) => message(() => row(values));
			expect(problem({ role: 'assistant', content: { content: 'x' } })).toContain('Content');
			expect(problem({ role: 'assistant', content: { tool_calls: 'f' } })).toContain('Content');
			expect(problem({ role: 'user', content: { tool_calls: calls } })).toContain('Content');
		});
	});
});

describe('messages as JSON', () => {
	const json = (...messages: unknown[]) =>
		read({ input: 'json', messagesJson: messages as IDataObject[] });
	const problem = (...messages: unknown[]) => message(() => json(...messages));

	it.each([
		[{ role: 'user', content: 'Hello', name: 'Ada' }],
		[{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
		[{ role: 'user', content: [] }],
		[{ role: 'assistant', tool_calls: [] }],
		[{ role: 'assistant', content: null, tool_calls: [] }],
		[{ role: 'assistant', content: null, function_call: { name: 'f' } }],
	])('are sent as they are: %j', (body) => {
		expect(json(body)).toEqual([{ body, images: [] }]);
	});

	it('are at least one', () => {
		expect(problem()).toBe('Messages (JSON) must contain at least one message');
	});

	it.each<[string, unknown]>([
		['must contain objects such as {"role": "user", "content": "..."}, got "Hello"', 'Hello'],
		['must contain objects such as {"role": "user", "content": "..."}, got nothing', null],
		[
			'must have one of the roles assistant, developer, system, tool, user, got "robot"',
			{ role: 'robot', content: 'x' },
		],
		['must have a content that is text or an array of parts, got 1', { role: 'user', content: 1 }],
		[
			'must have a content that is text or an array of parts, got ["x"]',
			{ role: 'user', content: ['x'] },
		],
		[
			'must have a content that is text or an array of parts, got nothing',
			{ role: 'user', content: null },
		],
		[
			'must have a content that is text or an array of parts, got 1',
			{ role: 'assistant', content: 1, tool_calls: [] },
		],
	])('%s', (words, wrong) => {
		expect(problem({ role: 'user', content: 'x' }, wrong)).toBe(
			`Messages (JSON) ${words} at position 2`,
		);
	});
});
