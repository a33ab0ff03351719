import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { locator, startBench, type Bench } from '../engine/fixture.mts';
import { logRequests, LOG_PATH, numbered, openLog, published } from '../engine/logs.mts';
import { eventually, type PublishedTrigger } from '../engine/trigger.mts';
import { errorForms, type ResumeHabits } from '../sandbox/index.mts';

let bench: Bench;
let followed: PublishedTrigger;

beforeAll(async () => {
	bench = await startBench();
});
beforeEach(() => bench.sandbox.reset());
afterEach(async () => await followed.close());
afterAll(async () => await bench.sandbox.close());

function follow(parameters: IDataObject = {}, consume?: (items: IDataObject[]) => Promise<void> | void): PublishedTrigger {
	followed = published(bench.engine, parameters, consume);
	return followed;
}

const delivered = async (count: number) => await eventually(`${count} lines`, () => followed.lines.length >= count);
const wireLength = (lines: string[]) => Buffer.byteLength(lines.map((line) => `${line}\n`).join(''));
const idle = async () => await eventually('all runs have ended', () => followed.executions.every(({ run }) => run !== undefined));

describe('after a break', () => {
	it.each<[string, IDataObject, ResumeHabits]>([
		['an offset in entries', {}, {}],
		['an offset in bytes', { offsetUnit: 'bytes' }, { unit: 'bytes' }],
		['the ID of the last event', { offsetUnit: 'eventId' }, { unit: 'eventId' }],
		['a service that ignores the offset', {}, { ignoresOffset: true }],
		['a service without offset', { offsetUnit: 'none' }, { ignoresOffset: true }],
		['a service that sends the last entries again', {}, { repeats: 5 }],
	])('goes on exactly where it was: %s', async (_, options, resume) => {
		const log = openLog(bench.sandbox);
		log.resume = resume;
		log.append('stdout', ...numbered(40));
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 500 });
		follow({ options });
		await followed.publish();
		await delivered(40);
		log.append('stdout', ...numbered(10, 40));
		await delivered(50);
		expect(followed.lines).toEqual(numbered(50));
	});

	it('a service that ignores the offset, and a log that was too short to tell: no line is lost or comes twice', async () => {
		const log = openLog(bench.sandbox, 'lines');
		log.resume = { ignoresOffset: true };
		const lines = ['tick', 'tick', ...numbered(8)];
		const [first, second] = [lines.slice(0, 2), lines.slice(2, 5)];
		log.append('stdout', ...first);
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: wireLength(first) });
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, skip: 1, cutBodyAt: wireLength([...first, ...second]) });
		await follow().publish();
		await delivered(2);
		await eventually('it was probed', () => logRequests(bench.sandbox).length >= 3);
		log.append('stdout', ...second);
		await delivered(5);
		await eventually('both breaks', () => bench.sandbox.faults.pending() === 0);
		log.append('stdout', ...lines.slice(5));
		await delivered(10);
		expect(followed.lines).toEqual(lines);
	});

	it('a log that says the same all the time loses no line, with an offset that counts', async () => {
		const log = openLog(bench.sandbox, 'lines');
		log.append('stdout', ...Array.from({ length: 30 }, () => 'tick'));
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 42 });
		await follow().publish();
		await delivered(30);
		expect(followed.lines).toHaveLength(30);
	});

	it('bytes are counted over characters of several bytes', async () => {
		const log = openLog(bench.sandbox, 'lines');
		log.resume = { unit: 'bytes' };
		const lines = numbered(20).map((line) => `${line} ü€🚀`);
		log.append('stdout', ...lines);
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 101 });
		await follow({ options: { offsetUnit: 'bytes' } }).publish();
		await delivered(20);
		expect(followed.lines).toEqual(lines);
	});
});

