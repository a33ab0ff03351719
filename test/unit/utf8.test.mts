import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Utf8Decoder } from '../../nodes/shared/stream/utf8.ts';

/** Bytes of characters of one to four bytes, of a byte order mark, and some that no character has. */
const BYTES = [
	0x41, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbb, 0xbf, 0xff, 0xc0,
];

function decoded(chunks: number[][]): string {
	const decoder = new Utf8Decoder();
	return chunks.map((chunk) => decoder.decode(Buffer.from(chunk))).join('') + decoder.end();
}

it('any bytes in any chunks are what TextDecoder makes of them', () => {
	const chunks = fc.array(fc.array(fc.constantFrom(...BYTES), { maxLength: 6 }), { maxLength: 8 });
	fc.assert(
		fc.property(chunks, (all) => {
			expect(decoded(all)).toBe(new TextDecoder().decode(Buffer.from(all.flat())));
		}),
		{ numRuns: 2_000 },
	);
});

it.each(['é', '€', '😀'])('%s comes as soon as its last byte has come', (character) => {
	const bytes = [...Buffer.from(`a${character}`)];
	for (let cut = 1; cut < bytes.length; cut++) {
		const decoder = new Utf8Decoder();
		expect(decoder.decode(Buffer.from(bytes.slice(0, cut)))).toBe('a');
		expect(decoder.decode(Buffer.from(bytes.slice(cut)))).toBe(character);
		expect(decoder.end()).toBe('');
	}
});
