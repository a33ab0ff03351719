import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decoder, type DecoderOptions } from '../../nodes/shared/stream/decoder.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';
import { cases, cuts, pieces } from '../conformance/cases.mts';

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

describe('web-platform-tests for EventSource, whole, byte by byte and in threes', () => {
	it.each(cases)('$name', ({ body, events }) => {
		for (const size of cuts)
			expect(
				decode(pieces(body, size), { format: 'sse' }, true).map(
					({ type, data, lastEventId: id }) => [type, data, id],
				),
			).toEqual(events);
	});
});

describe('entries that are nothing but their text', () => {
	const stream =
		'data: first\n\ndata: a\ndata: b\n\ndata: c\n\ndata: d\n\nevent: x\ndata: e\n\nid: 7\ndata: f\n\ndata: g\n\ndata:h\n\n: i\ndata: j\n\ndata: key k\n\n';
	const withSecret = stream.replace('key', 'key-1');
	const redact = (text: string) => text.replaceAll('key-1', '***');

	/** What is handed over one by one, and in runs. */
	function handed(chunks: string[], options: DecoderOptions, accepts: boolean, isLineWise = false) {
		const runs: string[][] = [];
		const all: Array<Pick<StreamEvent, 'data' | 'type' | 'hasOwnId'>> = [];
		const takeTexts = (texts: string[]) => {
			if (!accepts) return false;
			runs.push(texts);
			all.push(...texts.map((data) => ({ data, type: '', hasOwnId: false })));
			return true;
		};
		const decoder = new Decoder(
			{ ...log, redact, takeTexts, ...options },
			({ data, type, hasOwnId }) =>
				all.push({ data, type: type === 'message' ? '' : type, hasOwnId }),
		);
		for (const chunk of chunks) {
			decoder.push(Buffer.from(chunk));
			if (isLineWise) decoder.assumeLineFraming();
		}
		return { runs, all };
	}

	it('come in runs, in the order in which they stand among the others, and to who wants each by itself one by one', () => {
		const { runs, all } = handed([stream], {}, true);
		expect(runs).toEqual([['c', 'd'], ['g'], ['key k']]);
		expect(all.map(({ data }) => data)).toEqual([
			'first',
			'a\nb',
			'c',
			'd',
			'e',
			'f',
			'g',
			'h',
			'j',
			'key k',
		]);
		expect(handed([stream], {}, false)).toEqual({ runs: [], all });
	});

	it('are the same ones where each chunk ends behind a line', () => {
		const { all } = handed([stream], {}, false);
		const lines = stream.split(/(?<=\n)/);
		for (let behind = 1; behind < lines.length; behind++) {
			const chunks = [lines.slice(0, behind).join(''), lines.slice(behind).join('')];
			expect(handed(chunks, {}, true).all, `cut behind line ${behind}`).toEqual(all);
		}
	});

	it('are the same ones in runs as one by one, whatever stands around them and wherever it is cut', () => {
		const pieces = [
			'data: x\n\n',
			'data: y\n',
			'data:z\r\n',
			'\n',
			'\r\n',
			'\r',
			'id: 7\n',
			'event: e\n',
			': c\n',
			'bare\n',
			'key-1\n',
			'{}\r\n',
			'ä\n',
			'data',
		];
		const chunk = fc
			.array(fc.constantFrom(...pieces), { maxLength: 12 })
			.map((parts) => parts.join(''));
		const formats = fc.constantFrom('auto', 'sse', 'lines');
		fc.assert(
			fc.property(
				fc.array(chunk, { maxLength: 6 }),
				formats,
				fc.boolean(),
				(chunks, format, isLineWise) => {
					const all = (accepts: boolean) =>
						handed(chunks, { format, largestEntry: 40 }, accepts, isLineWise).all;
					expect(all(true)).toEqual(all(false));
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it('come one by one where something is struck out, may be cut or is counted', () => {
		expect(handed([withSecret], {}, true)).toMatchObject({
			runs: [],
			all: expect.arrayContaining([{ data: '*** k', type: '', hasOwnId: false }]) as unknown,
		});
		expect(handed([stream], { redact: undefined, largestEntry: 20 }, true).runs).toEqual([]);
		expect(handed([stream], { redact: undefined, countsBytes: true }, true).runs).toEqual([]);
	});
});

describe('a log ("each line is one log entry", compute-api.md "Container log stream")', () => {
	it('bare lines, with Unix and Windows ends; a lone CR is a progress bar', () => {
		expect(lines('one\ntwo\r\n\n 10%\r 20%\nlast')).toEqual(same('one', 'two', '', ' 10%\r 20%'));
	});

	it('events, told by the first line that is not blank: data, comment, id', () => {
		expect(lines('\n\r\ndata: one\n\n')).toEqual(same('one'));
		expect(lines('data: one\n\ndata: two\n\n')).toEqual(same('one', 'two'));
		expect(lines(': connected\n\ndata: one\n\n')).toEqual(same('one'));
		expect(lines('\uFEFFid: 7\ndata: one\n\n')).toEqual(same('one'));
	});

	it('a bare line in an event stream is no field, but it is not lost', () => {
		expect(lines(': hello\nplain text\ndata: one\n\n{"a":1}\n')).toEqual(
			same('plain text', 'one', '{"a":1}'),
		);
	});

	it('a stream that ends each entry with a single line feed is read line by line', () => {
		const text = Array.from({ length: 250 }, (_, index) => `data: ${index}\n`).join('');
		expect(lines(text)).toEqual(same(...Array.from({ length: 250 }, (_, index) => String(index))));
	});

	it('and so is one that is quiet before that, once it is told to', () => {
		const events: string[] = [];
		const decoder = new Decoder(log, ({ data }) => events.push(data));
		decoder.push(Buffer.from('data: one\ndata: two\n'));
		expect([decoder.hasPendingLines, ...events]).toEqual([true]);
		decoder.assumeLineFraming();
		decoder.push(Buffer.from('data: three\n'));
		expect([decoder.hasPendingLines, ...events]).toEqual([false, 'one', 'two', 'three']);
	});

	it('and so is one whose first lines are longer than the cap together: none of them is cut or lost', () => {
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

	it('each with its own ID, type and bytes, and cut where it is too long itself', () => {
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

	it('while the first event of one that ends them is read to the letter', () => {
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
		'and so is one that greets with %j',
		(greeting) => {
			const events: string[] = [];
			const decoder = new Decoder(log, ({ data }) => events.push(data));
			decoder.push(Buffer.from(`${greeting}data: one\ndata: two\n`));
			decoder.assumeLineFraming();
			expect(events).toEqual(['one', 'two']);
		},
	);

	it('but none that has shown a blank line', () => {
		const decoder = new Decoder(log, () => undefined);
		decoder.push(Buffer.from('data: one\n\ndata: two\n'));
		expect(decoder.hasPendingLines).toBe(false);
	});

	it('set by hand, the form is not guessed', () => {
		expect(lines('data: one\n\n', { ...log, format: 'lines' })).toEqual(same('data: one', ''));
		expect(lines('hello\ndata: one\n\n', { ...log, format: 'sse' })).toEqual(same('hello', 'one'));
	});

	it('what has no end comes only when the log is complete', () => {
		expect(lines('one\nlast')).toEqual(same('one'));
		expect(lines('one\nlast', log, true)).toEqual(same('one', 'last'));
		expect(lines('data: one\n\ndata: last', log, true)).toEqual(same('one', 'last'));
		expect(lines('x', log, true)).toEqual(same('x'));
	});

	it('a line beyond the cap is cut and marked, between two characters, and the next one is whole', () => {
		for (const size of cuts) {
			const events = decode(pieces(`${'ü'.repeat(3_000)}\nshort\n`, size), {
				...log,
				largestEntry: 2_001,
			});
			expect(events.map(({ truncated }) => truncated)).toEqual([true, false]);
			expect(events[0]?.data).toMatch(/^ü{1000,2001}$/);
			expect(events[1]?.data).toBe('short');
		}
	});

	it('an event beyond the cap, of one line or of many, too', () => {
		for (const text of [`data: ${'x'.repeat(5_000)}\n\n`, `${'data: xxxxxxxxx\n'.repeat(90)}\n`]) {
			for (const size of cuts) {
				const [event, next] = decode(pieces(`${text}data: next\n\n`, size), {
					...log,
					largestEntry: 500,
				});
				expect(event?.truncated).toBe(true);
				expect(event?.data.length).toBeLessThanOrEqual(500);
				expect(next).toMatchObject({ data: 'next', truncated: false });
			}
		}
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

	it('a line or an event of exactly the cap is whole, one more character is cut', () => {
		for (const [text, more] of [
			['x'.repeat(10), 'x'.repeat(11)],
			['data: xxxxxxxxxx\n', 'data: xxxxxxxxxxx\n'],
			['data: xxxx\ndata: xxxxx\n', 'data: xxxx\ndata: xxxxxx\n'],
		]) {
			const [whole, cut] = decode([Buffer.from(`${text}\n${more}\n`)], {
				...log,
				largestEntry: 10,
			});
			expect(whole).toMatchObject({ truncated: false, data: expect.stringMatching(/^.{10}$/s) });
			expect(cut).toMatchObject({ truncated: true, data: whole?.data });
		}
	});

	it('the cap is a mebibyte unless it is set', () => {
		const [whole, cut] = decode(
			[Buffer.from(`${'x'.repeat(1024 * 1024)}\n${'x'.repeat(1024 * 1024 + 1)}\n`)],
			log,
		);
		expect(whole).toMatchObject({ truncated: false });
		expect(cut).toMatchObject({ truncated: true });
		expect(cut?.data).toHaveLength(1024 * 1024);
	});

	it('lines of an event beyond the cap are dropped, not stored', () => {
		const [event] = decode([Buffer.from('data: xxxxx\ndata: yyyyyyyyyy\ndata: z\n\n')], {
			...log,
			largestEntry: 8,
		});
		expect(event).toMatchObject({ data: 'xxxxx\nyy', truncated: true });
	});

	it('an event of many lines stays one, once the stream has shown that it ends its events', () => {
		const many = (count: number) =>
			Array.from({ length: count }, (_, index) => `data: ${index}\n`).join('');
		expect(decode([Buffer.from(`data: first\n\n${many(150)}\n`)], log)).toHaveLength(2);
		expect(decode([Buffer.from(`${many(99)}\n`)], log)).toHaveLength(1);
		expect(decode([Buffer.from(`${many(100)}\n`)], log)).toHaveLength(100);
		expect(decode([Buffer.from(`${many(150)}\n`)], { format: 'sse' })).toHaveLength(1);
	});

	it('a bare line has no type and no ID of its own; an event has those that it names', () => {
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
	])('%j asks for a pause of %s ms', (text, ms) => {
		const events: StreamEvent[] = [];
		const decoder = new Decoder({ format: 'sse' }, (event) => events.push({ ...event }));
		decoder.push(Buffer.from(text));
		expect(decoder.retryMs).toBe(ms);
		expect(events).toEqual([]);
	});

	it('a mark of the byte order counts only at the very beginning', () => {
		expect(lines('\uFEFFone\n\uFEFFtwo\n')).toEqual(same('one', '\uFEFFtwo'));
		expect(decode([Buffer.from('x\uFEFFdata: one\n')], log).map(({ data }) => data)).toEqual([
			'x\uFEFFdata: one',
		]);
	});

	it('the form of a first line without an end is told by its first kibibyte', () => {
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

	it('secrets are struck out wherever the chunks are cut, and bytes are counted as they came', () => {
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

	it('any text in any pieces gives the same lines, also where it is no UTF-8', () => {
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