describe('where to begin', () => {
	it('now: what was there is left out, what comes is not', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', ...numbered(500));
		await follow({ startFrom: 'now' }).publish();
		await new Promise((resolve) => setTimeout(resolve, 700));
		log.append('stdout', 'first', 'second');
		await delivered(2);
		expect(followed.items.map(({ line, offset }) => [line, offset])).toEqual([['first', 500], ['second', 501]]);
	});

	it.each<ResumeHabits>([{}, { ignoresOffset: true }])('a given offset: %j', async (resume) => {
		const log = openLog(bench.sandbox);
		log.resume = resume;
		log.append('stdout', ...numbered(20));
		await follow({ startFrom: 'offset', offset: 15 }).publish();
		await delivered(5);
		expect(followed.items.map(({ line, offset }) => [line, offset])).toEqual(numbered(5, 15).map((line, index) => [line, 15 + index]));
	});

	it('the beginning, each time that a person publishes, but not when n8n itself starts again', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(3));
		await follow({ startFrom: 'beginning' }).publish();
		await delivered(3);
		await followed.close();
		await followed.publish('init');
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(followed.lines).toEqual(numbered(3));
		await followed.close();
		await followed.publish('activate');
		await delivered(6);
		expect(followed.lines).toEqual([...numbered(3), ...numbered(3)]);
	});
});

