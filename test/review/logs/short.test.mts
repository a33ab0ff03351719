import { expect, test } from 'vitest';
import { EXACT, judge, named } from './worldD.mts';
import { WORLDS, play } from './playShort.mts';
import { worldShort } from './worldShort.mts';

const cuts = (entries: number[], afterMs = 300) =>
	entries.map((one) => ({ entries: one, afterMs }));

test('a line of a log that is gone, shown once before a long outage: it comes', async () => {
	const { clock, service, follow } = await worldShort();
	service.write(...named('a', 40));
	const trigger = await follow();
	await clock.pass(3_000);
	service.cuts = [...cuts([1]), ...Array.from({ length: 40 }, () => ({ entries: 0, status: 503 }))];
	service.restart(...named('b', 60));
	await clock.pass(4_000);
	expect(service.sent.size).toBe(41);
	service.restart(...named('c', 60));
	await clock.until(() => service.cuts.length === 0, 3_600_000);
	await clock.pass(120_000);
	expect(judge([...service.sent], trigger.lines).lost).toEqual([]);
});

test('connections that show nothing at all, in turn with a few lines of the beginning: no line twice', async () => {
	const { clock, service, follow } = await worldShort();
	service.write(...named('a', 60));
	const trigger = await follow();
	await clock.pass(3_000);
	service.cuts = cuts([0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 0, 2, 12]);
	service.cut();
	service.write('b');
	await clock.until(() => service.cuts.length === 0, 3_600_000);
	await clock.pass(120_000);
	expect(judge(service.written, trigger.lines)).toEqual(EXACT);
});

test('an answer that is empty and ends, then short ones: no line twice', async () => {
	const { clock, service, follow } = await worldShort();
	service.write(...named('a', 60));
	const trigger = await follow();
	await clock.pass(3_000);
	service.cuts = [{ entries: 0, isEnd: true }, ...cuts([5, 5, 5, 5, 5, 5, 5, 5])];
	service.cut();
	service.write('b');
	await clock.until(() => service.cuts.length === 0, 3_600_000);
	await clock.pass(120_000);
	expect(judge(service.written, trigger.lines)).toEqual(EXACT);
});

test('a new log, shown from the offset and then from its beginning, each time in part: no line twice', async () => {
	const { clock, service, follow } = await worldShort();
	service.write(...named('a', 50));
	const trigger = await follow();
	await clock.pass(3_000);
	service.cuts = cuts([17, 30, 0, 30, 30, 30, 30, 30]);
	service.restart(...named('b', 90));
	await clock.until(() => service.cuts.length === 0, 3_600_000);
	await clock.pass(120_000);
	expect(judge(service.written, trigger.lines)).toEqual(EXACT);
});

test('a container that starts again every second with the same banner: each line that was sent comes while it does', async () => {
	const { clock, service, follow } = await worldShort();
	service.write(...named('a', 50));
	const trigger = await follow();
	await clock.pass(3_000);
	for (let life = 0; life < 300; life++) {
		service.restart('start', 'load', 'listen', `life ${life}`);
		await clock.pass(1_000);
	}
	const sent = [...service.sent];
	const late = sent.filter((line) => !trigger.lines.includes(line));
	// Those of the search that is under way
	expect(late.every((line) => sent.indexOf(line) >= sent.length - 10)).toBe(true);
	await clock.pass(120_000);
	expect(judge([...service.sent], trigger.lines).lost).toEqual([]);
	expect(service.mostInASecond).toBeLessThanOrEqual(10);
});

test.each(['entries', 'bytes', 'eventId'] as const)(
	'offset in %s, each connection brings so many lines: from two on, the log goes on',
	async (unit) => {
		for (const entries of [2, 3, 7, 31, 32, 33, 36, 37, 40]) {
			const world = await worldShort({ unit });
			const { clock, service, follow } = world;
			service.write(...named('a', 60));
			const trigger = await follow();
			await clock.pass(3_000);
			service.cuts = Array.from({ length: 400 }, () => ({ entries, afterMs: 300 }));
			service.cut();
			service.write(...named('b', 30));
			await clock.until(() => trigger.lines.length >= 90, 600_000);
			expect(judge(service.written, trigger.lines)).toEqual(EXACT);
			expect(service.mostInASecond).toBeLessThanOrEqual(10);
			await world.end();
		}
	},
);

test.each(Object.entries(WORLDS))('%s: the laws hold with each seed', async (_, scenario) => {
	const broken: string[] = [];
	for (let seed = 1; seed <= 8; seed++)
		broken.push(...(await play(scenario, seed)).map((what) => `${seed}: ${what}`));
	expect(broken).toEqual([]);
});
