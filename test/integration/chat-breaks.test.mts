import type { ServerResponse } from 'node:http';
import type { StreamChunk } from '@n8n/ai-node-sdk';
import type { StructuredChunk } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { ComputeChatModel } from '../../nodes/LmChatCompute/model.ts';
import { json, useApi } from '../engine/api.mts';
import { startEngine } from '../engine/engine.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf } from '../engine/results.mts';
import { startServer } from '../engine/server.mts';
import { until } from '../engine/time.mts';

const service = useApi();
const model = async () =>
	new ComputeChatModel('m', {
		context: await service.intelligence(),
		body: {},
		schemaOf: () => ({}),
	});
const stream = async () =>
	(await model()).stream([{ role: 'user', content: [{ type: 'text', text: 'Why?' }] }]);

/** One piece of an answer, then nothing; tells when the connection is closed. */
function silentAfterOne() {
	const seen = { isClosed: false };
	const answer = (response: ServerResponse) => {
		response.on('close', () => (seen.isClosed = true));
		response
			.writeHead(200, { 'content-type': 'text/event-stream' })
			.write('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
	};
	return { seen, answer };
}

it('the Chat Completion node closes its connection when the chat is closed', async () => {
	const { seen, answer } = silentAfterOne();
	const server = await startServer((_, response) => answer(response));
	const { run } = await startEngine({
		'compute-intelligence': {
			type: 'computeIntelligenceApi',
			data: { baseUrl: server.url, ragSegment: 'rag', apiKey: 'key', header: 'bearer' },
		},
	});
	const onChunk = ({ type }: StructuredChunk) => {
		if (type === 'item') throw new Error('The chat is gone');
	};
	const ended = await run(
		chat('chat', 'complete', { model: locator('m'), input: 'prompt', prompt: 'Why?' }),
		[{}],
		{ mode: 'webhook', onChunk },
	);
	expect(errorOf(ended).message).toContain('The chat is gone');
	await until(() => seen.isClosed);
	await server.close();
});

describe('a stream of the chat model', () => {
	it('closes its connection when its reader stops, while the service is silent', async () => {
		const { seen, answer } = silentAfterOne();
		service.answers = [answer];
		for await (const chunk of await stream()) {
			expect(chunk).toEqual({ type: 'text-delta', delta: 'a' });
			break;
		}
		await until(() => seen.isClosed);
	});

	it('goes on after data that is null', async () => {
		service.answers = [
			(response) =>
				response
					.writeHead(200, { 'content-type': 'text/event-stream' })
					.end(
						'data: null\n\ndata: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n',
					),
		];
		const chunks: StreamChunk[] = [];
		for await (const chunk of await stream()) chunks.push(chunk);
		expect(chunks[0]).toEqual({ type: 'text-delta', delta: 'a' });
	});

	it('that comes in one piece brings text, reasoning and tool calls', async () => {
		const message = {
			content: 'Look.',
			reasoning_content: 'Hm.',
			tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }],
		};
		service.answers = [json({ choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })];
		const chunks: StreamChunk[] = [];
		for await (const chunk of await stream()) chunks.push(chunk);
		expect(chunks).toEqual([
			{ type: 'reasoning-delta', delta: 'Hm.' },
			{ type: 'text-delta', delta: 'Look.' },
			{ type: 'tool-call-delta', id: 'a', name: 'f', argumentsDelta: '{}' },
			{ type: 'finish', finishReason: 'tool-calls', usage: undefined },
		]);
	});
});
