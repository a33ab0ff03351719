import { describe, expect, it } from 'vitest';
import { PendingEntry } from '../../nodes/CaasLogsTrigger/batcher.ts';
import { Outbox } from '../../nodes/CaasLogsTrigger/outbox.ts';
import { batching, START } from './log-batcher-parts.mts';
import { entry } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

describe('an entry of several lines', () => {
	const pending = (first: string, maxLength = 1_000) =>
		new PendingEntry(entry(first), 0, START, 0, maxLength);

	it('has blank lines within it, but none at its end; one line is as it was', () => {
		const one = pending('a ');
		expect(one.event.data).toBe('a ');
		for (const line of ['', 'b', '', ' ']) one.append(entry(line));
		expect(one.event.data).toBe('a \n\nb');
	});

	it('has 500 lines at most', () => {
		const one = pending('a', 10_000);
		for (let lines = 1; lines < 500; lines++) expect(one.append(entry('b'))).toBe(true);
		expect(one.append(entry('b'))).toBe(false);
		expect(one.event.data.split('\n')).toHaveLength(500);
	});

	it.each([
		[5, true],
		[6, false],
	])('has so many characters at most: %d more fit? %s', (length, fits) => {
		expect(pending('aaaa', 10).append(entry('b'.repeat(length)))).toBe(fits);
	});

	it('is truncated where one of its lines is', () => {
		const one = pending('a');
		one.append(entry('b', { truncated: true }));
		one.append(entry('c'));
		expect(one.event.truncated).toBe(true);
	});
});

describe('between connections', () => {
	function boxed(isTaken = true) {
		const parts = batching({ maxWaitMs: 40_000 });
		const handed: Array<unknown> = [];
		const outbox = new Outbox(parts.batcher, async ({ items, isLast }) => {
			handed.push([...items.map(({ json }) => json.line), isLast]);
			return await Promise.resolve(isTaken);
		});
		return { ...parts, outbox, handed };
	}

	it('what has waited long enough is handed over', async () => {
		const { add, outbox, handed } = boxed();
		add('a');
		await outbox.beginGap();
		await pass(39_999);
		expect(handed).toEqual([]);
		await pass(1);
		expect(handed).toEqual([['a', false]]);
	});

	it('nothing is once a connection is read again', async () => {
		const { add, outbox, handed, batches } = boxed();
		add('a');
		await outbox.beginGap();
		await pass(1_000);
		await outbox.endGap();
		await pass(100_000);
		expect([handed, batches()]).toEqual([[], []]);
	});

	it('what is not taken stays, and is handed over later', async () => {
		const { add, outbox, handed, batcher } = boxed(false);
		add('a');
		await outbox.beginGap();
		await pass(40_000);
		add('b');
		await pass(100_000);
		expect(handed).toEqual([['a', false]]);
		expect(await outbox.deliverReady(true)).toBe(false);
		expect(handed.at(-1)).toEqual(['a', true]);
		expect(batcher.ready).toHaveLength(1);
	});

	it('nothing waits: all that is ready is handed over, in order', async () => {
		const { add, outbox, handed, batcher } = boxed();
		for (const line of ['a', 'b']) {
			add(line);
			batcher.flush();
		}
		expect(await outbox.deliverReady()).toBe(true);
		expect(handed).toEqual([
			['a', false],
			['b', false],
		]);
		expect(batcher.ready).toEqual([]);
	});
});
