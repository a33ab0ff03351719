import { describe, expect, it } from 'vitest';
import { BodyDecoder, linesOf } from '../../nodes/intelligence/bodyDecoder.ts';

const [one, two] = ['{"a":1}', '{"b":2}'];

const eventOf = (data: string) => ({ type: 'message', data, lastEventId: '' });

/** The data of the events that each of these pieces completes, and in the end those that the body ends within. */
function decoded(...pieces: Array<string | Uint8Array>) {
	const decoder = new BodyDecoder();
	const data = pieces.map((piece) =>
		decoder.push(Buffer.from(piece as string)).map((event) => event.data),
	);
	return { isJson: decoder.isJson, data, end: decoder.end().map((event) => event.data) };
}

describe('a body in JSON', () => {
	it.each<[string, string[], string[][], string[]]>([
		['of one object', [one], [[]], [one]],
		['of one object in pieces', ['{"a"', ':1}'], [[], []], [one]],
		['of one object in several lines', ['{\n"a":', '1\n}\n'], [[], []], ['{\n"a":1\n}\n']],
		['of a list', ['[1,\n2]'], [[]], ['[1,\n2]']],
		['that is a page', ['<html>\n</html>'], [[]], ['<html>\n</html>']],
		['of an object a line', [`${one}\n`, `${two}\n`], [[one], [two]], []],
		['of lines that come at once', [`${one}\n${two}\n`], [[one, two]], []],
		['of lines in pieces', ['{"a"', `:1}\n{"b"`, ':2}'], [[], [one], []], [two]],
		['of lines with blank ones between', [`${one}\n\n \n${two}\n`], [[one, two]], []],
		['of a line and blanks', [`${one}\n`, ' \n', '  '], [[one], [], []], []],
		[
			'of a line, and words after it',
			[`${one}\n`, 'Sorry\n', one],
			[[one], [], []],
			[`Sorry\n${one}`],
		],
		['after blanks', [' \n', `\r\n${one}`], [[], []], [one]],
		['after comments', [': a\n:\r\n: bc\n', one], [[], []], [one]],
		['after a comment in pieces', [': ab', `c\n${one}`], [[], []], [one]],
	])('%s', (_, pieces, data, end) => {
		expect(decoded(...pieces)).toEqual({ isJson: true, data, end });
	});

	it('has events without a name or an ID', () => {
		const decoder = new BodyDecoder();
		expect(decoder.push(Buffer.from(`${one}\n${two}`))).toEqual([eventOf(one)]);
		expect(decoder.end()).toEqual([eventOf(two)]);
	});

	it('may come in pieces of a character', () => {
		const bytes = Buffer.from('{"a":"é"}');
		expect(decoded(bytes.subarray(0, 7), bytes.subarray(7)).end).toEqual(['{"a":"é"}']);
	});
});

describe('a body of events', () => {
	it.each<[string, string[], string[][], string[]]>([
		['in pieces', ['da', `ta: ${one}\n`, `\ndata: ${two}\n\n`], [[], [], [one, two]], []],
		['after a comment', [`: a\n\ndata: ${one}\n\n`], [[one]], []],
		['that ends within the last', [`data: ${one}`], [[]], [one]],
		['with an error after them', [`data: ${one}\n\n${two}`], [[one]], [two]],
		['with an error after one that has not ended', [`data: ${one}\n`, two], [[], []], [one, two]],
		['with words after them', [`data: ${one}\n\n{Sorry}`], [[one]], []],
	])('%s', (_, pieces, data, end) => {
		expect(decoded(...pieces)).toEqual({ isJson: false, data, end });
	});

	it('has an error after them, unless that is longer than an error is', () => {
		const error = (length: number) => `{"error":"${'x'.repeat(length - 12)}"}`;
		expect(decoded('data: 1\n', `\n${error(4_095)}`).end).toEqual([error(4_095)]);
		expect(decoded('data: 1\n', `\n${error(4_096)}`).end).toEqual([]);
	});

	it('is what begins with a comment of 4,096 characters', () => {
		const after = (length: number) => decoded(`:${'x'.repeat(length - 1)}`, `\n${one}`).isJson;
		expect([after(4_095), after(4_096)]).toEqual([true, false]);
	});
});

it.each(['', ' \n', ':', ': a', ': a\n'])('a body of nothing has no events: %j', (text) => {
	expect(decoded(text)).toEqual({ isJson: false, data: [[]], end: [] });
});

describe('the lines of an event', () => {
	const event = (data: string) => ({ type: 'chunk', data, lastEventId: '7' });

	it('are events of its kind where the first is an object', () => {
		expect(linesOf(event(`${one}\n${two}\n[DONE]`))).toEqual([one, two, '[DONE]'].map(event));
	});

	it.each([one, 'Out of memory', '', `\n${one}`, `[1]\n${one}`, '{\n"a":1\n}'])(
		'are one event in any other: %j',
		(data) => expect(linesOf(event(data))).toEqual([event(data)]),
	);
});
