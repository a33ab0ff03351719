import { expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { timestampOf } from '../../../nodes/marketplace/log/timestamp.ts';
import { endWorlds, fateOf, openWorld, WELL } from './service.mts';

endWorlds();

it('lines of new lines only come while the head of an answer waits for the first of them', async () => {
	const log: string[] = [];
	const world = await openWorld(async (call) => {
		for (let at = log.length; !call.response.destroyed; await call.wait(250)) {
			if (at === log.length) continue;
			if (!call.response.headersSent) call.head();
			call.send(log[at++] ?? '');
		}
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	for (let index = 0; index < 20; index++) {
		await world.time.pass(400_000 + index * 7_000);
		log.push(`line ${index}`);
	}
	await world.time.pass(60_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
});

it('a quiet container is no outage, whose service shows new lines only and ends silent connections', async () => {
	const world = await openWorld(async (call) => {
		call.head();
		if (call.index === 0) {
			await call.wait(1_000);
			call.send('one', 'two', 'three');
		}
		await call.wait(60_000);
		call.response.end();
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(600_000);
	expect(trigger.failures.map(({ message }) => message)).toEqual([]);
});

it('a new log of a service that counts from one and refuses the offset 0', async () => {
	let log = numbered(100);
	const world = await openWorld((call) => {
		if (call.offset === 0) {
			const detail = [{ loc: ['query', 'offset'], msg: 'must be >= 1', type: 'value_error' }];
			call.response.writeHead(422, { 'content-type': 'application/json' });
			return void call.response.end(JSON.stringify({ detail }));
		}
		call.head();
		call.send(...log.slice((call.offset ?? 1) - 1));
	});
	const trigger = world.trigger({ startFrom: 'offset', offset: 1 });
	await world.activate(trigger);
	await world.time.pass(20_000);
	log = numbered(20, 1_000);
	world.cut();
	await world.time.pass(300_000);
	expect(fateOf(log, trigger.lines)).toMatchObject({ lost: 0 });
});

it('Get Many: the log of a service that counts from one and refuses the offset 0', async () => {
	const world = await openWorld((call) => {
		if (call.offset === 0) return void call.response.writeHead(400).end('offset starts at 1');
		call.head();
		call.send(...numbered(3));
		call.response.end();
	});
	const { items } = await world.getMany();
	expect(items.map(({ line }) => line)).toEqual(numbered(3));
});

it('Get Many: Include sees a line without its colours, as the trigger does', async () => {
	const world = await openWorld((call) => {
		call.head();
		call.send('\u001b[31mERROR\u001b[0m out of memory', 'INFO fine');
		call.response.end();
	});
	const { items } = await world.getMany({ options: { include: '^ERROR out' } });
	expect(items.length).toBe(1);
});

for (const [line, time] of [
	['2026-11-22 10:00:00 UTC+8 started', '2026-11-22T02:00:00.000Z'],
	['2026-11-22 10:00:00 GMT+0200 started', '2026-11-22T08:00:00.000Z'],
	['2026-11-22 10:00:00 NZDT started', '2026-11-21T21:00:00.000Z'],
	['2026-11-22 10:00:00 -15 items removed', '2026-11-22T10:00:00.000Z'],
] as const)
	it(`Extract Timestamp: ${line}`, () => {
		expect([time, undefined]).toContain(timestampOf(line));
	});
