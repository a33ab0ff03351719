import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decoder, type DecoderOptions } from '../../nodes/shared/stream/decoder.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';
import { cuts, pieces } from '../conformance/cases.mts';

function decode(
	chunks: Uint8Array[],
	options: DecoderOptions = {},
	isComplete = false,
): StreamEvent[] {
	const events: StreamEvent[] = [];
	const decoder = new Decoder(options, (event) => events.push({ ...event }));
	for (const chunk of chunks) decoder.push(chunk);
	if (isComplete) decoder.end();
	return events;
}

const log = { keepsBareLines: true };
const lines = (text: string, options: DecoderOptions = log, isComplete = false) =>
	cuts.map((size) => decode(pieces(text, size), options, isComplete).map(({ data }) => data));
const same = <T,>(...data: T[]) => cuts.map(() => data);

describe('a log: each line is an entry', () => {
	it('bare lines, with Unix and Windows ends; a lone CR is a progress bar', () => {
		expect(lines('one\ntwo\r\n\n 10%\r 20%\nlast')).toEqual(same('one', 'two', '', ' 10%\r 20%'));
	});

	it('events are detected by the first line that is not blank: data, comment, id', () => {
		expect(lines('\n\r\ndata: one\n\n')).toEqual(same('one'));
		expect(lines('data: one\n\ndata: two\n\n')).toEqual(same('one', 'two'));
		expect(lines(': connected\n\ndata: one\n\n')).toEqual(same('one'));
		expect(lines('\uFEFFid: 7\ndata: one\n\n')).toEqual(same('one'));
	});

	it('a bare line in an event stream is an entry', () => {
		expect(lines(': hello\nplain text\ndata: one\n\n{"a":1}\n')).toEqual(
			same('plain text', 'one', '{"a":1}'),
		);
	});

	it('an event stream without blank lines is read line by line', () => {
		const text = Array.from({ length: 250 }, (_, index) => `data: ${index}\n`).join('');
		expect(lines(text)).toEqual(same(...Array.from({ length: 250 }, (_, index) => String(index))));
	});

	it('so is one that is quiet before that, on request', () => {
		const events: string[] = [];
		const decoder = new Decoder(log, ({ data }) => events.push(data));
		decoder.push(Buffer.from('data: one\ndata: two\n'));
		expect([decoder.hasPendingLines, ...events]).toEqual([true]);
		decoder.assumeLineFraming();
		decoder.push(Buffer.from('data: three\n'));
		expect([decoder.hasPendingLines, ...events]).toEqual([false, 'one', 'two', 'three']);
	});

	it('so is one whose first lines together are above the limit: none is cut or lost', () => {
		const waiting = (lines: string[], options: DecoderOptions) => {
			const events: StreamEvent[] = [];
			const decoder = new Decoder({ ...log, ...options }, (event) => events.push({ ...event }));
			for (const line of lines) decoder.push(Buffer.from(`data: ${line}\n`));
			const { length } = events;
			decoder.assumeLineFraming();
			expect(events.map(({ data, truncated }) => (truncated ? 'cut' : data))).toEqual(lines);
			return length;
		};
		const numberedTo = (count: number, length: number) =>
			Array.from({ length: count }, (_, index) => String(index).padEnd(length, 'x'));
		expect(waiting(numberedTo(60, 59), { largestEntry: 1_024 })).toBe(0);
		// What waits takes no more memory than that
		expect([10, 11].map((count) => waiting(numberedTo(count, 100_000), {}))).toEqual([0, 11]);
	});

	it('each entry has its own ID, type and bytes, and is cut where it is too long', () => {
		const events: StreamEvent[] = [];
		const decoder = new Decoder({ ...log, countsBytes: true, largestEntry: 10 }, (event) =>
			events.push({ ...event }),
		);
		decoder.push(Buffer.from(`event: first\nid: 0\ndata: a\nid: 1\ndata: ${'b'.repeat(6)}`));
		for (const rest of ['b'.repeat(9), '\n', 'data: c\nplain\nid: 2\n'])
			decoder.push(Buffer.from(rest));
		expect(events).toEqual([]);
		decoder.assumeLineFraming();
		decoder.push(Buffer.from('data: d\n'));
		expect(events).toEqual([
			{ data: 'a', type: 'first', lastEventId: '0', hasOwnId: true, bytes: 2, truncated: false },
			{
				data: 'bbbb',
				type: 'message',
				lastEventId: '1',
				hasOwnId: true,
				bytes: 16,
				truncated: true,
			},
			{ data: 'c', type: 'message', lastEventId: '1', hasOwnId: false, bytes: 2, truncated: false },
			{ data: 'plain', type: '', lastEventId: '1', hasOwnId: false, bytes: 6, truncated: false },
			{ data: 'd', type: 'message', lastEventId: '2', hasOwnId: true, bytes: 2, truncated: false },
		]);
	});

	it('the first event of a stream with blank lines is read as specified', () => {
		const text = 'event: x\ndata: a\nevent: y\nid: 1\ndata\nevent:\nid: 2\nretry: 7\ndata: c\n';
		for (const size of cuts) {
			expect(decode(pieces(`${text}\ndata: d\n\n`, size), { ...log, countsBytes: true })).toEqual([
				{
					data: 'a\n\nc',
					type: 'message',
					lastEventId: '2',
					hasOwnId: true,
					bytes: 5,
					truncated: false,
				},
				{
					data: 'd',
					type: 'message',
					lastEventId: '2',
					hasOwnId: false,
					bytes: 2,
					truncated: false,
				},
			]);
		}
	});

	it.each(['retry: 1000\n\n', ': connected\n\n', 'id: 5\n\n', '\n'])(
		'so is one that starts with %j',
		(greeting) => {
			const events: string[] = [];
			const decoder = new Decoder(log, ({ data }) => events.push(data));
			decoder.push(Buffer.from(`${greeting}data: one\ndata: two\n`));
			decoder.assumeLineFraming();
			expect(events).toEqual(['one', 'two']);
		},
	);

	it('a stream that has shown a blank line is not read line by line', () => {
		const decoder = new Decoder(log, () => undefined);
		decoder.push(Buffer.from('data: one\n\ndata: two\n'));
		expect(decoder.hasPendingLines).toBe(false);
	});

	it('a format that is set is not detected', () => {
		expect(lines('data: one\n\n', { ...log, format: 'lines' })).toEqual(same('data: one', ''));
		expect(lines('hello\ndata: one\n\n', { ...log, format: 'sse' })).toEqual(same('hello', 'one'));
	});

	it('an incomplete line comes only at the end of the log', () => {
		expect(lines('one\nlast')).toEqual(same('one'));
		expect(lines('one\nlast', log, true)).toEqual(same('one', 'last'));
		expect(lines('data: one\n\ndata: last', log, true)).toEqual(same('one', 'last'));
		expect(lines('x', log, true)).toEqual(same('x'));
	});

	it('counts bytes as they were sent', () => {
		for (const size of cuts) {
			const bytes = (text: string) =>
				decode(pieces(text, size), { ...log, countsBytes: true }).map((event) => event.bytes);
			expect(bytes('one\r\nzwölf\n\n')).toEqual([5, 7, 1]);
			expect(bytes('data: zwölf\n\n')).toEqual([7]);
		}
		for (const size of cuts) {
			const long = decode(pieces(`data: ${'ü'.repeat(3_000)}\ndata: x\n\ndata: y\n\n`, size), {
				...log,
				countsBytes: true,
				largestEntry: 500,
			});
			expect(long.map(({ bytes, truncated }) => [bytes, truncated])).toEqual([
				[6_003, true],
				[2, false],
			]);
		}
		expect(
			decode([Buffer.from('012345678901\nx\n').subarray(0, 8), Buffer.from('8901\nx\n')], {
				format: 'lines',
				countsBytes: true,
				largestEntry: 4,
			}).map(({ bytes }) => bytes),
		).toEqual([13, 2]);
	});

	it('an event of many lines stays one in a stream with blank lines', () => {
		const many = (count: number) =>
			Array.from({ length: count }, (_, index) => `data: ${index}\n`).join('');
		expect(decode([Buffer.from(`data: first\n\n${many(150)}\n`)], log)).toHaveLength(2);
		expect(decode([Buffer.from(`${many(99)}\n`)], log)).toHaveLength(1);
		expect(decode([Buffer.from(`${many(100)}\n`)], log)).toHaveLength(100);
		expect(decode([Buffer.from(`${many(150)}\n`)], { format: 'sse' })).toHaveLength(1);
	});

	it('a bare line has no type and no ID of its own', () => {
		const plain = { type: '', lastEventId: '', hasOwnId: false, bytes: 0, truncated: false };
		expect(decode([Buffer.from('one\n')], { format: 'lines' })).toEqual([
			{ ...plain, data: 'one' },
		]);
		expect(
			decode([Buffer.from('id: 7\nevent: log\ndata: one\n\nbare\ndata: two\n\n')], {
				...log,
				format: 'sse',
			}),
		).toEqual([
			{ ...plain, data: 'one', type: 'log', lastEventId: '7', hasOwnId: true },
			{ ...plain, data: 'bare', lastEventId: '7' },
			{ ...plain, data: 'two', type: 'message', lastEventId: '7' },
		]);
	});

	it.each([
		['retry: 1500\n', 1500],
		['retry:0\n', 0],
		['retry: 1.5\n', undefined],
		['retry: x9\n', undefined],
		['retry: 9x\n', undefined],
		['retry\n', undefined],
		['Retry: 5\n', undefined],
	])('%j sets a retry of %s ms', (text, ms) => {
		const events: StreamEvent[] = [];
		const decoder = new Decoder({ format: 'sse' }, (event) => events.push({ ...event }));
		decoder.push(Buffer.from(text));
		expect(decoder.retryMs).toBe(ms);
		expect(events).toEqual([]);
	});

	it('a byte order mark counts only at the very start', () => {
		expect(lines('\uFEFFone\n\uFEFFtwo\n')).toEqual(same('one', '\uFEFFtwo'));
		expect(decode([Buffer.from('x\uFEFFdata: one\n')], log).map(({ data }) => data)).toEqual([
			'x\uFEFFdata: one',
		]);
	});

	it('the format of a first line without an end is detected by its first kibibyte', () => {
		const begin = (text: string) =>
			decode([Buffer.from(text), Buffer.from('\n\n')], log).map(({ data }) => data.length);
		expect(begin(`data: ${'x'.repeat(2_000)}`)).toEqual([2_000]);
		expect(begin('x'.repeat(2_000))).toEqual([2_000, 0]);
		expect(
			decode([Buffer.from('data: one\r'), Buffer.from('\rdata: two\r\r')], log).map(
				({ data }) => data,
			),
		).toEqual(['one', 'two']);
	});

	it('secrets are redacted for all chunk boundaries, and bytes are counted as sent', () => {
		const redact = (text: string) => text.replaceAll('key-1', '***');
		const entries = (text: string) =>
			cuts.map((size) =>
				decode(pieces(text, size), { ...log, redact, countsBytes: true }).map(({ data, bytes }) => [
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

	it('any bytes give the same lines for all chunk boundaries, invalid UTF-8 too', () => {
		fc.assert(
			fc.property(
				fc.uint8Array({ maxLength: 300 }),
				fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
				(bytes, sizes) => {
					const chunks: Uint8Array[] = [];
					for (let from = 0, turn = 0; from < bytes.length; turn++) {
						const size = sizes[turn % sizes.length] ?? 1;
						chunks.push(bytes.subarray(from, from + size));
						from += size;
					}
					const whole = new TextDecoder('utf-8', { ignoreBOM: true })
						.decode(bytes)
						.replace(/^\uFEFF/, '')
						.split('\n')
						.slice(0, -1)
						.map((line) => line.replace(/\r$/, ''));
					expect(decode(chunks, { format: 'lines' }).map(({ data }) => data)).toEqual(whole);
				},
			),
			{ numRuns: 2_000 },
		);
	});
});
