import type { FunctionTool, Message, StreamChunk, Tool } from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it, vi } from 'vitest';
import { ComputeChatModel, type Settings } from '../../nodes/LmChatCompute/model.ts';
import { json, useApi } from '../engine/api.mts';
import { until } from '../engine/time.mts';

/** What n8n's SDK calls, without the SDK: the requests that it makes, and how they end. */
const service = useApi();
const model = async (more: Partial<Settings> = {}) =>
	new ComputeChatModel('m', {
		context: await service.intelligence(),
		body: {},
		schemaOf: ({ inputSchema }: FunctionTool) => inputSchema,
		...more,
	});
const WHY: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }];
const TOOL: FunctionTool = {
	type: 'function',
	name: 'price',
	description: 'Of a machine',
	inputSchema: { type: 'object' },
};
const yes = json({ choices: [{ index: 0, message: { content: 'Yes' }, finish_reason: 'stop' }] });
const nothing = json({ choices: [] });
const bodies = () => service.received.map(({ body }) => JSON.parse(body.toString()) as IDataObject);
const chunksOf = async (stream: AsyncIterable<StreamChunk>) => {
	const chunks: StreamChunk[] = [];
	for await (const chunk of stream) chunks.push(chunk);
	return chunks;
};
/** Both ways to ask, each with the same outcome. */
const WAYS = {
	whole: async (one: ComputeChatModel, ...given: Parameters<ComputeChatModel['generate']>) => {
		await one.generate(...given);
	},
	streamed: async (one: ComputeChatModel, ...given: Parameters<ComputeChatModel['stream']>) => {
		await chunksOf(one.stream(...given));
	},
};

describe.each(Object.entries(WAYS))('an answer as a %s one', (way, ask) => {
	const streamed = way === 'streamed' ? { stream: true } : {};

	it('is asked with the messages, the stop texts and the options', async () => {
		service.answers = [yes];
		const one = await model({ body: { seed: 3 } });
		await ask(one, WHY);
		await ask(one, WHY, { stopSequences: ['a'], stop: ['b'] } as object);
		await ask(one, WHY, { stop: ['b'] } as object);
		const [first, ...others] = bodies();
		expect(first).toMatchObject({
			model: 'm',
			messages: [{ role: 'user', content: 'Why?' }],
			seed: 3,
			...streamed,
		});
		for (const field of ['stop', 'tools', 'tool_choice']) expect(first).not.toHaveProperty(field);
		expect(others.map(({ stop }) => stop)).toEqual([['a'], ['b']]);
	});

	it('is asked with the tools of n8n, not with those of a provider', async () => {
		service.answers = [yes];
		const one = await model();
		const provider = { type: 'provider', name: 'web', args: {} } as Tool;
		await ask(one.withTools([TOOL, provider]) as ComputeChatModel, WHY);
		await ask(one, WHY);
		expect(bodies()[0]).toMatchObject({
			tool_choice: 'auto',
			tools: [
				{
					type: 'function',
					function: { name: 'price', description: 'Of a machine', parameters: { type: 'object' } },
				},
			],
		});
		expect(bodies()[1]).not.toHaveProperty('tools');
	});

	it('begins when there is a place, and gives it back, also after an error', async () => {
		const end = vi.fn();
		const begin = vi.fn(async (_signal?: AbortSignal) => {
			expect(service.received.length).toBe(begin.mock.calls.length - 1);
			return end;
		});
		const one = await model({ begin });
		const { signal } = new AbortController();
		service.answers = [yes];
		await ask(one, WHY, { abortSignal: signal });
		expect(end).toHaveBeenCalledTimes(1);
		service.answers = [nothing];
		await expect(ask(one, WHY)).rejects.toThrow();
		expect(end).toHaveBeenCalledTimes(2);
		expect(begin.mock.calls.map(([given]) => given)).toEqual([signal, undefined]);
	});

	it.each(['abortSignal', 'signal', 'execution'])('ends with the signal %s', async (name) => {
		service.answers = [() => undefined];
		const aborts = Object.fromEntries(
			['abortSignal', 'signal', 'execution'].map((key) => [key, new AbortController()]),
		);
		const { abortSignal, signal, execution } = aborts;
		const context = { ...(await service.intelligence()), signal: execution?.signal };
		const config = { abortSignal: abortSignal?.signal, signal: signal?.signal };
		const ended = ask(await model({ context }), WHY, config).then(
			() => 'answered',
			() => 'ended',
		);
		await until(() => service.received.length === 1);
		aborts[name]?.abort();
		expect(await ended).toBe('ended');
		await service.noConnection();
	});
});

it('a stream shows what came, and at its end what only the whole answer has', async () => {
	const events = [
		{ choices: [{ index: 0, delta: { role: 'assistant' } }] },
		{ choices: [{ index: 0, delta: { reasoning_content: 'Hm' } }] },
		{ choices: [{ index: 0, delta: { content: 'Yes' } }] },
		{ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
		{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } },
	].map((event) => `data: ${JSON.stringify(event)}\n\n`);
	service.answers = [
		(response) =>
			response
				.writeHead(200, { 'content-type': 'text/event-stream' })
				.end(`${events.join('')}data: [DONE]\n\n`),
	];
	expect(await chunksOf((await model()).stream(WHY))).toEqual([
		{ type: 'reasoning-delta', delta: 'Hm' },
		{ type: 'text-delta', delta: 'Yes' },
		{
			type: 'finish',
			finishReason: 'length',
			usage: { promptTokens: 1, completionTokens: 2, totalTokens: 3 },
		},
	]);
});

it('a model knows what it is', async () => {
	const { modelId, provider } = await model();
	expect([modelId, provider]).toEqual(['m', 'compute']);
});

it('an ID that the conversation has is not given again, whole or streamed', async () => {
	const calls = [{ id: 'x', function: { name: 'price', arguments: '{"b":1}' } }];
	service.answers = [
		json({ choices: [{ index: 0, message: { tool_calls: calls }, finish_reason: 'tool_calls' }] }),
	];
	const earlier: Message[] = [
		...WHY,
		{
			role: 'assistant',
			content: [{ type: 'tool-call', toolCallId: 'x', toolName: 'price', input: '{"a":1}' }],
		},
		{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'x', result: '2' }] },
	];
	const one = await model();
	const whole = (await one.generate(earlier)).message?.content.find(
		({ type }) => type === 'tool-call',
	);
	const streamed = (await chunksOf(one.stream(earlier))).find(
		({ type }) => type === 'tool-call-delta',
	);
	expect(whole).toMatchObject({ toolName: 'price', toolCallId: expect.not.stringMatching(/^x$/) });
	expect(streamed).toMatchObject({ name: 'price', id: expect.not.stringMatching(/^x$/) });
});
