import { describe, expect, it, vi } from 'vitest';
import { logRequests, numbered, openLog } from '../engine/logs.mts';
import { eventually } from '../engine/trigger.mts';
import { useLogs } from '../engine/useLogs.mts';

const logs = useLogs();

describe('the line to stop at', () => {
	it.each([['stdout'], ['stdout', 'stderr']])(
		'killed while batches before the line to stop at wait for their run, of %s: all of them come',
		async (...streams) => {
			const log = openLog(logs.sandbox);
			log.append('stdout', ...numbered(250));
			log.append('stderr', ...numbered(250, 1_000));
			const stuck = new Promise<void>(() => undefined);
			let isStuck = true;
			await logs
				.follow(
					{ streams, options: { stopOn: '^line 249$' } },
					async () => await (isStuck ? stuck : undefined),
				)
				.publish();
			await eventually('a run', () => logs.trigger.executions.length > 0);
			await logs.trigger.kill();
			isStuck = false;
			const before = logs.trigger.executions.length;
			await logs.trigger.publish('init');
			const stdout = () =>
				logs.trigger.executions
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
			const log = openLog(logs.sandbox);
			log.append('stderr', 'slow');
			await logs.follow({ streams, options: { delivery, stopOn: '^line 9$' } }).publish();
			await logs.delivered(streams.length - 1);
			log.append('stdout', ...numbered(20));
			await logs.delivered(9 + streams.length);
			await vi.waitFor(async () => expect(await logs.sandbox.openSockets()).toBe(0));
			await logs.idle();
			if (how === 'stopped') await logs.trigger.close();
			await logs.trigger.kill();
			log.append('stderr', 'slower');
			const { length } = logRequests(logs.sandbox);
			await logs.trigger.publish('init');
			await new Promise((resolve) => setTimeout(resolve, 100));
			expect(logRequests(logs.sandbox)).toHaveLength(length);
			expect(
				logs.trigger.items.filter(({ stream }) => stream === 'stdout').map(({ line }) => line),
			).toEqual(numbered(10));
			expect(logs.trigger.lines).not.toContain('slower');
		},
	);

	it('a line to stop at that was chosen later, within lines that have to come again: they come up to it', async () => {
		openLog(logs.sandbox).append('stdout', ...numbered(30));
		let isBroken = true;
		await logs
			.follow(
				{
					batch: { maxEntries: 10, maxWaitMs: 50 },
					options: { delivery: 'succeeded', maxRunsInFlight: 3 },
				},
				() => {
					if (isBroken) throw new Error('no');
				},
			)
			.publish();
		await logs.delivered(30);
		await logs.idle();
		await logs.trigger.close();
		isBroken = false;
		logs.trigger.change({ options: { delivery: 'succeeded', stopOn: '^line 14$' } });
		const before = logs.trigger.lines.length;
		await logs.trigger.publish();
		await eventually('the line to stop at', () => logs.trigger.lines.length >= before + 15);
		await logs.idle();
		await logs.trigger.close();
		await logs.trigger.kill();
		await logs.trigger.publish('init');
		expect(logs.trigger.lines.slice(before)).toEqual(numbered(15));
		expect(logs.trigger.failures).toEqual([]);
	});
});

describe('delivery', () => {
	it('a run that failed counts when every run counts', async () => {
		openLog(logs.sandbox).append('stdout', ...numbered(10));
		await logs
			.follow({}, () => {
				throw new Error('no');
			})
			.publish();
		await logs.delivered(10);
		await logs.idle();
		await logs.trigger.close();
		await logs.trigger.publish('init');
		await new Promise((resolve) => setTimeout(resolve, 200));
		expect(logs.trigger.lines).toEqual(numbered(10));
	});

	it('a run that failed is repeated with the same lines when only successful ones count', async () => {
		openLog(logs.sandbox).append('stdout', ...numbered(120));
		let runs = 0;
		await logs
			.follow({ options: { delivery: 'succeeded' } }, () => {
				if (runs++ === 0) throw new Error('no');
			})
			.publish();
		await logs.delivered(220);
		expect(logs.trigger.lines).toEqual([...numbered(100), ...numbered(120)]);
	});

	it('at most so many runs are in flight, and the socket waits meanwhile', async () => {
		openLog(logs.sandbox, 'lines').append('stdout', ...numbered(2_000));
		let under = 0;
		let most = 0;
		await logs
			.follow(
				{ options: { maxRunsInFlight: 2 }, batch: { maxEntries: 50, maxWaitMs: 50 } },
				async () => {
					most = Math.max(most, ++under);
					await new Promise((resolve) => setTimeout(resolve, 2));
					under--;
				},
			)
			.publish();
		await logs.delivered(2_000);
		expect(most).toBe(2);
	});

	it('immediately: nothing is waited for, and nothing comes again', async () => {
		openLog(logs.sandbox).append('stdout', ...numbered(500));
		const stuck = new Promise<void>(() => undefined);
		await logs.follow({ options: { delivery: 'immediately' } }, async () => await stuck).publish();
		await logs.delivered(500);
		await logs.trigger.kill();
		await logs.trigger.publish('init');
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(logs.trigger.lines).toEqual(numbered(500));
	});
});
