import { expect, it } from 'vitest';
import { compare, endWorlds, Log, NOTHING, startWorld, unique, type Call } from './service.mts';

endWorlds();

/** A store that shows what was written only so much later. */
function shown(at: Array<{ at: number; count: number }>, now: number, lagMs: number) {
	return at.filter((one) => one.at <= now - lagMs).at(-1)?.count ?? 0;
}

for (const ends of [false, true])
	for (const missing of [5, 20])
		for (const lagMs of [8_000, 30_000, 120_000])
			it(`after a loss the store lacks the last ${missing} lines for ${lagMs / 1000} s, answers ${ends ? 'end' : 'go on'}`, async () => {
				const log = new Log();
				const marks: Array<{ at: number; count: number }> = [];
				const answer = async (call: Call) => {
					const lag = isLagging ? lagMs : 0;
					call.open();
					for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(250)) {
						const end = isLagging ? shown(marks, world.clock.at, lag) : log.lines.length;
						if (end > at) {
							call.send(...log.lines.slice(at, end));
							at = end;
						}
						if (ends && isLagging) return void call.response.end();
					}
				};
				let isLagging = false;
				const world = await startWorld(answer);
				const write = (...lines: string[]) => {
					log.write(...lines);
					marks.push({ at: world.clock.at, count: log.lines.length });
				};
				write(...unique(200));
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.clock.pass(200_000);
				write(...unique(missing, 200));
				await world.clock.pass(2_000);
				isLagging = true;
				world.cut();
				for (let round = 0; round < 10; round++) {
					await world.clock.pass(10_000);
					write(...unique(1, 200 + missing + round));
				}
				await world.clock.pass(300_000);
				expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
			});

it.each([true, false])(
	'a new log shows the same lines at the offset, but for the last ones, and began otherwise, answers end: %j',
	async (ends) => {
		const step = unique(200);
		const log = new Log(...step);
		const world = await startWorld(async (call) => {
			call.open();
			if (!ends) return await call.follow(log, call.offset ?? 0);
			call.send(...log.lines.slice(call.offset ?? 0));
			call.response.end();
		});
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.clock.pass(60_000);
		log.restart(...unique(10, 0, 'own'), ...step.slice(10, 195));
		world.cut();
		await world.clock.pass(300_000);
		log.write(...step.slice(195), 'later');
		await world.clock.pass(60_000);
		expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
	},
);

it('two replicas, one of them 7 lines and 20 s behind, in turns, answers end', async () => {
	const log = new Log();
	const marks: Array<{ at: number; count: number }> = [];
	const world = await startWorld((call) => {
		call.open();
		const end = call.index % 2 === 0 ? log.lines.length : shown(marks, world.clock.at, 20_000);
		call.send(...log.lines.slice(call.offset ?? 0, end));
		call.response.end();
	});
	const write = (...lines: string[]) => {
		log.write(...lines);
		marks.push({ at: world.clock.at, count: log.lines.length });
	};
	write(...unique(100));
	await world.clock.pass(60_000);
	const trigger = world.trigger();
	await world.activate(trigger);
	for (let round = 0; round < 60; round++) {
		write(...unique(1, 100 + round));
		await world.clock.pass(3_000);
	}
	await world.clock.pass(100_000);
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});

it('two replicas, one keeps 20 lines, the other all, chosen by chance', async () => {
	const log = new Log(...unique(150));
	let turn = 0;
	const world = await startWorld(async (call) => {
		call.open();
		const isShort = [0, 1, 1, 0, 1, 0, 0, 1][turn++ % 8] === 1;
		await call.follow(log, Math.max(call.offset ?? 0, isShort ? log.lines.length - 20 : 0));
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	for (let round = 0; round < 20; round++) {
		await world.clock.pass(20_000);
		log.write(...unique(3, 1_000 + 10 * round));
		world.cut();
		log.write(...unique(3, 1_003 + 10 * round));
		await world.clock.pass(30_000);
	}
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});

it('the store of the past fails for some minutes: then there are new lines only, one each 2 s', async () => {
	const log = new Log(...unique(100));
	let isDown = false;
	const world = await startWorld(async (call) => {
		call.open();
		await call.follow(log, isDown ? log.lines.length : (call.offset ?? 0));
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.clock.pass(20_000);
	isDown = true;
	world.cut();
	for (let round = 0; round < 100; round++) {
		await world.clock.pass(2_000);
		log.write(...unique(1, 200 + round));
	}
	isDown = false;
	await world.clock.pass(200_000);
	const { lost, repeated } = compare(log.written, trigger.lines);
	expect({ lost, repeated }, `${world.calls.length} requests`).toEqual({ lost: [], repeated: 0 });
});
