import { expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { endWorlds, fateOf, openWorld, WELL, type LogCall } from './service.mts';

endWorlds();

const page = (log: string[], size: number) => (call: LogCall) => {
	call.head();
	const from = call.offset ?? 0;
	call.send(...log.slice(from, from + size));
	call.response.end();
};

it('a deployment that has ended before its log was read, in pages', async () => {
	const log = numbered(1_050);
	const world = await openWorld(page(log, 100));
	world.deployment.status = 'completed';
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(600_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
	const { length } = world.calls;
	await world.time.pass(600_000);
	expect(world.calls.length).toBe(length);
});

for (const [name, value, leastMs, mostMs] of [
	['seconds', '120', 120_000, 200_000],
	['a fraction', '0.5', 500, 10_000],
	['words', 'soon', 500, 10_000],
	['a negative number', '-5', 500, 10_000],
	['a day', '86400', 3_600_000, 5_500_000],
	['twice', '60, 60', 60_000, 100_000],
	['nothing', '', 500, 10_000],
] as const)
	it(`Retry-After as ${name}`, async () => {
		const log = numbered(10);
		const times: number[] = [];
		const world = await openWorld((call) => {
			times.push(world.now());
			if (call.index === 1)
				return void call.response.writeHead(429, { 'retry-after': value }).end('slow down');
			call.head();
			call.send(...log.slice(call.offset ?? 0));
		});
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.time.pass(10_000);
		log.push('new');
		world.cut();
		await world.time.until(() => trigger.lines.length > 10, 6_000_000);
		const pauseMs = (times[2] ?? 0) - (times[1] ?? 0);
		expect(pauseMs).toBeGreaterThanOrEqual(leastMs);
		expect(pauseMs).toBeLessThanOrEqual(mostMs);
		expect(fateOf(log, trigger.lines)).toEqual(WELL);
	});

it('of eight containers one is never answered and one asks for an hour', async () => {
	const log = numbered(40);
	const world = await openWorld(async (call) => {
		if (call.path.endsWith('/c1')) return await call.wait(10_000_000);
		if (call.path.endsWith('/c2'))
			return void call.response.writeHead(503, { 'retry-after': '3600' }).end();
		call.head();
		for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(500))
			while (at < log.length) call.send(log[at++] ?? '');
	});
	const ids = Array.from({ length: 8 }, (_, index) => `c${index + 1}`);
	const trigger = world.trigger({ containerIds: ids });
	await world.activate(trigger);
	await world.time.pass(60_000);
	log.push('new');
	await world.time.pass(5_000);
	expect(trigger.lines.length).toBe(6 * 41);
	await world.deactivate(trigger);
});

it('401 while the token is renewed by a person', async () => {
	const log = numbered(40);
	let isValid = true;
	const world = await openWorld((call) => {
		if (!isValid) return void call.response.writeHead(401).end('{"detail":"expired"}');
		call.head();
		call.send(...log.slice(call.offset ?? 0));
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(10_000);
	isValid = false;
	log.push('new');
	world.cut();
	await world.time.pass(600_000);
	expect(trigger.failures.length).toBe(1);
	isValid = true;
	await world.time.pass(60_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
});

it('executions fail at times while connections are cut', async () => {
	const log: string[] = [];
	const world = await openWorld(async (call) => {
		call.head();
		for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(200))
			while (at < log.length) call.send(log[at++] ?? '');
	});
	let runs = 0;
	const done: string[] = [];
	const trigger = world.trigger(
		{ options: { delivery: 'succeeded' }, batch: { maxEntries: 7, maxWaitMs: 50 } },
		(items) => {
			if (++runs % 3 === 0) throw new Error('no');
			done.push(...items.map(({ line }) => String(line)));
		},
	);
	await world.activate(trigger);
	for (let step = 0; step < 10; step++) {
		log.push(...numbered(13, log.length));
		await world.time.pass(1_500);
		if (step % 2 === 0) world.cut();
		if (step === 5) {
			await world.deactivate(trigger);
			log.push(...numbered(9, log.length));
			await world.activate(trigger, 'init');
		}
	}
	await world.time.pass(120_000);
	expect(fateOf(log, done)).toEqual(WELL);
});

it('lines with NUL, ANSI, emoji, CR within, and a giant one, cut anywhere', async () => {
	const log = [
		'a\u0000b',
		'\u001b[31mred\u001b[0m',
		'🙂'.repeat(500),
		'10%\r20%\r30%',
		'x'.repeat(900_000),
		' indented',
		...numbered(20),
	];
	const bytes = Buffer.from(log.map((line) => `data: ${line}\n\n`).join(''));
	const world = await openWorld(async (call) => {
		call.head();
		if (call.index > 4) {
			call.send(...log.slice(call.offset ?? 0));
			return;
		}
		call.response.write(bytes.subarray(0, 60 + 400 * call.index));
		await call.wait(3_000);
		call.response.destroy();
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(120_000);
	expect(fateOf(log, trigger.lines)).toEqual(WELL);
});

for (const status of [400, 404, 416, 422, 502])
	it(`a single ${status} while a log of 6,000 lines is followed`, async () => {
		const log = numbered(6_000);
		let refuses = false;
		const world = await openWorld((call) => {
			if (refuses) {
				refuses = false;
				return void call.response.writeHead(status).end('no');
			}
			call.head();
			call.send(...log.slice(call.offset ?? 0));
		});
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.time.pass(20_000);
		refuses = true;
		log.push('new');
		world.cut();
		await world.time.pass(60_000);
		expect(trigger.lines.length).toBe(log.length);
	});
