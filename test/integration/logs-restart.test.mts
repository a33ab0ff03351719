import { describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { useFixture } from '../engine/fixture.mts';
import {
	CONTAINER,
	DEPLOYMENT,
	LOG_PATH,
	logRequests,
	numbered,
	openLog,
} from '../engine/logs.mts';
import { locator } from '../engine/nodes.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ time: 'real' });

describe('after a restart', () => {
	it('a clean stop: no line is lost or repeated, in another process too', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(250));
		await fixture.follow().activate();
		await fixture.delivered(250);
		await fixture.idle();
		await fixture.trigger.deactivate();
		await fixture.trigger.kill();
		log.append('stdout', ...numbered(10, 250));
		await fixture.trigger.activate('init');
		await fixture.delivered(260);
		await fixture.trigger.deactivate();
		expect(fixture.trigger.lines).toEqual(numbered(260));
		expect(fixture.trigger.dropped).toBeGreaterThan(0);
	});

	it.each([
		['between two executions', () => fixture.trigger.executions[0]?.run !== undefined],
		['as an execution begins', () => true],
	])(
		'stopped %s, and the process ends with the deactivation: no line is repeated',
		async (_, isTime) => {
			const log = openLog(fixture.sandbox);
			log.append('stdout', ...numbered(50));
			await fixture.follow({ batch: { maxEntries: 50, maxWaitMs: 100 } }).activate();
			fixture.trigger.databaseTurns = 20;
			await eventually('it is time', () => fixture.trigger.executions.length === 1 && isTime());
			await fixture.trigger.deactivate();
			await fixture.trigger.kill();
			fixture.trigger.databaseTurns = 0;
			log.append('stdout', ...numbered(10, 50));
			await fixture.trigger.activate('init');
			await fixture.delivered(60);
			expect(fixture.trigger.lines).toEqual(numbered(60));
		},
	);

	it.each([
		['bytes', 'lines', 200],
		['eventId', 'sse', 600],
	] as const)(
		'the offset counts %s, and each connection ends within the known lines: none comes twice',
		async (unit, format, cutBodyAt) => {
			const log = openLog(fixture.sandbox, format);
			log.resume = { unit };
			log.append('stdout', ...numbered(50));
			await fixture.follow({ options: { offsetUnit: unit } }).activate();
			await fixture.delivered(50);
			await fixture.idle();
			await fixture.trigger.deactivate();
			await fixture.trigger.kill();
			fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt, times: Infinity });
			log.append('stdout', ...numbered(30, 50));
			await fixture.trigger.activate('init');
			await fixture.delivered(80);
			expect(fixture.trigger.lines).toEqual(numbered(80));
		},
	);

	it('killed when nothing was in flight for a second: nothing comes twice', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(150));
		await fixture.follow().activate();
		await fixture.delivered(150);
		// An emit with a key that was used: it saves and starts nothing
		await eventually('it is saved', () => fixture.trigger.dropped === 1);
		await fixture.trigger.kill();
		log.append('stdout', ...numbered(10, 150));
		await fixture.trigger.activate('init');
		await fixture.delivered(160);
		expect(fixture.trigger.lines).toEqual(numbered(160));
	});

	it.each([
		[{}, [100, 5_000, 'id-99', 0], [0, 0], {}],
		[{ offsetUnit: 'none' }, [100, 5_000, '', 0], [0, 0], { ignoresOffset: true }],
		// The log had rotated: offsets went on over the rotation
		[{}, [130, 5_000, '', 0], [30, 100], {}],
	])('what version 0.1 has saved is read: %j %j', async (options, at, base, resume) => {
		const log = openLog(fixture.sandbox);
		log.resume = resume;
		log.append('stdout', ...numbered(120));
		fixture.follow({ options });
		fixture.trigger.saved = {
			'node:Trigger': {
				start: 'lastStop',
				logs: {
					[`${DEPLOYMENT}/${CONTAINER}/stdout`]: {
						at,
						flights: [[at, [140, 6_000, '', 0]]],
						tip: [140, 6_000, '', 0],
						base,
						head: 'digest',
						format: 'sse',
						over: false,
						skips: false,
					},
				},
			},
		};
		await fixture.trigger.activate('init');
		await fixture.delivered(20);
		log.append('stdout', 'line 120');
		await fixture.delivered(21);
		expect(fixture.trigger.lines).toEqual(numbered(21, 100));
	});

	it('killed while an execution is in flight: one that ended before it does not come again', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(200));
		const stuck = new Promise<void>(() => undefined);
		let begun = 0;
		await fixture
			.follow({ options: { maxRunsInFlight: 2 } }, async () => {
				if (++begun === 2) await stuck;
				await eventually('the second execution', () => begun > 1);
			})
			.activate();
		await eventually('the first is committed', () => fixture.trigger.dropped === 1);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		await fixture.delivered(300);
		expect(fixture.trigger.lines).toEqual([...numbered(200), ...numbered(100, 100)]);
	});

	it('killed: everything from the first batch that was not finished comes again, and nothing before it', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(1_000));
		const stuck = new Promise<void>(() => undefined);
		let runs = 0;
		await fixture
			.follow({ options: { maxRunsInFlight: 3 } }, async () => {
				if ([2, 4].includes(runs++)) await stuck;
			})
			.activate();
		await eventually('the others have ended', () => {
			const { executions } = fixture.trigger;
			return executions.length === 10 && executions.filter(({ run }) => !run).length === 2;
		});
		await fixture.trigger.kill();
		const before = fixture.trigger.lines.length;
		await fixture.trigger.activate('init');
		await fixture.delivered(before + 800);
		expect(fixture.trigger.lines.slice(before)).toEqual(numbered(800, 200));
		const keys = fixture.trigger.executions.map(({ key }) => key);
		expect(new Set(keys).size).toBe(keys.length);
	});

	it.each<[string, IDataObject]>([
		['the line to stop at', { stopOn: 'line 9' }],
		['the end of the container', {}],
	])(
		'killed during the last execution, after %s: its batch comes again, and nothing else does',
		async (_, options) => {
			const seed = fixture.sandbox.books.seeded.find(({ state }) => state === 'completed');
			const log = fixture.sandbox.logs.open(String(seed?.id), 'c', 'lines');
			log.append('stdout', ...numbered(10));
			log.append('stderr', 'slow');
			log.finish();
			const stuck = new Promise<void>(() => undefined);
			let isStuck = true;
			await fixture
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
				.activate();
			await eventually(
				'both have ended',
				() =>
					fixture.trigger.items.filter(({ event }) => event === 'finished' || event === 'stopped')
						.length === 2,
			);
			await fixture.trigger.kill();
			isStuck = false;
			const before = fixture.trigger.executions.length;
			await fixture.trigger.activate('init');
			const again = () =>
				fixture.trigger.executions
					.slice(before)
					.flatMap(({ items }) => items.map(({ json }) => json))
					.filter(({ line, stream }) => line !== undefined && stream === 'stdout')
					.map(({ line }) => line);
			await eventually('the last batch again', () => again().length >= 10);
			await eventually('its executions have ended', () =>
				fixture.trigger.executions.slice(before).every(({ run }) => run !== undefined),
			);
			expect(again()).toEqual(numbered(10));
		},
	);

	it('killed during an execution, and the log is not found for a while: its lines come again', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(150));
		const stuck = new Promise<void>(() => undefined);
		let isStuck = true;
		await fixture.follow({}, async () => await (isStuck ? stuck : undefined)).activate();
		await fixture.delivered(100);
		await fixture.trigger.kill();
		isStuck = false;
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			...errorForms.plainText(404, 'gone'),
		});
		await fixture.trigger.activate('init');
		await fixture.delivered(250);
		expect(fixture.trigger.lines.slice(100)).toEqual(numbered(150));
		expect(fixture.trigger.failures.map(({ message }) => message)).toEqual([
			'The stdout log of container c1 cannot be reached: Not found (404): gone',
		]);
		expect(fixture.trigger.errors).toEqual([]);
	});

	const CONTEXT = { include: 'hit', contextLines: 3 };
	const hits = ['hit 1', ...numbered(6), 'hit 2', ...numbered(6, 10)];
	/** What is kept of them: three lines on either side of a match. */
	const kept = hits.slice(0, 11);

	it('stopped right after a match: its context lines still come', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...hits.slice(0, 2));
		await fixture.follow({ options: CONTEXT }).activate();
		await fixture.delivered(2);
		await fixture.idle();
		await fixture.trigger.deactivate();
		await fixture.trigger.kill();
		log.append('stdout', ...hits.slice(2));
		await fixture.trigger.activate('init');
		await fixture.delivered(11);
		await fixture.idle();
		expect(fixture.trigger.lines).toEqual(kept);
	});

	it('killed during the execution of a match: its context lines come again too', async () => {
		openLog(fixture.sandbox).append('stdout', ...hits);
		const stuck = new Promise<void>(() => undefined);
		let runs = 0;
		await fixture
			.follow(
				{ batch: { maxEntries: 2, maxWaitMs: 50 }, options: { ...CONTEXT, maxRunsInFlight: 3 } },
				async () => {
					if ([1, 3].includes(runs++)) await stuck;
				},
			)
			.activate();
		await eventually(
			'the others have ended',
			() =>
				fixture.trigger.executions.length === 5 &&
				fixture.trigger.executions.filter(({ run }) => !run).length === 2,
		);
		expect(fixture.trigger.lines).toEqual(kept);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		await fixture.delivered(20);
		await eventually('its executions have ended', () =>
			fixture.trigger.executions.slice(5).every(({ run }) => run !== undefined),
		);
		// Of two lines each, the second batch was the first that had not ended
		expect(fixture.trigger.lines.slice(11)).toEqual(kept.slice(2));
	});

	it('a second activation of the same node ends the first, and waits for its execution', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(10));
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		await fixture.follow({}, async () => await gate).activate();
		await fixture.delivered(10);
		await fixture.trigger.activate();
		log.append('stdout', ...numbered(5, 10));
		release();
		await fixture.delivered(15);
		await fixture.idle();
		expect(fixture.trigger.lines).toEqual(numbered(15));
		expect(logRequests(fixture.sandbox).length).toBeGreaterThan(1);
	});
});
