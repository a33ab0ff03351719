import { expect, it } from 'vitest';
import { endWorlds, fateOf, openWorld, type World } from '../logs2/service.mts';

endWorlds();

const TRACE = [
	'ERROR it failed',
	'java.lang.IllegalStateException: no',
	'\tat com.foo.Bar.one(Bar.java:1)',
	'\tat com.foo.Bar.two(Bar.java:2)',
	'Caused by: java.io.IOException: gone',
	'\tat com.foo.Bar.three(Bar.java:3)',
];
const LOG = ['INFO one', ...TRACE, 'INFO two', ...TRACE, 'INFO three'];
const ERROR = TRACE.join('\n');
const ENTRIES = ['INFO one', ERROR, 'INFO two', ERROR, 'INFO three'];

/** A log that grows by a line each 400 ms; each connection is over, cut or ended, after so many new lines. */
async function grow(
	perConnection: number,
	isEnd: boolean,
	isHonoured: boolean,
	log = LOG,
): Promise<World> {
	let written = 1;
	return await openWorld(async (call) => {
		call.head();
		let at = isHonoured ? (call.offset ?? 0) : 0;
		const until = Math.max(at, written) + perConnection;
		for (; !call.response.destroyed; await call.wait(400)) {
			const lines = log.slice(at, written);
			call.response.write(lines.map((line) => `data: ${line}\n\n`).join(''));
			at += lines.length;
			if (at >= until && written < log.length) break;
			written = Math.min(log.length, written + 1);
		}
		await call.wait(10);
		if (isEnd) call.response.end();
		else call.response.destroy();
	});
}

for (const perConnection of [1, 2, 3])
	for (const isEnd of [false, true])
		for (const isHonoured of [false, true])
			it(`a joined entry goes on after a connection of ${perConnection} lines, ${isEnd ? 'ended' : 'lost'}, the offset is ${isHonoured ? 'honoured' : 'ignored'}`, async () => {
				const world = await grow(perConnection, isEnd, isHonoured);
				const trigger = world.trigger({
					streams: ['stdout'],
					batch: { maxWaitMs: 120_000 },
					options: { joinLines: true },
				});
				await world.activate(trigger);
				await world.time.pass(600_000);
				expect(trigger.lines).toEqual(ENTRIES);
			});

it('with a level, none of its lines is dropped', async () => {
	const world = await grow(1, false, true);
	const trigger = world.trigger({
		streams: ['stdout'],
		batch: { maxWaitMs: 120_000 },
		options: { joinLines: true, level: 'error' },
	});
	await world.activate(trigger);
	await world.time.pass(600_000);
	expect(trigger.lines).toEqual([ERROR, ERROR]);
});

for (const [name, answer] of [
	['no connection', 503],
	['no answer', 0],
] as const)
	it(`an entry that nothing continues comes after Max Wait, with ${name}`, async () => {
		let first = true;
		const world = await openWorld(async (call) => {
			if (!first) {
				if (answer) call.response.writeHead(answer).end();
				else await call.wait(3_600_000);
				return;
			}
			first = false;
			call.head();
			call.send(...TRACE.slice(0, 3));
			await call.wait(1_000);
			call.response.destroy();
		});
		const trigger = world.trigger({
			streams: ['stdout'],
			batch: { maxWaitMs: 20_000 },
			options: { joinLines: true },
		});
		await world.activate(trigger);
		await world.time.pass(15_000);
		expect(trigger.lines).toEqual([]);
		await world.time.pass(10_000);
		expect(trigger.lines).toEqual([TRACE.slice(0, 3).join('\n')]);
	});

for (const passMs of [1_000, 3_000, 30_000])
	it(`a stop within an entry loses and repeats nothing, ${passMs} ms after its beginning`, async () => {
		const lines = ['INFO one', ...TRACE];
		let isWhole = false;
		const world = await openWorld(async (call) => {
			call.head();
			call.send(...lines.slice(call.offset ?? 0, isWhole ? undefined : 4));
			await call.wait(500);
			if (!isWhole) call.response.destroy();
		});
		const trigger = world.trigger({
			streams: ['stdout'],
			batch: { maxWaitMs: 20_000 },
			options: { joinLines: true },
		});
		await world.activate(trigger);
		await world.time.pass(passMs);
		await world.deactivate(trigger);
		isWhole = true;
		await world.activate(trigger);
		await world.time.pass(60_000);
		const all = trigger.lines.flatMap((line) => line.split('\n'));
		expect(fateOf(lines, all)).toMatchObject({ lost: 0, repeated: 0 });
		if (passMs < 20_000) expect(trigger.lines).toEqual(['INFO one', ERROR]);
	});

it('a new log does not continue the entry of the one before it', async () => {
	let log = ['INFO one', ...TRACE.slice(0, 3)];
	const world = await openWorld(async (call) => {
		call.head();
		call.send(...log.slice(call.offset ?? 0));
		await call.wait(500);
		call.response.destroy();
	});
	const trigger = world.trigger({
		streams: ['stdout'],
		batch: { maxWaitMs: 600_000 },
		options: { joinLines: true },
	});
	await world.activate(trigger);
	await world.time.pass(3_000);
	log = ['\tat the beginning', 'INFO new', 'INFO newer'];
	await world.time.pass(900_000);
	expect(trigger.lines).toEqual([
		'INFO one',
		TRACE.slice(0, 3).join('\n'),
		'\tat the beginning',
		'INFO new',
		'INFO newer',
	]);
});

it('the line to stop on ends both streams where it is complete between connections', async () => {
	const world = await openWorld(async (call) => {
		call.head();
		if (call.query.get('stream') === 'stderr') call.send('INFO err');
		else if (call.index < 2) call.send('INFO out', 'DONE', '\tall of it');
		await call.wait(500);
		if (call.query.get('stream') === 'stdout') call.response.destroy();
	});
	const trigger = world.trigger({
		streams: ['stdout', 'stderr'],
		batch: { maxWaitMs: 5_000 },
		options: { joinLines: true, stopOn: 'DONE' },
	});
	await world.activate(trigger);
	await world.time.pass(30_000);
	expect([...trigger.lines].sort()).toEqual(['DONE\n\tall of it', 'INFO err', 'INFO out']);
	expect(world.open.size).toBe(0);
});

it('no line behind the one to stop on is delivered', async () => {
	const world = await openWorld((call) => {
		call.head();
		call.send('INFO one', 'DONE', 'INFO two', 'INFO three');
	});
	const trigger = world.trigger({
		streams: ['stdout'],
		options: { joinLines: true, stopOn: 'DONE' },
	});
	await world.activate(trigger);
	await world.time.pass(30_000);
	expect(trigger.lines).toEqual(['INFO one', 'DONE']);
});
