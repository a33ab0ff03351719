import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { chunk, stream } from './forms.mts';
import { ask, usePlay } from './setup.mts';

const play = usePlay();
const asked = (body: Record<string, unknown>) =>
	String((body.messages as Array<{ content: string }>).at(-1)?.content);
const items = ['a', 'b', 'c', 'd'].map((name) => ({ ask: name }));

describe('world: one of several answers breaks, and all are billed', () => {
	const usage = { prompt_tokens: 100, completion_tokens: 23, total_tokens: 123 };
	it('the error that ends the execution has the answers of the others', async () => {
		play.service.on('POST /chat', ({ body }) =>
			asked(body) === 'c' ? stream([chunk({ content: 'half' })], 'cut', false) : undefined,
		);
		const { error, known } = await play.run(ask({ stream: true, requestsAtOnce: 4 }), items);
		expect(error?.message).toMatch(/ended early/);
		for (const { what } of play.service.bills) expect(known).toContain(`Re: ${what}`);
		expect(known).toContain('half');
	});
	it('the tokens of a cut answer, where it says them, are counted', async () => {
		play.service.on('POST /chat', ({ body }) =>
			asked(body) === 'c'
				? stream([chunk({ content: 'half' }, null, { usage })], 'cut', false)
				: undefined,
		);
		const run = await play.engine.run(ask({ stream: true }, CONTINUE), items);
		const hints = JSON.stringify(run.data.resultData.runData.Node?.[0]?.hints ?? []);
		expect(hints).toContain(`${3 * 15 + 123} tokens`);
		expect(hints).toContain('4 requests');
	});
	it('every try is cut elsewhere: all parts are in the last error', async () => {
		play.service.on('POST /chat', ({ count }) =>
			stream([chunk({ content: `part ${count}` })], 'cut', false),
		);
		const { error, known } = await play.run(ask({ stream: true }, RETRY));
		expect(error).toBeDefined();
		for (const number of [0, 1, 2]) expect(known).toContain(`part ${number}`);
		expect(play.service.sent('POST /chat')).toHaveLength(3);
	});
	it('JSON that is cut: its text, its usage', async () => {
		const whole = JSON.stringify({
			model: 'm',
			usage,
			choices: [
				{
					index: 0,
					message: { role: 'assistant', content: 'A long answer that is cut here' },
					finish_reason: 'stop',
				},
			],
		});
		play.service.on('POST /chat', { parts: [whole.slice(0, -40)], end: 'cut' });
		const { error, known } = await play.run(ask());
		expect(error?.message).toMatch(/ended early/);
		expect(known).toContain('A long answer');
		expect(known).toContain('123');
	});
	it('a refusal after text, a filter after text: the text is in the error, nothing is called an answer', async () => {
		for (const reason of ['content_filter', 'error', 'refusal']) {
			play.service.rules = [];
			play.service.on('POST /chat', stream([chunk({ content: 'The begin' }), chunk({}, reason)]));
			const { error, known } = await play.run(ask({ stream: true }));
			expect(error).toBeDefined();
			expect(known).toContain('The begin');
		}
	});
});
