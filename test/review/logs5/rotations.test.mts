import { expect, it } from 'vitest';
import { compare, endWorlds, following, Log, NOTHING, startWorld, unique } from './service.mts';

endWorlds();

/** JSON with the same long head in each line, as structured logs have it; the message is behind it. */
const headed = (message: string) =>
	`{"service":"api","labels":"${'k=v,'.repeat(80)}","message":"${message}","stack":"${'at x '.repeat(300)}"}`;

for (const offset of ['honoured', 'ignored'] as const)
	for (const isRestarted of [false, true])
		for (const largestLine of [1_024, 1_048_576])
			it(`lines that differ behind 320 equal characters, Max Line Length ${largestLine}, the offset is ${offset}, ${isRestarted ? 'a new container' : 'the same log'}`, async () => {
				const log = new Log(...unique(60, 0, 'first').map(headed));
				const world = await startWorld(async (call) => {
					call.open();
					await call.follow(log, offset === 'honoured' ? (call.offset ?? 0) : 0);
				});
				const trigger = world.trigger({ options: { largestLine } });
				await world.activate(trigger);
				await world.clock.pass(10_000);
				if (isRestarted) log.restart(...unique(80, 0, 'second').map(headed));
				else log.write(...unique(3, 60, 'first').map(headed));
				world.cut();
				await world.clock.pass(200_000);
				const message = (line: string) => /"message":"([^"]*)"/.exec(line)?.[1] ?? line;
				expect(compare(log.written.map(message), trigger.lines.map(message))).toEqual(NOTHING);
			});

const BOOT = Array.from({ length: 40 }, (_, n) => `boot step ${n}`);

for (const offset of ['honoured', 'exclusive', 'ignored', 'last 50'] as const)
	for (const ends of [false, true])
		for (const times of [1, 3])
			it(`${times} new containers within one loss, each with 40 equal first lines, the offset is ${offset}, answers ${ends ? 'end' : 'go on'}`, async () => {
				const log = new Log(...BOOT, ...unique(30, 0, 'life 0'));
				const world = await startWorld(async (call) => {
					call.open();
					const { lines } = log;
					const from = {
						honoured: call.offset ?? 0,
						exclusive: call.offset ? call.offset + 1 : 0,
						ignored: 0,
						'last 50': Math.max(0, lines.length - 50),
					}[offset];
					if (!ends) return await call.follow(log, from);
					call.send(...lines.slice(from));
					call.response.end();
				});
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.clock.pass(30_000);
				for (let round = 1; round <= 3; round++) {
					world.cut();
					for (let life = 1; life < times; life++) log.lines = [...BOOT];
					log.restart(...BOOT, ...unique(10, 0, `life ${round}`));
					await world.clock.pass(100_000);
					log.write(...unique(5, 50, `life ${round}`));
					await world.clock.pass(60_000);
				}
				// What the service has not kept when it is asked cannot come
				const { lost, repeated, foreign } = compare(log.written, trigger.lines);
				const isShort = offset === 'last 50';
				expect({
					lost: lost.filter((line) => !isShort || line.startsWith('life')),
					repeated,
					foreign,
				}).toEqual(NOTHING);
			});

it('a disk that rotates the log by size: the newest half stays, in the midst of each loss', async () => {
	const log = new Log(...unique(100));
	const world = await startWorld(following(log));
	const trigger = world.trigger();
	await world.activate(trigger);
	for (let round = 0; round < 10; round++) {
		await world.clock.pass(30_000);
		log.lines = log.lines.slice(Math.floor(log.lines.length / 2));
		world.cut();
		log.write(...unique(7, 1_000 + 10 * round));
		await world.clock.pass(60_000);
	}
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});

it('the log is emptied while it is followed, and lines come one by one', async () => {
	const log = new Log(...unique(100));
	const world = await startWorld(following(log));
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.clock.pass(30_000);
	log.lines = [];
	world.cut();
	for (let n = 0; n < 30; n++) {
		await world.clock.pass(7_000);
		log.write(`after ${n}`);
	}
	await world.clock.pass(100_000);
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});

it('times that repeat and run backwards, each line twice, cut every few seconds', async () => {
	const log = new Log();
	const stamp = (n: number) =>
		`2026-03-03T04:05:${String(59 - (Math.floor(n / 4) % 60)).padStart(2, '0')}Z tick`;
	const world = await startWorld(following(log));
	let n = 0;
	const write = (count: number) => log.write(...Array.from({ length: count }, () => stamp(n++)));
	write(90);
	const trigger = world.trigger({ options: { extractTimestamp: true } });
	await world.activate(trigger);
	for (let round = 0; round < 40; round++) {
		await world.clock.pass(4_000);
		write(3);
		if (round % 2 === 0) world.cut();
		write(4);
	}
	await world.clock.pass(100_000);
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});
