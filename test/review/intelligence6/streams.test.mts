import { describe, expect, it } from 'vitest';
import { chunk, DONE, event, STOP } from './service.mts';
import { complete, KEY, QUESTION, useStage } from './stage.mts';

const stage = useStage();

const TEXT = 'Größe 🙂 Ω — 日本';
const words = [...TEXT].map((content) => chunk({ content }));
const stream = complete({ stream: true });

/** All places at which a body can end, at every few bytes. */
function places(body: Buffer, step: number): number[] {
	return Array.from({ length: Math.floor(body.length / step) }, (_, n) => (n + 1) * step);
}

/** A part of a text, whole characters alone. */
function expectBeginning(partial: unknown): void {
	const text = typeof partial === 'string' ? partial : '';
	expect(text).not.toContain('\uFFFD');
	expect(TEXT.startsWith(text)).toBe(true);
}

describe.each([
	['with [DONE]', [...words, STOP, DONE]],
	['without [DONE]', [...words, STOP]],
	['with CRLF', [...words, STOP, DONE].map((one) => one.replaceAll('\n', '\r\n'))],
	['with comments', [...words, STOP, DONE].map((one) => `: keep-alive\n\n${one}`)],
])('a stream %s', (_world, parts) => {
	const body = Buffer.from(parts.join(''));

	it('in pieces of one to seven bytes is whole', async () => {
		for (const size of [1, 2, 3, 5, 7]) {
			const pieces = places(body, size).map((end) => body.subarray(end - size, end));
			pieces.push(body.subarray(body.length - (body.length % size)));
			// Each piece is a packet of its own only where it is few
			stage.service.answer = () => ({ pieces: size < 5 ? [Buffer.concat(pieces)] : pieces });
			const { items, message } = await stage.run(stream);
			expect(message).toBe('');
			expect(items).toMatchObject([{ content: TEXT, finish_reason: 'stop' }]);
		}
	});

	it.each([
		['is cut', true],
		['ends', false],
	])('that %s anywhere is an error with what came, or whole', async (_end, isCut) => {
		const errors: string[] = [];
		for (const end of places(body, 61)) {
			stage.service.answer = () => ({ pieces: [body.subarray(0, end)], isCut });
			const { items, message, known, all } = await stage.run(stream);
			expect(all).not.toContain('\uFFFD');
			if (message === '') {
				expect(items).toMatchObject([{ content: TEXT, finish_reason: 'stop' }]);
				continue;
			}
			errors.push(message);
			const { partial } = known as {
				partial?: { choices?: Array<{ message?: unknown }> } | string;
			};
			if (typeof partial === 'object') {
				const said = partial.choices?.[0]?.message as { content?: string } | undefined;
				expectBeginning(said?.content);
			}
		}
		expect(errors.length).toBeGreaterThan(20);
		for (const message of errors) expect(message).toMatch(/ended early|lost/);
		expect(stage.service.calls.length).toBe(places(body, 61).length);
	});
});

it('a stream cut in a character in the middle of an event shows no more than came', async () => {
	const body = Buffer.from(chunk({ content: 'ab🙂' }));
	const end = body.indexOf(Buffer.from('🙂')) + 2;
	for (const isCut of [true, false]) {
		stage.service.answer = () => ({
			pieces: [chunk({ content: 'x' }), body.subarray(0, end)],
			isCut,
		});
		const { message, known, shown } = await stage.run(stream, [{}], true);
		expect(message).toContain('The response ended early');
		expect(shown).toMatch(/^x(?:ab)?$/);
		expect(JSON.stringify(known)).not.toContain('\uFFFD');
	}
});

