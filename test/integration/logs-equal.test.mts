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

	it.each<[string, (offset: number) => number]>([
		['honours the offset', (offset) => offset],
		['ignores the offset', () => 0],
	])('at a service that %s and goes on, each line comes once', async (_service, first) => {
		const log = Array.from({ length: 40 }, (_one, number) => line(number));
		const { trigger, time, cut, tell } = await followService(({ offset = 0, send }) =>
			send(...log.slice(first(offset))),
		);
		await time.pass(10_000);
		expect(trigger.lines.length).toBe(40);
		for (let turn = 0; turn < 12; turn++) {
			for (let left = 6; left > 0; left--) {
				log.push(line(log.length));
				tell(line(log.length - 1));
				await time.pass(400);
			}
			cut();
			log.push(line(log.length));
			await time.pass([500, 3_000, 30_000][turn % 3] ?? 0);
		}
		await time.pass(60_000);
		expect(trigger.lines.length).toBe(log.length);
	});
});

describe('blocks that come again and again, at a service that shows new lines only', () => {
	it.each([
		[2, 1],
		[3, 1],
		[3, 4],
		[4, 1],
		[5, 2],
		[8, 3],
		[40, 1],
	])('each line comes once: %d lines, %d times between two connections', async (size, times) => {
		const block = Array.from({ length: size }, (_one, number) => `step ${number}`);
		const { trigger, time, cut, tell } = await followService(() => undefined);
		let offered = 0;
		for (let turn = 0; turn < 12; turn++) {
			for (let left = times; left > 0; left--) {
				if (tell(...block) > 0) offered += size;
				await time.pass([700, 4_000, 15_000][turn % 3] ?? 0);
			}
			cut();
			// Not just as a connection opens: then they would count as those of before
			await time.pass([3_000, 20_000][turn % 2] ?? 0);
		}
		await time.pass(120_000);
		expect(offered).toBeGreaterThan(size * times * 6);
		expect(trigger.lines).toEqual(Array.from({ length: offered / size }, () => block).flat());
	});
});
