import { describe, expect, it } from 'vitest';
import { endServices, followService } from '../engine/logService.mts';

/** Logs whose lines cannot be told apart, at services that end each answer: an answer may come again without end. */
endServices();

const LINES: Record<string, (number: number) => string> = {
	'equal lines': () => 'heartbeat ok',
	'blocks of three': (number) => ['check', 'disk ok', 'memory ok'][number % 3] ?? '',
};

describe.each(Object.entries(LINES))('%s', (_, line) => {
	/** Follows a log that grows by so many lines with each answer; returns how many were written, and delivered. */
	async function poll(
		first: (offset: number, length: number) => number,
		{ before = 40, growth = 0, answers = 30 },
	): Promise<{ written: number; delivered: number }> {
		const log = Array.from({ length: before }, (_one, number) => line(number));
		const { trigger, time, requested } = await followService(({ offset = 0, index, send, end }) => {
			if (index < answers) for (let left = growth; left > 0; left--) log.push(line(log.length));
			send(...log.slice(Math.min(log.length, Math.max(0, first(offset, log.length)))));
			end();
		});
		await time.until(() => requested.length > answers, 600_000);
		await time.pass(120_000);
		return { written: log.length, delivered: trigger.lines.length };
	}

	it.each([
		[40, 0],
		[40, 1],
		[40, 3],
		[40, 50],
		[10, 2],

		[500, 7],
	])(
		'at a service that ignores the offset each line comes once: %d, and %d more with each answer',
		async (before, growth) => {
			const { written, delivered } = await poll(() => 0, { before, growth });
			expect(delivered).toBe(written);
		},
	);

	it.each([
		[40, 0],
		[40, 1],
		[40, 3],
		[40, 50],
		[10, 2],

		[500, 7],
	])(
		'at a service that honours it each line comes once: %d, and %d more with each answer',
		async (before, growth) => {
			const { written, delivered } = await poll((offset) => offset, { before, growth });
			expect(delivered).toBe(written);
		},
	);

	it('at a service that sends its last 50 lines they do not come without end', async () => {
		const { written, delivered } = await poll((_offset, length) => length - 50, {
			before: 200,
			growth: 0,
			answers: 100,
		});
		expect(written).toBe(200);
		expect(delivered).toBeLessThanOrEqual(100);
	});
});
