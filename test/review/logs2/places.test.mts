import { describe, expect, it } from 'vitest';
import type { ActiveTrigger } from '../../engine/trigger.mts';
import { numbered } from '../../engine/logs.mts';
import { difference, endWorlds, EXACT, openWorld, type World } from './service.mts';

/** The place where reading stopped, at services of which nothing is known: no line is lost, and no log comes again and again. */
endWorlds();

/** What a service makes of an offset: the index of the first line that it sends. */
type First = (offset: number, length: number) => number;

const OFFSETS: Record<string, First> = {
	honoured: (offset) => offset,
	ignored: () => 0,
	'one-based': (offset) => Math.max(0, offset - 1),
	'after the entry': (offset) => (offset === 0 ? 0 : offset + 1),
	'last 50 lines': (_, length) => Math.max(0, length - 50),
};

interface Habits {
	first: First;
	/** Time before the first line of a connection. */
	delayMs?: number;
	/** Lines of a connection, and how it is over then, or where there are no more. */
	page?: number;
	over?: 'ended' | 'lost';
	/** Whether one from beyond the end goes on all the same. */
	followsBeyond?: boolean;
	/** The next request is refused with this. */
	refusal?: number;
}

interface Log {
	lines: string[];
}

/** A service that follows a log. */
async function serve(log: Log, habits: Habits): Promise<World> {
	return await openWorld(async (call) => {
		const { refusal, page = Infinity, over, delayMs = 0, first, followsBeyond } = habits;
		if (refusal) {
			habits.refusal = undefined;
			return void call.response.writeHead(refusal).end('{"detail":"no"}');
		}
		call.head();
		if (delayMs > 0) await call.wait(delayMs);
		const { lines } = log;
		let at = Math.min(lines.length, first(call.offset ?? 0, lines.length));
		const end = at + page;
		for (; !call.response.destroyed; await call.wait(250)) {
			const next = Math.min(end, lines.length);
			if (next > at) call.send(...lines.slice(at, next));
			at = next;
			const isFollowed = !over || (followsBeyond && (call.offset ?? 0) > lines.length);
			if (at < end && isFollowed) continue;
			if (over === 'lost') await call.wait(50);
			return void (over === 'lost' ? call.response.destroy() : call.response.end());
		}
	});
}

/** Loses the connection five times; `write` is what is written before and after each time. */
async function reconnect(
	world: World,
	trigger: ActiveTrigger,
	write: (turn: number) => void = () => undefined,
): Promise<void> {
	await world.activate(trigger);
	await world.time.pass(40_000);
	for (let turn = 0; turn < 5; turn++) {
		write(turn);
		await world.time.pass(1_000);
		world.cut();
		await world.time.pass(60_000);
	}
}

const BANNER = ['Starting', 'Loading the model', 'Listening on 8000', 'Ready', 'Warm'];

describe('a log that ends as it begins', () => {
	for (const [name, first] of Object.entries(OFFSETS))
		for (const count of [100, 20, 6_000])
			it(`${name}, ${count} lines between`, async () => {
				const log = { lines: [...BANNER, ...numbered(count), ...BANNER.slice(0, 4)] };
				const world = await serve(log, { first });
				const trigger = world.trigger();
				await reconnect(world, trigger);
				log.lines.push(...numbered(5, count));
				await world.time.pass(5_000);
				const shown = name === 'last 50 lines' ? log.lines.slice(-55) : log.lines;
				expect(difference(shown, trigger.lines)).toEqual(EXACT);
			});

	it('restarts again and again', async () => {
		const log = { lines: [...BANNER, ...numbered(40), ...BANNER] };
		const world = await serve(log, { first: () => 0 });
		const trigger = world.trigger();
		await reconnect(world, trigger, (turn) => {
			log.lines.push(...numbered(50, (turn + 1) * 50), ...BANNER.slice(0, 4 + (turn % 2)));
		});
		expect(difference(log.lines, trigger.lines)).toEqual(EXACT);
	});
});

describe('a log of equal blocks', () => {
	// Where only the last lines come, nothing tells which block it is
	const services = Object.entries(OFFSETS).filter(([name]) => name !== 'last 50 lines');
	for (const [name, first] of services)
		for (const over of [undefined, 'ended', 'lost'] as const)
			it.each([
				[40, 400],
				[40, 413],
				[40, 435],
				[36, 396],
				[33, 370],
				[28, 400],
				[40, 6_013],
			])(`${name}, ${over ?? 'goes on'}: of %i lines, %i in all`, async (size, count) => {
				const line = (index: number) => `at frame ${index % size}`;
				const log = { lines: Array.from({ length: count }, (_, index) => line(index)) };
				const world = await serve(log, { first, over });
				const trigger = world.trigger();
				await reconnect(world, trigger, (turn) => {
					if (turn % 2 === 0) return;
					for (let left = size; left > 0; left--) log.lines.push(line(log.lines.length));
				});
				const { lost, repeated } = difference(log.lines, trigger.lines);
				expect(lost).toBe(0);
				// Of whole blocks, the answer after the entry may be the log from its beginning: it comes once more, and never again
				const mayBeBeginning = name === 'after the entry' && count % size === 0;
				expect(repeated).toBeLessThanOrEqual(mayBeBeginning ? count : 0);
			});
});

