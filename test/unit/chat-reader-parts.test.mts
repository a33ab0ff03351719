import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { bodyOf, completed, errorOf, events, serviceOf, streamed } from './chat-service.mts';
import { Body } from './log-parts.mts';

const delta = (content: string, more: object = {}) => ({
	choices: [{ index: 0, delta: { content }, ...more }],
});
const stream = async (text: string) => await streamed(await serviceOf(bodyOf(text)));
const textOf = ({ choices }: IDataObject) =>
	(choices as Array<{ message: IDataObject }>).map(({ message }) => message.content).join();
const problemOf = async (work: Promise<unknown>) => (await errorOf(work))?.message;

describe('what is no part of a response', () => {
	const [start, end] = [delta('Hel'), delta('lo', { finish_reason: 'stop' })];
	const between = async (text: string) => await stream(`${events(start)}${text}${events(end)}`);

	it.each([
		...['', '  ', 'null', 'ping', ' PONG ', 'keep-alive', 'keepalive', 'heartbeat'].map(
			(words) => `data: ${words}\n\n`,
		),
		'event: ping\ndata: 12:00\n\n',
		'data: {"type":"ping"}\n\n',
		'event: status\ndata: {"message":"Still here"}\n\n',
		'data: {"message":"Still here","status":"running"}\n\n',
		'data: {"message":"Still here","type":"ping"}\n\n',
	])('keeps a connection open, and is passed over: %j', async (text) => {
		expect(await between(text)).toEqual({
			object: 'chat.completion',
			choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
		});
	});

	it.each(['Overloaded', 'ping!', '42', '<html><title>Bad gateway</title>'])(
		'ends it with what came before where it is something else: %s',
		async (words) => {
			const error = await errorOf(between(`data: ${words}\n\n`));
			expect(error?.message).toContain('sent a chunk that is not a JSON object');
			expect(error?.description).toContain('The response starts with: Hel');
		},
	);

	it('beside its choices is no error: a message, or the ID before them', async () => {
		const sent = [{ id: 'c' }, { ...delta('Hello', { finish_reason: 'stop' }), message: 'Served' }];
		expect(textOf(await stream(events(...sent)))).toBe('Hello');
	});

	it('is a page of a proxy in place of it', async () => {
		const page = '<html><title>Bad gateway</title></html>';
		for (const response of [stream(page), stream(`data: ${page}\n\n`), completed(page)])
			expect(await problemOf(response)).toContain('Bad gateway');
	});
});

describe('the end of a stream', () => {
	it('is [DONE], also between blanks, and closes the connection', async () => {
		for (const done of ['[DONE]', ' [DONE] ']) {
			const body = new Body().write(events(delta('Hello'), done));
			expect(textOf(await streamed(await serviceOf({ body })))).toBe('Hello');
			expect(body.isDestroyed).toBe(true);
		}
	});

	it('is not [DONE] after an empty reason', async () => {
		const half = delta('Hel', { finish_reason: '' });
		expect(await problemOf(stream(events(half, '[DONE]')))).toBe(
			'The response ended early: the stream ended without a finish reason',
		);
	});

	it('within a chunk leaves what came of it', async () => {
		const half = JSON.stringify(delta('lo')).slice(0, -5);
		const error = await errorOf(stream(`${events(delta('Hel'))}data: ${half}`));
		expect(error?.description).toContain('The response starts with: Hello');
	});

	it('within a whole message does not say again what came', async () => {
		const whole = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' } }] };
		const half = JSON.stringify(whole).slice(0, -7);
		const error = await errorOf(stream(`${events(delta('Hello'))}data: ${half}`));
		expect(error?.description).toMatch(/The response starts with: Hello$/);
	});

	it('within JSON is no page, whatever its type is called', async () => {
		const answer = bodyOf('{"choices":[{"index":0,"message":{"content":"Hel');
		const headers = { 'content-type': 'text/html' };
		const error = await errorOf(streamed(await serviceOf({ ...answer, headers })));
		expect(error?.message).toBe('The response ended early: its JSON is cut off');
		expect(error?.description).toContain('The response starts with: Hel');
	});
});

it.each([
	[[1024], 'a'],
	[[1024, 1], 'a'],
	[[600, 300, 300], 'ab'],
])(
	'of a body of %j KiB that is none, the error carries no more than 1 MiB',
	async (sizes, kept) => {
		const body = new Body();
		body[Symbol.asyncIterator] = async function* () {
			for (const [at, size] of sizes.entries()) {
				const part = Buffer.from('abc'.charAt(at));
				// As large as it says, it would take a second
				yield await Promise.resolve(
					Object.defineProperty(part, 'byteLength', { value: size * 1024 }),
				);
			}
		};
		const error = await errorOf(streamed(await serviceOf({ body })));
		expect(error?.context.known).toEqual({ partial: kept });
	},
);
