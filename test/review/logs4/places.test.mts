import { describe, expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { difference, endWorlds, EXACT, openWorld, type LogCall } from '../logs2/service.mts';

/** The place where reading stopped, where the latency of the service varies, answers are short, and the ends of logs are equal. */
endWorlds();

const BANNER = ['Starting', '', 'Loading the model', 'Listening on 8000', '', 'Ready'];
const TRACE = [
	'ERROR failed',
	'Traceback:',
	'  in a.py',
	'    run()',
	'    step()',
	'ValueError',
	'',
];

/** Latencies of the connections of a service, one after another. */
const LATENCIES: Record<string, number[]> = {
	'at once': [0],
	'1.2 s': [1_200],
	'5 s': [5_000],
	varying: [0, 1_200, 300, 4_000, 700, 950],
};

function latencyOf(name: string, { index }: LogCall): number {
	const all = LATENCIES[name] ?? [0];
	return all[index % all.length] ?? 0;
}

/** Requests beyond this offset are beyond the end. */
const FAR = 1_000_000;

describe('event IDs, and answers of a few lines', () => {
	const ENDS = { blank: ['', ''], 'blank again': ['', 'next', ''], trace: TRACE };
	for (const page of [3, 10])
		for (const [name, end] of Object.entries(ENDS))
			it(`pages of ${page}, ${name}, stopped and started`, async () => {
				const log = [...numbered(26), ...end];
				const world = await openWorld(({ head, query, response }) => {
					head();
					const at = Number(query.get('offset') ?? 0);
					log.slice(at, at + page).forEach((line, index) => {
						response.write(`id: ${at + index + 1}\ndata: ${line}\n\n`);
					});
					response.end();
				});
				const trigger = world.trigger({ options: { offsetUnit: 'eventId' } });
				await world.activate(trigger);
				for (let turn = 0; turn < 4; turn++) {
					await world.time.pass(100_000);
					log.push(...numbered(2, 100 + turn * 2), ...end);
					await world.time.pass(100_000);
					await world.deactivate(trigger);
					log.push(...numbered(2, 200 + turn * 2), ...end);
					await world.activate(trigger, 'init');
				}
				await world.time.pass(300_000);
				expect(difference(log, trigger.lines)).toEqual(EXACT);
			});
});

const STARTS: Record<string, (offset: number) => number> = {
	honoured: (offset) => offset,
	'one-based': (offset) => Math.max(0, offset - 1),
	'after the entry': (offset) => offset && offset + 1,
};

describe('answers that end, of a log whose ends are equal', () => {
	const WORLDS = [
		...Object.keys(STARTS).flatMap((habit) =>
			Object.keys(LATENCIES).map((latency) => [habit, latency, Infinity] as const),
		),
		...Object.keys(LATENCIES).map((latency) => ['honoured', latency, 10] as const),
	];
	for (const [habit, latency, page] of WORLDS)
		it(`${habit}, ${latency}, pages of ${page}`, async () => {
			const log = [...numbered(26), '', ''];
			const world = await openWorld(async (call) => {
				call.head();
				const ms = latencyOf(latency, call);
				if (ms > 0) await call.wait(ms);
				const from = STARTS[habit]?.(call.offset ?? 0) ?? 0;
				call.send(...log.slice(from, from + page));
				call.response.end();
			});
			const trigger = world.trigger();
			await world.activate(trigger);
			for (let turn = 0; turn < 4; turn++) {
				await world.time.pass(150_000);
				log.push(...numbered(2, 100 + turn * 2), '', '');
				await world.time.pass(150_000);
				if (turn !== 2) continue;
				await world.deactivate(trigger);
				await world.activate(trigger, 'init');
			}
			await world.time.pass(300_000);
			const { lost, repeated } = difference(log, trigger.lines);
			expect(lost).toBe(0);
			// A page that a slow service sends is known only when it comes once more
			const isSure = page === Infinity || latency === 'at once';
			expect(repeated).toBeLessThanOrEqual(isSure ? 0 : 3 * log.length);
			const { length } = trigger.lines;
			await world.time.pass(300_000);
			expect(trigger.lines.length).toBe(length);
		});
});

describe('a new container writes the same banner', () => {
	for (const habit of ['honoured', 'one-based', 'ignored'])
		for (const latency of Object.keys(LATENCIES))
			it(`${habit}, ${latency}`, async () => {
				let log = [...BANNER, ...numbered(40)];
				const written = [...log];
				const world = await openWorld(async (call) => {
					const mine = log;
					call.head();
					const ms = latencyOf(latency, call);
					if (ms > 0) await call.wait(ms);
					let at = Math.min(mine.length, STARTS[habit]?.(call.offset ?? 0) ?? 0);
					for (; !call.response.destroyed; await call.wait(250)) {
						if (mine !== log) return void call.response.end();
						call.send(...mine.slice(at));
						at = mine.length;
					}
				});
				const write = (lines: string[]) => {
					log.push(...lines);
					written.push(...lines);
				};
				const trigger = world.trigger();
				await world.activate(trigger);
				for (let turn = 1; turn < 6; turn++) {
					await world.time.pass(60_000);
					log = [];
					write([...BANNER, ...numbered(turn * 12, turn * 1_000)]);
					await world.time.pass(100_000);
					world.cut();
					write(numbered(3, turn * 1_000 + 500));
					await world.time.pass(60_000);
				}
				await world.time.pass(100_000);
				const { lost, repeated } = difference(written, trigger.lines);
				expect(lost).toBe(0);
				expect(repeated).toBeLessThan(written.length);
				const { length } = trigger.lines;
				for (let turn = 0; turn < 5; turn++) {
					world.cut();
					await world.time.pass(60_000);
				}
				expect(trigger.lines.length).toBe(length);
			});
});

describe('new lines only', () => {
	for (const over of ['ended', 'lost', 'goes on'] as const)
		for (const first of [950, 2_500, 15_000])
			it(`${over}: numbers and equal traces, the first ${first} ms after the opening`, async () => {
				const written: string[] = [];
				let count = 0;
				const world = await openWorld(async (call) => {
					call.head();
					await call.wait(first);
					for (let turn = 0; turn < 5 && !call.response.destroyed; turn++) {
						const lines = [`number ${count++}`, ...(turn % 2 ? TRACE : [])];
						call.send(...lines);
						written.push(...lines);
						await call.wait(4_000);
					}
					if (over === 'ended') call.response.end();
					if (over === 'lost') call.response.destroy();
				});
				const trigger = world.trigger();
				await world.activate(trigger);
				for (let turn = 0; turn < 8; turn++) {
					await world.time.pass(100_000);
					if (over === 'goes on') world.cut();
				}
				await world.time.pass(over === 'goes on' ? 100_000 : 0);
				const { lost } = difference(written.slice(0, -20), trigger.lines);
				expect(lost).toBe(0);
				expect(trigger.lines.length).toBeLessThanOrEqual(written.length);
			});
});

describe('lines that are written while a request beyond the end is open', () => {
	for (const size of [4, 6, 13])
		for (const over of ['ended', 'goes on'])
			for (const lateMs of [0, 400, 2_000])
				it(`blocks of ${size}, ${over}, ${lateMs} ms after its opening`, async () => {
					const log: string[] = [];
					const grow = (count: number) => {
						for (; count > 0; count--) log.push(`at frame ${log.length % size}`);
					};
					grow(100);
					const world = await openWorld(async (call) => {
						call.head();
						const isBeyond = (call.offset ?? 0) > FAR;
						let at = Math.min(call.offset ?? 0, log.length);
						if (isBeyond) {
							if (lateMs > 0) await call.wait(lateMs);
							grow(size + 1);
						}
						for (; !call.response.destroyed; await call.wait(250)) {
							if (at < log.length) call.send(...log.slice(at));
							at = log.length;
							if (over === 'ended') return void call.response.end();
						}
					});
					const trigger = world.trigger();
					await world.activate(trigger);
					for (let turn = 0; turn < 8; turn++) {
						await world.time.pass(20_000);
						if (over === 'goes on') world.cut();
						grow(1 + turn * 3);
					}
					await world.time.pass(300_000);
					expect(difference(log, trigger.lines)).toEqual(EXACT);
				});
});
