import { LLMock } from '@copilotkit/aimock';
import type { IDataObject } from 'n8n-workflow';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine, type Engine } from '../engine/engine.mts';
import { chat, locator } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';
import { manualClock, startSandbox, type Sandbox } from '../sandbox/index.mts';

/** Nobody here is shaped after our own code: a client that is not ours on the sandbox, our node on a server that is not ours. */

const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const TOOL = {
	type: 'function' as const,
	function: {
		name: 'list_machines',
		description: 'List the machines on offer',
		parameters: { type: 'object', properties: { gpu: { type: 'string' } }, required: ['gpu'] },
	},
};

describe('the openai client on the sandbox', () => {
	let sandbox: Sandbox;
	let client: OpenAI;
	beforeAll(async () => {
		sandbox = await startSandbox({ clock: manualClock(), streamNoise: true });
		client = new OpenAI({
			baseURL: `${sandbox.intelligenceUrl}/api/v1/`,
			apiKey: sandbox.keys.intelligenceKey,
			maxRetries: 0,
		});
	});
	afterAll(async () => await sandbox.close());

	it('lists models', async () => {
		const { data } = await client.models.list();
		expect(data.map(({ id }) => id)).toContain(MODEL);
		expect(data[0]).toMatchObject({ object: 'model', owned_by: 'svc-intelligence' });
	});

	it('chats, in one piece and streamed, with the same words and tokens', async () => {
		const messages = [{ role: 'user' as const, content: 'Why is the sky blue? Größe 🚀' }];
		const whole = await client.chat.completions.create({ model: MODEL, messages, n: 2 });
		expect(whole.choices.map(({ message }) => message.content)).toEqual([
			expect.stringMatching(/^Answer 1/),
			expect.stringMatching(/^Answer 2/),
		]);
		const spoken = ['', ''];
		let total: number | undefined;
		for await (const chunk of await client.chat.completions.create({
			model: MODEL,
			messages,
			n: 2,
			stream: true,
			stream_options: { include_usage: true },
		})) {
			for (const { index, delta } of chunk.choices) spoken[index] += delta.content ?? '';
			total = chunk.usage?.total_tokens ?? total;
		}
		expect(spoken).toEqual(whole.choices.map(({ message }) => message.content));
		expect(total).toBe(whole.usage?.total_tokens);
	});

	it('calls a tool and answers from its result', async () => {
		const question = { role: 'user' as const, content: 'Which of the machines is the cheapest?' };
		const first = await client.chat.completions.create({
			model: MODEL,
			messages: [question],
			tools: [TOOL],
			tool_choice: 'auto',
		});
		const message = first.choices[0]?.message;
		const call = message?.tool_calls?.[0];
		if (!message || call?.type !== 'function') throw new Error('no tool was called');
		expect([
			first.choices[0]?.finish_reason,
			call.function.name,
			Object.keys(JSON.parse(call.function.arguments)),
		]).toEqual(['tool_calls', 'list_machines', ['gpu']]);
		const result = JSON.stringify([
			{ name: 'H100', price: 9.5 },
			{ name: 'T4', price: 0.4 },
		]);
		const second = await client.chat.completions.create({
			model: MODEL,
			messages: [question, message, { role: 'tool', tool_call_id: call.id, content: result }],
			tools: [TOOL],
			tool_choice: 'auto',
		});
		expect(second.choices[0]?.message.content).toContain('"name":"T4"');
		const streamed = await client.chat.completions
			.stream({ model: MODEL, messages: [question], tools: [TOOL], tool_choice: 'auto' })
			.finalChatCompletion();
		expect(streamed.choices[0]?.message.tool_calls).toMatchObject([
			{ function: { name: 'list_machines', arguments: call.function.arguments } },
		]);
	});

	it('gets JSON in the form of a schema, and embeddings', async () => {
		const schema = {
			type: 'object',
			properties: { n: { type: 'integer', minimum: 3 } },
			required: ['n'],
		};
		const { choices } = await client.chat.completions.create({
			model: MODEL,
			messages: [{ role: 'user', content: 'x' }],
			response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
		});
		expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({ n: 3 });
		// The client asks for base64 and unpacks it
		const { data } = await client.embeddings.create({
			model: 'BAAI/bge-multilingual-gemma2',
			input: ['one', 'two'],
		});
		expect(data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
	});

	it('understands the refusals', async () => {
		const ask = (model: string) =>
			client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] });
		await expect(ask('nobody/nothing')).rejects.toMatchObject({
			status: 404,
			code: 'model_not_found',
		});
		await expect(ask('premium/Frontier-1T')).rejects.toMatchObject({
			status: 402,
			code: 'plan_too_low',
		});
		await expect(
			new OpenAI({ baseURL: `${sandbox.intelligenceUrl}/api/v1/`, apiKey: 'wrong' }).models.list(),
		).rejects.toMatchObject({ status: 401 });
	});

	it('meets a quota that opens at the full hour', async () => {
		const clock = manualClock('2026-03-01T12:40:00Z');
		const metered = await startSandbox({ clock, creditsPerHour: 30 });
		const poor = new OpenAI({
			baseURL: `${metered.intelligenceUrl}/api/v1/`,
			apiKey: metered.keys.intelligenceKey,
			maxRetries: 0,
		});
		const ask = (model = MODEL) =>
			poor.chat.completions.create({ model, messages: [{ role: 'user', content: 'Why?' }] });
		await ask();
		await ask();
		const refused = await ask('deepseek-ai/DeepSeek-R1-0528').then(
			() => undefined,
			(error: unknown) => error,
		);
		if (!(refused instanceof OpenAI.RateLimitError))
			throw new Error(`expected a 429, got ${String(refused)}`);
		expect([refused.code, refused.headers.get('retry-after')]).toEqual(['quota_exceeded', '1200']);
		clock.advance(1_200_000);
		expect((await ask()).choices).toHaveLength(1);
		await metered.close();
	});
});

