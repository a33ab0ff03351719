import { describe, expect, it } from 'vitest';
import { batching, pattern } from './log-batcher-parts.mts';
import { LOG } from './log-parts.mts';
import { pass, useStillTime } from './still-time.mts';

useStillTime();

describe('a batch is complete', () => {
	it.each([1, 2])('with %d lines', (maxEntries) => {
		const { add, batches } = batching({ maxEntries });
		add('a', 'b', 'c');
		expect(batches()).toEqual(maxEntries === 1 ? [['a'], ['b'], ['c']] : [['a', 'b']]);
	});

	it.each<[string, string[], number]>([
		['just fits in bytes', ['a'.repeat(10), 'b'.repeat(20)], 0],
		['has a byte too many', ['a'.repeat(10), 'b'.repeat(21)], 1],
		['just fits with characters of several bytes', ['é'.repeat(5), 'ü'.repeat(10)], 0],
		['has such a character too many', ['é'.repeat(5), 'ü'.repeat(11)], 1],
		['is too large alone', ['a'.repeat(90)], 0],
		['follows one that was', ['a'.repeat(90), 'b'], 1],
		[
			'comes after a full batch, which does not count',
			['a'.repeat(25), 'b'.repeat(25), 'c', 'd'],
			1,
		],
		['fits after others that fit', ['a'.repeat(9), 'b'.repeat(9), 'c'.repeat(9), 'd'.repeat(3)], 0],
		['does not fit after them', ['a'.repeat(9), 'b'.repeat(9), 'c'.repeat(9), 'd'.repeat(4)], 1],
	])('before a line that does not fit: one that %s', (_, lines, complete) => {
		const { add, batches } = batching({ maxBytes: 30 });
		add(...lines);
		expect(batches()).toHaveLength(complete);
	});

	it('a time after its first line, and not sooner', async () => {
		const { add, batcher, batches, start } = batching({ maxWaitMs: 500 });
		expect(batcher.deadline).toBe(Infinity);
		add('a');
		await pass(499);
		add('b');
		batcher.flushDue();
		expect(batches()).toEqual([]);
		expect(batcher.deadline).toBe(start + 500);
		await pass(1);
		batcher.flushDue();
		expect(batches()).toEqual([['a', 'b']]);
		expect(batcher.deadline).toBe(Infinity);
	});

	it('with the line to stop on, after which nothing comes', () => {
		const { add, batches, batcher } = batching({ stopOn: pattern('stop') });
		add('a', 'now stop', 'b');
		expect(batches()).toEqual([['a', 'now stop']]);
		expect(batcher.hasStopLine).toBe(true);
	});

	it('without any line is none', () => {
		const { batcher } = batching();
		batcher.flush();
		expect(batcher.ready).toEqual([]);
	});

	it('and says how many lines it has, although it is one item', () => {
		const { add, batcher } = batching({ output: 'batch', maxEntries: 2 });
		add('a', 'b');
		expect(batcher.ready).toMatchObject([
			{ lines: 2, log: LOG, items: [{ json: { count: 2, first_offset: 0, last_offset: 1 } }] },
		]);
	});
});

describe('the committed position', () => {
	it('is before the first line of a batch, and after lines that are not wanted', () => {
		const { add, batcher, committed, progress } = batching({ include: pattern('!') });
		add('no', 'no');
		expect(committed()).toBe(2);
		add('a!', 'no');
		expect(committed()).toBe(2);
		batcher.flush();
		expect(committed()).toBe(2);
		for (const { unfinished } of batcher.ready) progress.finish(unfinished);
		expect(committed()).toBe(4);
	});

	it('is before lines that may be context of a match to come', () => {
		const { add, batcher, committed } = batching({ include: pattern('!'), contextLines: 2 });
		add('1', '2', '3');
		expect(committed()).toBe(1);
		add('a!');
		batcher.flush();
		expect(committed()).toBe(1);
	});

	it('is before an entry that may continue', () => {
		const { add, committed } = batching({ joinLines: true, include: pattern('!') });
		add('a', 'b', '  of b');
		expect(committed()).toBe(1);
	});

	it('keeps how many lines are still wanted after a match', () => {
		const { add, progress, batcher } = batching({ include: pattern('!'), contextLines: 3 });
		add('a!', '1');
		batcher.flush();
		for (const { unfinished } of batcher.ready) progress.finish(unfinished);
		expect(progress.committed.contextLinesLeft).toBe(2);
	});
});

