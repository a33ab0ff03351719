import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Response } from './service.mts';
import { complete, KEY, useStage, type Ended } from './stage.mts';
import { chunkOf, deltaOf, STREAMS, TEXT, USAGE } from './streams.mts';

// Independent review: streamed completions
const stage = useStage();

const events = (...all: unknown[]): Response => ({
	bytes: all.map((one) =>
		Buffer.from(`data: ${typeof one === 'string' ? one : JSON.stringify(one)}\n\n`),
	),
});

/** The text that came, of an item or of an error. */
function cameOf({ items, error }: Ended): string {
	const known = error?.context.known as { partial?: IDataObject | string } | undefined;
	const partial = known?.partial;
	if (!error) return String(items[0]?.content);
	if (typeof partial !== 'object') return '';
	const [choice] = (partial.choices ?? []) as Array<{ message?: IDataObject }>;
	return String(choice?.message?.content ?? '');
}

describe.each(STREAMS)('a stream %s', (_world, body) => {
	const whole = Buffer.from(body);

	it('has all of its text', async () => {
		stage.service.respond = () => ({ bytes: [...whole].map((byte) => Buffer.from([byte])) });
		const ended = await stage.run(complete({ stream: true }));
		expect(ended.items).toMatchObject([{ content: TEXT, finish_reason: 'stop' }]);
		expect(await stage.model(true)).toMatchObject({ text: TEXT, message: '' });
	});

	it.each([true, false])('never has half of it, or some of it twice (lost: %s)', async (isLost) => {
		for (let end = 5; end < whole.length; end += 37) {
			stage.service.respond = () => ({ bytes: [whole.subarray(0, end)], isLost });
			const ended = await stage.run(complete({ stream: true }));
			const came = cameOf(ended);
			if (!ended.error) expect(came).toBe(TEXT);
			expect(TEXT.startsWith(came) ? '' : came).toBe('');
			const { text, message } = await stage.model(true);
			if (message === '') expect(text).toBe(TEXT);
			expect(TEXT.startsWith(text) ? '' : text).toBe('');
		}
	});
});

describe('a last message with all that came, which breaks off', () => {
	const last = JSON.stringify(
		chunkOf({ index: 0, message: { role: 'assistant', content: 'Hello world' } }),
	);
	const cut = last.slice(0, last.indexOf('rld'));

	it.each([true, false])('does not say it twice (lost: %s)', async (isLost) => {
		const first = `data: ${JSON.stringify(deltaOf({ content: 'Hello world' }))}\n\n`;
		stage.service.respond = () => ({ bytes: [Buffer.from(`${first}data: ${cut}`)], isLost });
		const ended = await stage.run(complete({ stream: true }));
		expect(ended.message).not.toBe('');
		expect(cameOf(ended)).toBe('Hello world');
		expect((await stage.model(true)).text).toBe('Hello world');
	});
});

/** What a service has changed in the message that ends its deltas. */
const CHANGED: Array<[world: string, deltas: string[], last: string]> = [
	['the thoughts are left out', ['<think>hm</think>\n\n', 'The answer'], 'The answer'],
	['the stop word is left out', ['The ', 'answer', ' END'], 'The answer'],
	['its lines are joined', ['The\n\n', 'answer'], 'The\nanswer'],
	['its accents are composed', ['Voila\u0300: ', 'the answer'], 'Voil\u00e0: the answer'],
];

describe.each(CHANGED)('a last message after deltas in which %s', (_world, deltas, content) => {
	it('does not say the answer twice', async () => {
		const message = { role: 'assistant', content };
		const last = chunkOf({ index: 0, message, finish_reason: 'stop' });
		stage.service.respond = () =>
			events(...deltas.map((one) => deltaOf({ content: one })), last, '[DONE]');
		const { items } = await stage.run(complete({ stream: true }));
		expect([deltas.join(''), content]).toContain(items[0]?.content);
		expect((await stage.model(true)).text.split('answer')).toHaveLength(2);
	});
});