describe('our node on an independent server of the same format', () => {
	const server = new LLMock({ port: 0, chunkSize: 3 });
	let engine: Engine;
	beforeAll(async () => {
		server.onMessage('sky', {
			content: 'Because of Rayleigh – größer ist 🚀 nicht.',
			reasoning: 'Light scatters.',
		});
		server.onMessage('machines', {
			toolCalls: [
				{ name: 'list_machines', arguments: '{"gpu":"H100"}' },
				{ name: 'list_prices', arguments: '{}' },
			],
		});
		server.onMessage('JSON', { content: '{"price": 3}' });
		server.onEmbedding(/./, { embedding: [0.5, 0.25] });
		await server.start();
		engine = await startEngine({
			'compute-intelligence': {
				type: 'computeIntelligenceApi',
				data: {
					baseUrl: server.url,
					ragSegment: 'rag',
					apiKey: 'any-key-at-all',
					header: 'bearer',
				},
			},
		});
	});
	afterAll(async () => await server.stop());

	const complete = (prompt: string, options: IDataObject = {}) =>
		chat('chat', 'complete', {
			model: locator('gpt-4o'),
			input: 'prompt',
			prompt,
			options,
			simplify: true,
		});
	const both = async (prompt: string, options: IDataObject = {}) => {
		const items = [
			onlyJson(await engine.run(complete(prompt, options))),
			onlyJson(await engine.run(complete(prompt, { ...options, stream: true }))),
		];
		return items.map(({ usage: _usage, ...item }) => item);
	};

	it('chats, in one piece and streamed', async () => {
		const [whole, streamed] = await both('Why is the sky blue?');
		expect(whole).toMatchObject({
			content: 'Because of Rayleigh – größer ist 🚀 nicht.',
			reasoning_content: 'Light scatters.',
			finish_reason: 'stop',
			index: 0,
		});
		expect(streamed).toEqual(whole);
	});

	it('gets tool calls, in one piece and streamed', async () => {
		const [whole, streamed] = await both('Which machines are there?', {
			tools: JSON.stringify([TOOL]),
		});
		const names = (item: IDataObject | undefined) =>
			(item?.tool_calls as Array<{ function: object }>).map((call) => call.function);
		expect(names(whole)).toEqual([
			{ name: 'list_machines', arguments: '{"gpu":"H100"}' },
			{ name: 'list_prices', arguments: '{}' },
		]);
		expect(names(streamed)).toEqual(names(whole));
		expect([whole?.finish_reason, streamed?.finish_reason]).toEqual(['tool_calls', 'tool_calls']);
	});

	it('parses JSON, lists models, creates embeddings', async () => {
		const [whole] = await both('JSON please', {
			jsonSchema: { type: 'object', properties: { price: { type: 'number' } } },
		});
		expect(whole?.content).toEqual({ price: 3 });
		expect(
			jsonOf(await engine.run(chat('model', 'getAll', { returnAll: true }))).length,
		).toBeGreaterThan(0);
		const vectors = jsonOf(
			await engine.run(
				chat('embedding', 'create', {
					model: locator('text-embedding-3-small'),
					input: '={{ ["a", "b"] }}',
					options: {},
				}),
			),
		);
		expect(vectors.map(({ embedding, index }) => [embedding, index])).toEqual([
			[[0.5, 0.25], 0],
			[[0.5, 0.25], 1],
		]);
	});
});
