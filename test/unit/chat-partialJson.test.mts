import { expect, it } from 'vitest';
import { parsePartialJson } from '../../nodes/intelligence/partialJson.ts';

it.each([
	['{"a": "Hel', { a: 'Hel' }],
	['{"a": "Hel\\', { a: 'Hel' }],
	['{"a": "Hel\\u00e', { a: 'Hel' }],
	['{"a": "Hel\\\\', { a: 'Hel\\' }],
	['{"a": "Hel\\\\\\', { a: 'Hel\\' }],
	['{"a": "Hel\\\\\\u0', { a: 'Hel\\' }],
	['{"a": ["b", {"c": "d', { a: ['b', { c: 'd' }] }],
	['{"a": 1, "b": 12', { a: 1 }],
	['{"a": 1, "b": tru', { a: 1 }],
	['{"a": 1, "b"', { a: 1 }],
	['{"a": 1, "b":', { a: 1 }],
	['{"a": 1, "b": {"c": 2}', { a: 1, b: { c: 2 } }],
	['{"a": 1, "b": {"c": 2}\n', { a: 1, b: { c: 2 } }],
	['{"a": 1, "b', { a: 1 }],
	['{"a": "}]{[,", "b": "', { a: '}]{[,', b: '' }],
	['{', {}],
	['{"a', {}],
	[' \n{"a": "b', { a: 'b' }],
	['["a"', undefined],
	[' ["a', undefined],
	['oops', undefined],
	['{oops', {}],
	['{"a":'.repeat(600), undefined],
	['', undefined],
])('%j is read as far as it goes', (text, value) => {
	expect(parsePartialJson(text)).toEqual(value);
});

it('is read down to 500 open brackets', () => {
	const depth = '{"a":';
	const read = (levels: number) => JSON.stringify(parsePartialJson(`${depth.repeat(levels)}"x`));
	expect(read(500)).toBe(`${depth.repeat(500)}"x"${'}'.repeat(500)}`);
	expect(read(501)).toBeUndefined();
});

it('every beginning of a completion has what came of its text', () => {
	const content = 'Ein Satz: "Größe" \\ {1, [2]} \u00e9\n🚀';
	const text = JSON.stringify({
		id: 'a',
		choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
		usage: { total_tokens: 12 },
	});
	const start = text.indexOf('"content":"') + 12;
	for (let end = start; end < text.length; end++) {
		const { choices } = parsePartialJson(text.slice(0, end)) as {
			choices: Array<{ message: { content: string } }>;
		};
		expect(content.startsWith(choices[0]?.message.content ?? '?')).toBe(true);
	}
});
