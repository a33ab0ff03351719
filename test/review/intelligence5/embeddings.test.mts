import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { lost, whole } from '../intelligence4/service.mts';
import { useStage } from '../intelligence4/stage.mts';
import { by } from './service.mts';
import { embed, EMBED, KEY } from './stage.mts';

const stage = useStage(KEY);

interface Row {
	index: number;
	embedding: number[];
}

const vector = (n: number) => [n, n + 0.5];
const TEXTS = Array.from({ length: 10 }, (_, n) => ({ t: `t${n}` }));

/** A vector of an item, which is as the service sent it: a list, or 32-bit numbers in base64. */
function numbers(embedding: unknown): unknown {
	if (typeof embedding !== 'string') return embedding;
	return [...new Float32Array(new Uint8Array(Buffer.from(embedding, 'base64')).buffer)];
}

/** The vectors of the texts of a request, in a body of this form. */
const reply = (form: (rows: Row[]) => unknown) =>
	by(({ json }) =>
		whole(form(json.input.map((t, index) => ({ index, embedding: vector(Number(t.slice(1))) })))),
	);

it.each<[string, (rows: Row[]) => unknown]>([
	['in another order', (rows) => rows.toReversed()],
	[
		'whose index is a text, and counts from 1',
		(rows) => rows.map((row) => ({ ...row, index: String(row.index + 1) })),
	],
	[
		'in base64, which nobody asked for',
		(rows) =>
			rows.map((row) => ({
				...row,
				embedding: Buffer.from(new Float32Array(row.embedding).buffer).toString('base64'),
			})),
	],
])('each text has its own vector, of vectors %s', async (_world, data) => {
	stage.service.on(
		EMBED,
		reply((rows) => ({ data: data(rows) })),
	);
	const options = { includeText: true, batchSize: 4, requestsAtOnce: 3 };
	const { items } = await stage.run(embed(options), TEXTS);
	expect(items).toHaveLength(10);
	expect(items[7]?.text).toBe('t7');
	expect(numbers(items[7]?.embedding)).toEqual(vector(7));
	const store = await stage.embeddings({ batchSize: 4 });
	expect(await store.embedDocuments(['t1', 't2', 't3', 't4', 't5'])).toEqual(
		[1, 2, 3, 4, 5].map(vector),
	);
});

describe('an answer that does not have one vector for each text is an error for each of them', () => {
	it.each<[string, (rows: Row[]) => unknown, string]>([
		['one is missing', (rows) => ({ data: rows.slice(1) }), '4 vectors for 5 texts'],
		[
			'one comes twice',
			(rows) => ({ data: [rows[0], ...rows.slice(0, -1)] }),
			'several vectors for one text',
		],
		[
			'one has another dimension',
			(rows) => ({ data: [...rows.slice(1), { index: 0, embedding: [1, 2, 3] }] }),
			'vectors of 2, 3 dimensions',
		],
		[
			'null in a vector',
			(rows) => ({ data: [...rows.slice(1), { index: 0, embedding: [1, null] }] }),
			'a text without a vector',
		],
		['an error with 200', () => ({ error: { message: `no ${KEY}` } }), 'no ***'],
		['an object', (rows) => ({ data: { ...rows } }), '0 vectors for 5 texts'],
	])('%s', async (_world, form, words) => {
		stage.service.on(EMBED, reply(form));
		const { items, all } = await stage.run(embed({ batchSize: 5 }, CONTINUE), TEXTS);
		expect(items).toHaveLength(10);
		for (const { error } of items) expect(error).toContain(words);
		expect(all).not.toContain(KEY);
	});
});

it('the second of three batches is lost: Retry On Fail asks no text again that was paid for', async () => {
	const all = reply((data) => ({ data, usage: { total_tokens: 4, prompt_tokens: 4 } }));
	stage.service.on(EMBED, all, lost, all);
	const { items } = await stage.run(embed({ batchSize: 4 }, RETRY), TEXTS);
	expect(items).toHaveLength(10);
	expect(stage.service.of(EMBED).map(({ json }) => json.input.length)).toEqual([4, 4, 4, 2]);
});

it('one supply of embeddings has vectors of one dimension', async () => {
	stage.service.on(
		EMBED,
		whole({ data: [{ index: 0, embedding: [1, 2] }] }),
		whole({ data: [{ index: 0, embedding: [1, 2, 3] }] }),
	);
	const store = await stage.embeddings();
	await store.embedQuery('t1');
	await expect(store.embedQuery('t2')).rejects.toThrow(/dimensions/);
});
