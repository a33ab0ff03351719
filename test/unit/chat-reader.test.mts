import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { createCompletion } from '../../nodes/intelligence/completion.ts';
import { DEFAULT_LIMITS } from '../../nodes/intelligence/requestLimits.ts';
import { bodyOf, completed, errorOf, events, serviceOf, streamed } from './chat-service.mts';
import { Body } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

const delta = (content: string, more: object = {}) => ({
	choices: [{ index: 0, delta: { content }, ...more }],
});
const whole = (reason: string | null, more: object = {}) => ({
	choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: reason }],
	...more,
});
const BUSY = { error: { message: 'Too busy' } };
const lines = (...chunks: object[]) => chunks.map((one) => `${JSON.stringify(one)}\n`).join('');
const stream = async (text: string) => await streamed(await serviceOf(bodyOf(text)));
const textOf = ({ choices }: IDataObject) =>
	(choices as Array<{ message: IDataObject }>).map(({ message }) => message.content).join();
const problemOf = async (work: Promise<unknown>) => (await errorOf(work))?.message;
const UNFINISHED = 'The response ended early: the stream ended without a finish reason';
const REPORTED = 'The response ended early: the service reports: Too busy';

describe('a whole response', () => {
	it.each([['stop'], [''], [null]])('needs no reason of its end: %j', async (reason) => {
		expect(await completed(JSON.stringify(whole(reason)))).toEqual(whole(reason));
	});

	it('is one beside an error, also in place of a stream', async () => {
		const sent = whole('stop', BUSY);
		expect(await completed(JSON.stringify(sent))).toEqual(sent);
		expect(await stream(JSON.stringify(sent))).toEqual(sent);
	});

	it.each([[null], ['']])(
		'beside an error must not say that it has not ended: %j',
		async (reason) => {
			const { choices } = whole('stop');
			const sent = { choices: choices.map((one) => ({ ...one, finish_reason: reason })), ...BUSY };
			const text = JSON.stringify(sent);
			for (const response of [completed(text), stream(text)]) {
				const error = await errorOf(response);
				expect(error?.message).toBe(REPORTED);
				expect(error?.context.known).toEqual({ partial: sent });
			}
		},
	);

	it('beside an error may have no reason at all: some services never send one', async () => {
		const sent = { choices: [{ index: 0, message: { content: 'Hello' } }], ...BUSY };
		for (const response of [completed, stream])
			expect(await response(JSON.stringify(sent))).toEqual(sent);
	});

	it('in place of a stream needs a reason of its end, as a stream does', async () => {
		expect(await stream(JSON.stringify(whole('stop')))).toEqual(whole('stop'));
		expect(await problemOf(stream(JSON.stringify(whole(null))))).toBe(UNFINISHED);
	});

	it('is not the first part of a stream that nobody asked for', async () => {
		expect(await problemOf(completed(JSON.stringify(delta('Hel'))))).toBe(UNFINISHED);
		const end = delta('lo', { finish_reason: 'stop' });
		expect(textOf(await completed(lines(delta('Hel'), end)))).toBe('Hello');
		expect(textOf(await completed(events(delta('Hel'), end)))).toBe('Hello');
	});

	it('in an event may be one of several that follow', async () => {
		expect(await problemOf(completed(events(whole(null))))).toBe(UNFINISHED);
	});

	it('without a byte is none', async () => {
		const error = await errorOf(completed(''));
		expect(error?.message).toBe('The response is empty; a JSON object was expected');
		expect(error?.context.known).toBeUndefined();
	});

	it('that is no JSON is carried by its error', async () => {
		const error = await errorOf(completed('Out of memory'));
		expect(error?.context.known).toEqual({ partial: 'Out of memory' });
	});

	it('that breaks off before anything of it is no empty one', async () => {
		const { context } = await serviceOf(bodyOf('Out of', new Error('reset')));
		const error = await errorOf(createCompletion(context, {}));
		expect(error?.message).toBe('The response ended early: the connection was lost');
		expect(error?.context.known).toEqual({ partial: 'Out of' });
	});
});

