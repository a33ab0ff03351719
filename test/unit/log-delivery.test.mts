import { describe, expect, it } from 'vitest';
import { attached } from './log-delivery-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

const HOUR = 3_600_000;

describe('executions in flight', () => {
	it.each([1, 2])('are %d at most, each batch in its turn', async (maxRunsInFlight) => {
		const { deliver, executions, results, starts } = attached({ maxRunsInFlight });
		for (let one = 0; one < 4; one++) await deliver();
		expect(results).toHaveLength(maxRunsInFlight);
		await executions[0]?.end();
		expect(starts()).toEqual([0, 1, 2].slice(0, maxRunsInFlight + 1));
		for (let one = 1; one < 4; one++) await executions[one]?.end();
		expect(starts()).toEqual([0, 1, 2, 3]);
		expect(new Set(executions.map(({ key }) => key)).size).toBe(4);
	});

	it('are 100 at most where none is waited for, and what has started is committed', async () => {
		const { deliver, batch, executions, delivery } = attached({ delivery: 'immediately' });
		const progress = batch().progress;
		for (let one = 0; one < 101; one++) await deliver();
		expect(executions).toHaveLength(100);
		await executions[0]?.end('error');
		expect(executions).toHaveLength(101);
		expect(progress.committed.offset.entries).toBe(0);
		expect(delivery.logs.size).toBe(1);
	});

	it.each([
		['immediately', 'running', true],
		['completed', 'running', false],
		['completed', 'success', true],
		['completed', 'waiting', true],
		['completed', 'error', true],
		['completed', 'canceled', true],
		['completed', 'crashed', false],
		['succeeded', 'success', true],
		['succeeded', 'waiting', true],
		['succeeded', 'canceled', true],
		['succeeded', 'error', false],
	] as const)(
		'delivered %s, an execution that is %s: committed? %s',
		async (way, status, isDone) => {
			const { deliver, batch, executions } = attached({ delivery: way });
			const one = batch();
			await deliver(one);
			if (status !== 'running') await executions[0]?.end(status);
			expect(one.progress.committed.offset.entries).toBe(isDone ? 1 : 0);
			await pass(1_000);
			expect(executions).toHaveLength(isDone || status === 'running' ? 1 : 2);
		},
	);

	it.each([
		[{ reason: 'manual' }, 'succeeded', true],
		[{ reason: 'timeout' }, 'completed', true],
		[{ reason: 'timeout' }, 'succeeded', false],
		[{ reason: 'other' }, 'completed', false],
		['text', 'completed', false],
	] as const)(
		'n8n rejects one with %j, delivered %s: committed? %s',
		async (error, way, isDone) => {
			const { deliver, batch, executions } = attached({ delivery: way });
			const one = batch();
			await deliver(one);
			await executions[0]?.fail(error);
			expect(one.progress.committed.offset.entries).toBe(isDone ? 1 : 0);
			await pass(1_000);
			expect(executions).toHaveLength(isDone ? 1 : 2);
		},
	);

	it('n8n interrupted while stopping: nothing is committed, and nothing repeated', async () => {
		const { deliver, batch, executions } = attached();
		const one = batch();
		await deliver(one);
		await executions[0]?.fail({ reason: 'shutdown' });
		await pass(HOUR);
		expect(one.progress.committed.offset.entries).toBe(0);
		expect(executions).toHaveLength(1);
	});
});

describe('a batch that fails', () => {
	it('holds back its own log alone, and is repeated before what follows', async () => {
		const { deliver, batch, executions, starts } = attached({ delivery: 'succeeded' });
		await deliver(batch('a'));
		await deliver(batch('a'));
		await deliver(batch('b'));
		await executions[0]?.end('error');
		expect(starts()).toEqual([0, 2]);
		await executions[1]?.end();
		expect(starts()).toEqual([0, 2]);
		await pass(1_000);
		expect(starts()).toEqual([0, 2, 0]);
		await executions[2]?.end();
		expect(starts()).toEqual([0, 2, 0, 1]);
	});

	it('is repeated after pauses that double up to five minutes', async () => {
		const { deliver, executions, reports } = attached({ delivery: 'succeeded' });
		await deliver();
		for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]) {
			const before = executions.length;
			await executions.at(-1)?.end('error');
			await pass(seconds * 1_000 - 1);
			expect(executions).toHaveLength(before);
			await pass(1);
			expect(executions).toHaveLength(before + 1);
		}
		expect(reports).toEqual([]);
	});

	it.each([1, 3])(
		'is given up after %d tries, says so, and the next one comes',
		async (giveUpAfter) => {
			const { deliver, batch, executions, reports, starts } = attached({
				delivery: 'succeeded',
				giveUpAfter,
			});
			const one = batch();
			await deliver(one);
			await deliver(batch());
			for (let tries = 1; tries <= giveUpAfter; tries++) {
				expect(reports).toEqual([]);
				await executions[tries - 1]?.end('error');
				if (tries < giveUpAfter) await pass(1_000 * 2 ** tries);
			}
			expect(reports).toEqual([
				expect.stringMatching(
					new RegExp(`stdout log of container c failed ${giveUpAfter} times.*offset 0\\.`),
				),
			]);
			expect(starts().at(-1)).toBe(1);
			expect(one.progress.committed.offset.entries).toBe(1);
		},
	);

	it.each([
		[[{ json: { first_offset: 5 } }], 'offset 5'],
		[[{ json: { offset: null, first_offset: 'id' } }], 'offset id'],
		[[{ json: {} }], 'offset unknown'],
	])('is named by its first item: %j', async (items, place) => {
		const { deliver, batch, executions, reports } = attached({
			delivery: 'succeeded',
			giveUpAfter: 1,
		});
		await deliver(batch('c', { items }));
		await executions[0]?.end('error');
		expect(reports[0]).toContain(place);
	});

	it('is never given up where n8n could not start it', async () => {
		const { deliver, executions, reports } = attached({ giveUpAfter: 1 });
		await deliver();
		await executions[0]?.end('crashed');
		await pass(1_000);
		expect(executions).toHaveLength(2);
		expect(reports).toEqual([]);
	});
});

describe('a limit of executions in a minute', () => {
	it('drops what is above it, and tells how much with the next one', async () => {
		const { deliver, batch, executions, starts, results } = attached({ maxExecutionsPerMinute: 2 });
		const deliverAll = async (lines: number[]) => {
			for (const count of lines) {
				await deliver(batch('c', { lines: count }));
				await executions.at(-1)?.end();
			}
		};
		await deliverAll([1, 1, 5, 7]);
		expect(starts()).toEqual([0, 1]);
		expect(results).toEqual([true, true, true, true]);
		await pass(59_999);
		await deliverAll([1]);
		expect(starts()).toEqual([0, 1]);
		await pass(1);
		await deliverAll([1, 1]);
		expect(executions.map(({ json }) => json?.held_back)).toEqual([
			undefined,
			undefined,
			13,
			undefined,
		]);
	});

	it('commits what it drops', async () => {
		const { deliver, batch, executions } = attached({ maxExecutionsPerMinute: 1 });
		await deliver();
		await executions[0]?.end();
		const dropped = batch();
		await deliver(dropped);
		expect(dropped.progress.committed.offset.entries).toBe(2);
		// The number of the next batch is where the log goes on
		expect(batch().progress.committed.offset.entries).toBe(2);
	});
});
