import { createGzip } from 'node:zlib';
import { expect, it } from 'vitest';
import {
	compare,
	endWorlds,
	following,
	Log,
	NOTHING,
	sse,
	startWorld,
	unique,
	type Call,
	type Handler,
} from '../logs5/service.mts';

endWorlds();

/** A service that ends each answer after some lines, and honours the offset. */
const paged =
	(log: Log, size: number): Handler =>
	(call) => {
		const from = call.offset ?? 0;
		call.open();
		call.send(...log.lines.slice(from, from + size));
		call.response.end();
	};

const SIZES = [1, 2, 5, 9, 10, 11, 12, 50];

for (const size of SIZES)
	it(`Get Many joins pages of ${size} lines, or says that lines are missing`, async () => {
		const log = new Log(...unique(60));
		const world = await startWorld(paged(log, size));
		const items = await world.getMany({ maxWaitSeconds: 60 });
		const isMarked = items.at(-1)?.broken_off === true;
		const { lost, ...more } = compare(
			log.written,
			items.map(({ line }) => String(line)),
		);
		expect(more).toEqual({ repeated: 0, foreign: [] });
		expect([isMarked, lost.length]).toEqual([lost.length > 0, lost.length]);
	});

for (const size of SIZES)
	it(`Last Lines of pages of ${size} lines are the last ones, or the item says that later ones may be missing`, async () => {
		const log = new Log(...unique(60));
		const world = await startWorld(paged(log, size));
		const items = await world.getMany({ maxWaitSeconds: 60, limit: 3, options: { tail: true } });
		const isMarked = items.at(-1)?.broken_off === true;
		const lines = items.map(({ line }) => line);
		expect(isMarked || lines.join() === log.lines.slice(-3).join()).toBe(true);
	});

for (const size of SIZES.slice(1))
	it(`the trigger follows pages of ${size} lines`, async () => {
		const log = new Log(...unique(45));
		const world = await startWorld(paged(log, size));
		const trigger = world.trigger();
		await world.activate(trigger);
		const came = () => compare(log.written, trigger.lines);
		await world.clock.until(() => came().lost.length === 0, 600_000);
		log.write(...unique(15, 45));
		await world.clock.until(() => came().lost.length === 0, 600_000);
		expect(came()).toEqual(NOTHING);
	});

const REFUSALS: Array<[string, (call: Call) => void]> = [
	['429, Retry-After 2', (call) => refuse(call, 429, { 'retry-after': '2' })],
	['429 without a time', (call) => refuse(call, 429)],
	['503, Retry-After as a date', (call) => refuse(call, 503, { 'retry-after': dateIn(call, 2) })],
	['503 as a page', (call) => refuse(call, 503, { 'content-type': 'text/html' })],
	['401', (call) => refuse(call, 401)],
	['204', (call) => void call.response.writeHead(204).end()],
	['200 without a body', (call) => void call.response.writeHead(200).end()],
	['304', (call) => void call.response.writeHead(304).end()],
];

function refuse({ response }: Call, status: number, headers: Record<string, string> = {}): void {
	response.writeHead(status, { 'content-type': 'application/json', ...headers });
	response.end(JSON.stringify({ detail: 'no' }));
}

const dateIn = ({ at }: Call, seconds: number) => new Date(at + seconds * 1000).toUTCString();

for (const [what, answer] of REFUSALS)
	it(`the trigger loses and repeats nothing: ${what} between two connections`, async () => {
		const log = new Log(...unique(40));
		const world = await startWorld(following(log));
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.clock.pass(2_000);
		let refusals = 0;
		world.handler = async (call) => {
			if (refusals++ < 5) return answer(call);
			await following(log)(call);
		};
		world.cut();
		log.write(...unique(10, 40));
		await world.clock.pass(120_000);
		log.write(...unique(10, 50));
		await world.clock.pass(5_000);
		expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
		expect(trigger.failures.length).toBeLessThanOrEqual(1);
	});

for (const [what, answer] of REFUSALS.slice(0, 4))
	it(`Get Many after ${what}`, async () => {
		const log = new Log(...unique(4));
		let refusals = 0;
		const world = await startWorld((call) =>
			refusals++ === 0 ? answer(call) : paged(log, 100)(call),
		);
		const items = await world.getMany({ maxWaitSeconds: 10 });
		expect(items.map(({ line }) => line)).toEqual(log.lines);
	});

