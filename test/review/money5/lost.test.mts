import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import type { Call, Said } from './service.mts';
import { deploy, extend, stage, told } from './stage.mts';

const body = JSON.stringify({ status: 'deployment requested', deployment_id: 'dep-1' });
const head = (lines: string[]) => `HTTP/1.1 ${lines.join('\r\n')}\r\n\r\n`;
const JSON_TYPE = 'content-type: application/json';

/** Where an answer breaks off, or what is wrong with its bytes, after the work was done. */
const BROKEN: Array<[string, Said]> = [
	['nothing at all', { reset: true }],
	['an end without a byte', { raw: '' }],
	['half a status line', { raw: 'HTTP/1.1 20', reset: true }],
	['a head alone', { raw: head(['200 OK', JSON_TYPE, 'content-length: 60']), reset: true }],
	[
		'half a body',
		{
			raw: `${head(['200 OK', JSON_TYPE, 'content-length: 500'])}${body.slice(0, 30)}`,
			reset: true,
		},
	],
	[
		'a whole body that is said to be longer',
		{ raw: `${head(['200 OK', JSON_TYPE, 'content-length: 500'])}${body}` },
	],
	[
		'chunks without the last one',
		{
			raw: `${head(['200 OK', JSON_TYPE, 'transfer-encoding: chunked'])}${body.length.toString(16)}\r\n${body}\r\n`,
		},
	],
	[
		'half of what was compressed',
		{
			raw: Buffer.concat([
				Buffer.from(head(['200 OK', JSON_TYPE, 'content-encoding: gzip', 'connection: close'])),
				gzipSync(body).subarray(0, 25),
			]),
		},
	],
	[
		'text that is said to be compressed',
		{ raw: `${head(['200 OK', JSON_TYPE, 'content-encoding: br', 'connection: close'])}${body}` },
	],
	['no HTTP', { raw: 'SSH-2.0-OpenSSH_9.6\r\n' }],
	['a header that is none', { raw: `HTTP/1.1 200 OK\r\nwhat is this\r\n\r\n${body}` }],
	[
		'a head of 40 kB',
		{ raw: `${head(['200 OK', `x-filler: ${'x'.repeat(40_000)}`])}${body}`, reset: true },
	],
	['a status of 103 and then nothing', { raw: head(['103 Early Hints']), reset: true }],
	['a status of 999', { raw: `${head(['999 Request Denied', 'content-length: 0'])}` }],
	['a body of 20 MB', { text: `"${'x'.repeat(20_000_000)}"` }],
	['an array', { json: [{ deployment_id: 'dep-1' }] }],
	['a number', { json: 1 }],
	['null', { json: null, status: 202 }],
	['events', { text: `data: ${body}\n\n`, headers: { 'content-type': 'text/event-stream' } }],
	['two bodies', { text: `${body}\n${body}` }],
	['a byte order mark', { text: `\uFEFF${body}`, headers: { 'content-type': 'application/json' } }],
	['205', { status: 205 }],
	['207 with a 500 in it', { status: 207, json: { responses: [{ status: 500 }] } }],
	['300', { status: 300, json: {} }],
	['304', { status: 304 }],
	['408', { status: 408 }],
	['an answer after 119 seconds', { afterMs: 119_000, json: JSON.parse(body) as unknown }],
	['an answer after 130 seconds', { afterMs: 130_000, json: JSON.parse(body) as unknown }],
	['an answer after 20 minutes', { afterMs: 1_200_000, json: JSON.parse(body) as unknown }],
];

const isPost = ({ method }: Call) => method === 'POST';

describe.each([0, 50_000])('where list and details are behind by %d ms', (behindMs) => {
	it.each(BROKEN)('a deploy that is answered by %s is bought once', async (_, said) => {
		const { service, run } = await stage();
		const isShown = ({ boughtAt }: { boughtAt: number }) =>
			service.clock.now() >= boughtAt + behindMs;
		service.listed = (machine, entry) => (isShown(machine) ? entry : undefined);
		service.detailed = (machine, details) => (isShown(machine) ? details : undefined);
		service.answered = (call, own) => (isPost(call) ? said : own);
		const { of, error, all } = told(await run(deploy({}, RETRY)));
		expect(service.machines).toHaveLength(1);
		expect(all).toContain('dep-1');
		// Shown in time, it is no error
		expect(error).toBeUndefined();
		expect(of()).toMatchObject([{ deployment_id: 'dep-1' }]);
	});

	it.each(BROKEN)('an extension that is answered by %s is bought once', async (_, said) => {
		const { service, run } = await stage();
		service.add({ id: 'dep-1' });
		let at = Infinity;
		service.detailed = (_machine, details) =>
			service.clock.now() < at + behindMs && at < Infinity
				? { ...details, compute_minutes_remaining: 240, amount_paid: 5 }
				: details;
		service.answered = (call, own) => {
			if (!isPost(call)) return own;
			at = service.clock.now();
			return said;
		};
		const { of } = told(await run(extend('dep-1', 2, { maxPrice: 9 }, { ...RETRY, ...CONTINUE })));
		expect(service.sent('POST')).toHaveLength(1);
		expect(of()).toMatchObject([{ deployment_id: 'dep-1', added_hours: 2 }]);
	});
});
