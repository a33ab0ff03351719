import { gzipSync, brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RETRY } from '../../engine/nodes.mts';
import { deploy, destroy, extend, told } from './forms.mts';
import { HOUR, openMarket, type Market } from './service.mts';
import type { Answer, Call } from './types.mts';

/** Writes bytes to the socket in place of an HTTP answer of Node's, and closes it. */
function raw({ response }: Call, ...parts: Array<string | Buffer>): Answer {
	parts.forEach((part) => response.socket?.write(part));
	response.socket?.end();
	return 'handled';
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n';
const sized = (body: string | Buffer, more = '') =>
	`${HEAD}${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`;

type Way = (call: Call, text: string) => Answer;

/** Ways in which an answer may come of a request that was done. */
const ways: Array<[string, Way]> = [
	[
		'after a 103 and a 100',
		(call, text) =>
			raw(
				call,
				'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
				'HTTP/1.1 100 Continue\r\n\r\n',
				sized(text),
				text,
			),
	],
	[
		'in gzip with garbage after it',
		(call, text) => {
			const body = Buffer.concat([gzipSync(text), Buffer.from('garbage')]);
			return raw(call, sized(body, 'Content-Encoding: gzip\r\n'), body);
		},
	],
	[
		'in brotli',
		(call, text) => {
			const body = brotliCompressSync(text);
			return raw(call, sized(body, 'Content-Encoding: br\r\n'), body);
		},
	],
	[
		'as gzip that is none',
		(call, text) => raw(call, sized(text, 'Content-Encoding: gzip\r\n'), text),
	],
	['with a BOM', (call, text) => raw(call, sized(`\uFEFF${text}`), `\uFEFF${text}`)],
	[
		'in UTF-16',
		(call, text) => {
			const body = Buffer.from(`\uFEFF${text}`, 'utf16le');
			return raw(call, sized(body), body);
		},
	],
	[
		'in chunks that break off',
		(call, text) =>
			raw(
				call,
				`${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
				`${text.length.toString(16)}\r\n${text}\r\n`,
			),
	],
	[
		'in chunks with an extension and a trailer',
		(call, text) =>
			raw(
				call,
				`${HEAD}Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n`,
				`${text.length.toString(16)};a=b\r\n${text}\r\n0\r\nX-Sum: 1\r\n\r\n`,
			),
	],
	['shorter than its length', (call, text) => raw(call, sized(`${text}    `), text)],
	[
		'longer than its length',
		(call, text) => raw(call, sized(text), text, '{"deployment_id":"d-99"}'),
	],
	[
		'with NaN in it',
		(_call, text) => ({ status: 200, text: text.replace('{', '{"discount":NaN,') }),
	],
	[
		'with its keys twice',
		(_call, text) => ({
			status: 200,
			text: text.replace('{', '{"deployment_id":"req-1","data":{"id":"req-2"},"data":null,'),
		}),
	],
	['as text that is JSON', (_call, text) => ({ status: 200, text: JSON.stringify(text) })],
	['as an array', (_call, text) => ({ status: 200, text: `[${text}]` })],
	[
		'as HTML of a proxy',
		() => ({
			status: 200,
			text: '<html><title>Sign in</title></html>',
			headers: { 'content-type': 'text/html' },
		}),
	],
	['as false', () => ({ status: 200, text: 'false' })],
	[
		'as a redirect to a login',
		() => ({ status: 302, headers: { location: 'http://login.example/' } }),
	],
	['as 524', () => ({ status: 524, text: 'error code: 524' })],
	['as 508', () => ({ status: 508, text: '' })],
	['as 408', () => ({ status: 408, text: '' })],
	['as 204', () => ({ status: 204 })],
	['as 207 that says no', () => ({ status: 207, json: { status: 'failed', detail: 'partial' } })],
	['as 304', () => ({ status: 304 })],
	['not at all', () => 'cut'],
	[
		'as an HTTP status of no kind',
		(call) => raw(call, 'HTTP/1.1 999 Request denied\r\nConnection: close\r\n\r\n'),
	],
	['as no HTTP', (call) => raw(call, 'SSH-2.0-OpenSSH_9.6\r\n')],
];

/** A request that is done and answered in one of the ways, once. */
function answering(market: Market, is: (call: Call) => boolean, way: Way, isDone = true): void {
	let isOver = false;
	market.odd = (call) => {
		if (isOver || !is(call)) return undefined;
		isOver = true;
		const answer = isDone ? market.documented(call) : { status: 200, json: {} };
		return way(call, JSON.stringify((answer as { json: unknown }).json));
	};
}

const isDeploy = ({ method, path }: Call) => method === 'POST' && path === '/deploy';

describe.each(ways)('an answer that comes %s', (_name, way) => {
	it('leaves one deployment of a deploy, with its ID in the output', async () => {
		const market = await openMarket({ listBehindMs: 5_000 });
		answering(market, isDeploy, way);
		const { items, error } = await told(market, deploy({ safety: { uniqueName: true } }, RETRY));
		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ deployment_id: 'd-1' }]);
		expect(market.rented).toHaveLength(1);
		expect(market.sent('POST', /deploy/)).toHaveLength(1);
	});

	it('of a deploy that was not made is no deployment, and no purchase more', async () => {
		const market = await openMarket();
		answering(market, isDeploy, way, false);
		const { items, error } = await told(market, deploy({}, RETRY));
		expect(market.rented).toEqual([]);
		expect(market.sent('POST', /deploy/)).toHaveLength(1);
		if (error === undefined)
			expect(items).toMatchObject([{ deployment_id: null, hint: /confirmed/ }]);
		else expect(error).toMatch(/"job": outcome unknown/);
	});

	it('adds the hours of an extension once, and tells them', async () => {
		const market = await openMarket();
		const one = market.add({ startedAt: market.now - HOUR, boughtAt: market.now - HOUR });
		answering(market, ({ path }) => path.endsWith('/extend'), way);
		const { items, error } = await told(market, extend(one.id, 2, {}, RETRY));
		expect(one.hours).toBe(5);
		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ added_hours: 2, deployment_id: 'd-1' }]);
		expect(market.sent('POST', /extend/)).toHaveLength(1);
	});

	it('of an extension that was not made adds nothing in words either', async () => {
		const market = await openMarket();
		const one = market.add({ startedAt: market.now - HOUR, boughtAt: market.now - HOUR });
		answering(market, ({ path }) => path.endsWith('/extend'), way, false);
		const { items, error } = await told(market, extend(one.id, 2, {}, RETRY));
		expect(one.hours).toBe(3);
		expect(market.sent('POST', /extend/)).toHaveLength(1);
		if (error === undefined) expect(items).toMatchObject([{ added_hours: null }]);
		else expect(error).toMatch(/outcome unknown/);
	});

	it('of a destroy says deleted only where it is', async () => {
		for (const isDone of [true, false]) {
			const market = await openMarket();
			const one = market.add();
			market.add();
			answering(market, ({ method }) => method === 'DELETE', way, isDone);
			const { items } = await told(market, destroy(one.id));
			const isDeleted = items[0]?.deleted === true;
			if (isDeleted) expect(one.endedAt).toBeDefined();
			if (isDone) expect(isDeleted).toBe(true);
		}
	});
});
