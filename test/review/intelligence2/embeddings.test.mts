import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chat, CONTINUE, locator, RETRY, subNode } from '../../engine/nodes.mts';
import { KEY, rejection, useStage } from './play.mts';
import { json, pieces, type Answer, type Fields } from './service.mts';

const stage = useStage();
const EMBEDDINGS = /^POST \/api\/v1\/embeddings$/;
const node = (options: IDataObject = {}, settings = {}) =>
	chat(
		'embedding',
		'create',
		{ model: locator('e'), input: '={{ $json.text }}', options },
		settings,
	);
const texts = (count: number) => Array.from({ length: count }, (_, n) => ({ text: `text ${n}` }));
const inputOf = (body: Fields | undefined) => [body?.input].flat().map(String);
const vector = (text: string) => [Number(/\d+/.exec(text)?.[0] ?? 0), 1, -1];
const list = (data: unknown): Fields => ({
	object: 'list',
	data,
	model: 'e',
	usage: { prompt_tokens: 1, total_tokens: 1 },
});
/** Answers with the vectors of the texts, changed by the test. */
const embed =
	(change: (data: Fields[]) => unknown = (data) => data): Answer =>
	(response, heard, nth) =>
		json(
			list(
				change(
					inputOf(heard.body).map((text, index) => ({
						object: 'embedding',
						index,
						embedding: vector(text),
					})),
				),
			),
		)(response, heard, nth);

describe('a vector belongs to its text', () => {
	it.each<[string, (data: Fields[]) => unknown]>([
		['shuffled', (data) => [...data].reverse()],
		[
			'counted from 1',
			(data) => data.map((one) => ({ ...one, index: Number(one.index) + 1 })).reverse(),
		],
		[
			'indices as text',
			(data) => data.map((one) => ({ ...one, index: String(one.index) })).reverse(),
		],
		[
			'base64',
			(data) =>
				data.map((one) => ({
					...one,
					embedding: Buffer.from(new Float32Array(one.embedding as number[]).buffer).toString(
						'base64',
					),
				})),
		],
		['no indices', (data) => data.map(({ index: _, ...one }) => one)],
		[
			'a list as text',
			(data) => data.map((one) => ({ ...one, embedding: JSON.stringify(one.embedding) })),
		],
	])('%s', async (_, change) => {
		stage.service.when(EMBEDDINGS, embed(change));
		const embeddings = (
			await stage.engine.supply(
				subNode('embeddingsCompute', { model: locator('e'), options: { batchSize: 4 } }),
			)
		).response as { embedDocuments(all: string[]): Promise<number[][]> };
		const all = texts(10).map(({ text }) => text);
		expect(await embeddings.embedDocuments(all)).toEqual(all.map(vector));
	});

	it.each<[string, (data: Fields[]) => unknown]>([
		['one too few', (data) => data.slice(1)],
		['one too many', (data) => [...data, { index: data.length, embedding: [1, 2, 3] }]],
		['a gap', (data) => data.map((one, at) => (at === 2 ? { ...one, index: 9 } : one))],
		['one twice', (data) => data.map((one, at) => (at === 2 ? { ...one, index: 1 } : one))],
		[
			'some without an index',
			(data) => data.map(({ index, ...one }, at) => (at === 2 ? one : { index, ...one })),
		],
		[
			'another size',
			(data) => data.map((one, at) => (at === 2 ? { ...one, embedding: [1, 2] } : one)),
		],
		['an empty one', (data) => data.map((one, at) => (at === 2 ? { ...one, embedding: [] } : one))],
		['null', (data) => data.map((one, at) => (at === 2 ? { ...one, embedding: null } : one))],
		[
			'null among the numbers',
			(data) => data.map((one, at) => (at === 2 ? { ...one, embedding: [1, null, 2] } : one)),
		],
		[
			'infinity in base64',
			(data) =>
				data.map((one) => ({
					...one,
					embedding: Buffer.from(new Float32Array([1, Infinity, 3]).buffer).toString('base64'),
				})),
		],
		['bytes that are no numbers', (data) => data.map((one) => ({ ...one, embedding: 'AAAAAAA=' }))],
		[
			'fractions for indices',
			(data) => data.map((one) => ({ ...one, index: Number(one.index) / 2 })),
		],
		['no list', () => null],
		['lists for entries', (data) => data.map((one) => one.embedding)],
	])('%s is an error, paid once, with what came', async (_, change) => {
		stage.service.when(EMBEDDINGS, embed(change));
		const { error, words, details } = await stage.run(node(), texts(4));
		expect(error?.message).toMatch(/The response contains/);
		expect(words).not.toContain(KEY);
		expect(details.response).toBeDefined();
		expect(stage.service.asked(EMBEDDINGS)).toHaveLength(1);
	});

	it('NaN in the JSON is an error with what came', async () => {
		stage.service.when(
			EMBEDDINGS,
			json(
				'{"object":"list","data":[{"index":0,"embedding":[NaN,1,2]},{"index":1,"embedding":[7.25,1,2]}]}',
			),
		);
		const { error, words, details } = await stage.run(node(), texts(2));
		expect(error).toBeDefined();
		expect(`${words}${JSON.stringify(details)}`).toContain('7.25');
		expect(stage.service.asked(EMBEDDINGS)).toHaveLength(1);
	});

	it('other dimensions than asked for', async () => {
		stage.service.when(EMBEDDINGS, embed());
		expect((await stage.run(node({ dimensions: 256 }), texts(2))).words).toMatch(
			/3 dimensions, not 256/,
		);
	});

	it('a later batch of another size is an error that has the earlier vectors', async () => {
		stage.service.when(EMBEDDINGS, (response, heard, nth) =>
			(nth === 0 ? embed() : embed((data) => data.map((one) => ({ ...one, embedding: [1, 2] }))))(
				response,
				heard,
				nth,
			),
		);
		const { error, details } = await stage.run(node({ batchSize: 2 }), texts(4));
		expect(error).toBeDefined();
		expect(JSON.stringify(details)).toContain('[1,1,-1]');
	});
});

