import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { numbered, openLog } from '../engine/logs.mts';
import { eventually } from '../engine/wait.mts';

const fixture = useFixture({ time: 'real' });

describe('after a restart', () => {
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
});
