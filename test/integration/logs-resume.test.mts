import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { locator } from '../engine/fixture.mts';
import { logRequests, LOG_PATH, numbered, openLog } from '../engine/logs.mts';
import { eventually } from '../engine/trigger.mts';
import { useLogs } from '../engine/useLogs.mts';
import { errorForms, type ResumeHabits } from '../sandbox/index.mts';

const logs = useLogs();

const wireLength = (lines: string[]) =>
	Buffer.byteLength(lines.map((line) => `${line}\n`).join(''));

describe('after a break', () => {
	it.each<[string, IDataObject, ResumeHabits]>([
		['an offset in entries', {}, {}],
		['an offset in bytes', { offsetUnit: 'bytes' }, { unit: 'bytes' }],
		['the ID of the last event', { offsetUnit: 'eventId' }, { unit: 'eventId' }],
		['a service that ignores the offset', {}, { ignoresOffset: true }],
		['a service without offset', { offsetUnit: 'none' }, { ignoresOffset: true }],
		['a service that sends the last entries again', {}, { repeats: 5 }],
	])('goes on exactly where it was: %s', async (_, options, resume) => {
		const log = openLog(logs.sandbox);
		log.resume = resume;
		log.append('stdout', ...numbered(40));
		logs.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 500 });
		logs.follow({ options });
		await logs.trigger.publish();
		await logs.delivered(40);
		log.append('stdout', ...numbered(10, 40));
		await logs.delivered(50);
		expect(logs.trigger.lines).toEqual(numbered(50));
	});

	it('a service that ignores the offset, and a log that was too short to tell: no line is lost or comes twice', async () => {
		const log = openLog(logs.sandbox, 'lines');
		log.resume = { ignoresOffset: true };
		const lines = ['tick', 'tick', ...numbered(8)];
		const [first, second] = [lines.slice(0, 2), lines.slice(2, 5)];
		log.append('stdout', ...first);
		logs.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: wireLength(first) });
		logs.sandbox.faults.add({
			match: { path: LOG_PATH },
			skip: 1,
			cutBodyAt: wireLength([...first, ...second]),
		});
		await logs.follow().publish();
		await logs.delivered(2);
		await eventually('it was probed', () => logRequests(logs.sandbox).length >= 3);
		log.append('stdout', ...second);
		await logs.delivered(5);
		await eventually('both breaks', () => logs.sandbox.faults.pending() === 0);
		log.append('stdout', ...lines.slice(5));
		await logs.delivered(10);
		expect(logs.trigger.lines).toEqual(lines);
	});

	it('a log that says the same all the time loses no line, with an offset that counts', async () => {
		const log = openLog(logs.sandbox, 'lines');
		log.append('stdout', ...Array.from({ length: 30 }, () => 'tick'));
		logs.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 42 });
		await logs.follow().publish();
		await logs.delivered(30);
		expect(logs.trigger.lines).toHaveLength(30);
	});

	it('bytes are counted over characters of several bytes', async () => {
		const log = openLog(logs.sandbox, 'lines');
		log.resume = { unit: 'bytes' };
		const lines = numbered(20).map((line) => `${line} ü€🚀`);
		log.append('stdout', ...lines);
		logs.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 101 });
		await logs.follow({ options: { offsetUnit: 'bytes' } }).publish();
		await logs.delivered(20);
		expect(logs.trigger.lines).toEqual(lines);
	});
});

describe('where to begin', () => {
	it('now: what was there is left out, what comes is not', async () => {
		const log = openLog(logs.sandbox);
		log.append('stdout', ...numbered(500));
		await logs.follow({ startFrom: 'now' }).publish();
		await new Promise((resolve) => setTimeout(resolve, 700));
		log.append('stdout', 'first', 'second');
		await logs.delivered(2);
		expect(logs.trigger.items.map(({ line, offset }) => [line, offset])).toEqual([
			['first', 500],
			['second', 501],
		]);
	});

	it.each<ResumeHabits>([{}, { ignoresOffset: true }])('a given offset: %j', async (resume) => {
		const log = openLog(logs.sandbox);
		log.resume = resume;
		log.append('stdout', ...numbered(20));
		await logs.follow({ startFrom: 'offset', offset: 15 }).publish();
		await logs.delivered(5);
		expect(logs.trigger.items.map(({ line, offset }) => [line, offset])).toEqual(
			numbered(5, 15).map((line, index) => [line, 15 + index]),
		);
	});

	it('the beginning, each time that a person publishes, but not when n8n itself starts again', async () => {
		openLog(logs.sandbox).append('stdout', ...numbered(3));
		await logs.follow({ startFrom: 'beginning' }).publish();
		await logs.delivered(3);
		await logs.trigger.close();
		await logs.trigger.publish('init');
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(logs.trigger.lines).toEqual(numbered(3));
		await logs.trigger.close();
		await logs.trigger.publish('activate');
		await logs.delivered(6);
		expect(logs.trigger.lines).toEqual([...numbered(3), ...numbered(3)]);
	});
});

