import { expect, it } from 'vitest';
import {
	endWorlds,
	LiveLog,
	numbered,
	pagesOf,
	sizedPagesOf,
	worldOf,
	type Service,
} from './service.mts';

endWorlds();

/** Follows a log that exists, and what is written behind it. */
async function followed(all: string[], serviceOf: (log: LiveLog) => Service, parameters = {}) {
	const log = new LiveLog(all);
	const world = await worldOf(serviceOf(log));
	const trigger = world.trigger(parameters);
	await world.activate(trigger);
	await world.clock.pass(1_200_000);
	log.write(...numbered(20, 900));
	await world.clock.pass(1_200_000);
	return { log, trigger };
}

for (const length of [4_000, 4_080, 5_000, 100_000])
	it(`answers of 4,096 characters, a line of ${length} within short ones: all lines come`, async () => {
		const all = [...numbered(30), 'x'.repeat(length), ...numbered(60, 30)];
		const { log, trigger } = await followed(all, ({ lines }) => sizedPagesOf(lines, 4_096));
		expect({ count: trigger.lines.length, failures: trigger.failures }).toEqual({
			count: log.lines.length,
			failures: [],
		});
		expect(trigger.lines).toEqual(log.lines);
	});

for (const length of [100, 400, 1_000, 2_000])
	it(`answers of 4,096 characters, lines of ${length} and blank ones: all lines come`, async () => {
		const all = numbered(60).map((line, index) => (index % 3 ? line.padEnd(length, '.') : ''));
		const { log, trigger } = await followed(all, ({ lines }) => sizedPagesOf(lines, 4_096));
		expect(trigger.lines).toEqual(log.lines);
	});

for (const count of [1, 5, 40])
	it(`answers of one line, log of ${count}: all lines come, or a person is told`, async () => {
		const { log, trigger } = await followed(numbered(count), ({ lines }) => pagesOf(lines, 1));
		if (trigger.failures.length === 0) expect(trigger.lines).toEqual(log.lines);
	});

/** The last line of each answer has no line end. */
const unended =
	(log: readonly string[], size: number): Service =>
	({ begin, end, offset = 0 }) => {
		begin('text/plain');
		end(log.slice(offset, offset + size).join('\n'));
	};

for (const size of [1, 2, 3, 10])
	it(`answers of ${size} bare lines, the last one without a line end: all lines come once the deployment has ended`, async () => {
		const log = numbered(25);
		const world = await worldOf(unended(log, size));
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.clock.pass(120_000);
		world.status = 'completed';
		await world.clock.pass(600_000);
		expect(trigger.lines).toEqual(log);
	});
