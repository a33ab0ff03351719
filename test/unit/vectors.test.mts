import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { indexOf, numbersOf, problemOf, sizeOf } from '../../nodes/intelligence/vectors.ts';

const of = (index: unknown, embedding: unknown = [1, 2]) => ({ index, embedding }) as IDataObject;
const bare = (embedding: unknown = [1, 2]) => ({ embedding }) as IDataObject;

describe('the vectors of a response', () => {
	it.each<[string, IDataObject[], number, unknown]>([
		['in any order', [of(1), of(0)], 2, undefined],
		['of indices that begin at 1', [of(1), of(2)], 2, undefined],
		['of indices that are text', [of('1'), of('0')], 2, undefined],
		['without an index', [bare(), bare()], 2, undefined],
		['of the size that was asked for', [of(0)], 1, 2],
		['whose wanted size is no number', [of(0)], 1, '8'],
	])('are those of the texts: %s', (_, vectors, count, dimensions) =>
		expect(problemOf(vectors, count, dimensions)).toBeUndefined(),
	);

	it.each<[IDataObject[], number, unknown, string]>([
		[[], 1, undefined, '0 vectors for 1 texts'],
		[[bare()], 2, undefined, '1 vectors for 2 texts'],
		[[bare(), bare()], 1, undefined, '2 vectors for 1 texts'],
		[[of(0), of(0)], 2, undefined, 'several vectors for one text'],
		[[of(0), bare()], 2, undefined, 'vectors whose texts are not known, without an index'],
		[[of(3), of(5)], 2, undefined, 'vectors of other texts: their indices are from 3 to 5'],
		[[of(0), of(0.5)], 2, undefined, 'vectors of other texts: their indices are from 0 to 0.5'],
		[[of(0), of(1, [])], 2, undefined, 'a text without a vector'],
		[[of(0), of(1, null)], 2, undefined, 'a text without a vector'],
		[[bare(), bare([1])], 2, undefined, 'vectors of 2, 1 dimensions'],
		[[of(0), of(1, [1])], 2, 2, 'vectors of 2, 1 dimensions, not 2'],
		[[of(0)], 1, 8, 'vectors of 2 dimensions, not 8'],
	])('%j for %i texts and %j dimensions are %s', (vectors, count, dimensions, problem) =>
		expect(problemOf(vectors, count, dimensions)).toBe(problem),
	);

	it.each([
		[2, 2],
		['2', 2],
		['', undefined],
		['two', undefined],
		[null, undefined],
	])('have an index as number or text: %j is %j', (index, number) =>
		expect(indexOf({ index })).toBe(number),
	);
});

describe('a vector', () => {
	const base64 = (numbers: number[]) =>
		Buffer.from(Float32Array.from(numbers).buffer).toString('base64');

	it.each<[unknown, number[]]>([
		[
			[0.5, -2],
			[0.5, -2],
		],
		[' [0.5, -2]\n', [0.5, -2]],
		[base64([0.5, -2]), [0.5, -2]],
		[`${base64([0.5])} `, [0.5]],
	])('%j is a list, the text of one, or its bytes', (embedding, numbers) => {
		expect(numbersOf(embedding)).toEqual(numbers);
		expect(sizeOf(embedding)).toBe(numbers.length);
	});

	it.each([['[1'], ['no vector'], ['AAA='], [[1, null]], [['1']], [7], [{ 0: 1 }], [undefined]])(
		'%j is none',
		(embedding) => {
			expect(numbersOf(embedding)).toBeUndefined();
			expect(sizeOf(embedding)).toBe(0);
		},
	);
});
