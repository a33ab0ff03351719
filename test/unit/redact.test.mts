import { describe, expect, it } from 'vitest';
import { contentRedactor, redactor } from '../../nodes/shared/http/redact.ts';

const SECRET = `aä"/&<>='+~?`;

/** Without what is open, as {@link contentRedactor}. */
const contents = (...secrets: unknown[]) => contentRedactor(secrets, () => false);

describe('a secret in a text', () => {
	it.each([
		['as it is', SECRET],
		['in a URL', encodeURIComponent(SECRET)],
		['in a URL in lower case', "a%c3%a4%22%2f%26%3c%3e%3d'%2b~%3f"],
		['in JSON', JSON.stringify(SECRET).slice(1, -1)],
		['in JSON that escapes slashes', `aä\\"\\/&<>='+~?`],
		['in JSON that is safe in a page', `aä\\"/\\u0026\\u003c\\u003e\\u003d\\u0027\\u002b~?`],
		['in JSON with large digits', `aä\\"\\u002F&\\u003C\\u003E=\\u0027\\u002B~?`],
		['in JSON in JSON', `aä\\\\\\"/&<>='+~?`],
		[
			'in JSON in JSON in JSON',
			JSON.stringify(JSON.stringify(JSON.stringify(SECRET))).slice(7, -7),
		],
		['in JSON in JSON that escapes slashes', `aä\\\\\\"\\\\\\/&<>='+~?`],
		['in ASCII', `a\\u00e4\\"/&<>='+~?`],
		['in ASCII in JSON', `a\\\\u00E4\\\\\\"/&<>='+~?`],
		['in a page', `aä&quot;/&amp;&lt;&gt;=&#39;+~?`],
		['in a page, by numbers', `a&#xE4;&#34;&#x2F;&#038;&#60;&#x3e;&#61;&#x27;&#43;&#126;&#x3f;`],
		['in a page, in JSON in JSON', `aä&quot;\\\\/&amp;&lt;&gt;=\\\\u0026#x27;+~?`],
		['in a page by names, in a page', `aä&amp;quot;/&amp;amp;&amp;lt;&amp;gt;=&amp;apos;+~?`],
		['in Base64', Buffer.from(SECRET).toString('base64').replace(/=+$/, '')],
		['in Base64 of a token', Buffer.from(SECRET).toString('base64url')],
	])('%s', (_, form) => {
		expect(redactor([SECRET])(`before ${form}, after`)).toBe('before ***, after');
		expect(contents(SECRET)(`before ${form}, after`)).toBe('before ***, after');
	});

	it.each([
		['before a-secr', 'before ***'],
		['before an', 'before an'],
		['before a-sec', 'before a-sec'],
		['{"key":"a-secret \\"of', '{"key":"***'],
		['a-secret "of mine"', '***'],
		['another-secret, another-s', '***, ***'],
		['', ''],
	])('%j, where the text is cut', (text, shown) => {
		const secrets = ['a-secret "of mine"', 'another-secret'];
		expect(redactor(secrets)(text, true)).toBe(shown);
		expect(contents(...secrets)(text, true)).toBe(shown);
		expect(redactor([])(text, true)).toBe(text);
	});

	it.each(['~>?~>?~', '~>?~>?~>', '~>?~>?~>?'])(
		'%s in Base64, with and without what fills it up',
		(secret) => {
			const whole = Buffer.from(secret).toString('base64');
			for (const form of [whole, whole.replaceAll('=', '')])
				for (const hidden of [redactor([secret]), contents(secret)])
					expect(hidden(`Basic ${form};`)).toMatch(/^Basic \*\*\*=*;$/);
		},
	);

	it.each(['', 'a', 'ab', 'abc'])('in Base64 behind %j, and the login in it', (before) => {
		const base64 = (text: string) => Buffer.from(text).toString('base64');
		for (const hidden of [redactor([SECRET]), contents(SECRET)]) {
			const said = hidden(base64(`${before}${SECRET} and more`));
			expect(said).toContain('***');
			expect(hidden(said)).toBe(said);
		}
		const login = base64(`user${before}:${SECRET}`);
		const settings = JSON.stringify({ password: SECRET, auth: login });
		const shown = contents(SECRET)(base64(settings)).split('***');
		expect(shown).toHaveLength(3);
		for (const part of shown) expect(base64(settings)).toContain(part);
	});

	it('is replaced only as a whole, and not as an expression', () => {
		const text = 'axb.cd and a.b-cde';
		expect(redactor(['a.b.cd'])(text)).toBe(text);
		expect(redactor(['a.b.cd', 'a.b.cdef'])('a.b.cdef, a.b.cd')).toBe('***, ***');
	});

	it.each([['five5'], [' five5 '], [''], [7_000_000], [null], [undefined]])(
		'%j is none',
		(secret) => {
			const text = 'five5 of 7000000, null, undefined';
			expect(redactor([secret])(text)).toBe(text);
			expect(contents(secret)(text)).toBe(text);
		},
	);

	it('half a character in it is no error', () => {
		expect(redactor(['secret\ud800'])('a secret\ud800')).toBe('a ***');
	});
});

describe('a secret in JSON', () => {
	it('leaves the keys of the service, but not those that hold it', () => {
		const answer = { deployment: 'deployment', 'my deployment': 7, list: ['a deployment', null] };
		expect(JSON.parse(contents('deployment')(JSON.stringify(answer)))).toEqual({
			deployment: '***',
			'my ***': 7,
			list: ['a ***', null],
		});
	});

	it('stays where the text has to be read as it is', () => {
		const redact = contentRedactor(
			['deployment', '123456'],
			(key, text) => key === 'id' && /^[a-z\d]+$/.test(text),
		);
		expect(
			redact('{"id":"deployment","of":[{"id":123456,"n":123456},{"id":"a deployment"}]}'),
		).toBe('{"id":"deployment","of":[{"id":123456,"n":"***"},{"id":"a ***"}]}');
		// The texts of a list have no key
		expect(redact('{"id":["deployment"]}')).toBe('{"id":["***"]}');
	});

	it.each<[string, string]>([
		['123456', '{"a":123456,"b":1.23456e5,"c":123456.5}'],
		[' 123456\n', '{"a":123456,"b":1.23456e5,"c":123456.5}'],
	])('%j is a number, too', (secret, text) => {
		for (const redact of [redactor([secret]), contents(secret)])
			expect(redact(text)).toBe('{"a":"***","b":"***","c":123456.5}');
	});

	it('a negative number and a broken one', () => {
		expect(redactor(['-12345', '1234.5'])('[-12345,1234.5,12345]')).toBe('["***","***",12345]');
	});

	it.each(['12345', 'key-123456', '1.2.34', '123456.'])('%j is no number', (secret) => {
		const text = '{ "a": 12345, "b": 123456 }';
		expect(redactor([secret])(text)).toBe(text);
	});
});
