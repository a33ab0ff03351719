import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chat } from '../../nodes/ChatCompletion/resources/chat.ts';
import { ComputeChatModel } from '../../nodes/LmChatCompute/model.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { bodyOf, errorOf, events, serviceOf } from './chat-service.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, formOf, outcomeOf } from './rag-service.mts';

const completionOf = (message: object, more: object = {}) => ({
	model: 'm',
	choices: [{ index: 0, message, finish_reason: 'stop' }],
	...more,
});
const TEXT = { type: 'text', text: '{"a":1}' };
const CALLS = [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }];

describe('the item of a completion', () => {
	/** Runs the operation for an answer of the service, with these options. */
	async function completed(sent: object, options: IDataObject = {}) {
		const operation = chat.operations[0] as Operation;
		const values = { model: 'm', input: 'prompt', prompt: 'Hello', options, simplify: true };
		const input = operation.input(formOf(operation, values), () => undefined);
		const context = await contextOf({ documents: new Answers(bodyOf(JSON.stringify(sent))) });
		Object.assign(context.functions, { isStreaming: () => false, addExecutionHints: () => [] });
		const result = await outcomeOf(operation.run(context, input));
		return { items: result.value as IDataObject[] | undefined, error: result.error };
	}

	it('has the error beside a whole response, and none that says nothing', async () => {
		const error = { message: 'upstream died' };
		const { items } = await completed(completionOf({ content: 'Hello' }, { error }));
		expect(items).toMatchObject([{ content: 'Hello', error }]);
		const { items: others } = await completed(completionOf({ content: 'a' }, { error: 'none' }));
		expect(others?.[0]).not.toHaveProperty('error');
	});

	it.each<[unknown, unknown]>([
		[TEXT, { a: 1 }],
		[{ text: TEXT.text }, { a: 1 }],
		[[TEXT, { type: 'refusal', refusal: null }], { a: 1 }],
		[{ a: 1 }, { a: 1 }],
		[{ text: 'Hello' }, { text: 'Hello' }],
	])('has the JSON of %j', async (content, expected) => {
		const options = { responseFormat: 'json_object' };
		const { items } = await completed(completionOf({ content }), options);
		expect(items).toMatchObject([{ content: expected }]);
	});

	it('says what is wrong with the text where its part is no JSON that was asked for either', async () => {
		const jsonSchema = { type: 'object', required: ['a'] };
		const { error } = await completed(completionOf({ content: { text: 'Hello' } }), { jsonSchema });
		expect(error?.message).toBe('The response is not valid JSON');
	});

	it('has the text beside calls, not its parts, and does not parse it', async () => {
		const message = { content: TEXT, tool_calls: CALLS };
		const { items } = await completed(completionOf(message), { responseFormat: 'json_object' });
		expect(items).toMatchObject([{ content: TEXT.text, tool_calls: CALLS }]);
	});
});

describe('what an agent gets of a completion', () => {
	const asked = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];
	const modelOf = async (text: string) => {
		const { context } = await serviceOf(bodyOf(text));
		return new ComputeChatModel('m', { context, body: {}, schemaOf: () => ({}) });
	};
	/** The error of a message, in one piece and as a stream. */
	async function errorsOf(message: object) {
		const whole = await modelOf(JSON.stringify(completionOf(message)));
		const choices = [{ index: 0, delta: message, finish_reason: 'stop' }];
		const stream = (await modelOf(events({ choices }))).stream(asked);
		const read = async () => {
			for await (const part of stream) void part;
		};
		return [await errorOf(whole.generate(asked)), await errorOf(read())];
	}

	it.each<[unknown]>([
		[{ a: 1 }],
		[[{ type: 'chart', chart: 1 }]],
		[{ type: 'chart', chart: 1 }],
		[{ type: 'text', text: ['a'] }],
	])('is an error with the response where it can read none of it: %j', async (content) => {
		for (const error of await errorsOf({ content })) {
			expect(error?.message).toBe('The response has no text that an AI agent can read');
			expect(error?.context.known).toMatchObject({
				partial: { choices: [{ message: { content } }] },
			});
		}
	});

	it.each<[object]>([
		[{ content: 'Hello' }],
		[{ content: [{ type: 'chart', chart: 1 }, 'Hello'] }],
		[{ content: null, tool_calls: CALLS }],
	])('is its text or its calls: %j', async (message) => {
		expect(await errorsOf(message)).toEqual([undefined, undefined]);
	});
});
