import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WINDOW } from '../../nodes/CaasLogsTrigger/cursor.ts';
import { BEGINNING } from '../../nodes/marketplace/log/request.ts';
import { OverlapReader, type FirstIndex, type Visit } from './log-overlap-reader.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const numbered = (number: number) => `line ${number}`;

/** Services that keep a log; where it begins they send the first line, whatever they count from. */
const SERVICES: Record<string, FirstIndex> = {
	'honours the offset': (offset) => offset,
	'sends the entry before the offset, too': (offset) => offset - 1,
	'begins one entry after the offset': (offset) => (offset === 0 ? 0 : offset + 1),
	'ignores the offset': () => 0,
	'sends its last entries': (_, kept) => kept,
	'drops old entries and counts all': (offset, kept) => Math.max(offset, kept),
	'drops old entries and counts the others': (offset, kept) => kept + offset,
};

/** Connections that are lost in a row: after more of them, what they brought counts as all that there is. */
const MOST_BREAKS = 4;

const visits = fc
	.array(
		fc.record<Visit>({
			write: fc.nat(30),
			breaksAfter: fc.option(fc.nat(40), { nil: undefined, freq: 3 }),
			live: fc.nat(5),
			ends: fc.boolean(),
		}),
		{ maxLength: 15 },
	)
	.map((plan) =>
		plan.map((one, index) => {
			const isWhole = index % (MOST_BREAKS + 1) === MOST_BREAKS;
			return isWhole ? { ...one, breaksAfter: undefined } : one;
		}),
	);

/** A connection that gets all that the service has, and then nothing. */
const visit = (write: number, live = 0): Visit => ({ write, live, ends: false });

/** A connection that is lost after so many lines. */
const lost = (breaksAfter: number): Visit => ({ ...visit(0), breaksAfter });

/** Plans that were found by chance: near its beginning, a log looks the same from an offset and from the beginning. */
const FOUND_PLANS: Visit[][] = [
	[visit(0), visit(0, 4), lost(2), visit(0), visit(27, 2), lost(0), visit(0), lost(0), lost(1)],
	[visit(24, 3), visit(10), lost(2), lost(0), visit(0), lost(1), visit(0), lost(0), lost(1)],
];

describe.each(Object.entries(SERVICES))('at a service that %s', (_, service) => {
	it('lines that differ come once each, in order, however connections break', () => {
		fc.assert(
			fc.property(visits, (plan) => {
				const reader = new OverlapReader(numbered, service);
				for (const one of plan) reader.visit(one);
				reader.visit(visit(0));
				expect(reader.delivered).toEqual(reader.log);
			}),
			{
				examples: FOUND_PLANS.map((plan): [Visit[]] => [plan]),
				numRuns: Number(process.env.OVERLAP_RUNS ?? 100),
			},
		);
	});
});

it.each([1, 2, 3])('lines of which only %d differ: none is lost', (different) => {
	fc.assert(
		fc.property(visits, fc.boolean(), (plan, isIgnored) => {
			const reader = new OverlapReader(
				(number) => `tick ${(number * number) % different}`,
				(offset) => (isIgnored ? 0 : offset),
			);
			for (const one of plan) reader.visit(one);
			reader.visit(visit(0));
			expect(reader.delivered.length).toBeGreaterThanOrEqual(reader.log.length);
		}),
		{
			examples: [
				[
					[
						{ ...lost(30), write: 30 },
						{ ...lost(1), write: 12 },
						{ ...lost(5), write: 4 },
					],
					true,
				],
				// A part of the beginning counted as new: the last lines looked like those with which a service ends a connection
				[
					[
						{ ...lost(30), write: 30 },
						{ ...lost(0), write: 4 },
						lost(1),
						{ ...lost(5), write: 18 },
					],
					true,
				],
			],
		},
	);
});

describe('a log is requested', () => {
	it('from the first of the known entries and some more, where the service may count otherwise', () => {
		const reader = new OverlapReader(numbered);
		reader.visit(visit(100));
		reader.visit(visit(10));
		expect(reader.requested).toEqual([0, 100 - WINDOW - 4]);
		expect(reader.delivered).toEqual(reader.log);
	});

	it('exactly from the first of them, where all are equal', () => {
		const reader = new OverlapReader(() => 'tick');
		reader.visit(visit(100));
		reader.visit(visit(10));
		expect(reader.requested).toEqual([0, 100 - WINDOW]);
		expect(reader.delivered).toEqual(reader.log);
	});

	it('from the beginning where they do not come', () => {
		const reader = new OverlapReader(numbered, (offset) =>
			offset === 0 ? 0 : offset + WINDOW + 4,
		);
		reader.visit(visit(100));
		reader.visit(visit(10));
		expect(reader.requested).toEqual([0, 100 - WINDOW - 4, 0]);
		expect(reader.delivered).toEqual(reader.log);
	});
});