const TIMES: Array<[string, string | null]> = [
	['2026-11-22T10:00:00Z up', '2026-11-22T10:00:00.000Z'],
	['2026-11-22 10:00:00,5 up', '2026-11-22T10:00:00.500Z'],
	['2026-11-22T10:00:00.123456789+05:30 up', '2026-11-22T04:30:00.123Z'],
	['2026-11-22T10:00:00-0330 up', '2026-11-22T13:30:00.000Z'],
	['2026-11-22 10:00:00 up', '2026-11-22T10:00:00.000Z'],
	['1.2.3.4 - - [22/Nov/2026:10:00:00 -0500] "GET /"', '2026-11-22T15:00:00.000Z'],
	['Sun Nov 22 10:00:00 2026 up', '2026-11-22T10:00:00.000Z'],
	['Sun, 22 Nov 2026 10:00:00 GMT up', '2026-11-22T10:00:00.000Z'],
	['2026-02-30 10:00:00 up', null],
	['2026-11-22 10:00:00 PM up', null],
	['2026-11-22 10:00:00 PST up', null],
	['2026-11-22T10:00:00+01:00[Europe/Berlin] up', '2026-11-22T09:00:00.000Z'],
	['2026-11-22 10:00:00 UTC+2 up', null],
	['{"time":1795341600123,"m":1}', '2026-11-22T10:00:00.123Z'],
	['{"ts":1795341600.5}', '2026-11-22T10:00:00.500Z'],
	['{"time":"10:00","timestamp":"2026-11-22T10:00:00+01:00"}', '2026-11-22T09:00:00.000Z'],
	['Nov 22 10:00:00 host app: up', null],
	['E1122 10:00:00.123456 7 main.go:1] up', null],
];

/** What PostgreSQL and `date` write where a zone has no letters, and what `date` writes of UTC. */
const HOURS: typeof TIMES = [
	['2026-11-22 10:00:00.123 -03 [7] LOG:  up', '2026-11-22T13:00:00.123Z'],
	['2026-11-22 10:00:00 +02 up', '2026-11-22T08:00:00.000Z'],
];
const DATE: typeof TIMES = [['Sun Nov 22 10:00:00 UTC 2026 up', '2026-11-22T10:00:00.000Z']];

it.each([
	['with and without a zone', TIMES],
	['with the hours of a zone behind a blank', HOURS],
	['as the command date writes them', DATE],
])('the times of lines, %s', async (_, times) => {
	const log = new Log(...times.map(([line]) => line));
	const world = await startWorld(following(log));
	const trigger = world.trigger({ options: { extractTimestamp: true } });
	await world.activate(trigger);
	await world.clock.pass(3_000);
	const items = trigger.executions.flatMap(({ items: all }) => all.map(({ json }) => json));
	expect(items.map(({ line, timestamp }) => [line, timestamp])).toEqual(times);
});

it('a compressed stream that is cut in the middle, again and again', async () => {
	const log = new Log(...unique(100));
	let answers = 0;
	const world = await startWorld(async (call) => {
		call.response.writeHead(200, {
			'content-type': 'text/event-stream',
			'content-encoding': 'gzip',
		});
		const gzip = createGzip();
		gzip.pipe(call.response);
		const from = call.offset ?? 0;
		gzip.write(
			log.lines
				.slice(from, from + 60)
				.map(sse)
				.join(''),
		);
		await new Promise<void>((done) => gzip.flush(done));
		await call.wait(2_500);
		if (answers++ < 6) call.response.destroy();
	});
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.clock.pass(120_000);
	expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
});

for (const options of [{}, { joinLines: true }, { contextLines: 2, include: 'line' }])
	it(`deactivated and activated while lines wait, ${JSON.stringify(options)}`, async () => {
		const log = new Log();
		const world = await startWorld(following(log));
		const trigger = world.trigger({ batch: { maxEntries: 7, maxWaitMs: 60_000 }, options });
		for (let turn = 0; turn < 6; turn++) {
			await world.activate(trigger);
			log.write(...unique(10, turn * 10));
			await world.clock.pass(4_000);
			await world.deactivate(trigger);
			await world.clock.pass(1_000);
		}
		await world.activate(trigger);
		await world.clock.pass(130_000);
		expect(compare(log.written, trigger.lines)).toEqual(NOTHING);
	});

it('three containers with equal lines, of which one is refused and one starts again', async () => {
	const logs = new Map(['c1', 'c2', 'c3'].map((name) => [name, new Log(...unique(40))]));
	const world = await startWorld(async (call) => {
		if (call.container === 'c2' && call.at % 7 === 0) return refuse(call, 404);
		await following(logs.get(call.container) ?? new Log())(call);
	});
	const trigger = world.trigger({ containerIds: [...logs.keys()] });
	await world.activate(trigger);
	await world.clock.pass(20_000);
	logs.get('c3')?.write(...unique(5, 0, 'own'));
	await world.clock.pass(20_000);
	logs.get('c3')?.restart(...unique(40), ...unique(40, 0, 'second'));
	for (const log of logs.values()) log.write(...unique(40, 40));
	world.cut();
	await world.clock.pass(120_000);
	const all = trigger.executions.flatMap(({ items }) => items.map(({ json }) => json));
	for (const [name, log] of logs) {
		const came = all.filter((item) => item.container_id === name).map(({ line }) => String(line));
		expect([name, compare(log.written, came)]).toEqual([name, NOTHING]);
	}
});
