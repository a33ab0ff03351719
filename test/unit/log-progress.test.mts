import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIRST, MARGIN, WINDOW, type Position } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { Progress, type Unfinished } from '../../nodes/CaasLogsTrigger/progress.ts';

const at = (entries: number): Position => ({
	offset: { entries, bytes: entries * 10, lastEventId: entries > 0 ? `id ${entries - 1}` : '' },
	known: [],
	from: { entries, bytes: entries * 10, lastEventId: '' },
});

/** A log of which so many batches of ten entries have begun. */
function begun(count: number): {
	progress: Progress;
	batches: Unfinished[];
	finish(index: number): void;
} {
	const progress = new Progress(at(0));
	progress.follow(() => at(count * 10));
	const batches = Array.from({ length: count }, (_, index) => progress.begin(at(index * 10)));
	const finish = (index: number) => {
		for (const batch of batches.slice(index, index + 1)) progress.finish(batch);
	};
	return { progress, batches, finish };
}

describe('the committed position of a log', () => {
	it('is the start of the first batch that is not finished, in whatever order they end', () => {
		const order = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 });
		fc.assert(
			fc.property(order, (ends) => {
				const { progress, finish } = begun(5);
				const open = new Set([0, 1, 2, 3, 4]);
				for (const index of ends) {
					finish(index);
					open.delete(index);
					const first = Math.min(5, ...open);
					expect(progress.committed.offset.entries).toBe(first * 10);
				}
			}),
		);
	});

	it('is where the reader is, once nothing is unfinished: what was filtered out is done', () => {
		const { progress, finish } = begun(1);
		progress.follow(() => at(77));
		expect(progress.committed).toEqual(at(0));
		finish(0);
		expect(progress.committed).toEqual(at(77));
	});
});

describe('the next reader of a log', () => {
	it('begins after batches whose executions run, and they commit when they end', () => {
		const { progress, batches } = begun(2);
		for (const batch of batches) batch.isRunning = true;
		expect(progress.resume()).toEqual(at(20));
		expect(progress.committed).toEqual(at(0));
		for (const batch of batches) progress.finish(batch);
		expect(progress.committed).toEqual(at(20));
	});

	it('begins at the first batch that waits for its execution', () => {
		const { progress, batches, finish } = begun(3);
		for (const batch of batches.slice(0, 1)) batch.isRunning = true;
		expect(progress.resume()).toEqual(at(10));
		finish(0);
		expect(progress.committed).toEqual(at(10));
		// The reader that is gone may still end its batches
		finish(2);
		expect(progress.committed).toEqual(at(10));
	});
});

describe('a log that is read no further', () => {
	it('commits what is finished, and nothing that begins after that', () => {
		const { progress, finish } = begun(1);
		progress.freeze();
		const later = progress.begin(at(50));
		progress.follow(() => at(99));
		expect(progress.committed).toEqual(at(0));
		finish(0);
		expect(progress.committed).toEqual(at(99));
		progress.finish(later);
		progress.freeze();
		progress.begin(at(60));
		expect(progress.committed).toEqual(at(99));
		// Another reader goes on
		progress.follow(() => at(120));
		progress.begin(at(110));
		expect(progress.committed).toEqual(at(110));
	});

	it('stays where it was frozen, however its reader goes on', () => {
		let count = 10;
		const progress = new Progress(at(0));
		progress.follow(() => at(count));
		progress.freeze();
		count = 20;
		expect(progress.committed).toEqual(at(10));
	});
});