describe('a stream that does not come to its end', () => {
	it.each<[string, unknown[]]>([
		['an error in the middle', [deltaOf({ content: 'a' }), { error: { message: 'GPU lost' } }]],
		['an error, then [DONE]', [deltaOf({ content: 'a' }), { error: 'GPU lost' }, '[DONE]']],
		['words, then [DONE]', [deltaOf({ content: 'a' }), 'GPU lost', '[DONE]']],
		['[DONE] without a reason', [deltaOf({ content: 'a' }), '[DONE]']],
		['a reason of nothing', [deltaOf({ content: 'a' }, ''), deltaOf({}, 'null'), '[DONE]']],
		['the reason error', [deltaOf({ content: 'a' }), deltaOf({}, 'error'), '[DONE]']],
		['one of two choices', [deltaOf({ content: 'a' }, 'stop'), deltaOf({ content: 'b' }, null, 1)]],
	])('is an error that has what came: %s', async (_world, all) => {
		stage.service.respond = () => events(...all);
		const ended = await stage.run(complete({ stream: true, n: 2 }));
		expect(ended.items).toEqual([]);
		expect(ended.message).not.toBe('');
		expect(cameOf(ended)).toBe('a');
	});
});

describe('what an output says of a stream', () => {
	it.each<[string, unknown[], IDataObject]>([
		['no usage', [deltaOf({ content: 'a' }, 'stop')], { usage: null }],
		[
			'its usage in a chunk of its own',
			[deltaOf({ content: 'a' }, 'stop'), chunkOf({}, { choices: [], usage: USAGE })],
			{ usage: USAGE },
		],
		['that it was cut off', [deltaOf({ content: 'a' }, 'length')], { finish_reason: 'length' }],
		['no reason', [chunkOf({ index: 0, delta: { content: 'a' } })], { finish_reason: null }],
	])('is what the service has said: %s', async (_world, all, expected) => {
		stage.service.respond = () => events(...all, '[DONE]');
		const { items } = await stage.run(complete({ stream: true }));
		expect(items).toMatchObject([{ content: 'a', ...expected }]);
	});
});

describe('what an agent is told of tokens', () => {
	it.each<[string, unknown, unknown]>([
		['nothing', undefined, undefined],
		['nothing, in braces', {}, undefined],
		['nulls', { prompt_tokens: null, completion_tokens: null, total_tokens: null }, undefined],
		['all', USAGE, { promptTokens: 3, completionTokens: 6, totalTokens: 9 }],
	])('is what the service has said: %s', async (_world, usage, expected) => {
		const end = chunkOf({}, { choices: [], usage });
		stage.service.respond = () => events(deltaOf({ content: 'a' }, 'stop'), end, '[DONE]');
		expect((await stage.model(true)).usage).toEqual(expected);
	});
});

describe('a key that a service repeats', () => {
	const html = { '&': '&amp;', '"': '&quot;', "'": '&#x27;', '/': '&#x2F;', '=': '&#x3D;' };
	it.each([
		['as it is', KEY],
		['as JSON', JSON.stringify(KEY).slice(1, -1)],
		['as a part of an address', encodeURIComponent(KEY)],
		['in Base64', Buffer.from(KEY).toString('base64')],
		['for HTML', KEY.replace(/[&"'/=]/g, (one) => html[one as keyof typeof html])],
	])('is in no error (%s)', async (_world, said) => {
		for (const response of [
			{ status: 400, json: { error: { message: `bad key ${said}` } } },
			events(deltaOf({ content: 'a' }), { error: { message: `bad key ${said}` } }),
			events(deltaOf({ content: said.slice(0, 9) }), deltaOf({ content: said.slice(9) })),
		]) {
			stage.service.respond = () => response;
			const { shown, message } = await stage.run(complete({ stream: true }));
			expect(message).not.toBe('');
			expect(shown).not.toContain(JSON.stringify(said).slice(1, -1));
		}
	});
});

describe('a refusal with a time', () => {
	const yes: Response = {
		json: { id: 'c', choices: [{ index: 0, message: { content: 'a' }, finish_reason: 'stop' }] },
	};
	it.each<[number, string, number]>([
		[429, '2', 2_000],
		[429, '2.5', 2_500],
		[503, '60', 60_000],
		[503, '0', 0],
	])('is waited for (%i, %s)', async (status, after, ms) => {
		let tries = 0;
		stage.service.respond = () =>
			tries++ === 0 ? { status, json: {}, headers: { 'retry-after': after } } : yes;
		expect((await stage.run(complete())).message).toBe('');
		expect([tries, stage.clock >= ms]).toEqual([2, true]);
	});

	it.each([429, 503])('that is far away is told at once (%i)', async (status) => {
		let tries = 0;
		stage.service.respond = () => {
			tries++;
			return { status, json: {}, headers: { 'retry-after': '3600' } };
		};
		expect((await stage.run(complete())).shown).toContain('Retry after 60 minutes');
		expect([tries, stage.clock]).toEqual([1, 0]);
	});
});
