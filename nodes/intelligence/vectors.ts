import type { IDataObject } from 'n8n-workflow';
import { parseJson } from '../shared/json';
import { numberOf } from '../shared/numbers';

/** Why vectors must not get into an index: they are not those of the texts. */
export function problemOf(
	vectors: IDataObject[],
	count: number,
	dimensions: unknown,
): string | undefined {
	if (vectors.length !== count) return `${vectors.length} vectors for ${count} texts`;
	const indices = vectors.map(indexOf).filter((index) => index !== undefined);
	if (new Set(indices).size < indices.length) return 'several vectors for one text';
	if (indices.length > 0 && indices.length < count)
		return 'vectors whose texts are not known, without an index';
	const [least, most] = [Math.min(...indices), Math.max(...indices)];
	if (
		indices.length > 0 &&
		(indices.some((one) => !Number.isInteger(one)) || most - least >= count)
	)
		return `vectors of other texts: their indices are from ${least} to ${most}`;
	const sizes = new Set(vectors.map(({ embedding }) => sizeOf(embedding)));
	if (sizes.has(0)) return 'a text without a vector';
	const [size] = sizes;
	return sizes.size > 1 || (typeof dimensions === 'number' && size !== dimensions)
		? `vectors of ${[...sizes].join(', ')} dimensions${typeof dimensions === 'number' ? `, not ${dimensions}` : ''}`
		: undefined;
}

/** Which text a vector is of; some services send it as text. */
export function indexOf({ index }: IDataObject): number | undefined {
	return numberOf(index);
}

/** Number of dimensions; 0 for what is no vector. */
export function sizeOf(embedding: unknown): number {
	return numbersOf(embedding)?.length ?? 0;
}

/** The numbers of a vector, which some services send as bytes in Base64 or as a list in a text; undefined for what is none. */
export function numbersOf(embedding: unknown): number[] | undefined {
	const numbers = typeof embedding === 'string' ? readText(embedding.trim()) : embedding;
	return Array.isArray(numbers) && numbers.every((one): one is number => Number.isFinite(one))
		? numbers
		: undefined;
}

function readText(text: string): unknown {
	if (text.startsWith('[')) return parseJson(text);
	const bytes = Buffer.from(text, 'base64');
	// Buffer leaves out what is no Base64
	const isBase64 = /^[\w+/-]+={0,2}$/.test(text) && bytes.length % BYTES === 0;
	if (!isBase64) return undefined;
	return Array.from({ length: bytes.length / BYTES }, (_, index) =>
		bytes.readFloatLE(index * BYTES),
	);
}

/** Bytes of a number in Base64. */
const BYTES = 4;
