import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { subNode } from '../../engine/nodes.mts';
import { COMPLETIONS, heardOf, QUESTION, rejection, useStage } from './play.mts';
import {
	completion,
	json,
	pieces,
	events,
	chunk,
	stream,
	type Answer,
	type Fields,
} from './service.mts';

const stage = useStage();
describe('the retriever', () => {
	const SEARCH = /retrieval\/search$/;
	type Retriever = {
		invoke(query: unknown): Promise<Array<{ pageContent: string; metadata: IDataObject }>>;
	};
	const retriever = async (options: IDataObject = {}) =>
		(await stage.engine.supply(subNode('retrieverCompute', { topK: 2, options })))
			.response as unknown as Retriever;

	it.each([
		['null', null],
		['a list', []],
		['nothing', {}],
	])('results of %s are no document', async (_, results) => {
		stage.service.when(SEARCH, json({ results }));
		expect(await (await retriever()).invoke('q')).toEqual([]);
	});

	it('odd chunks', async () => {
		stage.service.when(
			SEARCH,
			json({
				results: {
					chunk_search_results: [
						null,
						{ id: 1, text: 'a', score: '0.9', metadata: 'x' },
						{ text: '' },
						{ text: 'b' },
					],
				},
			}),
		);
		const found = await (await retriever()).invoke({ query: 'q' });
		expect(found.map(({ pageContent }) => pageContent)).toEqual(['a']);
		expect(found[0]?.metadata).toMatchObject({ score: '0.9', chunk_id: 1 });
	});

	it.each([
		['nothing', ''],
		['an object', {}],
		['null', null],
	])('a query of %s is refused before anything is sent', async (_, query) => {
		expect(await rejection((await retriever()).invoke(query))).toBeDefined();
		expect(stage.service.heard).toEqual([]);
	});

	it.each<[string, Answer]>([
		['an error with 200', json({ detail: 'x' })],
		['a 500', json('', 500)],
		['half an answer', pieces(['{"results":{"chunk'], { cut: true })],
	])('%s is an error', async (_, answer) => {
		stage.service.when(SEARCH, answer);
		expect(await rejection((await retriever()).invoke('q'))).toBeDefined();
	});
});

describe('the chat model', () => {
	it('a stream that is lost is an error, and no tool runs', async () => {
		stage.service.when(
			COMPLETIONS,
			pieces(
				events([
					chunk({
						tool_calls: [
							{ index: 0, id: 'a', function: { name: 'destroy', arguments: '{"id":1}' } },
						],
					}),
				]),
				{ cut: true },
			),
		);
		const model = (await stage.model()).withTools([
			{ type: 'function', name: 'destroy', inputSchema: {} },
		]);
		const calls: Fields[] = [];
		expect(
			await rejection(
				(async () => {
					for await (const part of model.stream(QUESTION))
						if (part.type === 'tool-call-delta') calls.push(part);
				})(),
			),
		).toBeDefined();
		expect(calls).toEqual([]);
	});

	it('an agent that stops reading closes the connection', async () => {
		let closed: () => void = () => undefined;
		const isClosed = new Promise<void>((done) => (closed = done));
		stage.service.when(COMPLETIONS, (response) => {
			response.on('close', closed);
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			response.write(events([chunk({ content: 'a' })]).join(''));
		});
		for await (const part of (await stage.model()).stream(QUESTION))
			if (part.type === 'text-delta') break;
		await isClosed;
	});

	it('IDs that an earlier turn has used are new ones', async () => {
		const call = { id: 'call_0', type: 'function', function: { name: 't', arguments: '{}' } };
		stage.service.when(
			COMPLETIONS,
			stream([{ tool_calls: [{ index: 0, ...call }] }], 'tool_calls'),
		);
		const model = (await stage.model()).withTools([
			{ type: 'function', name: 't', inputSchema: {} },
		]);
		const before: Fields[] = [
			...QUESTION,
			{
				role: 'assistant',
				content: [{ type: 'tool-call', toolCallId: 'call_0', toolName: 't', input: '{}' }],
			},
			{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_0', result: 'x' }] },
		];
		const { calls } = await heardOf(model.stream(before));
		expect(calls).toHaveLength(1);
		expect(calls[0]?.id).not.toBe('call_0');
	});

	it('50 calls at once ask for no more than Requests at Once', async () => {
		let open = 0;
		let most = 0;
		stage.service.when(COMPLETIONS, async (response, heard, nth) => {
			most = Math.max(most, ++open);
			await new Promise((turn) => setImmediate(turn));
			open--;
			return await json(completion({ content: 'x' }))(response, heard, nth);
		});
		const model = await stage.model({ requestsAtOnce: 3 });
		await Promise.all(Array.from({ length: 50 }, async () => await model.generate(QUESTION)));
		expect(most).toBeLessThanOrEqual(3);
	});
});
