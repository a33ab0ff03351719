/** One event as an EventSource would hand it over: type, data, last event ID. */
export type Expected = readonly [type: string, data: string, id: string];

export interface Case {
	/** Name of the file in the eventsource folder of the web-platform-tests. */
	name: string;
	body: string;
	events: readonly Expected[];
	/** Reconnection time that is asked for in the end. */
	retryMs?: number;
	/** A rule about connections, where a client that is no browser may choose. */
	note?: string;
}

const message = (data: string, id = ''): Expected => ['message', data, id];
const long = 'x'.repeat(2 * 1024);
/** Their server ends each message so, unless the test says otherwise. */
const END = '\n\n\n';

/**
 * The 23 `format-*` cases of the web-platform-tests for EventSource and `event-data`, as the bytes that their server sends
 * and the events that their page must see.
 */
export const cases: readonly Case[] = [
	{
		name: 'event-data',
		body: 'data:msg\ndata:msg\n\n:\nfalsefield:msg\n\nfalsefield:msg\nData:data\n\ndata\n\ndata:end\n\n',
		events: [message('msg\nmsg'), message(''), message('end')],
	},
	{
		name: 'format-bom',
		body: '\uFEFFdata:1\n\n\uFEFFdata:2\n\ndata:3\n\n',
		events: [message('1'), message('3')],
	},
	{
		name: 'format-bom-2',
		body: '\uFEFF\uFEFFdata:1\n\ndata:2\n\ndata:3\n\n',
		events: [message('2'), message('3')],
	},
	{
		name: 'format-comments',
		body: `data:1\r:\0\n:\r\ndata:2\n:${long}\rdata:3\n:data:fail\r:${long}\ndata:4\n\n`,
		events: [message('1\n2\n3\n4')],
	},
	{
		name: 'format-data-before-final-empty-line',
		body: 'retry:1000\ndata:test1\n\nid:test\ndata:test2',
		events: [message('test1')],
		retryMs: 1000,
	},
	{
		name: 'format-field-data',
		body: `data:\n\ndata\ndata\n\ndata:test${END}`,
		events: [message(''), message('\n'), message('test')],
	},
	{
		name: 'format-field-event',
		body: `event:test\ndata:x\n\ndata:x${END}`,
		events: [['test', 'x', ''], message('x')],
	},
	{ name: 'format-field-event-empty', body: `event: \ndata:data${END}`, events: [message('data')] },
	{
		name: 'format-field-id',
		body: 'id: \u2026\nretry: 200\ndata: hello\n\n',
		events: [message('hello', '\u2026')],
		retryMs: 200,
	},
	{
		name: 'format-field-id-2',
		body: 'id: \u2026\nretry: 200\ndata: hello\n\ndata: hello\n\n',
		events: [message('hello', '\u2026'), message('hello', '\u2026')],
		retryMs: 200,
	},
	{
		name: 'format-field-id-3 (persists)',
		body: 'id: 1\ndata: 1\n\ndata: 2\n\nid: 2\ndata:3\n\ndata:4\n\n',
		events: [message('1', '1'), message('2', '1'), message('3', '2'), message('4', '2')],
	},
	{
		name: 'format-field-id-3 (resets)',
		body: 'id: 1\ndata: 1\n\nid:\ndata:2\n\ndata:3\n\n',
		events: [message('1', '1'), message('2'), message('3')],
	},
	{
		name: 'format-field-id-3 (resets, no colon)',
		body: 'id: 1\ndata: 1\n\nid\ndata:2\n\ndata:3\n\n',
		events: [message('1', '1'), message('2'), message('3')],
	},
	...['\0\0', 'x\0', '\0x', 'x\0x', ' \0'].map((id): Case => ({
		name: `format-field-id-null (${JSON.stringify(id)})`,
		body: `id: ${id}\nretry: 200\ndata: hello\n\n`,
		events: [message('hello')],
		retryMs: 200,
	})),
	{
		name: 'format-field-parsing',
		body: 'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
		events: [message('\0\n 2\n1\n3\n\n4')],
	},
	{
		name: 'format-field-retry',
		body: `retry:03000\ndata:x${END}`,
		events: [message('x')],
		retryMs: 3000,
	},
	{
		name: 'format-field-retry-bogus',
		body: `retry:3000\nretry:1000x\ndata:x${END}`,
		events: [message('x')],
		retryMs: 3000,
	},
	{ name: 'format-field-retry-empty', body: `retry\ndata:test${END}`, events: [message('test')] },
	{
		name: 'format-field-unknown',
		body: `data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test${END}`,
		events: [message('test\n\ntest')],
	},
	{
		name: 'format-leading-space',
		body: `data:\ttest\rdata: \ndata:test${END}`,
		events: [message('\ttest\n\ntest')],
	},
	{
		name: 'format-mime-bogus',
		body: `data:data${END}`,
		events: [message('data')],
		note: 'a browser refuses the content type; a log is read under any',
	},
	{ name: 'format-mime-trailing-semicolon', body: `data:data${END}`, events: [message('data')] },
	{
		name: 'format-mime-valid-bogus',
		body: `data:data${END}`,
		events: [message('data')],
		note: 'a browser refuses the content type; a log is read under any',
	},
	{
		name: 'format-newlines',
		body: 'data:test\r\ndata\ndata:test\r\n\r\n',
		events: [message('test\n\ntest')],
	},
	{ name: 'format-null-character', body: `data:\0${END}`, events: [message('\0')] },
	{ name: 'format-utf-8', body: `data:ok\u2026${END}`, events: [message('ok\u2026')] },
];

/** Whole, byte by byte, and in pieces of three bytes, which cut characters and line ends. */
export const cuts = [Infinity, 1, 3] as const;

export function pieces(body: string, size: number): Uint8Array[] {
	const bytes = Buffer.from(body);
	if (size === Infinity) return [bytes];
	return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
		bytes.subarray(index * size, (index + 1) * size),
	);
}
