import type { IncomingMessage, ServerResponse } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';

/** One way in which a service answers badly. */
export interface HostileAnswer {
	title: string;
	/** @param elsewhere address of another server, which must never hear of it */
	answer(request: IncomingMessage, response: ServerResponse, elsewhere: string): void;
	/** It never comes to an end by itself: only a deadline ends it. */
	isSlow?: boolean;
	/** It is so large that a cap has to end it. */
	isEndless?: boolean;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const DEEP = 100_000;

/** Writes without end, as fast as the client takes it. */
function pour(response: ServerResponse, piece: Buffer): void {
	const more = () => {
		while (!response.destroyed && response.write(piece));
	};
	response.on('drain', more);
	more();
}

const whole =
	(body: string | Buffer, headers: Record<string, string> = JSON_TYPE, status = 200) =>
	(_: IncomingMessage, response: ServerResponse) =>
		void response.writeHead(status, headers).end(body);
const raw =
	(text: string) =>
	(_: IncomingMessage, { socket }: ServerResponse) =>
		void socket?.end(text);
const spaces = Buffer.alloc(64 * 1024, 0x20);

const large: HostileAnswer[] = [
	{
		title: 'a body of spaces without end',
		isEndless: true,
		answer: (_, response) => pour(response.writeHead(200, JSON_TYPE), spaces),
	},
	{
		title: '1 GB of spaces, announced',
		isEndless: true,
		answer: (_, response) =>
			pour(response.writeHead(200, { ...JSON_TYPE, 'content-length': String(1024 ** 3) }), spaces),
	},
	{
		title: 'an error page without end',
		isEndless: true,
		answer: (_, response) =>
			pour(response.writeHead(502, { 'content-type': 'text/html' }), Buffer.alloc(64 * 1024, 0x41)),
	},
	{
		title: 'lines without end',
		isEndless: true,
		answer: (_, response) =>
			pour(
				response.writeHead(200, { 'content-type': 'text/event-stream' }),
				Buffer.from(': keep-alive\n\n'.repeat(4_000)),
			),
	},
	{
		title: 'a gzip bomb',
		isEndless: true,
		answer: (_, response) => {
			response.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' });
			const gzip = createGzip();
			const zeros = Buffer.alloc(1024 * 1024);
			gzip.on('data', (bytes: Buffer) => response.write(bytes));
			const more = () => void (!response.destroyed && gzip.write(zeros, () => setImmediate(more)));
			more();
		},
	},
];

const slow: HostileAnswer[] = [
	{ title: 'no answer at all', isSlow: true, answer: () => undefined },
	{
		title: 'a head and no body',
		isSlow: true,
		answer: (_, response) => response.writeHead(200, JSON_TYPE).flushHeaders(),
	},
	{
		title: 'a byte now and then',
		isSlow: true,
		answer: (_, response) => {
			response.writeHead(200, JSON_TYPE);
			const drip = setInterval(() => response.write(' '), 5);
			response.on('close', () => clearInterval(drip));
		},
	},
	{
		title: 'half a head, byte by byte',
		isSlow: true,
		answer: (_, { socket }) => {
			socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
			const drip = setInterval(() => socket?.write('a'), 5);
			socket?.on('close', () => clearInterval(drip));
		},
	},
];

const wrong: HostileAnswer[] = [
	{ title: 'deep JSON', answer: whole('{"data":'.repeat(DEEP) + '1' + '}'.repeat(DEEP)) },
	{ title: 'a deep list', answer: whole('['.repeat(DEEP) + ']'.repeat(DEEP)) },
	{
		title: 'deep JSON as an error',
		answer: whole('{"detail":'.repeat(DEEP) + '1' + '}'.repeat(DEEP), JSON_TYPE, 400),
	},
	{
		title: 'deep JSON where results stand',
		answer: whole(
			`{"results":${'['.repeat(DEEP)}${']'.repeat(DEEP)},"data":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)},"choices":[{"message":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}]}`,
		),
	},
	{
		title: 'JSON that reaches for prototypes',
		answer: whole(
			'{"__proto__":{"polluted":"yes"},"data":{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}}},"results":{"__proto__":{"polluted":"yes"}},"choices":[{"__proto__":{"polluted":"yes"},"message":{"__proto__":{"polluted":"yes"}}}]}',
		),
	},
	{
		title: 'events that reach for prototypes',
		answer: whole(
			'event: final_answer\ndata: {"__proto__":{"polluted":"yes"}}\n\ndata: {"choices":[{"index":"__proto__","delta":{"__proto__":{"polluted":"yes"},"tool_calls":[{"index":"__proto__","function":{"arguments":"polluted"}}]}}]}\n\nid: __proto__\ndata: {"__proto__":{"polluted":"yes"}}\n\ndata: [DONE]\n\n',
			{ 'content-type': 'text/event-stream' },
		),
	},
	{ title: 'JSON as an image', answer: whole('{"data":{}}', { 'content-type': 'image/png' }) },
	{ title: 'no content type', answer: whole('{"data":{}}', {}) },
	{
		title: 'an image as JSON',
		answer: whole(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')),
	},
	{
		title: 'a page with 200',
		answer: whole('<!doctype html><title>Log in</title>', { 'content-type': 'text/html' }),
	},
	{ title: 'a page as JSON', answer: whole('<html><title>Log in</title>') },
	{ title: 'null', answer: whole('null') },
	{ title: 'a number', answer: whole('1e999') },
	{ title: 'an empty list', answer: whole('[]') },
	{
		title: 'text that is no UTF-8',
		answer: whole(
			Buffer.from('7b2264617461223a22c328ff fe80 f0288cbc227d'.replaceAll(' ', ''), 'hex'),
		),
	},
	{
		title: 'another charset',
		answer: whole(Buffer.from('{"data":{}}', 'utf16le'), {
			'content-type': 'application/json; charset=utf-16le',
		}),
	},
	{ title: 'NUL bytes', answer: whole('\0'.repeat(1_000)) },
	{ title: 'a status that does not exist', answer: whole('{}', JSON_TYPE, 799) },
];

const broken: HostileAnswer[] = [
	{
		title: 'a body that is cut',
		answer: (_, response) => {
			response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
			response.write('{"data":', () => response.destroy());
		},
	},
	{
		title: 'more than the length that was announced',
		answer: raw(
			'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}{"more":"than announced"}',
		),
	},
	{
		title: 'two lengths',
		answer: raw(
			'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\n{}',
		),
	},
	{
		title: 'a length that is none',
		answer: raw(
			'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: -5\r\n\r\n{}',
		),
	},
	{
		title: 'a chunk size that is none',
		answer: raw(
			'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n',
		),
	},
	{
		title: 'gzip that is none',
		answer: whole('{"data":{}}', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
	},
	{
		title: 'gzip that is cut',
		answer: whole(gzipSync('{"data":{}}').subarray(0, 12), {
			...JSON_TYPE,
			'content-encoding': 'gzip',
		}),
	},
	{
		title: 'an encoding that nobody knows',
		answer: whole('{"data":{}}', { ...JSON_TYPE, 'content-encoding': 'gzip, rot13' }),
	},
	{
		title: 'huge headers',
		answer: raw(`HTTP/1.1 200 OK\r\nx-huge: ${'a'.repeat(200_000)}\r\n\r\n{}`),
	},
	{
		title: 'a thousand headers',
		answer: raw(
			`HTTP/1.1 200 OK\r\n${Array.from({ length: 5_000 }, (_, index) => `x-${index}: a\r\n`).join('')}\r\n{}`,
		),
	},
	{ title: 'a protocol that is not HTTP', answer: raw('SSH-2.0-OpenSSH_9.6\r\n') },
	{
		title: 'nothing, and the end of the connection',
		answer: (_, { socket }) => void socket?.destroy(),
	},
	{
		title: 'a Retry-After that is hostile',
		answer: whole('{}', { ...JSON_TYPE, 'retry-after': '99999999999999999999' }, 503),
	},
	{
		title: 'a Retry-After of the past',
		answer: whole('{}', { ...JSON_TYPE, 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 429),
	},
];

const thieves: HostileAnswer[] = [
	...[301, 302, 303, 307, 308].map((status): HostileAnswer => ({
		title: `${status} to another host`,
		answer: (request, response, elsewhere) =>
			void response.writeHead(status, { location: `${elsewhere}${request.url ?? ''}` }).end(),
	})),
	{
		title: '302 to a file',
		answer: (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
	},
	{
		title: '302 to itself',
		answer: (request, response) => void response.writeHead(302, { location: request.url }).end(),
	},
	...(
		[
			['as an error', 400],
			['as a success', 200],
		] as const
	).map(([how, status]): HostileAnswer => ({
		title: `an answer that repeats the key ${how}`,
		answer: ({ headers }, response) => {
			const words = `${String(headers['x-api-key'])} ${String(headers.authorization)}`;
			const message = { content: words, role: 'assistant' };
			response.writeHead(status, {
				...JSON_TYPE,
				'x-echo': words,
				'content-disposition': `attachment; filename="${words}"`,
			});
			response.end(
				JSON.stringify({
					detail: words,
					message: words,
					status: words,
					id: words,
					deployment_id: words,
					data: {
						[words]: words,
						hardware: [{ id: words, name: words }],
						deployments: [{ id: words, name: words }],
					},
					results: [{ id: words, text: words }],
					choices: [{ index: 0, message, finish_reason: words }],
				}),
			);
		},
	})),
	{
		title: 'events that repeat the key',
		answer: ({ headers }, response) => {
			const words = `${String(headers['x-api-key'])} ${String(headers.authorization)}`;
			const chunk = JSON.stringify({
				choices: [{ index: 0, delta: { content: words }, finish_reason: 'stop' }],
			});
			response
				.writeHead(200, { 'content-type': 'text/event-stream' })
				.end(
					`event: message\nid: 1\ndata: ${chunk}\n\nevent: error\ndata: {"message": "${words}"}\n\ndata: [DONE]\n\n`,
				);
		},
	},
];

/** Every bad answer that anybody has thought of. */
export const hostileAnswers: HostileAnswer[] = [...large, ...slow, ...wrong, ...broken, ...thieves];
