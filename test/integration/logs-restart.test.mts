import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import {
	CONTAINER,
	DEPLOYMENT,
	LOG_PATH,
	logRequests,
	numbered,
	openLog,
} from '../engine/logs.mts';
import { eventually } from '../engine/wait.mts';

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
