import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { paidBeside } from '../../nodes/intelligence/embeddingBatches.ts';
import { embed, rejected, vectors } from './embedding-parts.mts';
import { Body, type Answered } from './log-parts.mts';

const V = [[1, 2, 3]];
const failing = (bad: string) => (texts: string[]) =>
	texts.includes(bad) ? rejected(500, 'broken') : vectors(texts);

describe('texts with other settings', () => {
	const of = ([text = '']: string[]) => ({ model: `model of ${text}` });

	it('are in a request of their own', async () => {
		const { asked, outcomes } = await embed([['a'], ['b']], vectors, { of, batchSize: 2 });
		expect([asked, outcomes]).toEqual([
			[['a'], ['b']],
			[V, V],
		]);
	});

	it.each([
		[true, ['Server error (500): broken', V]],
		[false, ['Server error (500): broken', []]],
	])('are sent after an error only where the node continues: %s', async (continues, expected) => {
		const { asked, outcomes } = await embed([['a'], ['b']], failing('a'), { of, continues });
		expect(outcomes).toEqual(expected);
		expect(asked).toHaveLength(continues ? 2 : 1);
	});
});

describe('a vector that is paid for', () => {
	it('is not asked for again in the next try', async () => {
		const kept = new Map<string, unknown>();
		const items = [['a', 'b'], ['c']];
		await embed(items, failing('b'), { kept });
		const { asked, outcomes, results } = await embed(items, vectors, { kept });
		expect(asked).toEqual([['b']]);
		expect(outcomes).toEqual([[...V, ...V], V]);
		expect(results.get(0)?.vectors.map(({ index }) => index)).toEqual([0, 1]);
	});

	it('tells the size of those of the next try', async () => {
		const kept = new Map<string, unknown>();
		await embed([['a'], ['b']], failing('b'), { kept });
		const { outcomes } = await embed([['a'], ['b']], (texts) => vectors(texts, [1, 2]), { kept });
		expect(outcomes).toEqual([V, 'The response contains vectors of 2 dimensions, not 3']);
	});

	it('of an item that fails is in its error; those of later items, where it ends the execution', async () => {
		const made = await embed([['z'], ['a', 'b'], ['c'], ['d']], failing('b'));
		const { results, context } = made;
		const vector = (index: number) => ({ index, embedding: [1, 2, 3] });
		const paid = (itemIndex: number, continues: boolean) => {
			const functions = { ...context.functions, continueOnFail: () => continues };
			return paidBeside({ ...context, itemIndex, functions }, results);
		};
		expect(paid(1, true)).toEqual({ partial: [vector(0)] });
		expect(paid(1, false)).toEqual({
			partial: [vector(0)],
			others_partial: [
				{ item: 2, ...vector(0) },
				{ item: 3, ...vector(0) },
			],
		});
		expect(paid(3, false)).toEqual({ partial: [vector(0)] });
		const none = await embed([['b']], failing('b'), { continues: false });
		expect(paidBeside(none.context, none.results)).toEqual({});
	});
});

describe('a rejection of several texts', () => {
	const fault = (...loc: string[]) => ({ loc, msg: 'no' });
	const refused = (status: number, detail: unknown): Answered => ({ status, json: { detail } });

	it.each<[string, number, unknown, string[][]]>([
		['another field', 422, [fault('body', 'dimensions')], [['a', 'b']]],
		['another field, too', 422, [fault('body', 'input'), fault('body', 'model')], [['a', 'b']]],
		['a field and more', 422, ['x', { loc: 'y' }, fault('body', 'model')], [['a', 'b']]],
		['the texts', 422, [fault('body', 'input', '0')], [['a', 'b'], ['a'], ['b']]],
		['the body', 422, [fault('body')], [['a', 'b'], ['a'], ['b']]],
		['no field', 422, ['x', null, { loc: 'y' }], [['a', 'b'], ['a'], ['b']]],
		['a field, with another status', 400, [fault('model')], [['a', 'b'], ['a'], ['b']]],
	])('about %s is tried with fewer of them only where that may help', async (...given) => {
		const [, status, detail, expected] = given;
		const { asked } = await embed([['a', 'b']], () => refused(status, detail), { batchSize: 2 });
		expect(asked).toEqual(expected);
	});

	it('in other words for each is about the texts: all of them are tried', async () => {
		const items = [...'abcde'].map((text) => [text]);
		const { asked } = await embed(items, ([text]) => rejected(400, `${text} is bad`));
		expect(asked).toHaveLength(5);
	});

	it('whose words are lost is no rejection of the texts', async () => {
		const broken = () => ({ status: 400, body: new Body().write(new Error('reset')) });
		const { asked, outcomes } = await embed([['a', 'b']], broken, { batchSize: 2 });
		expect(asked).toEqual([['a', 'b']]);
		expect(outcomes).toEqual(['The connection was lost while reading the response']);
	});
});

describe('the vectors of a response', () => {
	const read = async (json: IDataObject, texts = ['a', 'b']) => {
		const made = await embed([texts], () => ({ json }), { batchSize: 3 });
		return { ...made, vectors: made.results.get(0)?.vectors };
	};

	it.each<[string, unknown[], number[]]>([
		['their index', [1, 2, 0], [2, 0, 1]],
		['their index in order', [0, 1, 2], [0, 1, 2]],
		['their index from 1, as text', ['3', '2', '1'], [2, 1, 0]],
		['their place where none has an index', [null, null, null], [0, 1, 2]],
	])('belong to the texts by %s', async (_, indices, places) => {
		const data = indices.map((index, place) => ({ index, embedding: [place] }));
		const { outcomes } = await read({ data }, ['a', 'b', 'c']);
		expect(outcomes).toEqual([places.map((place) => [place])]);
	});

	it.each<[unknown, IDataObject]>([
		['m-1', { model: 'm-1' }],
		[7, {}],
	])('have the model that the response names: %j', async (model, more) => {
		const data = [{ embedding: [1] }];
		const made = await read({ data, model } as IDataObject, ['a']);
		expect(made.vectors).toEqual([{ index: 0, embedding: [1], ...more }]);
	});

	it('that are there say nothing of those that are missing', async () => {
		const { outcomes } = await read({ data: [{ embedding: [1], message: 'fine' }] });
		expect(outcomes).toEqual(['The response contains 1 vectors for 2 texts']);
	});
});
