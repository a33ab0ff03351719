import { describe, expect, it } from 'vitest';
import { ask, COMPLETIONS, useStage } from './play.mts';
import { chunk, events, json, pieces, completion, stream } from './service.mts';

const stage = useStage();
const STREAM = { stream: true };

/** Cuts a text into pieces of one byte, so that every character of more bytes is split. */

describe('what a stream holds comes out', () => {
	it('usage in every chunk is counted once', async () => {
		const usage = (n: number) => ({
			usage: { prompt_tokens: 1, completion_tokens: n, total_tokens: n + 1 },
		});
		stage.service.when(
			COMPLETIONS,
			pieces(
				events([
					chunk({ content: 'a' }, null, usage(1)),
					chunk({ content: 'b' }, 'stop', usage(2)),
					'[DONE]',
				]),
			),
		);
		const { items } = await stage.run(ask(STREAM));
		expect(items[0]).toMatchObject({ content: 'ab', usage: { total_tokens: 3 } });
	});

	it('choices out of order, with gaps in their indices', async () => {
		const of = (index: number, content: string, finish_reason: string | null = null) => ({
			choices: [{ index, delta: { content }, finish_reason }],
		});
		stage.service.when(
			COMPLETIONS,
			pieces(
				events([
					of(5, 'c'),
					of(2, 'b'),
					of(0, 'a'),
					of(2, 'B', 'stop'),
					of(5, 'C', 'length'),
					of(0, 'A', 'stop'),
					'[DONE]',
				]),
			),
		);
		const { items } = await stage.run(ask({ ...STREAM, n: 3 }));
		expect(items.map(({ index, content, finish_reason: end }) => [index, content, end])).toEqual([
			[0, 'aA', 'stop'],
			[2, 'bB', 'stop'],
			[5, 'cC', 'length'],
		]);
	});

	it('an only choice that is counted from 1 is shown in the chat, too', async () => {
		const of = (content: string, finish_reason: string | null = null) => ({
			choices: [{ index: 1, delta: { content }, finish_reason }],
		});
		stage.service.when(COMPLETIONS, pieces(events([of('Hel'), of('lo', 'stop'), '[DONE]'])));
		const { items, shown } = await stage.talk(ask());
		expect(items[0]).toMatchObject({ content: 'Hello' });
		expect(shown).toBe('Hello');
	});

	it('a role that changes, empty deltas and nulls take nothing away', async () => {
		stage.service.when(
			COMPLETIONS,
			stream([
				{ role: 'assistant' },
				{},
				{ content: 'a' },
				{ role: '', content: '' },
				{ content: null },
				{ role: 'system', content: 'b' },
				{ role: 'assistant', content: 'c' },
			]),
		);
		const { items } = await stage.run(ask(STREAM));
		expect(items[0]).toMatchObject({ content: 'abc' });
	});

	it('what goes on after an early finish_reason is read', async () => {
		stage.service.when(
			COMPLETIONS,
			pieces(
				events([
					chunk({ content: 'a' }, 'stop'),
					chunk({ content: 'b' }, 'stop'),
					chunk({ content: 'c' }, 'stop'),
					'[DONE]',
				]),
			),
		);
		expect((await stage.run(ask(STREAM))).items[0]).toMatchObject({ content: 'abc' });
	});

	it('annotations, audio and reasoning details', async () => {
		stage.service.when(
			COMPLETIONS,
			stream([
				{ content: 'a', annotations: [{ url: 1 }], audio: { id: 'x', data: 'QUJD' } },
				{
					content: 'b',
					annotations: [{ url: 2 }],
					audio: { data: 'REVG', transcript: 'Hel' },
					reasoning_details: [{ text: 'r' }],
				},
				{ audio: { transcript: 'lo', expires_at: 5 }, reasoning_details: [{ text: 's' }] },
			]),
		);
		const { items } = await stage.run(ask(STREAM, { simplify: false }));
		expect(items[0]).toMatchObject({
			choices: [
				{
					message: {
						content: 'ab',
						annotations: [{ url: 1 }, { url: 2 }],
						reasoning_details: [{ text: 'r' }, { text: 's' }],
						audio: { id: 'x', data: 'QUJDREVG', transcript: 'Hello', expires_at: 5 },
					},
				},
			],
		});
	});

	it('log probabilities of all chunks', async () => {
		const of = (token: string, finish_reason: string | null = null) => ({
			choices: [
				{
					index: 0,
					delta: { content: token },
					logprobs: { content: [{ token, logprob: -1 }] },
					finish_reason,
				},
			],
		});
		stage.service.when(COMPLETIONS, pieces(events([of('a'), of('b'), of('c', 'stop'), '[DONE]'])));
		const { items } = await stage.run(ask(STREAM, { simplify: false }));
		expect(items[0]).toMatchObject({
			choices: [{ logprobs: { content: [{ token: 'a' }, { token: 'b' }, { token: 'c' }] } }],
		});
	});

	it('a refusal in pieces is an error in the words of the model', async () => {
		stage.service.when(
			COMPLETIONS,
			stream([{ content: null, refusal: 'I can' }, { refusal: 'not' }]),
		);
		expect((await stage.run(ask(STREAM))).error?.message).toBe('The model refuses: I cannot');
	});

	it('a service that sends all of it as JSON in place of a stream, with garbage after it', async () => {
		stage.service.when(
			COMPLETIONS,
			json(`${JSON.stringify(completion({ content: 'Hello' }))}\n--garbage`),
		);
		const { items, error, details } = await stage.run(ask(STREAM));
		if (error) expect(JSON.stringify(details.partial)).toContain('Hello');
		else expect(items[0]).toMatchObject({ content: 'Hello' });
	});

	it('duplicate keys, numbers beyond 2^53', async () => {
		stage.service.when(
			COMPLETIONS,
			json(
				'{"id":12345678901234567890,"id":98765432109876543210,"choices":[{"index":0,"message":{"content":"Hello"},"finish_reason":"stop"}]}',
			),
		);
		const { items } = await stage.run(ask({}, { simplify: false }));
		expect(items[0]).toMatchObject({ id: '98765432109876543210' });
	});
});
