import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import { chunk, stream, type Answer } from './forms.mts';
import { ask, usePlay } from './setup.mts';

const play = usePlay();
const STREAM = { stream: true };

describe('world: many items, of which some fail, are tried again', () => {
	const items = Array.from({ length: 12 }, (_, index) => ({ ask: `q${index}` }));
	it('order and pairing; each answer is billed once over the tries of Retry On Fail', async () => {
		const { service } = play;
		service.on('POST /chat', ({ body }) => {
			const asked = String((body.messages as Array<{ content: string }>).at(-1)?.content);
			const seen = service.bills.filter(({ what }) => what === asked).length;
			if (asked !== 'q5' || seen > 0) return undefined;
			service.bill(asked);
			return { ...stream([chunk({ content: 'cut' })], 'cut', false) };
		});
		const { items: out, error } = await play.run(
			ask({ ...STREAM, requestsAtOnce: 4 }, RETRY),
			items,
		);
		expect(error).toBeUndefined();
		expect(out.map(({ content }) => content)).toEqual(items.map((one) => `Re: ${one.ask}`));
		for (const { ask: asked } of items)
			expect(service.bills.filter(({ what }) => what === asked).length).toBe(
				asked === 'q5' ? 2 : 1,
			);
	});
	it('On Error Continue: the failed one stands in its place, with its part', async () => {
		play.service.on('POST /chat', ({ body }) =>
			JSON.stringify(body).includes('q3"')
				? stream([chunk({ content: 'part of 3' })], 'cut', false)
				: undefined,
		);
		const { items: out } = await play.run(ask(STREAM, CONTINUE), items);
		expect(out).toHaveLength(12);
		expect(JSON.stringify(out[3])).toContain('part of 3');
		expect(out[4]).toMatchObject({ content: 'Re: q4' });
	});
	it('a gateway times out while the answer is billed: asked once', async () => {
		play.service.on('POST /chat', ({ body }) => {
			play.service.bill(JSON.stringify(body));
			return { status: 504, type: 'text/html', parts: ['<html><title>504</title></html>'] };
		});
		const { error } = await play.run(ask());
		expect(error?.message).toMatch(/504/);
		expect(play.service.bills).toHaveLength(1);
	});
});

describe('world: limits with odd words', () => {
	for (const value of [
		'5, 5',
		'12 seconds',
		'-3',
		'',
		'soon',
		'1.5',
		'2030',
		'Wed, 21 Oct 2015 07:28:00 GMT',
		'1e1',
	])
		it(`429 with Retry-After "${value}": asked again, never at once without a pause`, async () => {
			const { service } = play;
			service.clock.waits.length = 0;
			service.on('POST /chat', ({ count }) =>
				count === 0
					? {
							status: 429,
							headers: (value ? { 'retry-after': value } : {}) as Record<string, string>,
							json: { error: 'slow down' },
						}
					: undefined,
			);
			const { items, error } = await play.run(ask());
			const [wait = 0] = service.clock.waits;
			if (error) expect(error.message).toMatch(/429/);
			else {
				expect(items[0]).toMatchObject({ content: 'Re: Hello' });
				if (!value.includes('2015')) expect(wait).toBeGreaterThan(0);
				if (value === '12 seconds' || value === '5, 5')
					expect(wait).toBeGreaterThanOrEqual(value === '5, 5' ? 5000 : 250);
			}
			expect(service.bills.length).toBe(error ? 0 : 1);
		});
});

describe('world: usage and content in odd forms', () => {
	const answer = (message: unknown, more = {}): Answer => ({
		json: {
			id: 'c',
			model: 'other',
			choices: [{ index: 0, message, finish_reason: 'stop' }],
			...more,
		},
	});
	it('content is a number, no role', async () => {
		play.service.on('POST /chat', answer({ content: 42 }));
		const { items, error, known } = await play.run(ask());
		if (error) expect(known).toContain('42');
		else expect(String(items[0]?.content)).toBe('42');
	});
	it('content streamed as numbers', async () => {
		play.service.on('POST /chat', stream([chunk({ content: 4 }), chunk({ content: 2 }, 'stop')]));
		const { items, error, known } = await play.run(ask(STREAM));
		expect(error ? known : String(items[0]?.content)).toMatch(/42|4.*2/);
	});
	it('usage as text, cumulative in each chunk, or none at all', async () => {
		play.service.on(
			'POST /chat',
			stream([
				chunk({ content: 'a' }, null, { usage: { total_tokens: '3' } }),
				chunk({ content: 'b' }, 'stop', { usage: { total_tokens: '7' } }),
			]),
		);
		expect((await play.run(ask(STREAM))).items[0]).toMatchObject({
			content: 'ab',
			usage: { total_tokens: '7' },
			model: 'm',
		});
		play.service.rules = [];
		play.service.on('POST /chat', answer({ role: 'assistant', content: 'x' }));
		expect((await play.run(ask())).items[0]).toMatchObject({
			content: 'x',
			usage: null,
			model: 'other',
		});
	});
	it('200 with an error', async () => {
		for (const json of [
			{ error: { message: 'quota' } },
			{ error: 'quota' },
			{ detail: 'quota' },
			{ message: 'quota', error_type: 'X' },
			{ success: false, message: 'quota' },
		]) {
			play.service.rules = [];
			play.service.on('POST /chat', { json });
			expect((await play.run(ask())).error?.message).toContain('quota');
		}
	});
});
