import { describe, expect, it, vi } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { logRequests, numbered, openLog } from '../engine/logs.mts';
import { eventually } from '../engine/trigger.mts';

const fixture = useFixture({ time: 'real' });

describe('the line to stop at', () => {
	it.each([['stdout'], ['stdout', 'stderr']])(
		'killed while batches before the line to stop at wait for their run, of %s: all of them come',
		async (...streams) => {
			const log = openLog(fixture.sandbox);
			log.append('stdout', ...numbered(250));
			log.append('stderr', ...numbered(250, 1_000));
			const stuck = new Promise<void>(() => undefined);
			let isStuck = true;
			await fixture
				.follow(
					{ streams, options: { stopOn: '^line 249$' } },
					async () => await (isStuck ? stuck : undefined),
				)
				.activate();
			await eventually('a run', () => fixture.trigger.executions.length > 0);
			await fixture.trigger.kill();
			isStuck = false;
			const before = fixture.trigger.executions.length;
			await fixture.trigger.activate('init');
			const stdout = () =>
				fixture.trigger.executions
					.slice(before)
					.flatMap(({ items }) => items.map(({ json }) => json))
					.filter(({ stream }) => stream === 'stdout')
					.map(({ line }) => line);
			await eventually('the line to stop at', () => stdout().includes('line 249'));
			expect(stdout()).toEqual(numbered(250));
		},
	);

	it.each([
		['stopped', 'immediately', ['stdout', 'stderr']],
		['killed', 'immediately', ['stdout']],
		['stopped', 'completed', ['stdout', 'stderr']],
	])(
		'%s after the line to stop at, delivery %s: nothing after it comes of %j',
		async (how, delivery, streams) => {
			const log = openLog(fixture.sandbox);
			log.append('stderr', 'slow');
			await fixture.follow({ streams, options: { delivery, stopOn: '^line 9$' } }).activate();
			await fixture.delivered(streams.length - 1);
			log.append('stdout', ...numbered(20));
			await fixture.delivered(9 + streams.length);
			await vi.waitFor(async () => expect(await fixture.sandbox.openSockets()).toBe(0));
			await fixture.idle();
			if (how === 'stopped') await fixture.trigger.deactivate();
			await fixture.trigger.kill();
			log.append('stderr', 'slower');
			const { length } = logRequests(fixture.sandbox);
			await fixture.trigger.activate('init');
			await new Promise((resolve) => setTimeout(resolve, 100));
			expect(logRequests(fixture.sandbox)).toHaveLength(length);
			expect(
				fixture.trigger.items.filter(({ stream }) => stream === 'stdout').map(({ line }) => line),
			).toEqual(numbered(10));
			expect(fixture.trigger.lines).not.toContain('slower');
		},
	);

	it('a line to stop at that was chosen later, within lines that have to come again: they come up to it', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(30));
		let isBroken = true;
		await fixture
			.follow(
				{
					batch: { maxEntries: 10, maxWaitMs: 50 },
					options: { delivery: 'succeeded', maxRunsInFlight: 3 },
				},
				() => {
					if (isBroken) throw new Error('no');
				},
			)
			.activate();
		await fixture.delivered(30);
		await fixture.idle();
		await fixture.trigger.deactivate();
		isBroken = false;
		fixture.trigger.change({ options: { delivery: 'succeeded', stopOn: '^line 14$' } });
		const before = fixture.trigger.lines.length;
		await fixture.trigger.activate();
		await eventually('the line to stop at', () => fixture.trigger.lines.length >= before + 15);
		await fixture.idle();
		await fixture.trigger.deactivate();
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		expect(fixture.trigger.lines.slice(before)).toEqual(numbered(15));
		expect(fixture.trigger.failures).toEqual([]);
	});
});

describe('delivery', () => {
	it('a run that failed counts when every run counts', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(10));
		await fixture
			.follow({}, () => {
				throw new Error('no');
			})
			.activate();
		await fixture.delivered(10);
		await fixture.idle();
		await fixture.trigger.deactivate();
		await fixture.trigger.activate('init');
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(fixture.trigger.lines).toEqual(numbered(10));
	});

	it('a run that failed is repeated with the same lines when only successful ones count', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(120));
		let runs = 0;
		await fixture
			.follow({ options: { delivery: 'succeeded' } }, () => {
				if (runs++ === 0) throw new Error('no');
			})
			.activate();
		await fixture.delivered(220);
		expect(fixture.trigger.lines).toEqual([...numbered(100), ...numbered(120)]);
	});

	it('at most so many runs are in flight, and the socket waits meanwhile', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', ...numbered(2_000));
		let under = 0;
		let most = 0;
		await fixture
			.follow(
				{ options: { maxRunsInFlight: 2 }, batch: { maxEntries: 50, maxWaitMs: 50 } },
				async () => {
					most = Math.max(most, ++under);
					await new Promise((resolve) => setTimeout(resolve, 2));
					under--;
				},
			)
			.activate();
		await fixture.delivered(2_000);
		expect(most).toBe(2);
	});

	it('immediately: nothing is waited for, and nothing comes again', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(500));
		const stuck = new Promise<void>(() => undefined);
		await fixture
			.follow({ options: { delivery: 'immediately' } }, async () => await stuck)
			.activate();
		await fixture.delivered(500);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(fixture.trigger.lines).toEqual(numbered(500));
	});
});
