import { describe, expect, it } from 'vitest';
import { cuts, pieces } from '../conformance/cases.mts';
import { decode, lines, open, same } from './decoder-log-fixture.mts';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => String(index));
const dataLines = (count: number) =>
	numbered(count)
		.map((line) => `data: ${line}\n`)
		.join('');

describe('events that a blank line ends', () => {
	it('are read as specified', () => {
		const text = 'event: x\ndata: a\nevent: y\nid: 1\ndata\nevent:\nid: 2\nretry: 7\ndata: c\n';
		const plain = { type: 'message', lastEventId: '2', truncated: false };
		for (const size of cuts)
			expect(decode(pieces(`${text}\ndata: d\n\n`, size), { countsBytes: true })).toEqual([
				{ ...plain, data: 'a\n\nc', hasOwnId: true, bytes: 5 },
				{ ...plain, data: 'd', hasOwnId: false, bytes: 2 },
			]);
	});

	it('a bare line between them is an entry at once, one in them follows them', () => {
		const { push, texts } = open();
		push('data: one\n\n{"a":1}\n');
		expect(texts()).toEqual(['one', '{"a":1}']);
		push('id: 7\ndata: Traceback\n  File x\ndata: two\n');
		expect(texts()).toHaveLength(2);
		push('\n');
		expect(texts().slice(2)).toEqual(['Traceback\ntwo', '  File x']);
	});

	it('a bare line has no type and no ID of its own', () => {
		const { entries, push } = open({ format: 'sse' });
		push('id: 7\nevent: log\ndata: one\n\nbare\ndata: two\n\n');
		const plain = { lastEventId: '7', hasOwnId: false, bytes: 0, truncated: false };
		expect(entries).toEqual([
			{ ...plain, data: 'one', type: 'log', hasOwnId: true },
			{ ...plain, data: 'bare', type: '' },
			{ ...plain, data: 'two', type: 'message' },
		]);
	});

	it('the last line or event comes only at the end of the log', () => {
		expect(lines('one\nlast')).toEqual(same('one'));
		expect(lines('one\nlast', {}, true)).toEqual(same('one', 'last'));
		expect(lines('data: one\n\ndata: last', {}, true)).toEqual(same('one', 'last'));
		expect(lines('data: one\ndata: two', {}, true)).toEqual(same('one\ntwo'));
		expect(lines('ü'.slice(0, 1), {}, true)).toEqual(same('ü'));
		expect(decode([Buffer.from([0x61, 0xe2, 0x82])], {}, true)).toMatchObject([
			{ data: 'a\uFFFD' },
		]);
	});
});

describe('events that a single line feed ends', () => {
	it.each([
		'',
		': connected\n\n',
		'retry: 1000\n\n',
		'id: 5\n\n',
		'event: hello\ndata: greeting\n\n',
		'data: a\ndata: b\n\n',
	])('are pending until it is silent, behind %j', (greeting) => {
		const { decoder, push, texts } = open();
		push(`${greeting}data: one\n`);
		const { length } = texts();
		expect(decoder.hasPendingLines).toBe(true);
		push('data: two\n');
		expect(texts()).toHaveLength(length);
		decoder.assumeLineFraming();
		expect([decoder.hasPendingLines, decoder.format]).toEqual([false, 'sse']);
		push('data: three\n');
		expect(texts().slice(length)).toEqual(['one', 'two', 'three']);
	});

	it.each(['', ': keep-alive\n\n', 'id: 7\n', 'Starting\n', 'data: one', 'data: one\n\n'])(
		'silence after %j means nothing',
		(text) => {
			const { decoder, push, texts } = open();
			push(text);
			const before = texts();
			expect(decoder.hasPendingLines).toBe(false);
			decoder.assumeLineFraming();
			expect(texts()).toEqual(before);
			push('\ndata: a\ndata: b\n\n');
			expect(texts()).not.toContain('a');
		},
	);

	it.each(['', 'data: first\n\n'])('are entries from the hundredth on, behind %j', (greeting) => {
		const first = greeting === '' ? [] : ['first'];
		expect(lines(`${greeting}${dataLines(99)}\n`)).toEqual(same(...first, numbered(99).join('\n')));
		expect(lines(greeting + dataLines(100))).toEqual(same(...first, ...numbered(100)));
		expect(lines(`${greeting}${dataLines(250)}\ndata: a\ndata: b\n\n`)).toEqual(
			same(...first, ...numbered(250), 'a', 'b'),
		);
	});

	it.each(['', 'data: first\n\n'])(
		'are entries above the largest together, behind %j',
		(greeting) => {
			const first = greeting === '' ? [] : ['first'];
			const options = { largestEntry: 21 };
			expect(
				lines(`${greeting}data: ${'x'.repeat(10)}\ndata:${'y'.repeat(10)}\n\n`, options),
			).toEqual(same(...first, `${'x'.repeat(10)}\n${'y'.repeat(10)}`));
			const [a, b] = ['x'.repeat(11), 'y'.repeat(10)];
			for (const size of cuts) {
				const entries = decode(
					pieces(`${greeting}data: ${a}\ndata: ${b}\ndata: c\n`, size),
					options,
				);
				expect(entries.map(({ data, truncated }) => (truncated ? 'cut' : data))).toEqual([
					...first,
					a,
					b,
					'c',
				]);
			}
		},
	);

	it('each has its own ID, type and bytes; bare lines keep their place', () => {
		const { decoder, entries, push } = open({ format: 'sse', countsBytes: true });
		push('event: first\nid: 0\ndata: a\nid: 1\ndata: bbb\nplain\ndata: c\nid: 2\n');
		expect(entries).toEqual([]);
		decoder.assumeLineFraming();
		push('data: d\n');
		const plain = { type: 'message', hasOwnId: false, truncated: false };
		expect(entries).toEqual([
			{ ...plain, data: 'a', type: 'first', lastEventId: '0', hasOwnId: true, bytes: 2 },
			{ ...plain, data: 'bbb', lastEventId: '1', hasOwnId: true, bytes: 4 },
			{ ...plain, data: 'plain', type: '', lastEventId: '1', bytes: 6 },
			{ ...plain, data: 'c', lastEventId: '1', bytes: 2 },
			{ ...plain, data: 'd', lastEventId: '2', hasOwnId: true, bytes: 2 },
		]);
	});
});