describe('context lines', () => {
	const settings = { include: pattern('!'), contextLines: 2 };

	it('come before and after a match, once each', () => {
		const { add, batches, batcher } = batching(settings);
		add('1', '2', '3', 'a!', '4', 'b!', '5', '6', '7', '8', '9', 'c!');
		batcher.flush();
		expect(batches()).toEqual([
			['(2)', '(3)', 'a!', '(4)', 'b!', '(5)', '(6)', '(8)', '(9)', 'c!'],
		]);
		expect(batcher.ready[0]?.items[2]?.json.matched).toBe(true);
	});

	it('are none where none are wanted, and lines are not marked', () => {
		const { add, batches, batcher } = batching({ ...settings, contextLines: 0 });
		add('1', 'a!', '2');
		batcher.flush();
		expect(batches()).toEqual([['a!']]);
		expect(batcher.ready[0]?.items[0]?.json).not.toHaveProperty('matched');
	});

	it.each([
		[1, ['(1)', 'a!']],
		[2, ['(1)', '(2)', 'a!']],
		[9, ['(1)', '(2)', 'a!']],
	])('of a match before the start: %d, but no more than are wanted', (left, lines) => {
		const { add, batches, batcher } = batching({ ...settings, contextLines: 2 }, left);
		add('1', '2');
		if (left === 9) add('3');
		batcher.flush();
		add('a!');
		batcher.flush();
		const all = batches().flat();
		expect(all.slice(0, lines.length - 1)).toEqual(lines.slice(0, -1));
		expect(all).toContain('a!');
		expect(all).toHaveLength(left === 9 ? 4 : 3);
	});

	it('are none of another log', () => {
		const { add, batches, batcher } = batching(settings);
		add('a!', '1');
		batcher.restart();
		add('2', '3');
		batcher.restart();
		add('b!');
		batcher.flush();
		expect(batches()).toEqual([['a!', '(1)'], ['b!']]);
	});
});

describe('lines of one entry', () => {
	const settings = { joinLines: true, maxWaitMs: 500 };

	it('are one item, which is complete when the next one begins', () => {
		const { add, batches, batcher } = batching({ ...settings, maxEntries: 1 });
		add('a', '  of a', 'b');
		expect(batches()).toEqual([['a\n  of a']]);
		batcher.flush();
		expect(batches()).toEqual([['a\n  of a'], ['b']]);
		expect(batcher.ready[1]?.items[0]?.json.offset).toBe(2);
	});

	it('wait as long as a batch, from the first of them on', async () => {
		const { add, batches, batcher, start } = batching(settings);
		add('a');
		await pass(300);
		add('b');
		expect(batcher.deadline).toBe(start + 500);
		await pass(199);
		batcher.flushDue();
		expect(batches()).toEqual([]);
		await pass(1);
		batcher.flushDue();
		expect(batches()).toEqual([['a']]);
		expect(batcher.deadline).toBe(start + 800);
		await pass(300);
		batcher.flushDue();
		expect(batches()).toEqual([['a'], ['b']]);
	});

	it('stay with the batcher where the connection is over: the next one may continue them', () => {
		const { add, batches, batcher } = batching(settings);
		add('a', 'b');
		batcher.completeBatch();
		expect(batches()).toEqual([['a']]);
		add('  of b');
		batcher.flush();
		expect(batches()).toEqual([['a'], ['b\n  of b']]);
	});

	it('are none after the line to stop on, which is known when the next one begins', () => {
		const { add, batches, batcher } = batching({ ...settings, stopOn: pattern('stop') });
		add('stop', '  of it', 'b', 'c');
		expect(batches()).toEqual([['stop\n  of it']]);
		batcher.flush();
		expect(batches()).toHaveLength(1);
	});
});
