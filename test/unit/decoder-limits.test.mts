import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogDecoderOptions } from '../../nodes/shared/stream/logDecoder.ts';
import { cuts, pieces } from '../conformance/cases.mts';
import { decode, lines, open, same } from './decoder-log-fixture.mts';

const cut = (text: string, options: LogDecoderOptions) =>
	cuts.map((size) =>
		decode(pieces(text, size), options).map(({ data, truncated }) => [data, truncated]),
	);

describe('the largest entry', () => {
	it.each([
		['bare lines', `${'ü'.repeat(10)}\r\n${'ü'.repeat(11)}\r\nshort\n`],
		['events', `data: ${'ü'.repeat(10)}\r\n\r\ndata: ${'ü'.repeat(11)}\r\n\r\ndata:short\n\n`],
		[
			'events far above it',
			`data: ${'ü'.repeat(10)}\n\nid: 7\ndata: ${'ü'.repeat(99)}\n\ndata:short\n\n`,
		],
	])('%s: exactly the limit is whole, more is cut', (_, text) => {
		const ten = 'ü'.repeat(10);
		expect(cut(text, { largestEntry: 10 })).toEqual(
			same([ten, false], [ten, true], ['short', false]),
		);
	});

	it('is a mebi of characters by default', () => {
		const most = 1024 * 1024;
		const entries = decode([Buffer.from(`${'x'.repeat(most)}\n${'x'.repeat(most + 1)}\n`)]);
		expect(entries.map(({ data, truncated }) => [data.length, truncated])).toEqual([
			[most, false],
			[most, true],
		]);
	});

	it('does not cut a character in two', () => {
		expect(cut('abc😀😀😀😀😀\n', { largestEntry: 4 })).toEqual(same(['abc', true]));
	});

	it.each([
		['a bare line', 'Starting\n', '', '\nnext\n'],
		['the first bare line', '', '', '\nnext\n'],
		['an event', 'data: one\n\n', 'data: ', '\n\ndata: next\n\n'],
		['the first event', '', 'data: ', '\n\ndata: next\n\n'],
	])(
		'%s that never ends is an entry when it exceeds the limit, and its rest is none',
		(_, begin, prefix, rest) => {
			const { decoder, push, texts, entries } = open({ largestEntry: 100 });
			push(begin);
			const { length } = entries;
			push(prefix + 'x'.repeat(90));
			expect(entries).toHaveLength(length);
			for (let count = 0; count < 100; count++) push('x'.repeat(90));
			expect(entries.slice(length)).toMatchObject([{ data: 'x'.repeat(100), truncated: true }]);
			expect(decoder.hasPendingLines).toBe(false);
			push(rest);
			expect(texts().slice(length + 1)).toEqual(['next']);
		},
	);

	it('an endless line at the end of the log comes once', () => {
		expect(lines('x'.repeat(50), { largestEntry: 20 }, true)).toEqual(same('x'.repeat(20)));
	});

	it('an endless comment or ID is ignored', () => {
		const text = `data: one\n\n: ${'x'.repeat(99)}\nid: ${'x'.repeat(99)}\ndata: two\n\n`;
		for (const size of cuts)
			expect(decode(pieces(text, size), { largestEntry: 10 })).toMatchObject([
				{ data: 'one' },
				{ data: 'two', lastEventId: '', hasOwnId: false },
			]);
	});
});

describe('bytes', () => {
	const bytes = (text: string | Buffer, options: LogDecoderOptions = {}, isComplete = false) =>
		cuts.map((size) =>
			decode(
				Array.from({ length: Math.ceil(text.length / Math.min(size, text.length)) }, (_, index) =>
					Buffer.from(text).subarray(index * size || 0, (index + 1) * size),
				),
				{ ...options, countsBytes: true },
				isComplete,
			).map((entry) => entry.bytes),
		);

	it('of bare lines count as they were sent, invalid ones too', () => {
		expect(bytes(Buffer.from('one\r\nzwölf\n\n'))).toEqual(same(5, 7, 1));
		expect(bytes(Buffer.from([0x61, 0xe4, 10, 0xff, 0xff, 10]))).toEqual(same(3, 3));
		expect(bytes(Buffer.from('id: 7\n\nStarting\nlast'), {}, true)).toEqual(same(6, 1, 9, 5));
	});

	it('of events are those of the data and a line end', () => {
		expect(bytes(Buffer.from('data: zwölf\n\ndata:a\ndata:b\n\n'))).toEqual(same(7, 4));
	});

	it('of a line above the limit are all of it, when it ends', () => {
		expect(bytes(Buffer.from(`${'ü'.repeat(50)}\nx\n`), { largestEntry: 10 })).toEqual(
			same(101, 2),
		);
		expect(
			bytes(Buffer.from(`data: ${'ü'.repeat(50)}\n\ndata: x\ndata: ${'ü'.repeat(50)}\n`), {
				largestEntry: 10,
			}),
		).toEqual(same(101, 2, 101));
	});
});

