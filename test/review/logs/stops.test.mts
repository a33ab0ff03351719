import { expect, test } from 'vitest';
import { EXACT, judge, named, world } from './worldD.mts';

/** Every so manieth line is an error. */
function withErrors(lines: string[], every: number, first: number): string[] {
	return lines.map((line, index) => (index % every === first ? `ERROR ${line}` : line));
}

const isError = (line: string) => line.includes('ERROR');

for (const contextLines of [0, 3])
	test(`filter, slow service and two stops in a row with ${contextLines} context lines: only what the second stop held comes again`, async () => {
		const { clock, log, service, follow, start, stop } = await world();
		log.write(...withErrors(named('a', 200), 50, 4));
		log.write(...withErrors(named('b', 30), 50, 8));
		const trigger = await follow({ options: { include: 'ERROR', contextLines } });
		await clock.pass(3_000);
		await stop(trigger);
		const place = JSON.stringify(trigger.saved);
		service.rules.paceMs = 60;
		// The first known lines have come, and nothing tells yet whether they are new
		await start(trigger);
		await clock.pass(1_200);
		await stop(trigger);
		expect(JSON.stringify(trigger.saved)).toBe(place);
		service.rules.paceMs = 0;
		await start(trigger);
		log.write('ERROR last');
		await clock.pass(60_000);
		const { lost, again } = judge(log.written.filter(isError), trigger.lines);
		expect(lost).toEqual([]);
		// Within the 32 lines by which the place is known, not the whole log
		expect(again.every((line) => log.written.indexOf(line) >= 230 - 36)).toBe(true);
	});

test('what a stop delivers in a long execution, and a start in the same process: a later stop repeats nothing', async () => {
	const { clock, log, service, follow, start, stop } = await world();
	let end: () => void = () => undefined;
	let isSlow = false;
	log.write(...named('a', 100));
	const trigger = await follow({}, async () => {
		if (isSlow) await new Promise<void>((resolve) => (end = resolve));
	});
	await clock.pass(3_000);
	await stop(trigger);
	service.rules.paceMs = 100;
	await start(trigger);
	await clock.pass(1_000);
	isSlow = true;
	await stop(trigger);
	isSlow = false;
	service.rules.paceMs = 0;
	await start(trigger, 'activate');
	await clock.pass(10_000);
	end();
	log.write(...named('b', 100));
	await clock.pass(20_000);
	expect(judge(log.written, trigger.lines).lost).toEqual([]);
	const { length } = trigger.lines;
	await stop(trigger);
	await start(trigger);
	await clock.pass(60_000);
	expect(trigger.lines.length).toBe(length);
});

test('new lines only, two triggers of one n8n, the first with a long execution: the second delivers its lines at the stop', async () => {
	const { clock, log, service, follow, stop } = await world({ keeps: 0 });
	let isSlow = false;
	const first = await follow({ containerIds: ['c2'] }, async () => {
		if (isSlow) await clock.wait(60_000);
	});
	const second = await follow({ batch: { maxEntries: 100, maxWaitMs: 60_000 } });
	log.write(...named('a', 40));
	await clock.pass(61_000);
	log.cut();
	await clock.pass(2_000);
	log.write(...named('b', 40));
	await clock.pass(200_000);
	isSlow = true;
	service.log('c2').write('long');
	log.write('held 1', 'held 2');
	await clock.pass(5_000);
	const before = clock.at;
	await stop(first);
	await stop(second);
	expect(clock.at - before).toBeLessThan(11_000);
	expect(judge(log.written, second.lines)).toEqual(EXACT);
});

test('new lines only, ten a second, and a stop while a new connection looks for the known ones: nothing that was received is lost', async () => {
	const { clock, log, follow, restart } = await world({ keeps: 0 });
	const trigger = await follow();
	const write = async (name: string, count: number) => {
		for (const line of named(name, count)) {
			log.write(line);
			await clock.pass(100);
		}
	};
	await write('a', 100);
	log.cut();
	await clock.until(() => log.open.size > 0, 20_000);
	await write('b', 15);
	await restart(trigger);
	await write('c', 50);
	await clock.pass(60_000);
	expect(judge(log.written, trigger.lines)).toEqual(EXACT);
});

test('new lines only, learned from an empty answer: what waits for its batch at a stop is delivered, and not again', async () => {
	const { clock, log, follow, restart } = await world({ keeps: 0 });
	const trigger = await follow({ batch: { maxEntries: 100, maxWaitMs: 60_000 } });
	log.write(...named('a', 40));
	await clock.pass(61_000);
	log.cut();
	await clock.pass(2_000);
	// They come on the connection that looks for the known ones; the next one is silent
	log.write(...named('b', 3));
	await clock.pass(200_000);
	log.write(...named('c', 3));
	await clock.pass(1_000);
	await restart(trigger, 3_600_000);
	log.write(...named('d', 3));
	await clock.pass(200_000);
	expect(judge(log.written, trigger.lines)).toEqual(EXACT);
});

test('kill between the delivery and the save, then a stop an hour later: nothing is lost, and no more than one batch comes again', async () => {
	const { clock, log, follow, start, stop } = await world();
	log.write(...named('a', 40));
	const trigger = await follow({}, async () => await clock.wait(300));
	await clock.pass(10_000);
	log.write(...named('b', 10));
	await clock.pass(350);
	await clock.during(trigger.kill());
	await start(trigger);
	await clock.pass(10_000);
	await stop(trigger);
	log.write(...named('c', 40));
	await clock.pass(3_600_000);
	await start(trigger);
	await clock.pass(10_000);
	const { lost, again } = judge(log.written, trigger.lines);
	expect(lost).toEqual([]);
	expect(again.every((line) => line.startsWith('b'))).toBe(true);
});

test('two triggers on one log, one of them stopped and killed in turn: each has its own place', async () => {
	const { clock, log, service, follow, restart, start } = await world();
	const one = await follow();
	const other = await follow({ batch: { maxEntries: 7, maxWaitMs: 500 } });
	for (let round = 0; round < 4; round++) {
		log.write(...named(`round ${round}`, 20));
		await clock.pass(3_000);
		if (round % 2 === 0) await restart(one);
		else {
			await clock.during(one.kill());
			await start(one);
		}
		log.cut();
	}
	await clock.pass(60_000);
	expect(judge(log.written, one.lines)).toEqual(EXACT);
	expect(judge(log.written, other.lines)).toEqual(EXACT);
	expect(service.mostInASecond).toBeLessThanOrEqual(16);
});

test('stop an hour, and a service that keeps the last 60 lines: all that it has then comes once', async () => {
	const { clock, log, follow, stop, start } = await world({ keeps: 60, delayMs: 400 });
	log.write(...named('a', 50));
	const trigger = await follow();
	await clock.pass(5_000);
	await stop(trigger);
	// 40 lines: of the 32 that are known, 20 are left
	log.write(...named('b', 40));
	await clock.pass(3_600_000);
	await start(trigger);
	await clock.pass(60_000);
	expect(judge(log.written, trigger.lines)).toEqual(EXACT);
});
