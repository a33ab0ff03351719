import { expect, it } from 'vitest';
import { compare, endWorlds, following, Log, startWorld, unique } from './service.mts';

endWorlds();

const ERRORS: Array<[string, (body: string) => string]> = [
	['application/json', (body) => `${body}\n`],
	['text/event-stream', (body) => `event: error\ndata: ${body}\n\n`],
];

for (const lineMs of [0, 1_200])
	for (const [type, frame] of ERRORS)
		for (const count of [20, 200])
			it(`a gateway answers 200 with an error that has an ID of its own each time, ${type}, the log has ${count} lines and comes after ${lineMs} ms`, async () => {
				const log = new Log(...unique(count));
				let isDown = false;
				const world = await startWorld(async (call) => {
					if (isDown) {
						call.open(type);
						const body = JSON.stringify({ error: 'timeout', request_id: `r-${call.index}` });
						return void call.response.end(frame(body));
					}
					call.open();
					await call.wait(lineMs);
					await call.follow(log, call.offset ?? 0);
				});
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.clock.pass(30_000);
				isDown = true;
				world.cut();
				await world.clock.pass(300_000);
				isDown = false;
				log.write(...unique(3, count));
				await world.clock.pass(200_000);
				const own = trigger.lines.filter((line) => line.startsWith('line'));
				const { lost, repeated } = compare(log.written, own);
				expect({ lost, repeated, errors: trigger.lines.length - own.length }).toEqual({
					lost: [],
					repeated: 0,
					errors: 0,
				});
			});

it('a second activation before the first one is closed, in mid-stream, and the first one is closed late', async () => {
	const log = new Log(...unique(100));
	const world = await startWorld(following(log));
	const trigger = world.trigger(
		{ containerIds: ['c1', 'c2'] },
		async () => await world.clock.wait(300),
	);
	await world.activate(trigger);
	await world.clock.pass(2_000);
	for (let round = 0; round < 5; round++) {
		const writing = (async () => {
			for (let n = 0; n < 10; n++) {
				log.write(`round ${round} line ${n}`);
				await world.clock.wait(90);
			}
		})();
		await world.activate(trigger, 'leadershipChange');
		await world.clock.during(writing);
		await world.clock.pass(5_000);
	}
	await world.clock.pass(60_000);
	for (const container of ['c1', 'c2']) {
		const came = trigger.items.filter(({ container_id: id }) => id === container);
		const { lost, repeated } = compare(
			log.written,
			came.map(({ line }) => String(line)),
		);
		expect({ container, lost, repeated }).toEqual({ container, lost: [], repeated: 0 });
	}
	await world.deactivate(trigger);
	await world.clock.pass(2_000);
	expect([world.open.size, world.sockets.size]).toEqual([0, 0]);
});
