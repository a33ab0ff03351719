import { describe, expect, it } from 'vitest';
import { keepingDigits, parseAnswer } from '../../nodes/shared/json.ts';

const LONG_ID = '1234567890123456789';

describe('whole numbers of an answer', () => {
	it.each<[text: string, value: unknown]>([
		[LONG_ID, LONG_ID],
		[`-${LONG_ID}`, `-${LONG_ID}`],
		[`{"id":${LONG_ID},"n":7}`, { id: LONG_ID, n: 7 }],
		[`[ ${LONG_ID} , [-9007199254740992] ]`, [LONG_ID, ['-9007199254740992']]],
		['[9007199254740991,-9007199254740991]', [9007199254740991, -9007199254740991]],
		// Rounded as they are, these are no IDs
		[`[${LONG_ID}.5]`, [1234567890123456800]],
		['[0.12345678901234567890]', [0.12345678901234568]],
		[
			'[1234567890123456789e3,1234567890123456E+2,1234567890123456e-2]',
			[1.2345678901234568e21, 123456789012345600, 12345678901234.56],
		],
		['["1234567890123456", 12]', ['1234567890123456', 12]],
		[
			`{"${LONG_ID}":"a ${LONG_ID} \\" ${LONG_ID}","b":${LONG_ID}}`,
			{ [LONG_ID]: `a ${LONG_ID} " ${LONG_ID}`, b: LONG_ID },
		],
	])('%s', (text, value) => {
		expect(parseAnswer(text)).toEqual(value);
		expect(JSON.parse(keepingDigits(text))).toEqual(value);
	});

	it.each(['', LONG_ID.slice(0, 15), `{"id":${LONG_ID}`, `id ${LONG_ID}`, '{"a": "1"}'])(
		'another text stays as it is: %j',
		(text) => expect(keepingDigits(text)).toBe(text),
	);

	it('are kept in a text of which nothing else changes', () =>
		expect(keepingDigits(` [ ${LONG_ID},\n 1.50 , "x" ] `)).toBe(
			` [ "${LONG_ID}",\n 1.50 , "x" ] `,
		));
});

describe('numbers that JSON does not have', () => {
	it.each<[text: string, value: unknown]>([
		['NaN', null],
		['[NaN,-NaN,Infinity,-Infinity]', [null, null, null, null]],
		['{"a": NaN, "b": "NaN", "NaN": -Infinity}', { a: null, b: 'NaN', NaN: null }],
		[`{"a": NaN, "id": ${LONG_ID}}`, { a: null, id: LONG_ID }],
		['{"a": "a \\" NaN", "b": Infinity}', { a: 'a " NaN', b: null }],
	])('%s', (text, value) => expect(parseAnswer(text)).toEqual(value));

	it.each([
		'NaNa',
		'[NaN',
		`0${LONG_ID}`,
		'"NaN',
		'The price is NaN',
		'{"a": "NaN" "b"}',
		'',
		'nan',
	])('%j is no JSON with them either', (text) => expect(parseAnswer(text)).toBeUndefined());
});
