import { describe, expect, it } from 'vitest';
import { RETRY } from '../../engine/nodes.mts';
import { DONE, event, whole } from '../intelligence4/service.mts';
import { CHAT, complete, useStage } from '../intelligence4/stage.mts';
import { chunk, pieces } from './service.mts';
import { KEY } from './stage.mts';

const stage = useStage(KEY);
const usage = (prompt: number, completion: number) => ({
	usage: {
		prompt_tokens: prompt,
		completion_tokens: completion,
		total_tokens: prompt + completion,
	},
});

describe('bytes of a stream, with a BOM, comments, and all ends of lines', () => {
	const first = event(chunk({ role: 'assistant', content: 'Grüße 🚢' })).replaceAll('\n', '\r\n');
	const last = event(chunk({ content: ' — ende' }, { finish_reason: 'stop' }, usage(1, 2)));
	const whole = `\uFEFF: hello\r\n\r\nretry: 10\r\nid: 1\r\n${first}: ping\r\r${last.replaceAll('\n', '\r')}`;

	it.each([1, 2, 3, 7])('are read in packets of %i', async (size) => {
		const bytes = Buffer.from(whole);
		const count = Math.ceil(bytes.length / size);
		const parts = Array.from({ length: count }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
		stage.service.on(CHAT, pieces(parts));
		const { items } = await stage.run(complete({ stream: true }));
		expect(items).toMatchObject([
			{ content: 'Grüße 🚢 — ende', finish_reason: 'stop', usage: { total_tokens: 3 } },
		]);
	});
});

it('three choices come in turn and out of order, usage between, no [DONE]: each is whole', async () => {
	const one = (index: unknown, content: string, finish: string | null = null) =>
		event({ model: 'm', choices: [{ index, delta: { content }, finish_reason: finish }] });
	stage.service.on(
		CHAT,
		pieces([
			one('2', 'c'),
			one(0, 'a'),
			event({ choices: [], ...usage(2, 3) }),
			one(1, 'b'),
			one(0, 'A', 'stop'),
			one(2, 'C', 'stop'),
			one(1, 'B', 'length'),
		]),
	);
	const { items } = await stage.run(complete({ stream: true, n: 3 }));
	expect(items.map(({ content, index }) => [index, content])).toEqual([
		[0, 'aA'],
		[1, 'bB'],
		[2, 'cC'],
	]);
});

it.each([
	['chunk', event({ error: { message: 'usage could not be recorded', code: 500 } })],
	['event', event({ message: 'usage could not be recorded' }, 'error')],
])('an answer is kept that an error comes after, as a %s', async (_world, late) => {
	const answer = [event(chunk({ content: 'whole' })), event(chunk({}, { finish_reason: 'stop' }))];
	stage.service.on(CHAT, pieces([...answer, late, DONE]));
	const { items } = await stage.run(complete({ stream: true }, RETRY));
	expect(stage.service.of(CHAT)).toHaveLength(1);
	expect(items).toMatchObject([{ content: 'whole' }]);
});

it('an answer is kept where no [DONE] comes and the connection stays open in silence', async () => {
	const answer = event(chunk({ content: 'whole' }, { finish_reason: 'stop' }));
	stage.service.on(CHAT, pieces([answer, event({ choices: [], ...usage(1, 2) })], 'open'));
	const options = { stream: true, idleTimeout: 2, timeout: 12 };
	const { items } = await stage.run(complete(options));
	expect(items).toMatchObject([{ content: 'whole', usage: { total_tokens: 3 } }]);
});

describe('other words in a stream', () => {
	const end = [event(chunk({ content: 'ok' }, { finish_reason: 'stop' })), DONE];
	const run = async (...before: string[]) => {
		stage.service.on(CHAT, pieces([...before, ...end]));
		return await stage.run(complete({ stream: true }, RETRY));
	};

	it.each([
		['a place in a queue', { status: 'queued', message: 'Waiting for a worker', position: 2 }],
		['a status alone', { status: 'queued', position: 1 }],
		['a type and a message', { type: 'status', message: 'Loading the model' }],
		['an event with a name', { message: 'Loading the model' }, 'status'],
		['an empty object', {}],
		['nothing but null', { message: null, error: null, id: 'x' }],
	])('are passed over: %s', async (_world, data, type?: string) => {
		expect((await run(event(data, type))).items).toMatchObject([{ content: 'ok' }]);
		expect(stage.service.of(CHAT)).toHaveLength(1);
	});

	it.each([
		['a detail', [event({ detail: 'Model is being loaded' })], 'reports: Model is being loaded'],
		[
			'a message in the middle of the answer',
			[event(chunk({ content: 'ok' })), event({ message: 'Switched to another worker' })],
			'reports: Switched to another worker',
		],
		['a text', [event('queued')], 'a chunk that is not a JSON object'],
		['a number', [event('17')], 'a chunk that is not a JSON object'],
	])('may be an error, which is told: %s', async (_world, before, words) => {
		expect((await run(...before)).message).toContain(words);
	});
});

it('usage is in each chunk, and zeros in the last one: these do not count', async () => {
	stage.service.on(
		CHAT,
		pieces([
			event(chunk({ content: 'a' }, {}, usage(5, 0))),
			event(chunk({ content: 'b' }, { finish_reason: 'stop' }, usage(5, 2))),
			event({ choices: [], ...usage(0, 0) }),
			DONE,
		]),
	);
	const { items } = await stage.run(complete({ stream: true }));
	expect(items).toMatchObject([{ usage: { total_tokens: 7 } }]);
});

describe('an answer that is not in a stream comes twice, one after the other', () => {
	const message = { role: 'assistant', content: 'once' };
	const answer = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] });

	it.each(['\n', '\r\n\r\n'])('on lines of their own it counts once: %j', async (between) => {
		stage.service.on(CHAT, whole(answer + between + answer));
		expect((await stage.run(complete())).items).toMatchObject([{ content: 'once' }]);
	});

	it('on one line it is an error, which has what came', async () => {
		stage.service.on(CHAT, whole(answer + answer));
		const { message: words, known } = await stage.run(complete());
		expect(words).toContain('is not a JSON object');
		expect(known.partial).toContain('once');
	});
});