describe('an error of the service', () => {
	it.each([
		['in place of a stream', async () => await stream(JSON.stringify(BUSY))],
		['as the first event', async () => await stream(events(BUSY))],
		['after a line', async () => await stream(lines(delta('Hel'), BUSY))],
		['after a line nobody asked for', async () => await completed(lines(delta('Hel'), BUSY))],
		['beside the first part', async () => await stream(lines({ ...delta('Hel'), ...BUSY }))],
		[
			'beside the first part that nobody asked for',
			async () => await completed(lines({ ...delta('Hel'), ...BUSY })),
		],
	])('ends a response %s', async (_, response) => {
		expect(await problemOf(response())).toBe(REPORTED);
	});

	it.each([
		['after an empty line', (error: string) => `${events(delta('Hel'))}${error}`],
		['after a line', (error: string) => `data: ${JSON.stringify(delta('Hel'))}\n${error}\n`],
		['in several lines', (error: string) => `${events(delta('Hel'))}${error}\n\n`],
	])('is one in plain JSON after events, too, %s', async (_, body) => {
		for (const text of [JSON.stringify(BUSY), JSON.stringify(BUSY, undefined, 1)]) {
			const error = await errorOf(stream(body(text)));
			expect(error?.message).toBe(REPORTED);
			expect(error?.description).toContain('The response starts with: Hel');
		}
		const end = delta('Hello', { finish_reason: 'stop' });
		expect(textOf(await stream(`${events(end)}${JSON.stringify(BUSY)}`))).toBe('Hello');
	});

	it('leaves what its chunk has beside it', async () => {
		const error = await errorOf(stream(events(delta('Hel'), { ...delta('lo'), ...BUSY })));
		expect(error?.message).toBe(REPORTED);
		expect(error?.description).toContain('The response starts with: Hello');
	});

	it('after the end is none', async () => {
		const end = delta('Hello', { finish_reason: 'stop' });
		expect(textOf(await stream(events(end, BUSY)))).toBe('Hello');
	});

	it('after reasons that more followed is one: the last of them may be no end', async () => {
		const parts = ['Hel', 'lo'].map((text) => delta(text, { finish_reason: 'stop' }));
		expect(await problemOf(stream(events(...parts, BUSY)))).toBe(REPORTED);
	});

	it('is the end, whatever follows', async () => {
		const end = delta('Hello', { finish_reason: 'stop' });
		expect(await problemOf(stream(events(BUSY, end)))).toBe(REPORTED);
	});

	it.each<[string, object]>([
		['a message', { message: 'Too busy' }],
		['a detail', { detail: 'Too busy' }],
		['the message of a failed request', { message: 'Too busy', status: 'failed' }],
		['a message of the type error', { message: 'Too busy', type: 'error' }],
		[
			'a message of an object that is an error',
			{ message: 'Too busy', type: 'x', object: 'error' },
		],
	])('may be %s alone', async (_, sent) => {
		const part = delta('Hel');
		for (const text of [JSON.stringify(sent), events(sent), events(part, sent), lines(part, sent)])
			expect(await problemOf(stream(text))).toBe(REPORTED);
		for (const text of [events(sent), events(part, sent), lines(part, sent)])
			expect(await problemOf(completed(text))).toBe(REPORTED);
	});

	it.each([
		['event: error\ndata: Too busy\n\n', REPORTED],
		['event: Failure\ndata: {"message":"Too busy"}\n\n', REPORTED],
		[
			'event: failed\ndata: {"code":7}\n\n',
			'The response ended early: the service reports an error',
		],
	])('may be one by the name of its event: %j', async (event, message) => {
		const error = await errorOf(stream(`${events(delta('Hel'))}${event}`));
		expect(error?.message).toBe(message);
		expect(error?.context.known).toEqual({
			partial: { object: 'chat.completion', choices: [{ index: 0, message: { content: 'Hel' } }] },
		});
	});
});

it('of a body of blanks, the error carries an empty completion', async () => {
	const error = await errorOf(stream(' \n'));
	expect(error?.message).toBe(UNFINISHED);
	expect(error?.context.known).toEqual({ partial: { choices: [], object: 'chat.completion' } });
});

it('a body that is larger than any response ends', async () => {
	const part = Buffer.from(events(delta('Hel')));
	// As large as it says, it would take a second
	Object.defineProperty(part, 'byteLength', { value: 64 * 1024 * 1024 + 1 });
	const body = new Body();
	body[Symbol.asyncIterator] = async function* () {
		yield await Promise.resolve(part);
	};
	const error = await errorOf(streamed(await serviceOf({ body })));
	expect(error?.message).toBe('The response ended early: it is larger than 64 MiB');
	expect(body.isDestroyed).toBe(true);
});

describe('a stream that is silent', () => {
	useStillTime();
	const limits = { ...DEFAULT_LIMITS, deadlineMs: 90_000, idleMs: 60_000 };

	/** The error of a stream that says something, and after a time something more; then it is silent. */
	async function silent(afterMs: number) {
		const body = new Body().write(events(delta('Hel')));
		const problem = errorOf(streamed(await serviceOf({ body }), {}, limits));
		await pass(afterMs);
		body.write(events(delta('lo')));
		await pass(limits.idleMs);
		return await problem;
	}

	it('ends', async () => {
		const error = await silent(20_000);
		expect(error?.message).toBe(
			'The response ended early: nothing arrived for 60 seconds (Idle Timeout)',
		);
		expect(error?.description).toContain('The response starts with: Hello');
	});

	it('ends when all of it has taken too long', async () => {
		expect((await silent(40_000))?.message).toBe(
			'The response ended early: it took longer than 90 seconds (Timeout)',
		);
	});
});