describe('after a restart', () => {
	it('stopped cleanly: no line is lost and none comes twice, also in another process', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', ...numbered(250));
		await follow().publish();
		await delivered(250);
		await idle();
		await followed.close();
		await followed.kill();
		log.append('stdout', ...numbered(10, 250));
		await followed.publish('init');
		await delivered(260);
		await followed.close();
		expect(followed.lines).toEqual(numbered(260));
		expect(followed.dropped).toBeGreaterThan(0);
	});

	it.each([
		['between two runs', () => followed.executions[0]?.run !== undefined],
		['just when a run begins', () => true],
	])('stopped %s, the process ends as soon as the trigger is closed: no line comes twice', async (_, isTime) => {
		const log = openLog(bench.sandbox);
		log.append('stdout', ...numbered(50));
		await follow({ batch: { maxEntries: 50, maxWaitMs: 100 } }).publish();
		followed.databaseMs = 5;
		await eventually('it is time', () => followed.executions.length === 1 && isTime());
		await followed.close();
		await followed.kill();
		followed.databaseMs = 0;
		log.append('stdout', ...numbered(10, 50));
		await followed.publish('init');
		await delivered(60);
		expect(followed.lines).toEqual(numbered(60));
	});

	it('stopped while a run is under way: its lines do not come again', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', ...numbered(150));
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		await follow({}, async () => await gate).publish();
		await delivered(100);
		await followed.close();
		release();
		await idle();
		await eventually('the book is kept', () => followed.dropped === 1);
		await followed.kill();
		await followed.publish('init');
		await delivered(150);
		await idle();
		expect(followed.lines).toEqual(numbered(150));
	});

	it('killed: the batches in flight come again, cut exactly as they were, and nothing else does', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(1_000));
		const stuck = new Promise<void>(() => undefined);
		let runs = 0;
		await follow({ options: { maxRunsInFlight: 3 } }, async () => {
			if ([2, 4].includes(runs++)) await stuck;
		}).publish();
		await eventually('three runs hang', () => followed.executions.length === 10 || followed.executions.filter(({ run }) => !run).length === 2);
		await eventually('the others have ended', () => followed.executions.length === 10);
		await followed.kill();
		const before = followed.executions.length;
		await followed.publish('init');
		await delivered(1_200);
		const again = followed.executions.slice(before).map(({ items }) => items.map(({ json }) => json.line));
		expect(again[0]).toEqual(numbered(100, 200));
		expect(again[1]).toEqual(numbered(100, 400));
		expect(new Set(followed.lines).size).toBe(1_000);
		const keys = followed.executions.map(({ key }) => key);
		expect(new Set(keys).size).toBe(keys.length);
	});

	it.each<[string, IDataObject]>([
		['the line to stop at', { stopOn: 'line 9' }],
		['the end of the container', {}],
	])('killed in the last run, after %s: it comes again, and nothing else does', async (_, options) => {
		const seed = bench.sandbox.books.seeded.find(({ state }) => state === 'completed');
		const log = bench.sandbox.logs.open(String(seed?.id), 'c', 'lines');
		log.append('stdout', ...numbered(10));
		log.append('stderr', 'slow');
		log.finish();
		const stuck = new Promise<void>(() => undefined);
		let isStuck = true;
		await follow({
			deploymentId: locator(seed?.id), containerIds: ['c'], streams: ['stdout', 'stderr'], options: { ...options, maxRunsInFlight: 2, connectionEvents: true },
		}, async (items) => {
			if (isStuck && items.some(({ stream, line }) => stream === 'stdout' && line !== undefined)) await stuck;
		}).publish();
		await eventually('both have ended', () => followed.items.filter(({ event }) => event === 'finished' || event === 'stopped').length === 2);
		await followed.kill();
		isStuck = false;
		const before = followed.executions.length;
		await followed.publish('init');
		const again = () => followed.executions.slice(before).flatMap(({ items }) => items.map(({ json }) => json)).filter(({ line, stream }) => line !== undefined && stream === 'stdout').map(({ line }) => line);
		await eventually('the last batch again', () => again().length >= 10);
		await eventually('its runs have ended', () => followed.executions.slice(before).every(({ run }) => run !== undefined));
		expect(again()).toEqual(numbered(10));
	});

	it.each([['stdout'], ['stdout', 'stderr']])('killed while batches before the line to stop at wait for their run, of %s: all of them come', async (...streams) => {
		const log = openLog(bench.sandbox);
		log.append('stdout', ...numbered(250));
		log.append('stderr', ...numbered(250, 1_000));
		const stuck = new Promise<void>(() => undefined);
		let isStuck = true;
		await follow({ streams, options: { stopOn: '^line 249$' } }, async () => await (isStuck ? stuck : undefined)).publish();
		await eventually('a run', () => followed.executions.length > 0);
		await followed.kill();
		isStuck = false;
		const before = followed.executions.length;
		await followed.publish('init');
		const stdout = () => followed.executions.slice(before).flatMap(({ items }) => items.map(({ json }) => json)).filter(({ stream }) => stream === 'stdout').map(({ line }) => line);
		await eventually('the line to stop at', () => stdout().includes('line 249'));
		expect(stdout()).toEqual(numbered(250));
	});

	it.each([
		['stopped', 'immediately', ['stdout', 'stderr']],
		['killed', 'immediately', ['stdout']],
		['stopped', 'completed', ['stdout', 'stderr']],
	])('%s after the line to stop at, delivery %s: nothing after it comes of %j', async (how, delivery, streams) => {
		const log = openLog(bench.sandbox);
		log.append('stderr', 'slow');
		await follow({ streams, options: { delivery, stopOn: '^line 9$' } }).publish();
		await delivered(streams.length - 1);
		log.append('stdout', ...numbered(20));
		await delivered(9 + streams.length);
		await vi.waitFor(async () => expect(await bench.sandbox.openSockets()).toBe(0));
		await idle();
		if (how === 'stopped') await followed.close();
		await followed.kill();
		log.append('stderr', 'slower');
		const { length } = logRequests(bench.sandbox);
		await followed.publish('init');
		await new Promise((resolve) => setTimeout(resolve, 100));
		expect(logRequests(bench.sandbox)).toHaveLength(length);
		expect(followed.items.filter(({ stream }) => stream === 'stdout').map(({ line }) => line)).toEqual(numbered(10));
		expect(followed.lines).not.toContain('slower');
	});

	it('a line to stop at that was chosen later, within lines that have to come again: they come up to it', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(30));
		let isBroken = true;
		await follow({ batch: { maxEntries: 10, maxWaitMs: 50 }, options: { delivery: 'succeeded', maxRunsInFlight: 3 } }, () => {
			if (isBroken) throw new Error('no');
		}).publish();
		await delivered(30);
		await idle();
		await followed.close();
		isBroken = false;
		followed.change({ options: { delivery: 'succeeded', stopOn: '^line 14$' } });
		const before = followed.lines.length;
		await followed.publish();
		await eventually('the line to stop at', () => followed.lines.length >= before + 15);
		await idle();
		await followed.close();
		await followed.kill();
		await followed.publish('init');
		expect(followed.lines.slice(before)).toEqual(numbered(15));
		expect(followed.failures).toEqual([]);
	});

	it('killed in a run, and the container is gone meanwhile: what cannot be repeated is reported', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(150));
		const stuck = new Promise<void>(() => undefined);
		await follow({}, async () => await stuck).publish();
		await delivered(100);
		await followed.kill();
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, times: Infinity, ...errorForms.plainText(404, 'gone') });
		await followed.publish('init');
		expect(followed.failures.map(({ message }) => message)).toEqual(['The stdout log of container c1 is gone, and 100 of its lines cannot be repeated']);
		expect(followed.errors).toEqual([]);
	});

	const CONTEXT = { include: 'hit', contextLines: 3 };
	const hits = ['hit 1', ...numbered(6), 'hit 2', ...numbered(6, 10)];
	/** What is kept of them: three lines on either side of a match. */
	const kept = hits.slice(0, 11);

	it('stopped right behind a match: the context lines after it still come', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', ...hits.slice(0, 2));
		await follow({ options: CONTEXT }).publish();
		await delivered(2);
		await idle();
		await followed.close();
		await followed.kill();
		log.append('stdout', ...hits.slice(2));
		await followed.publish('init');
		await delivered(11);
		await idle();
		expect(followed.lines).toEqual(kept);
	});

	it('killed in the run of a match: its context comes whole, with the lines after it', async () => {
		openLog(bench.sandbox).append('stdout', ...hits);
		const stuck = new Promise<void>(() => undefined);
		let runs = 0;
		await follow({ batch: { maxEntries: 2, maxWaitMs: 50 }, options: { ...CONTEXT, maxRunsInFlight: 3 } }, async () => {
			if ([1, 3].includes(runs++)) await stuck;
		}).publish();
		await eventually('the others have ended', () => followed.executions.length === 5 && followed.executions.filter(({ run }) => !run).length === 2);
		const before = followed.executions.map(({ items }) => items.map(({ json }) => json.line));
		await followed.kill();
		await followed.publish('init');
		await delivered(16);
		await eventually('its runs have ended', () => followed.executions.slice(5).every(({ run }) => run !== undefined));
		const again = followed.executions.slice(5).map(({ items }) => items.map(({ json }) => json.line));
		expect(before.flat()).toEqual(kept);
		// Of the last run n8n has saved only that it began
		expect(again).toEqual([before[1], before[3], before[4]]);
	});

	it('a second start of the same node ends the first, and waits for its run', async () => {
		const log = openLog(bench.sandbox);
		log.append('stdout', ...numbered(10));
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		await follow({}, async () => await gate).publish();
		await delivered(10);
		await followed.publish();
		log.append('stdout', ...numbered(5, 10));
		release();
		await delivered(15);
		await idle();
		expect(followed.lines).toEqual(numbered(15));
		expect(logRequests(bench.sandbox).length).toBeGreaterThan(1);
	});
});