describe('another log', () => {
	it.each([1, 3, 100])('after one of %d lines is read from its beginning, once', (count) => {
		const reader = new OverlapReader(numbered);
		reader.visit(visit(count));
		const old = reader.log.splice(0);
		reader.log.push('a', 'b', 'c', 'd', 'e');
		reader.visit(visit(0));
		reader.log.push('f');
		reader.visit(visit(0));
		expect(reader.delivered).toEqual([...old, 'a', 'b', 'c', 'd', 'e', 'f']);
		expect(reader.cursor.entries).toBe(6);
	});

	it('is told from one answer with other lines, after which the log is as before', () => {
		const reader = new OverlapReader(numbered);
		reader.visit(visit(50));
		const log = reader.log.splice(0);
		reader.log.push('<html>', 'Bad gateway', '</html>');
		reader.visit({ ...visit(0), breaksAfter: 3 });
		reader.log.splice(0, 3, ...log);
		reader.visit(visit(5));
		expect(reader.delivered).toEqual(reader.log);
	});

	it('may be empty at first', () => {
		const reader = new OverlapReader(numbered);
		reader.visit(visit(50));
		const old = reader.log.splice(0);
		reader.visit(visit(0, 3));
		// They come after the silence that a slow service may keep: only another connection tells
		for (let connection = 0; connection < 2; connection++) reader.visit(visit(0));
		expect(reader.delivered).toEqual([...old, ...reader.log]);
		expect(reader.cursor.entries).toBe(3);
	});
});

it('a service that shows new lines only: each of them comes once', () => {
	for (const line of [numbered, () => 'tick']) {
		const reader = new OverlapReader(line, () => Infinity);
		for (let visits = 0; visits < 5; visits++) reader.visit({ ...visit(2, 20), soon: 40 });
		expect(reader.delivered).toHaveLength(5 * 60);
	}
});

describe('at a stop while the place is searched, after an answer from the beginning that was lost', () => {
	const SAME = 12;

	/** A reader that has lost two answers from the place: the next one is from the beginning. */
	function searching(): OverlapReader {
		const reader = new OverlapReader(numbered);
		reader.visit(visit(100));
		reader.visit(visit(10));
		for (const lines of [0, 0]) reader.visit(lost(lines));
		return reader;
	}

	it('nothing comes again, if the next one shows that it is the known log', () => {
		const reader = searching();
		for (const lines of [20, 12]) reader.visit(lost(lines));
		reader.overlap.release();
		expect(reader.requested.slice(-2)).toEqual([0, expect.any(Number)]);
		expect(reader.requested.at(-1)).toBeGreaterThan(0);
		expect(reader.delivered).toEqual(reader.log);
	});

	it('all of it comes, if it may be another log that begins in the same way', () => {
		const reader = searching();
		const known = reader.log.splice(SAME);
		for (let line = 0; line < known.length; line++) reader.log.push(`another ${line}`);
		for (const lines of [20, 5]) reader.visit(lost(lines));
		reader.overlap.release();
		expect(reader.delivered.slice(-8)).toEqual(reader.log.slice(SAME, 20));
	});
});

describe('where no entry is known, lines are left out by their number', () => {
	const offset = { entries: 15, bytes: 0, lastEventId: '' };

	it.each<[string, FirstIndex]>([
		['honours the offset', (from) => from],
		['ignores the offset', () => 0],
	])('from a start offset on, at a service that %s', (_, service) => {
		const reader = new OverlapReader(numbered, service, { offset, from: BEGINNING, known: [] });
		reader.visit({ ...visit(10), breaksAfter: 5 });
		reader.visit(visit(10));
		reader.visit(visit(5));
		expect(reader.delivered).toEqual(reader.log.slice(15));
	});

	it('as version 0.1 has saved it: requested at its offset, or left out with the unit None', () => {
		const position = { offset, from: offset, known: [] };
		const honoured = new OverlapReader(numbered, (from) => from, position);
		const ignored = new OverlapReader(numbered, () => 0, position, 'none');
		for (const reader of [honoured, ignored]) {
			reader.visit(visit(20));
			reader.visit(visit(20));
			expect(reader.delivered).toEqual(reader.log.slice(15));
		}
		expect(honoured.requested[0]).toBe(15);
	});
});