describe('batches', () => {
	it('a text that the model refuses fails alone, the others are paid once', async () => {
		stage.service.when(EMBEDDINGS, (response, heard, nth) =>
			(inputOf(heard.body).includes('text 57') ? json({ detail: 'too long' }, 400) : embed())(
				response,
				heard,
				nth,
			),
		);
		const { items } = await stage.run(node({ batchSize: 20 }, CONTINUE), texts(100));
		expect(items.map(({ error }, n) => (error ? n : -1)).filter((n) => n >= 0)).toEqual([57]);
		expect(items.every(({ embedding }, n) => n === 57 || (embedding as number[])[0] === n)).toBe(
			true,
		);
		const billed = stage.service.heard
			.map(({ body }) => inputOf(body))
			.filter((all) => !all.includes('text 57'))
			.flat();
		expect(new Set(billed).size).toBe(billed.length);
	});

	it('with Retry On Fail, what was paid is not asked again, in the right order', async () => {
		stage.service.when(EMBEDDINGS, (response, heard, nth) =>
			(nth === 2 ? json({ detail: 'x' }, 500) : embed())(response, heard, nth),
		);
		const { items } = await stage.run(node({ batchSize: 10 }, RETRY), texts(50));
		expect(items.map(({ embedding }) => (embedding as number[])[0])).toEqual(
			texts(50).map((_, n) => n),
		);
		const counts = stage.service.heard.flatMap(({ body }) => inputOf(body));
		expect(counts).toHaveLength(60);
	});

	it('a reset in the middle of a batch', async () => {
		stage.service.when(EMBEDDINGS, (response, heard, nth) =>
			(nth === 1 ? pieces(['{"data":[{"index":0,'], { cut: true }) : embed())(response, heard, nth),
		);
		const { error, details } = await stage.run(node({ batchSize: 2 }), texts(6));
		expect(error).toBeDefined();
		expect(JSON.stringify(details)).toContain('[0,1,-1]');
		expect(stage.service.asked(EMBEDDINGS)).toHaveLength(2);
	});

	it('a fault that is not in the texts ends after few requests', async () => {
		stage.service.when(EMBEDDINGS, json({ detail: 'no such model' }, 400));
		expect((await stage.run(node({ batchSize: 50 }), texts(500))).error).toBeDefined();
		expect(stage.service.heard.length).toBeLessThan(20);
	});

	it('the same text twice keeps both places', async () => {
		stage.service.when(EMBEDDINGS, embed());
		const { items } = await stage.run(node({ batchSize: 2 }), [
			{ text: 'a 1' },
			{ text: 'a 1' },
			{ text: 'b 2' },
		]);
		expect(items.map(({ embedding }) => (embedding as number[])[0])).toEqual([1, 1, 2]);
	});

	it.each([
		['blanks', '  '],
		['nothing', ''],
		['a list with a blank', ['a', ' ']],
		['an object', { a: 1 }],
		['an empty list', []],
	])('%s is refused before anything is sent', async (_, text) => {
		const { words } = await stage.run(node(), [{ text } as IDataObject]);
		expect(words).toMatch(/Input/);
		expect(stage.service.heard).toEqual([]);
	});

	it('the sub-node refuses an empty text, too', async () => {
		const embeddings = (
			await stage.engine.supply(subNode('embeddingsCompute', { model: locator('e'), options: {} }))
		).response as { embedDocuments(all: unknown): Promise<number[][]> };
		expect((await rejection(embeddings.embedDocuments(['a', ''])))?.message).toMatch(/Text 2 of 2/);
		expect(await embeddings.embedDocuments([])).toEqual([]);
		expect(stage.service.heard).toEqual([]);
	});
});

describe('Agent > Run', () => {
	const RUN = /^POST \/api\/v1\/workflows\/run$/;
	const run = (settings = {}) =>
		chat(
			'agent',
			'run',
			{ agentName: locator('summary_agent'), objective: 'x', type: 'none' },
			settings,
		);
	it.each<[string, unknown, IDataObject]>([
		['an object', { result: 'x' }, { result: 'x' }],
		['a text', '"done"', { result: 'done' }],
		['plain words', 'done', { result: 'done' }],
		['a list', ['a'], { result: ['a'] }],
		[
			'an error beside a result',
			{ result: 'x', error: 'warning' },
			{ result: 'x', service_error: 'warning' },
		],
	])('%s comes out as it is', async (_, body, item) => {
		stage.service.when(RUN, json(body));
		expect((await stage.run(run())).items).toEqual([item]);
	});

	it.each<[string, Answer]>([
		['JSON that is cut off', json('{"result": "The first')],
		['an error with 200', json({ status: 'failed', message: 'no credits' })],
		['an error in an envelope', json({ data: { error: 'no credits' } })],
		['a page', json('<html><title>Login</title></html>', 200, { 'content-type': 'text/html' })],
	])('%s is an error, paid once', async (_, answer) => {
		stage.service.when(RUN, answer);
		expect((await stage.run(run())).error).toBeDefined();
		expect(stage.service.asked(RUN)).toHaveLength(1);
	});
});
