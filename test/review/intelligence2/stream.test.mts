import { gzipSync, brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ask, COMPLETIONS, KEY, useStage } from './play.mts';
import { chunk, events, hangUp, pieces, stream } from './service.mts';

const stage = useStage();
const STREAM = { stream: true };
const partialOf = (details: object) => JSON.stringify(details);

/** Cuts a text into pieces of one byte, so that every character of more bytes is split. */
const bytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

describe('a stream says the same, however its bytes come', () => {
	const said = [
		chunk({ content: 'Grüße, ' }),
		chunk({ content: '😀 日本' }),
		chunk({}, 'stop'),
		'[DONE]',
	];
	it.each([
		['CRLF that is split over chunks', bytes(events(said, '\r\n\r\n').join(''))],
		['CR alone', bytes(events(said, '\r\r').join(''))],
		['a byte order mark', [Buffer.from('\uFEFF'), ...events(said)]],
		['no blank after the colon', events(said).map((one) => one.replace('data: ', 'data:'))],
		['characters split within', bytes(events(said).join(''))],
		['no blank line after the last event', [events(said).join('').trimEnd()]],
		['one line feed between events', events(said, '\n')],
		[
			'JSON over several data lines',
			said.map((one) =>
				typeof one === 'string'
					? `data: ${one}\n\n`
					: `${JSON.stringify(one, null, 1)
							.split('\n')
							.map((line) => `data: ${line}`)
							.join('\n')}\n\n`,
			),
		],
		[
			'keep-alives as comments and as words between',
			events(said).flatMap((one) => [': ping\n\n', 'event: ping\ndata: {"type":"ping"}\n\n', one]),
		],
		[
			'ids, retry and unknown fields',
			events(said).map((one, index) => `id: ${index}\nretry: 10\nx-y: z\n${one}`),
		],
		['JSON lines', said.slice(0, -1).map((one) => `${JSON.stringify(one)}\n`)],
		['[DONE] twice', events([...said, '[DONE]'])],
		['[DONE] missing', events(said.slice(0, -1))],
		[
			'words after the end',
			[
				...events(said),
				'garbage\n\n',
				'data: {"choices":[{"index":0,"delta":{"content":"more"}}]}\n\n',
			],
		],
	])('%s', async (_, parts) => {
		stage.service.when(COMPLETIONS, pieces(parts));
		const { items, error } = await stage.run(ask(STREAM));
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject({ content: 'Grüße, 😀 日本', finish_reason: 'stop' });
	});

	it.each([
		['gzip in tiny chunks', gzipSync, 'gzip'],
		['brotli in tiny chunks', brotliCompressSync, 'br'],
	])('%s', async (_, compress, encoding) => {
		const parts = bytes('').concat(
			[...compress(events(said).join(''))].map((one) => Buffer.from([one])),
		);
		stage.service.when(COMPLETIONS, pieces(parts, { headers: { 'content-encoding': encoding } }));
		const { items, error } = await stage.run(ask(STREAM));
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject({ content: 'Grüße, 😀 日本' });
	});

	it('an event of 5 MB', async () => {
		const long = 'x'.repeat(5_000_000);
		stage.service.when(COMPLETIONS, stream([{ content: long }, { content: '!' }]));
		const { items } = await stage.run(ask(STREAM));
		expect(String(items[0]?.content)).toHaveLength(5_000_001);
	});

	it('a truncated gzip is no answer, and what came is in the error', async () => {
		const packed = gzipSync(
			events([
				chunk({ content: 'abc '.repeat(5_000) }),
				chunk({ content: `${Math.random()}`.repeat(3_000) }),
			]).join(''),
		);
		stage.service.when(
			COMPLETIONS,
			pieces([packed.subarray(0, -12)], { headers: { 'content-encoding': 'gzip' } }),
		);
		const { error, details } = await stage.run(ask(STREAM));
		expect(error?.message).toMatch(/ended early/);
		expect(partialOf(details)).toContain('abc abc');
	});
});

describe('no half answer is a success, and what was paid is in the error', () => {
	const half = chunk({ content: 'The answer is' });
	it.each([
		[
			'[DONE] in the middle, before any reason',
			pieces(
				events([
					{
						...half,
						choices: [{ index: 0, delta: { content: 'The answer is' }, finish_reason: '' }],
					},
					'[DONE]',
				]),
			),
		],
		['the end of the connection', pieces(events([half]), { cut: true })],
		['the end of the body', pieces(events([half]))],
		[
			'half an event',
			pieces([...events([half]), 'data: {"choices":[{"index":0,"delta":{"con'], { cut: true }),
		],
		['an error object', pieces(events([half, { error: { message: 'overloaded', code: 529 } }]))],
		['an error as text', pieces(events([half, { error: 'overloaded' }]))],
		[
			'an error event with a text',
			pieces([...events([half]), 'event: error\ndata: overloaded\n\n']),
		],
		['an error as detail', pieces(events([half, { detail: 'overloaded' }]))],
		[
			'an error with error_type',
			pieces(events([half, { message: 'overloaded', error_type: 'x' }])),
		],
		[
			'a list of validation errors',
			pieces(events([half, { detail: [{ loc: ['body'], msg: 'overloaded', type: 'x' }] }])),
		],
		[
			'an error in the choice',
			pieces(
				events([
					half,
					{
						choices: [
							{ index: 0, delta: {}, finish_reason: 'error', error: { message: 'overloaded' } },
						],
					},
					'[DONE]',
				]),
			),
		],
		[
			'a page as an event',
			pieces([...events([half]), 'data: <!doctype html><title>overloaded</title>\n\n']),
		],
		[
			'a page after the events',
			pieces([...events([half]), '<html><title>overloaded</title></html>\n']),
		],
		[
			'a word as an event of a body that says it is a page',
			pieces([...events([half]), 'data: overloaded\n\n'], {
				headers: { 'content-type': 'text/html' },
			}),
		],
		['a second head in the body', pieces([...events([half]), 'HTTP/1.1 502 Bad Gateway\r\n\r\n'])],
	])('%s', async (_, answer) => {
		stage.service.when(COMPLETIONS, answer);
		const { error, details, words } = await stage.run(ask(STREAM));
		expect(error).toBeDefined();
		expect(JSON.stringify(details.partial ?? null)).toContain('The answer is');
		expect(words).not.toContain(KEY);
		expect(stage.service.asked(COMPLETIONS)).toHaveLength(1);
	});

	it('keep-alives alone are no answer', async () => {
		stage.service.when(COMPLETIONS, pieces(Array.from({ length: 50 }, () => ': keep-alive\n\n')));
		const { error } = await stage.run(ask(STREAM));
		expect(error?.message).toMatch(/without a finish reason/);
	});

	it.each([
		['before the head', hangUp],
		['after the head', pieces([], { cut: true })],
	])('a connection that is reset %s is not asked again', async (_, answer) => {
		stage.service.when(COMPLETIONS, answer);
		const { error } = await stage.run(ask(STREAM));
		expect(error).toBeDefined();
		expect(stage.service.asked(COMPLETIONS)).toHaveLength(1);
	});
});