describe('after a restart', () => {
	it('stopped cleanly: no line is lost and none comes twice, also in another process', async () => {
		const log = openLog(logs.sandbox);
		log.append('stdout', ...numbered(250));
		await logs.follow().publish();
		await logs.delivered(250);
		await logs.idle();
		await logs.trigger.close();
		await logs.trigger.kill();
		log.append('stdout', ...numbered(10, 250));
		await logs.trigger.publish('init');
		await logs.delivered(260);
		await logs.trigger.close();
		expect(logs.trigger.lines).toEqual(numbered(260));
		expect(logs.trigger.dropped).toBeGreaterThan(0);
	});

	it.each([
		['between two runs', () => logs.trigger.executions[0]?.run !== undefined],
		['just when a run begins', () => true],
	])(
		'stopped %s, the process ends as soon as the trigger is closed: no line comes twice',
		async (_, isTime) => {
			const log = openLog(logs.sandbox);
			log.append('stdout', ...numbered(50));
			await logs.follow({ batch: { maxEntries: 50, maxWaitMs: 100 } }).publish();
			logs.trigger.databaseMs = 5;
			await eventually('it is time', () => logs.trigger.executions.length === 1 && isTime());
			await logs.trigger.close();
			await logs.trigger.kill();
			logs.trigger.databaseMs = 0;
			log.append('stdout', ...numbered(10, 50));
			await logs.trigger.publish('init');
			await logs.delivered(60);
			expect(logs.trigger.lines).toEqual(numbered(60));
		},
	);

	it('stopped while a run is under way: its lines do not come again', async () => {
		const log = openLog(logs.sandbox);
		log.append('stdout', ...numbered(150));
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		await logs.follow({}, async () => await gate).publish();
		await logs.delivered(100);
		await logs.trigger.close();
		release();
		await logs.idle();
		await eventually('the book is kept', () => logs.trigger.dropped === 1);
		await logs.trigger.kill();
		await logs.trigger.publish('init');
		await logs.delivered(150);
		await logs.idle();
		expect(logs.trigger.lines).toEqual(numbered(150));
	});

	it('killed: the batches in flight come again, cut exactly as they were, and nothing else does', async () => {
		openLog(logs.sandbox).append('stdout', ...numbered(1_000));
		const stuck = new Promise<void>(() => undefined);
		let runs = 0;
		await logs
			.follow({ options: { maxRunsInFlight: 3 } }, async () => {
				if ([2, 4].includes(runs++)) await stuck;
			})
			.publish();
		await eventually(
			'three runs hang',
			() =>
				logs.trigger.executions.length === 10 ||
				logs.trigger.executions.filter(({ run }) => !run).length === 2,
		);
		await eventually('the others have ended', () => logs.trigger.executions.length === 10);
		await logs.trigger.kill();
		const before = logs.trigger.executions.length;
		await logs.trigger.publish('init');
		await logs.delivered(1_200);
		const again = logs.trigger.executions
			.slice(before)
			.map(({ items }) => items.map(({ json }) => json.line));
		expect(again[0]).toEqual(numbered(100, 200));
		expect(again[1]).toEqual(numbered(100, 400));
		expect(new Set(logs.trigger.lines).size).toBe(1_000);
		const keys = logs.trigger.executions.map(({ key }) => key);
		expect(new Set(keys).size).toBe(keys.length);
	});

	it.each<[string, IDataObject]>([
		['the line to stop at', { stopOn: 'line 9' }],
		['the end of the container', {}],
	])(
		'killed in the last run, after %s: it comes again, and nothing else does',
		async (_, options) => {
			const seed = logs.sandbox.books.seeded.find(({ state }) => state === 'completed');
			const log = logs.sandbox.logs.open(String(seed?.id), 'c', 'lines');
			log.append('stdout', ...numbered(10));
			log.append('stderr', 'slow');
			log.finish();
			const stuck = new Promise<void>(() => undefined);
			let isStuck = true;
			await logs
				.follow(
					{
						deploymentId: locator(seed?.id),
						containerIds: ['c'],
						streams: ['stdout', 'stderr'],
						options: { ...options, maxRunsInFlight: 2, connectionEvents: true },
					},
					async (items) => {
						if (
							isStuck &&
							items.some(({ stream, line }) => stream === 'stdout' && line !== undefined)
						)
							await stuck;
					},
				)
				.publish();
			await eventually(
				'both have ended',
				() =>
					logs.trigger.items.filter(({ event }) => event === 'finished' || event === 'stopped')
						.length === 2,
			);
			await logs.trigger.kill();
			isStuck = false;
			const before = logs.trigger.executions.length;
			await logs.trigger.publish('init');
			const again = () =>
				logs.trigger.executions
					.slice(before)
					.flatMap(({ items }) => items.map(({ json }) => json))
					.filter(({ line, stream }) => line !== undefined && stream === 'stdout')
					.map(({ line }) => line);
			await eventually('the last batch again', () => again().length >= 10);
			await eventually('its runs have ended', () =>
				logs.trigger.executions.slice(before).every(({ run }) => run !== undefined),
			);
			expect(again()).toEqual(numbered(10));
		},
	);

	it('killed in a run, and the container is gone meanwhile: what cannot be repeated is reported', async () => {
		openLog(logs.sandbox).append('stdout', ...numbered(150));
		const stuck = new Promise<void>(() => undefined);
		await logs.follow({}, async () => await stuck).publish();
		await logs.delivered(100);
		await logs.trigger.kill();
		logs.sandbox.faults.add({
			match: { path: LOG_PATH },
			times: Infinity,
			...errorForms.plainText(404, 'gone'),
		});
		await logs.trigger.publish('init');
		expect(logs.trigger.failures.map(({ message }) => message)).toEqual([
			'100 lines of the stdout log of container c1 cannot be delivered again',
		]);
		expect(logs.trigger.errors).toEqual([]);
	});

	const CONTEXT = { include: 'hit', contextLines: 3 };
	const hits = ['hit 1', ...numbered(6), 'hit 2', ...numbered(6, 10)];
	/** What is kept of them: three lines on either side of a match. */
	const kept = hits.slice(0, 11);

	it('stopped right behind a match: the context lines after it still come', async () => {
		const log = openLog(logs.sandbox);
		log.append('stdout', ...hits.slice(0, 2));
		await logs.follow({ options: CONTEXT }).publish();
		await logs.delivered(2);
		await logs.idle();
		await logs.trigger.close();
		await logs.trigger.kill();
		log.append('stdout', ...hits.slice(2));
		await logs.trigger.publish('init');
		await logs.delivered(11);
		await logs.idle();
		expect(logs.trigger.lines).toEqual(kept);
	});

	it('killed in the run of a match: its context comes whole, with the lines after it', async () => {
		openLog(logs.sandbox).append('stdout', ...hits);
		const stuck = new Promise<void>(() => undefined);
		let runs = 0;
		await logs
			.follow(
				{ batch: { maxEntries: 2, maxWaitMs: 50 }, options: { ...CONTEXT, maxRunsInFlight: 3 } },
				async () => {
					if ([1, 3].includes(runs++)) await stuck;
				},
			)
			.publish();
		await eventually(
			'the others have ended',
			() =>
				logs.trigger.executions.length === 5 &&
				logs.trigger.executions.filter(({ run }) => !run).length === 2,
		);
		const before = logs.trigger.executions.map(({ items }) => items.map(({ json }) => json.line));
		await logs.trigger.kill();
		await logs.trigger.publish('init');
		await logs.delivered(16);
		await eventually('its runs have ended', () =>
			logs.trigger.executions.slice(5).every(({ run }) => run !== undefined),
		);
		const again = logs.trigger.executions
			.slice(5)
			.map(({ items }) => items.map(({ json }) => json.line));
		expect(before.flat()).toEqual(kept);
		// Of the last run n8n has saved only that it began
		expect(again).toEqual([before[1], before[3], before[4]]);
	});

	it('a second start of the same node ends the first, and waits for its run', async () => {
		const log = openLog(logs.sandbox);
		log.append('stdout', ...numbered(10));
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		await logs.follow({}, async () => await gate).publish();
		await logs.delivered(10);
		await logs.trigger.publish();
		log.append('stdout', ...numbered(5, 10));
		release();
		await logs.delivered(15);
		await logs.idle();
		expect(logs.trigger.lines).toEqual(numbered(15));
		expect(logRequests(logs.sandbox).length).toBeGreaterThan(1);
	});
});
