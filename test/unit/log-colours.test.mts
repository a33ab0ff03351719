import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { removeColours } from '../../nodes/marketplace/log/colours.ts';

const ESC = '\u001b';
const BEL = '\u0007';

describe('removing colours', () => {
	it.each([
		['a colour', `${ESC}[31mERROR${ESC}[0m no disk`, 'ERROR no disk'],
		['several parameters', `${ESC}[1;38;5;196mx${ESC}[m`, 'x'],
		['parameters with colons', `${ESC}[38:2::255:0:0mx`, 'x'],
		['cursor and line', `${ESC}[2K${ESC}[1Ghalf${ESC}[?25l`, 'half'],
		['an intermediate character', `${ESC}[2 qx`, 'x'],
		['8 bits', '\u009b31mERROR\u009b0m', 'ERROR'],
		['a title', `${ESC}]0;job 7${BEL}ready`, 'ready'],
		['a link', `${ESC}]8;;https://a.example${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
		['a character set (tput sgr0)', `x${ESC}(B${ESC}[m`, 'x'],
		['a device string', `${ESC}P1$r0m${ESC}\\x`, 'x'],
		['a reset', `${ESC}cx${ESC}7y${ESC}=z`, 'xyz'],
		['a sequence that the line was cut in', `x${ESC}[38;5`, 'x'],
		['an escape alone', `x${ESC}`, 'x'],
		['a title without an end: its text stays', `${ESC}]0;job 7`, '0;job 7'],
		['a title that another sequence ends', `${ESC}]0;job${ESC}[31mred`, '0;jobred'],
		['other control characters stay', 'a\tb\rc', 'a\tb\rc'],
	])('%s', (_, text, expected) => {
		expect(removeColours(text)).toBe(expected);
	});

	const parts = fc.constantFrom(
		ESC,
		'[',
		']',
		'\u009b',
		BEL,
		'\\',
		'3',
		';',
		' ',
		'm',
		'P',
		'é',
		'\n',
	);

	it('leaves no escape, and a text without one as it is', () => {
		fc.assert(
			fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 60 }), (pieces) => {
				const text = pieces.join('');
				const plain = removeColours(text);
				expect(plain).not.toMatch(new RegExp(`[${ESC}\u009b]`));
				expect(removeColours(plain)).toBe(plain);
				if (!/[\u009b]/.test(text) && !text.includes(ESC)) expect(plain).toBe(text);
			}),
		);
	});

	it.each([`${ESC}]`, `${ESC}[`, `${ESC}[1`, `${ESC}[ `, `${ESC}P\\`, ESC, '\u009b0;'])(
		'reads a megabyte of %j in one pass',
		(unit) => {
			const text = unit.repeat(1_000_000 / unit.length);
			expect(removeColours(text).length).toBeLessThanOrEqual(text.length);
			expect(removeColours(`${unit}${'0'.repeat(1_000_000)}`).length).toBeLessThanOrEqual(
				1_000_001,
			);
		},
	);
});