describe('an end', () => {
	/** Finish reasons, and what they are to a plain text. */
	const reasons: Array<[reason: unknown, fault: RegExp | undefined]> = [
		['stop', undefined],
		['STOP', undefined],
		['eos', undefined],
		['eos_token', undefined],
		['end_turn', undefined],
		['stop_sequence', undefined],
		['COMPLETE', undefined],
		['length', undefined],
		['MAX_TOKENS', undefined],
		['content_filter', /content filter/],
		['SAFETY', /content filter/],
		['refusal', /refuses/],
		['error', /stopped the response/],
		['cancelled', /stopped the response/],
		['tool_calls', /no tool call/],
		[7, undefined],
		[{ type: 'stop' }, undefined],
	];
	it.each(reasons)('for the reason %j', async (reason, fault) => {
		const last = chunk({}, { finish_reason: reason });
		stage.service.answer = () => ({ pieces: [chunk({ content: 'Hello' }), last, DONE] });
		const { items, message, all } = await stage.run(stream);
		if (fault === undefined) expect(message).toBe('');
		else expect(message).toMatch(fault);
		expect(all).toContain('Hello');
		if (fault === undefined)
			expect(items).toEqual([
				{ content: 'Hello', finish_reason: reason, index: 0, model: 'm', usage: null },
			]);
	});
});

describe('usage', () => {
	const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
	const hello = chunk({ content: 'Hello' });
	const late = event({ id: 'c1', object: 'chat.completion.chunk', model: 'm', choices: [], usage });
	const none = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
	it.each<[string, string[], unknown]>([
		['that is late', [hello, STOP, late, DONE], usage],
		['that is late, without [DONE]', [hello, STOP, late], usage],
		[
			'with each chunk, null',
			[chunk({ content: 'Hello' }, {}, { usage: null }), STOP, late, DONE],
			usage,
		],
		['before the end', [hello, late, STOP, DONE], usage],
		[
			'of the first chunk, and zeros later',
			[
				chunk({ content: 'Hello' }, {}, { usage }),
				chunk({}, { finish_reason: 'stop' }, { usage: none }),
				DONE,
			],
			usage,
		],
		['that is absent', [hello, STOP, DONE], null],
	])('%s', async (_world, pieces, told) => {
		stage.service.answer = () => ({ pieces });
		const { items, message } = await stage.run(stream);
		expect(message).toBe('');
		expect(items).toEqual([
			{ content: 'Hello', finish_reason: 'stop', index: 0, model: 'm', usage: told },
		]);
	});
});

describe('an error in a stream', () => {
	it.each<[string, string[]]>([
		['after text', [chunk({ content: 'Hello' }), event({ error: { message: `bad ${KEY}` } })]],
		['by its event', [chunk({ content: 'Hello' }), event({ message: `bad ${KEY}` }, 'error')]],
		['as a text', [chunk({ content: 'Hello' }), event(`bad ${KEY}`, 'error')]],
		['and then [DONE]', [chunk({ content: 'Hello' }), event({ error: `bad ${KEY}` }), DONE]],
		[
			'in a choice',
			[
				chunk({ content: 'Hello' }),
				chunk({}, { finish_reason: 'error', error: { message: `bad ${KEY}` } }),
				DONE,
			],
		],
	])('%s is told without the key, with what came', async (_world, pieces) => {
		stage.service.answer = () => ({ pieces });
		const { message, known, all } = await stage.run(stream);
		expect(message).toContain('bad ***');
		expect(all).not.toContain(KEY);
		expect(known.partial).toMatchObject({ choices: [{ message: { content: 'Hello' } }] });
		expect(stage.service.calls).toHaveLength(1);
	});
});

it('an agent gets each text once where a message follows the deltas', async () => {
	const message = { role: 'assistant', content: 'Hello world' };
	const last = event({
		id: 'c1',
		model: 'm',
		choices: [{ index: 0, message, finish_reason: 'stop' }],
	});
	stage.service.answer = () => ({
		pieces: [chunk({ content: 'Hello ' }), chunk({ content: 'world' }), last, DONE],
	});
	let text = '';
	for await (const part of (await stage.model()).stream(QUESTION))
		if (part.type === 'text-delta') text += String(part.delta);
	expect(text).toBe('Hello world');
});