describe('what is saved of a log', () => {
	const position: Position = {
		offset: { entries: 40, bytes: 400, lastEventId: '39' },
		known: ['abc', 'def'],
		from: { entries: 38, bytes: 380, lastEventId: '37' },
		contextLinesLeft: 2,
	};
	const saved = (progress: Progress) => JSON.parse(JSON.stringify(progress.save())) as unknown;

	it('is read as it was', () => {
		expect(Progress.load(saved(new Progress(position)))?.committed).toEqual(position);
		const start = Progress.load(saved(new Progress(at(0))));
		expect(start?.committed).toMatchObject(at(0));
	});

	it('has where the last entry begins, how the log does, and since when it is not followed', () => {
		const last = { entries: 39, bytes: 390, lastEventId: '38' };
		const progress = new Progress({ ...position, last, first: ['abc', 'ghi'] });
		progress.leftAt = 0;
		const loaded = Progress.load(saved(progress));
		expect(loaded?.committed).toMatchObject({ last, first: ['abc', 'ghi'] });
		expect(loaded?.leftAt).toBe(0);
		expect(saved(new Progress(at(0)))).toEqual({ at: [0, 0, ''], from: [0, 0, ''], known: '' });
	});

	it.each([
		[{ left: 'x' }, { leftAt: undefined }],
		[{ stopped: 1 }, { hasStopped: false }],
		[{ first: 'a b  c' }, { committed: { first: ['a', 'b'] } }],
		[{ first: 7, known: '' }, { committed: { first: undefined, known: [] } }],
		[{ known: ' a  b ' }, { committed: { known: ['a', 'b'] } }],
		[{ context: 'x' }, { committed: { contextLinesLeft: undefined } }],
		[{ context: 0 }, { committed: { contextLinesLeft: 0 } }],
	])('is read without what is damaged in it: %j', (damaged, expected) => {
		const sound = { at: [2, 9, ''], from: [2, 9, ''], known: 'x', first: 'y' };
		expect(Progress.load({ ...sound, ...damaged })).toMatchObject(expected);
	});

	it('has as many known entries and first ones as are kept, the last and the first of them', () => {
		const names = Array.from({ length: 60 }, (_, index) => `n${index}`);
		const text = names.join(' ');
		const loaded = Progress.load({ at: [60, 9, ''], from: [0, 0, ''], known: text, first: text });
		expect(loaded?.committed.known).toEqual(names.slice(-WINDOW - MARGIN));
		expect(loaded?.committed.first).toEqual(names.slice(0, FIRST));
	});

	it('is the start of the first unfinished batch, not how far the log is read', () => {
		const { progress } = begun(3);
		expect(Progress.load(saved(progress))?.committed.offset).toEqual(at(0).offset);
	});

	it('tells of the line to stop on once its batch is finished', () => {
		const { progress, finish } = begun(1);
		progress.hasStopped = true;
		expect(Progress.load(saved(progress))?.hasStopped).toBe(false);
		finish(0);
		expect(Progress.load(saved(progress))?.hasStopped).toBe(true);
	});

	it.each<[string, unknown[], unknown[], Position['offset']]>([
		['of one log', [40, 400, '39', 0], [0, 0], { entries: 40, bytes: 400, lastEventId: '39' }],
		['after a rotation', [40, 400, '', 0], [30, 310], { entries: 10, bytes: 90, lastEventId: '' }],
		['at a rotation', [30, 310, '', 0], [30, 310], { entries: 0, bytes: 0, lastEventId: '' }],
		[
			'at a rotation, with an ID',
			[30, 320, '29', 0],
			[30, 310],
			{ entries: 0, bytes: 10, lastEventId: '29' },
		],
		[
			'whose rotation is damaged',
			[40, 400, '', 0],
			['x'],
			{ entries: 40, bytes: 400, lastEventId: '' },
		],
		['before a rotation', [20, 200, '', 0], [30, 310], { entries: 0, bytes: 0, lastEventId: '' }],
	])('by version 0.1 is its committed offset: %s', (_, committed, base, offset) => {
		const loaded = Progress.load({ at: committed, flights: [], tip: [], base });
		expect(loaded?.committed).toEqual({ offset, from: offset, known: [] });
	});

	it('has no more known entries than were read', () => {
		const loaded = Progress.load({ at: [1, 9, ''], from: [0, 0, ''], known: 'a b c' });
		expect(loaded?.committed.known).toEqual(['c']);
	});

	it.each([
		undefined,
		null,
		'',
		{},
		{ at: [1, 2], from: [1, 2, ''], known: '' },
		{ at: [1, 2, ''], from: ['1', 2, ''], known: '' },
		{ at: [1, 2, ''], from: [1, 2, ''] },
		{ at: 'x', flights: [] },
		{ at: [-1, 2, ''], from: [-1, 2, ''], known: '' },
		{ at: [1.5, 2, ''], from: [0, 2, ''], known: '' },
		{ at: [1, 2, ''], from: [2, 2, ''], known: '' },
	])('is not read where it is something else: %j', (other) => {
		expect(Progress.load(other)).toBeUndefined();
	});
});