it('secrets are redacted for all chunk boundaries, and bytes are counted as sent', () => {
	const redact = (text: string) => text.replaceAll('key-1', '***');
	const entries = (text: string) =>
		cuts.map((size) =>
			decode(pieces(text, size), { redact, countsBytes: true }).map(({ data, bytes }) => [
				data,
				bytes,
			]),
		);
	expect(entries('plain\nx-api-key: key-1\nkey-1 key-1\n')).toEqual(
		same(['plain', 6], ['x-api-key: ***', 17], ['*** ***', 12]),
	);
	expect(entries('data: a\n\ndata: b key-1\ndata: c\n\n')).toEqual(
		same(['a', 2], ['b ***\nc', 10]),
	);
});

/** Cuts bytes into chunks of the given sizes, in turn. */
function chunksOf(bytes: Uint8Array, sizes: number[]): Uint8Array[] {
	const chunks: Uint8Array[] = [];
	for (let from = 0, turn = 0; from < bytes.length; turn++) {
		const size = sizes[turn % sizes.length] ?? 1;
		chunks.push(bytes.subarray(from, from + size));
		from += size;
	}
	return chunks;
}
const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

describe('for all chunk boundaries', () => {
	it('a stream of fields, lines and line ends gives the same entries, within the limit', () => {
		const piece = fc.constantFrom(
			...[
				'data: x',
				'data:ü😀',
				'data',
				'id: 7',
				'event: e',
				'retry: 9',
				'retry: no',
				': c',
				'bare',
			],
			...[
				'\n',
				'\n',
				'\n\n',
				'\r\n',
				'\r',
				'\uFEFF',
				'key-1',
				`data: ${'y'.repeat(60)}`,
				'z'.repeat(60),
			],
			'data: 1\n'.repeat(60),
		);
		const options = fc.record({
			format: fc.constantFrom('auto', 'sse', 'lines'),
			largestEntry: fc.constantFrom(5, 40, 100, 1_000),
			countsBytes: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(piece, { maxLength: 20 }), options, sizes, (parts, given, lengths) => {
				const redact = (text: string) => text.replaceAll('key-1', '***');
				const bytes = Buffer.from(parts.join(''));
				const entries = decode(chunksOf(bytes, lengths), { ...given, redact }, true);
				expect(entries).toEqual(decode([bytes], { ...given, redact }, true));
				for (const { data } of entries) expect(data.length).toBeLessThanOrEqual(given.largestEntry);
			}),
			{ numRuns: 5_000 },
		);
	});

	it('every bare line comes as it was sent, invalid UTF-8 too', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 300 }), sizes, (bytes, lengths) => {
				const whole = new TextDecoder()
					.decode(bytes)
					.split('\n')
					.slice(0, -1)
					.map((line) => line.replace(/\r$/, ''));
				const entries = decode(chunksOf(bytes, lengths), { format: 'lines', countsBytes: true });
				expect(entries.map(({ data }) => data)).toEqual(whole);
				const sent = entries.reduce((sum, entry) => sum + entry.bytes, 0);
				expect(sent).toBe(Buffer.from(bytes).lastIndexOf('\n') + 1);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('no data line is lost, whatever the framing and wherever silence is', () => {
		const block = fc.record({
			count: fc.integer({ min: 1, max: 130 }),
			ends: fc.boolean(),
			isSilent: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(block, { maxLength: 8 }), sizes, (blocks, lengths) => {
				const { decoder, texts } = open();
				const sent: string[] = [];
				for (const { count, ends, isSilent } of blocks) {
					let text = '';
					for (let index = 0; index < count; index++) {
						text += `data: ${sent.length}\n`;
						sent.push(String(sent.length));
					}
					if (ends) text += '\n';
					for (const chunk of chunksOf(Buffer.from(text), lengths)) decoder.push(chunk);
					if (isSilent) decoder.assumeLineFraming();
				}
				decoder.end();
				expect(texts().flatMap((data) => data.split('\n'))).toEqual(sent);
			}),
			{ numRuns: 500 },
		);
	});
});
