import { describe, expect, it } from 'vitest';
import { LineBuffer } from '../../nodes/shared/stream/lineBuffer.ts';

/** The line that these pieces make, with what is known of it. */
function line(largest: number, ...pieces: Array<string | Buffer>) {
	const buffer = new LineBuffer(largest);
	for (const piece of pieces) buffer.add(Buffer.from(piece));
	const { isTruncated } = buffer;
	const text = buffer.take().toString();
	return { text, isCut: isTruncated, dropped: buffer.droppedBytes };
}

describe('an incomplete line', () => {
	it('is joined from its pieces', () => {
		expect(line(100, 'a', 'b', '', 'c\n')).toEqual({ text: 'abc\n', isCut: false, dropped: 0 });
		const many = Array.from({ length: 3_000 }, (_, index) =>
			String.fromCharCode(97 + (index % 26)),
		);
		expect(line(10_000, ...many, '\n').text).toBe(`${many.join('')}\n`);
		expect(line(10_000, 'x'.repeat(300), 'y'.repeat(3_000)).text).toBe(
			'x'.repeat(300) + 'y'.repeat(3_000),
		);
	});

	it('has the length of its bytes, and is empty once it was taken', () => {
		const buffer = new LineBuffer(10);
		buffer.add(Buffer.from('abc'));
		expect(buffer.length).toBe(3);
		const taken = buffer.take();
		expect(buffer.length).toBe(0);
		buffer.add(Buffer.from('xyz'));
		expect(taken.toString()).toBe('abc');
		expect(buffer.take().toString()).toBe('xyz');
	});

	it('is kept up to the limit; the rest is counted', () => {
		expect(line(5, 'abcde\n')).toEqual({ text: 'abcde\n', isCut: false, dropped: 0 });
		expect(line(6, 'abcde\n')).toEqual({ text: 'abcde\n', isCut: false, dropped: 0 });
		expect(line(5, 'abc', 'defgh', 'ijk\n')).toEqual({ text: 'abcde\n', isCut: true, dropped: 6 });
		expect(line(5, 'abcdefgh\r')).toEqual({ text: 'abcde\r', isCut: true, dropped: 3 });
		expect(line(5, 'abcdefgh', 'ij', '\n')).toEqual({ text: 'abcde\n', isCut: true, dropped: 5 });
	});

	it('above the limit does not change the next', () => {
		const buffer = new LineBuffer(3);
		buffer.add(Buffer.from('abcdef\n'));
		buffer.take();
		buffer.add(Buffer.from('x\n'));
		expect(buffer.isTruncated).toBe(false);
		expect(buffer.take().toString()).toBe('x\n');
		expect(buffer.droppedBytes).toBe(0);
	});

	it.each([
		['é', 2],
		['€', 3],
		['\u0800', 3],
		['😀', 4],
	])('is cut before a character, never in %s', (character, bytes) => {
		for (let cap = 4; cap < 4 + bytes; cap++) {
			const { text, isCut, dropped } = line(cap, `abcd${character}efgh\n`);
			expect(text).toBe('abcd\n');
			expect(isCut).toBe(true);
			expect(dropped).toBe(bytes + 4);
		}
		expect(line(4 + bytes, `abcd${character}efgh\n`)).toEqual({
			text: `abcd${character}\n`,
			isCut: true,
			dropped: 4,
		});
	});

	it('may be invalid UTF-8', () => {
		const bytes = Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 10]);
		const buffer = new LineBuffer(4);
		buffer.add(bytes);
		expect([...buffer.take()]).toEqual([0x80, 0x80, 0x80, 0x80, 10]);
	});
});
