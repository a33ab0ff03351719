import { expect, it } from 'vitest';
import { redactColoured } from '../../nodes/marketplace/log/colours.ts';
import { redactor } from '../../nodes/shared/http/redact.ts';

const redact = redactColoured(redactor(['the-secret']));

it.each([
	['the-secret', '***'],
	['\u001B[31mthe-secret\u001B[0m', '\u001B[31m***\u001B[0m'],
	['a \u001B[1mthe\u001B[0m-secret', 'a ***'],
	['\u001B[31mred\u001B[0m', '\u001B[31mred\u001B[0m'],
	['plain', 'plain'],
])('%j is shown as %j', (text, shown) => {
	expect(redact(text)).toBe(shown);
});

it('a secret that begins at the end of a text that is cut', () => {
	expect(redact('a \u001B[1mthe\u001B[0m-sec', true)).toBe('a ***');
});
