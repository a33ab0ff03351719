import { describe, expect, it, vi } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { logRequests, numbered, openLog } from '../engine/logs.mts';
import { eventually } from '../engine/wait.mts';

const fixture = useFixture({ time: 'immediate' });

describe('the line to stop at', () => {
	it.each([['stdout'], ['stdout', 'stderr']])(
		'killed while batches before it wait for their execution, of %s: all of them come',
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
			await eventually('an execution', () => fixture.trigger.executions.length > 0);
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
	])('%s after it, delivery %s: nothing after it comes of %j', async (how, delivery, streams) => {
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
		await fixture.quiet();
		expect(logRequests(fixture.sandbox)).toHaveLength(length);
		expect(
			fixture.trigger.items.filter(({ stream }) => stream === 'stdout').map(({ line }) => line),
		).toEqual(numbered(10));
		expect(fixture.trigger.lines).not.toContain('slower');
	});

	it('chosen later, within lines that have to come again: they come up to it', async () => {
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
	it('every execution counts: one that failed is not repeated', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(10));
		await fixture
			.follow({}, () => {
				throw new Error('no');
			})
			.activate();
		await fixture.delivered(10);
		await fixture.idle();
		await fixture.trigger.deactivate();
		await fixture.trigger.activate('init');
		log.append('stdout', 'line 10');
		await fixture.delivered(11);
		expect(fixture.trigger.lines).toEqual(numbered(11));
	});

	it('successful executions count: one that failed is repeated with the same lines', async () => {
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

	it('no more batches are in flight than the option allows', async () => {
		openLog(fixture.sandbox, 'lines').append('stdout', ...numbered(2_000));
		let under = 0;
		let most = 0;
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		await fixture
			.follow(
				{ options: { maxRunsInFlight: 2 }, batch: { maxEntries: 50, maxWaitMs: 50 } },
				async () => {
					most = Math.max(most, ++under);
					await gate;
					under--;
				},
			)
			.activate();
		await eventually('two executions', () => under === 2);
		await fixture.quiet();
		release();
		await fixture.delivered(2_000);
		expect(most).toBe(2);
	});

	it('immediately: no execution is waited for, and nothing comes again', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(500));
		const stuck = new Promise<void>(() => undefined);
		await fixture
			.follow({ options: { delivery: 'immediately' } }, async () => await stuck)
			.activate();
		await fixture.delivered(500);
		await fixture.trigger.kill();
		await fixture.trigger.activate('init');
		log.append('stdout', 'line 500');
		await fixture.delivered(501);
		expect(fixture.trigger.lines).toEqual(numbered(501));
	});
});

it('a batch that failed is repeated before later ones of its log', async () => {
	openLog(fixture.sandbox).append('stdout', ...numbered(5));
	const parameters = { batch: { maxEntries: 1 }, options: { delivery: 'succeeded' } };
	await fixture
		.follow(parameters, () => {
			if (fixture.trigger.executions.length <= 2) throw new Error('no');
		})
		.activate();
	await fixture.delivered(7);
	expect(fixture.trigger.lines).toEqual(['line 0', 'line 0', ...numbered(5)]);
});