describe('delivery', () => {
	it('a run that failed counts when every run counts', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(10));
		await follow({}, () => {
			throw new Error('no');
		}).publish();
		await delivered(10);
		await idle();
		await followed.close();
		await followed.publish('init');
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(followed.lines).toEqual(numbered(10));
	});

	it('a run that failed is repeated with the same lines when only successful ones count', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(120));
		let runs = 0;
		await follow({ options: { delivery: 'succeeded' } }, () => {
			if (runs++ === 0) throw new Error('no');
		}).publish();
		await delivered(220);
		expect(followed.lines).toEqual([...numbered(100), ...numbered(120)]);
	});

	it('at most so many runs are in flight, and the socket waits meanwhile', async () => {
		openLog(bench.sandbox, 'lines').append('stdout', ...numbered(2_000));
		let under = 0;
		let most = 0;
		await follow({ options: { maxRunsInFlight: 2 }, batch: { maxEntries: 50, maxWaitMs: 50 } }, async () => {
			most = Math.max(most, ++under);
			await new Promise((resolve) => setTimeout(resolve, 2));
			under--;
		}).publish();
		await delivered(2_000);
		expect(most).toBe(2);
	});

	it('immediately: nothing is waited for, and nothing comes again', async () => {
		openLog(bench.sandbox).append('stdout', ...numbered(500));
		const stuck = new Promise<void>(() => undefined);
		await follow({ options: { delivery: 'immediately' } }, async () => await stuck).publish();
		await delivered(500);
		await followed.kill();
		await followed.publish('init');
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(followed.lines).toEqual(numbered(500));
	});
});
