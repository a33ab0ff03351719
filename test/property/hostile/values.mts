import fc from 'fast-check';

/** A header that must never be seen by a service. */
export const INJECTED = 'x-injected';
/** A property that must never be found on an object that does not have it. */
export const POLLUTED = 'polluted';

const HUGE = 'x'.repeat(50_000);
const parsed = (json: string): unknown => JSON.parse(json);
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
const nestedObject = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

/** What nothing was typed for: an expression that finds nothing, or something of another type. */
const otherTypes: unknown[] = [
	undefined,
	null,
	true,
	false,
	0,
	-0,
	-1,
	1.5,
	0.1,
	1e308,
	-1e308,
	2 ** 53 + 2,
	NaN,
	Infinity,
	-Infinity,
	[],
	{},
	[null],
	[1, 2],
	['a', 'b'],
	[['a']],
	[{}],
	{ a: 1 },
	{ length: 3 },
	{ toString: 1 },
	{ then: 1 },
	new Date(0),
];

const texts: string[] = [
	'',
	' ',
	'\n',
	'\t',
	HUGE,
	'null',
	'undefined',
	'NaN',
	'Infinity',
	'-0',
	'1e3',
	'0x10',
	' 5 ',
	'5\n',
	'\u0663',
	'\uFF11\uFF12',
	'8761',
	'9',
	'<script>alert(1)</script>',
	'${7*7}',
	'{{ 7*7 }}',
	"'; DROP TABLE machines; --",
	'$(id)',
	'`id`',
	'\u202Eabc',
	'\uFEFFabc',
	'a\u0000b',
	'\uD800',
	'e\u0301\u0301',
];

/** Paths that would lead elsewhere. */
const paths: string[] = [
	'.',
	'..',
	'../x',
	'../../v1/admin',
	'a/b',
	'/a',
	'a/',
	'//evil.example/x',
	'http://evil.example/',
	'a\\b',
	'..\\x',
	'%2e',
	'%2e%2e',
	'%2E%2E%2Fx',
	'..%2f..%2fadmin',
	'..%252fx',
	'a%2Fb',
	'a%00',
	'a?b=c',
	'a#b',
	'a;b=c',
	'a&b=c',
	'@evil.example',
	':80',
	'a b',
	'..;/x',
	'\uFF0E\uFF0E\uFF0Fx',
	'\u2025/x',
	'{device_id}',
	'{service}',
];

const injections: string[] = [
	`a\r\n${INJECTED}: yes`,
	`a\n${INJECTED}: yes`,
	`a\r${INJECTED}: yes`,
	`\r\n\r\nGET /stolen HTTP/1.1\r\n${INJECTED}: yes\r\n\r\n`,
	`a\u2028${INJECTED}: yes`,
	`a\u010D\u010A${INJECTED}: yes`,
	`"\r\n${INJECTED}: yes`,
];

const pollution: unknown[] = [
	'__proto__',
	'constructor',
	'prototype',
	'toString',
	'hasOwnProperty',
	'__proto__.polluted',
	'constructor.prototype.polluted',
	parsed(`{"__proto__": {"${POLLUTED}": "yes"}}`),
	{ constructor: { prototype: { [POLLUTED]: 'yes' } } },
	[parsed(`{"__proto__": {"${POLLUTED}": "yes"}}`)],
	`{"__proto__": {"${POLLUTED}": "yes"}}`,
	`[{"__proto__": {"${POLLUTED}": "yes"}}]`,
	`{"a": {"__proto__": {"${POLLUTED}": "yes"}}}`,
	parsed(`{"__rl": true, "mode": "id", "value": "../x", "__proto__": {"${POLLUTED}": "yes"}}`),
];

const shapes: unknown[] = [
	{ __rl: true, mode: 'id', value: '../x' },
	{ __rl: true, mode: 'list', value: {} },
	{ __rl: true, mode: 'id' },
	{ __rl: true, value: null },
	{ values: [] },
	{ values: null },
	{ keys: 'a' },
	nested(2_000),
	nested(20_000),
	nestedObject(20_000),
	parsed(nested(1_000)),
	Array.from({ length: 5_000 }, (_, index) => index),
	'{',
	'[1,',
	'"',
	'{"a":1}',
	'[1]',
	'(a+)+$',
	'(?=a)',
	'[',
	'(',
	'a{1000000}',
	'(?i)',
	'\\',
	'(((((((((((a',
	'\\1',
	'.*.*.*.*=.*',
];

/** Every corner that is known to break somebody's software. */
export const corners: unknown[] = [
	...otherTypes,
	...texts,
	...paths,
	...injections,
	...pollution,
	...shapes,
];

/** A corner, or something nobody thought of. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
	{ weight: 4, arbitrary: fc.constantFrom(...corners) },
	{ weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
	{
		weight: 1,
		arbitrary: fc
			.tuple(fc.constantFrom(...injections, ...paths), fc.string({ unit: 'binary', maxLength: 20 }))
			.map(([text, more]) => `${more}${text}`),
	},
	{ weight: 1, arbitrary: fc.double() },
	{ weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
	{
		weight: 1,
		arbitrary: fc.object({
			key: fc.constantFrom('__proto__', 'constructor', 'value', 'values', 'keys', 'a'),
			maxDepth: 3,
		}),
	},
);