describe('pages that come late, and a blank line at the end', () => {
	const pages = ['honoured', 'one-based', 'after the entry'].map((name) => [name, 100] as const);
	const whole = [...pages.map(([name]) => name), 'ignored'].map(
		(name) => [name, Infinity] as const,
	);
	for (const [name, page] of [...pages, ...whole])
		for (const blanks of ['at the end', 'often'])
			it(`${name}, ${blanks}, pages of ${page}`, async () => {
				const lines = numbered(350).map((line, index) =>
					blanks === 'often' && index % 10 === 9 ? '' : line,
				);
				const log = { lines: [...lines, ''] };
				const first = OFFSETS[name] ?? (() => 0);
				const world = await serve(log, { first, delayMs: 1_200, page, over: 'ended' });
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.time.pass(300_000);
				expect(difference(log.lines, trigger.lines)).toEqual(EXACT);
				log.lines.push(...numbered(10, 1_000), '');
				await world.time.pass(120_000);
				expect(difference(log.lines, trigger.lines)).toEqual(EXACT);
			});
});

describe('a log that ends with lines as they came before', () => {
	const ENDS = { blank: ['', ''], 'blank again': ['', 'next', ''], brackets: ['  }', '}', ''] };
	for (const [name, first] of Object.entries(OFFSETS))
		for (const over of ['ended', 'lost'] as const)
			for (const [end, last] of Object.entries(ENDS))
				it(`${name}, ${over}, ${end}`, async () => {
					const log = { lines: [...numbered(26), ...last] };
					const world = await serve(log, { first, over });
					const trigger = world.trigger();
					await world.activate(trigger);
					for (let turn = 0; turn < 8; turn++) {
						await world.time.pass(7_000);
						log.lines.push(...numbered(2, 100 + turn * 2), ...last);
					}
					await world.time.pass(120_000);
					expect(difference(log.lines, trigger.lines)).toEqual(EXACT);
				});
});

it('new lines at an offset beyond the end are new', async () => {
	const block = numbered(16);
	const log = { lines: Array.from({ length: 20 }, () => block).flat() };
	const world = await serve(log, { first: (offset) => offset, over: 'ended', followsBeyond: true });
	const trigger = world.trigger();
	await world.activate(trigger);
	await world.time.pass(10_000);
	log.lines.push('one more');
	const isBeyond = () => world.calls.some(({ offset = 0 }) => offset > 1_000_000);
	expect(await world.time.until(isBeyond, 200_000, 50)).toBe(true);
	log.lines.push(...numbered(60, 100));
	await world.time.pass(10_000);
	world.cut();
	for (let turn = 0; turn < 12; turn++) {
		log.lines.push(...Array.from({ length: 1 + (turn % 3) }, () => block).flat());
		await world.time.pass(20_000);
	}
	await world.time.pass(200_000);
	expect(difference(log.lines, trigger.lines)).toEqual(EXACT);
});

describe('connections of 100 lines, and a single refusal', () => {
	for (const name of ['honoured', 'one-based', 'after the entry'])
		for (const over of ['ended', 'lost'] as const)
			for (const refusal of [404, 416, 400, 502])
				it(`${name}, ${over}, ${refusal}`, async () => {
					const log = { lines: numbered(1_050) };
					const habits: Habits = { first: OFFSETS[name] ?? (() => 0), page: 100, over };
					const world = await serve(log, habits);
					const trigger = world.trigger();
					await world.activate(trigger);
					await world.time.until(() => trigger.lines.length >= 500, 60_000, 50);
					habits.refusal = refusal;
					await world.time.pass(300_000);
					log.lines.push(...numbered(10, 1_050));
					await world.time.pass(60_000);
					habits.refusal = refusal;
					log.lines.push(...numbered(10, 1_060));
					await world.time.pass(200_000);
					expect(difference(log.lines, trigger.lines)).toEqual(EXACT);
				});
});

describe('the first line of a connection comes late', () => {
	for (const name of ['honoured', 'ignored', 'one-based', 'last 50 lines'])
		for (const delayMs of [9_500, 10_500, 12_000, 20_000])
			it(`${name}, ${delayMs} ms`, async () => {
				const log = { lines: numbered(50) };
				const world = await serve(log, { first: OFFSETS[name] ?? (() => 0), delayMs });
				const trigger = world.trigger();
				await reconnect(world, trigger, (turn) => {
					if (turn % 2) log.lines.push(...numbered(3, log.lines.length));
				});
				await world.time.pass(120_000);
				const { lost, repeated } = difference(log.lines, trigger.lines);
				expect(lost).toBe(0);
				// Fewer lines than were read are no proof: as many may be new
				if (name !== 'last 50 lines') expect(repeated).toBe(0);
			});
});

describe('a slow service', () => {
	for (const name of ['honoured', 'one-based', 'ignored'])
		for (const over of ['ended', 'lost'] as const)
			it(`a log of one line grows: ${name}, ${over}`, async () => {
				const log = { lines: ['Starting'] };
				const first = OFFSETS[name] ?? (() => 0);
				const world = await serve(log, { first, over, delayMs: 1_200 });
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.time.pass(20_000);
				for (let turn = 0; turn < 10; turn++) {
					log.lines.push(...numbered(3, turn * 3));
					await world.time.pass(60_000);
				}
				const { lost, repeated } = difference(log.lines, trigger.lines);
				expect(lost).toBe(0);
				// Until other lines come behind the known ones, those may be new each time
				expect(repeated).toBeLessThan(150);
			});

	for (const page of [40, 100])
		for (const over of ['ended', 'lost'] as const)
			it(`pages of ${page} of equal blocks, ${over}`, async () => {
				const line = (_: unknown, index: number) => `at frame ${index % 8}`;
				const log = { lines: Array.from({ length: 300 }, line) };
				const habits: Habits = { first: (offset) => offset, over, page, delayMs: 1_200 };
				const world = await serve(log, habits);
				const trigger = world.trigger();
				await world.activate(trigger);
				await world.time.pass(600_000);
				expect(difference(log.lines, trigger.lines)).toEqual(EXACT);
			});
});
