import { describe, expect, it } from 'vitest';
import { lines, open, same } from './decoder-log-fixture.mts';

const formatOf = (text: string, isComplete = false) => {
	const { decoder, push } = open();
	push(text);
	if (isComplete) decoder.end();
	return decoder.format;
};

describe('the format of a log', () => {
	it('that is set is not detected', () => {
		expect(lines('data: one\n\n', { format: 'lines' })).toEqual(same('data: one', ''));
		expect(lines('hello\ndata: one\n\n', { format: 'sse' })).toEqual(same('hello', 'one'));
	});

	it.each([
		'data: one\n\n',
		': hi\nid: 1\ndata: one\n\n',
		'\uFEFFid: 7\ndata:one\r\n\r\n',
		'\n\ndata: one\n\n',
	])('is an event stream at the end of a block with data: %j', (text) => {
		expect(formatOf(text)).toBe('sse');
		expect(lines(text)).toEqual(same('one'));
	});

	it.each([
		'retry: connecting to db\nid: 7\n\n: x\nevent: y\n',
		'id: 7\nStarting\n\nid: 8\n',
		'event: started\n\n: note\nStarting\n',
		': not a comment\nStarting\nretry: 5\n',
		'\n\nStarting\n',
		'data: 5 rows\nStarting\n\ndata: 6 rows\n',
		'id: 1\ndata: 5 rows\n: x\n{"a":1}\n',
		'retry:\nretry: 5 of 6\n',
		'data\tfive\n',
	])(
		'is bare lines at the first line that no event stream has, and all lines are kept: %j',
		(text) => {
			expect(formatOf(text)).toBe('lines');
			expect(lines(text)).toEqual(same(...text.split('\n').slice(0, -1)));
		},
	);

	it.each([
		': ping\n\n',
		'retry: 1000\n\n',
		'id: 5\n\n',
		'event: open\n\n',
		'\n',
		': ping\n\n'.repeat(500),
	])('is left open by %j, and neither is that an entry', (text) => {
		expect(formatOf(text)).toBe('auto');
		expect(lines(text, {}, true)).toEqual(same());
		expect(lines(`${text}data: one\n\n`)).toEqual(same('one'));
	});

	it('is left open by data without the end of its block', () => {
		expect(formatOf('data: one\n')).toBe('auto');
		expect(formatOf('data: one\n', true)).toBe('sse');
	});

	it('a field at the end of the log that no blank line follows is a bare line', () => {
		expect(lines('retry: 5', {}, true)).toEqual(same('retry: 5'));
		expect(lines('id: 7', {}, true)).toEqual(same('id: 7'));
		expect(lines(': hi\n\nevent: started\n', {}, true)).toEqual(same(': hi', '', 'event: started'));
	});

	it('a retry counts once it is an event stream', () => {
		const { decoder, push } = open();
		push('retry: 1500\n\n');
		expect([decoder.retryMs, decoder.format]).toEqual([undefined, 'auto']);
		push('retry: 2500\ndata: one\n\n');
		expect([decoder.retryMs, decoder.format]).toEqual([2500, 'sse']);
	});

	it.each(['15x', 'x15', '-15', '1.5', ''])('a retry of %j is none', (value) => {
		const { decoder, push, texts } = open();
		push(`data: one\n\nretry: ${value}\n\ndata: two\n\n`);
		expect([decoder.retryMs, decoder.format]).toEqual([undefined, 'sse']);
		push('event: 7\n\nid: 8\n\nretry: 9\n\n');
		expect(decoder.retryMs).toBe(9);
		expect(texts()).toEqual(['one', 'two']);
	});

	it('a retry of bare lines is a line and no more', () => {
		const { decoder, push, texts } = open();
		push('retry: 1500\nStarting\nretry: 2\n');
		expect([decoder.retryMs, decoder.format]).toEqual([undefined, 'lines']);
		expect(texts()).toEqual(['retry: 1500', 'Starting', 'retry: 2']);
	});

	it('keep-alives above a mebibyte are an event stream', () => {
		const { decoder, push } = open();
		const pings = ': ping\n\n'.repeat(10_000);
		for (let count = 0; count < 17; count++) push(pings);
		expect(decoder.format).toBe('auto');
		for (let count = 0; count < 2; count++) push(pings);
		expect(decoder.format).toBe('sse');
	});

	it('an id stays known', () => {
		const { entries, push } = open();
		push('id: 5\n\nid: 6\0\ndata: one\n\n');
		expect(entries).toMatchObject([{ lastEventId: '5', hasOwnId: false }]);
	});
});

describe('line ends', () => {
	it('a carriage return alone is a progress bar, in events too', () => {
		expect(lines('one\ntwo\r\n\n 10%\r 20%\nlast')).toEqual(same('one', 'two', '', ' 10%\r 20%'));
		expect(lines('10%\rdata: 20%\rdone\nnext\n')).toEqual(same('10%\rdata: 20%\rdone', 'next'));
		expect(lines('data: one\n\ndata:  10%\r 20%\n\n')).toEqual(same('one', ' 10%\r 20%'));
		expect(lines('data: 10%\r 20%\n\n')).toEqual(same('10%\r 20%'));
	});

	it('ends a line where the stream begins with a field that ends so', () => {
		expect(lines('data: one\r\rid: 7\rdata: two\r\r: x\r\n')).toEqual(same('one', 'two'));
		expect(lines(': hi\rdata: one\r\r\ndata: two\n\n')).toEqual(same('one', 'two'));
		for (const format of ['sse', 'auto'] as const)
			expect(lines('data: one\r\rdata: two', { format, countsBytes: true }, true)).toEqual(
				same('one', 'two'),
			);
	});

	it('a carriage return alone never ends a bare line', () => {
		expect(lines(': 10%\r: 20%\rid: 7\n', { format: 'lines' })).toEqual(
			same(': 10%\r: 20%\rid: 7'),
		);
	});

	it('a byte order mark counts only at the very start', () => {
		expect(lines('\uFEFFone\n\uFEFFtwo\n')).toEqual(same('one', '\uFEFFtwo'));
	});
});
