import type { IDataObject } from 'n8n-workflow';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { at, Client } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 5: Streaming; intelligence-api.md: What the service does. */
const fixture = useFixture();
const PATH = '/intelligence/api/v1/chat/completions';
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const messages = [{ role: 'user', content: 'Why?' }];
const TOOLS = [
	{
		type: 'function',
		function: {
			name: 'machine_list',
			parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
		},
	},
];

const streamed = async (options: IDataObject = {}) =>
	await fixture.run(
		chat('chat', 'complete', {
			model: locator(MODEL),
			input: 'messages',
			messages: { values: messages },
			options: { stream: true, ...options },
			simplify: false,
		}),
	);

/** The data of each event, as an independent client reads it. */
async function wire(changes: object = {}): Promise<string[]> {
	const client = new Client(fixture.sandbox.url, {
		authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
	});
	const { text, type } = await client.post(PATH, {
		model: MODEL,
		messages,
		stream: true,
		...changes,
	});
	await client.close();
	expect(type).toMatch(/^text\/event-stream/);
	return [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data = '']) => data);
}
const chunksOf = (data: string[]) =>
	data.filter((one) => one !== '[DONE]').map((one) => JSON.parse(one) as IDataObject);
const answer = (...data: string[]) =>
	fixture.sandbox.faults.add({
		status: 200,
		contentType: 'text/event-stream',
		rawBody: data.map((one) => `data: ${one}\n\n`).join(''),
	});
const piece = (delta: object, finish: string | null = null) =>
	JSON.stringify({
		id: 'c',
		object: 'chat.completion.chunk',
		created: 1,
		model: 'm',
		choices: [{ index: 0, delta, finish_reason: finish }],
	});

describe('the wire format', () => {
	it('[chat.wire_format] a standard client works against <base>/api/v1/, and reads what the node reads', async () => {
		const client = new OpenAI({
			baseURL: `${fixture.sandbox.intelligenceUrl}/api/v1/`,
			apiKey: fixture.sandbox.keys.intelligenceKey,
			maxRetries: 0,
		});
		const whole = await client.chat.completions.create({
			model: MODEL,
			messages: [{ role: 'user', content: 'Why?' }],
		});
		let said = '';
		for await (const chunk of await client.chat.completions.create({
			model: MODEL,
			messages: [{ role: 'user', content: 'Why?' }],
			stream: true,
		}))
			said += chunk.choices[0]?.delta.content ?? '';
		const heard = [await streamed(), await streamed({ stream: false })].map((run) =>
			at(onlyJson(run), 'choices', 0, 'message', 'content'),
		);
		expect([said, ...heard]).toEqual(
			Array.from({ length: 3 }, () => whole.choices[0]?.message.content),
		);
	});
});

describe('streamed answers', () => {
	it('[chat.stream.chunks] chat.completion.chunk with id, created, model, and choices of index, delta and finish_reason', async () => {
		const chunks = chunksOf(await wire());
		for (const chunk of chunks)
			expect(chunk).toMatchObject({
				id: expect.any(String),
				object: 'chat.completion.chunk',
				created: expect.any(Number),
				model: MODEL,
			});
		const said = chunks.map((chunk) => at(chunk, 'choices', 0, 'delta', 'content') ?? '').join('');
		expect(at(onlyJson(await streamed()), 'choices', 0, 'message')).toEqual({
			role: 'assistant',
			content: said,
		});
		expect(
			chunks
				.map((chunk) => at(chunk, 'choices', 0, 'finish_reason'))
				.filter((reason) => typeof reason === 'string'),
		).toEqual(['stop']);
	});

	it('[chat.stream.done] the last is [DONE]; without an end the answer has broken off', async () => {
		expect((await wire()).at(-1)).toBe('[DONE]');
		answer(
			piece({ content: 'a' }),
			piece({}, 'stop'),
			'[DONE]',
			piece({ content: 'not read any more' }),
		);
		expect(at(onlyJson(await streamed()), 'choices', 0, 'message', 'content')).toBe('a');
		answer(piece({ content: 'a' }));
		expect(errorOf(await streamed()).message).toContain('The response ended early');
	});

	it('[chat.stream.usage] a last chunk without choices may carry usage', async () => {
		const last = chunksOf(await wire({ stream_options: { include_usage: true } })).at(-1);
		expect(last).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
		expect(onlyJson(await streamed({ includeUsage: true })).usage).toEqual(last?.usage);
	});

	it('[chat.stream.reasoning] delta.reasoning_content', async () => {
		const thought = chunksOf(await wire({ reasoning_content: true }))
			.map((chunk) => at(chunk, 'choices', 0, 'delta', 'reasoning_content') ?? '')
			.join('');
		expect(thought).not.toBe('');
		expect(
			at(
				onlyJson(await streamed({ reasoningContent: true })),
				'choices',
				0,
				'message',
				'reasoning_content',
			),
		).toBe(thought);
	});

	it('[chat.stream.tool_calls] delta.tool_calls come in pieces and are put together', async () => {
		const pieces = chunksOf(await wire({ tools: TOOLS, tool_choice: 'required' })).filter(
			(chunk) => at(chunk, 'choices', 0, 'delta', 'tool_calls') !== undefined,
		);
		expect(pieces.length).toBeGreaterThan(1);
		const [call] = at(
			onlyJson(await streamed({ tools: TOOLS, toolChoice: 'required' })),
			'choices',
			0,
			'message',
			'tool_calls',
		) as IDataObject[];
		expect(call).toMatchObject({ type: 'function', function: { name: 'machine_list' } });
		expect(JSON.parse(String(at(call, 'function', 'arguments')))).toEqual({
			text: expect.any(String),
		});
	});
});
