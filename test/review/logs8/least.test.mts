import { describe, expect, it } from 'vitest';
import { numbered } from '../../engine/logs.mts';
import { difference, endWorlds, EXACT, optionsOf } from '../logs2/service.mts';
import { openPages, sized, type Habit } from './pages.mts';

/** The least worlds in which lines were lost or came again, before what was wrong was mended. */
endWorlds();

async function read(habit: Habit, lines: string[], ms = 1_200_000) {
	const { world, log } = await openPages(habit);
	log.write(...lines);
	const trigger = world.trigger({ options: optionsOf(habit) });
	await world.activate(trigger);
	await world.time.pass(ms);
	return { ...difference(log.due, trigger.lines), failures: trigger.failures.length };
}

const WELL = { ...EXACT, failures: 0 };

describe('the first line comes again, at a service with one line in each answer', () => {
	for (const unit of ['entries', 'bytes'] as const)
		for (const before of [2, 3, 4, 5, 20])
			it(`${unit}, after ${before} lines`, async () => {
				const lines = [...numbered(before), 'line 0', 'another', 'and another', 'last'];
				expect(await read({ unit, lines: 1, end: 'empty' }, lines)).toEqual(WELL);
			});
});

describe('event IDs, where the third line is alone in its answer', () => {
	it('one large line', async () => {
		const lines = ['one', 'two', 'x'.repeat(200), 'four', 'five'];
		expect(await read({ unit: 'eventId', bytes: 100, end: 'empty' }, lines)).toEqual(WELL);
	});
	for (const at of [3, 10])
		it(`a large line as number ${at}, two lines in an answer`, async () => {
			const lines = numbered(14);
			lines[at] = 'x'.repeat(200);
			expect(await read({ unit: 'eventId', bytes: 14, end: 'empty' }, lines)).toEqual(WELL);
		});
});

describe('Start From = Offset, a service that ignores it, and the first lines again from there on', () => {
	for (const outage of [25, 30])
		it(`again at ${outage}`, async () => {
			const { world, log } = await openPages({ unit: 'entries', end: 'empty', starts: () => 0 });
			log.write(...numbered(outage), 'line 0', 'line 1');
			if (outage === 30) log.write('line 2');
			const trigger = world.trigger({ startFrom: 'offset', offset: '25' });
			await world.activate(trigger);
			await world.time.pass(200_000);
			log.write(`line ${outage === 30 ? 3 : 2}`, 'line 4', 'line 5');
			await world.time.pass(200_000);
			expect(difference(log.lines.slice(25), trigger.lines)).toEqual(EXACT);
		});
});

describe('a gateway that answers one empty 200', () => {
	for (const count of [1, 2, 3, 5])
		it(`${count} times, pages of 7, 416 at the end`, async () => {
			const { world, log } = await openPages({ unit: 'entries', lines: 7, end: '416' });
			log.write(...sized(48));
			const trigger = world.trigger();
			await world.activate(trigger);
			await world.time.pass(300_000);
			const next = world.calls.length;
			log.before = ({ index, response }) => {
				if (index >= next + count) return false;
				response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
				return true;
			};
			await world.time.pass(600_000);
			expect(difference(log.due, trigger.lines)).toEqual(EXACT);
		});
});

describe('a shorter new log, at a long poll of 30 s or more whose head comes with the first line', () => {
	for (const end of ['held5', 'held30', 'held90'] as const)
		it(end, async () => {
			const { world, log } = await openPages({ unit: 'entries', end });
			log.write(...numbered(30));
			const trigger = world.trigger();
			await world.activate(trigger);
			await world.time.pass(300_000);
			log.restart(...numbered(5, 100));
			await world.time.pass(3_600_000);
			expect({
				...difference(log.due, trigger.lines),
				failures: trigger.failures.map(String),
			}).toEqual({ ...EXACT, failures: [] });
		});
});

describe('lines that are written between two requests, of a log that repeats itself', () => {
	for (const unit of ['entries', 'bytes'] as const)
		for (const [size, isStopped] of [
			[2, true],
			[2, false],
			[5, true],
		] as const) {
			// In bytes, a log that repeats itself comes again after a stop
			if (unit === 'bytes' && isStopped) continue;
			it(`cycle of ${size}, ${unit}, ${isStopped ? 'stopped and started' : 'goes on'}`, async () => {
				const habit: Habit = { unit, lines: 40, end: 'empty' };
				const { world, log } = await openPages(habit);
				const grow = (count: number) => {
					for (; count > 0; count--) log.write(`cycle ${log.lines.length % size}`);
				};
				grow(54);
				const trigger = world.trigger({ options: optionsOf(habit) });
				await world.activate(trigger);
				await world.time.pass(300_000);
				if (isStopped) await world.deactivate(trigger);
				const { length } = world.calls;
				log.after = ({ index }) => {
					if (index === length) grow(9);
				};
				if (isStopped) await world.activate(trigger, 'init');
				await world.time.pass(400_000);
				expect(difference(log.due, trigger.lines)).toEqual(EXACT);
			});
		}
});
