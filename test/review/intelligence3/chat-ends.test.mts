import { describe, expect, it } from 'vitest';
import { ask, COMPLETIONS, heardOf, QUESTION, useStage } from '../intelligence2/play.mts';
import { chunk, events, pieces, type Fields } from '../intelligence2/service.mts';

const stage = useStage();
const OPTIONS = { stream: true };
const told = (data: unknown[], cut = false) => pieces(events(data), { cut });

describe('a finish reason after which more came is none: the last one counts', () => {
	it.each<[string, unknown[], Fields]>([
		[
			'length, more text, stop',
			[chunk({ content: 'Hel' }, 'length'), chunk({ content: 'lo' }), chunk({}, 'stop'), '[DONE]'],
			{ content: 'Hello', finish_reason: 'stop' },
		],
		[
			'length with each piece, stop at the end',
			[
				chunk({ content: 'Hel' }, 'length'),
				chunk({ content: 'lo' }, 'length'),
				chunk({ content: '!' }, 'stop'),
				'[DONE]',
			],
			{ content: 'Hello!', finish_reason: 'stop' },
		],
		[
			'tool_calls, more text, stop',
			[
				chunk({ content: 'Hel' }, 'tool_calls'),
				chunk({ content: 'lo' }),
				chunk({}, 'stop'),
				'[DONE]',
			],
			{ content: 'Hello', finish_reason: 'stop' },
		],
		[
			'a word of the service with each piece, stop at the end',
			[
				chunk({ content: 'Hel' }, 'incomplete'),
				chunk({ content: 'lo' }, 'incomplete'),
				chunk({}, 'stop'),
				'[DONE]',
			],
			{ content: 'Hello', finish_reason: 'stop' },
		],
		[
			'stop, more text, length',
			[chunk({ content: 'Hel' }, 'stop'), chunk({ content: 'lo' }), chunk({}, 'length'), '[DONE]'],
			{ content: 'Hello', finish_reason: 'length' },
		],
		[
			'more reasoning after it',
			[
				chunk({ content: 'Hello' }, 'length'),
				chunk({ reasoning_content: 'So.' }),
				chunk({}, 'stop'),
				'[DONE]',
			],
			{ content: 'Hello', reasoning_content: 'So.', finish_reason: 'stop' },
		],
	])('%s', async (_, data, output) => {
		stage.service.when(COMPLETIONS, told(data));
		const { items, error } = await stage.run(ask(OPTIONS));
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject(output);
		expect((await heardOf((await stage.model()).stream(QUESTION))).text).toBe(output.content);
	});

	it('length, then a stop without anything new, is cut off', async () => {
		stage.service.when(
			COMPLETIONS,
			told([chunk({ content: 'Hel' }, 'length'), chunk({ content: '' }, 'stop'), '[DONE]']),
		);
		const { items } = await stage.run(ask(OPTIONS));
		expect(items[0]).toMatchObject({ content: 'Hel', finish_reason: 'length' });
	});

	it('stop, more text, and then [DONE] in place of another reason is whole', async () => {
		stage.service.when(
			COMPLETIONS,
			told([chunk({ content: 'Hel' }, 'stop'), chunk({ content: 'lo' }), '[DONE]']),
		);
		const { items, error } = await stage.run(ask(OPTIONS));
		expect(error?.message).toBeUndefined();
		expect(items[0]).toMatchObject({ content: 'Hello' });
	});

	it('a reason is kept where what follows says nothing', async () => {
		stage.service.when(
			COMPLETIONS,
			told([
				chunk({ content: 'Hel' }, 'length'),
				chunk({ content: '', tool_calls: [], refusal: null }, 'null'),
				chunk({ content: null }, 'in_progress'),
				chunk({}, ''),
			]),
		);
		const { items } = await stage.run(ask(OPTIONS));
		expect(items[0]).toMatchObject({ content: 'Hel', finish_reason: 'length' });
	});

	it.each([true, false])('after it more text and no reason any more: cut %s', async (cut) => {
		stage.service.when(
			COMPLETIONS,
			told([chunk({ content: 'Hel' }, 'stop'), chunk({ content: 'lo' })], cut),
		);
		const { error, details } = await stage.run(ask(OPTIONS));
		expect(error?.message).toContain('ended early');
		expect(JSON.stringify(details.partial)).toContain('Hello');
	});

	it('a content filter after which nothing came is not taken back', async () => {
		stage.service.when(
			COMPLETIONS,
			told([chunk({ content: 'Hel' }, 'content_filter'), chunk({}, 'stop'), '[DONE]']),
		);
		const { error } = await stage.run(ask(OPTIONS));
		expect(error?.message).toContain('content filter');
	});
});

describe('usage without numbers takes nothing from the usage before it', () => {
	const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
	it.each<[string, unknown]>([
		['{}', {}],
		['null', null],
		['a text', ''],
		['nulls', { prompt_tokens: null, completion_tokens: null, total_tokens: null }],
		['false', false],
		['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
		['nothing but details', { prompt_tokens_details: {} }],
		['a list', []],
	])('%s', async (_, last) => {
		stage.service.when(
			COMPLETIONS,
			told([
				chunk({ content: 'Hello' }, null, { usage }),
				chunk({}, 'stop', { usage: last }),
				'[DONE]',
			]),
		);
		const { items } = await stage.run(ask(OPTIONS));
		expect(items[0]).toMatchObject({ content: 'Hello', usage });
	});

	it('later numbers count', async () => {
		const later = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
		stage.service.when(
			COMPLETIONS,
			told([
				chunk({ content: 'Hello' }, null, { usage }),
				chunk({}, 'stop', { usage: later }),
				chunk({}, null, { usage: {}, model: '', id: '' }),
				'[DONE]',
			]),
		);
		const { items } = await stage.run(ask(OPTIONS, { simplify: false }));
		expect(items[0]).toMatchObject({ usage: later, model: 'm', id: 'c' });
	});
});
