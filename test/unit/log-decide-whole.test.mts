import { describe, expect, it } from 'vitest';
import { decide, type Habit } from '../../nodes/CaasLogsTrigger/decide.ts';
import { check, found, request, ROTATED, WAIT } from './log-decide-fixture.mts';
import {
	answerOf,
	BEFORE,
	BYTES,
	equal,
	FIRST,
	knownOf,
	last,
	lastOneOf,
	lines,
	searchOf,
	varied,
	type Came,
} from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const start = BEFORE;
const LATE = 901;

const newOnly: Partial<Habit> = { showsNewOnly: true };
const past: Partial<Habit> = { showsPast: true };

const silent = { start, ending: 'silent' } satisfies Came;
const ended = { start, ending: 'ended' } satisfies Came;
const others = { ...silent, lines: ['x', 'y'] } satisfies Came;
const fromBeginning = { ...silent, requested: 'beginning', start: 0 } satisfies Came;
const late = { ...silent, lines: lines(10), delayMs: LATE } satisfies Came;

describe('when all that the service has has come', () => {
	const greeted = (name: string): Came => ({ ...fromBeginning, lines: [name, ...FIRST] });
	const page = { ...ended, lines: lines(2) } satisfies Came;
	const loose = { ...silent, lines: lines(4, 6), start: 90 } satisfies Came;
	const tick = knownOf(['tick'], BEFORE);

	describe('the known lines in it show the place', () => {
		check([
			['at once', varied, [{ ...late, delayMs: 300 }], found(10)],
			['late, on the next connection', varied, [late], request('window')],
			['once more', varied, [late, late], found(10)],
			[
				'or not: it is another log',
				varied,
				[late, { ...silent, delayMs: LATE }],
				{ kind: 'rotated' },
			],
			['but an answer that has ended shows nothing', varied, [late, ended], request('beginning')],
			['behind a greeting', knownOf(['x', ...FIRST]), [greeted('y'), greeted('z')], found(5)],
			['at the end of the log alone', varied, [loose], found(4)],
			['not late', varied, [{ ...loose, delayMs: LATE }], request('window')],
			[
				'nor once more, they are too few',
				varied,
				[
					{ ...loose, delayMs: LATE },
					{ ...loose, delayMs: LATE },
				],
				request('beginning'),
			],
			[
				'or other lines come, and the beginning tells',
				varied,
				[late, others],
				request('beginning'),
			],
			['in a page, the last one is requested', varied, [page], request('last')],
			['not if the answer goes on', varied, [{ ...page, ending: 'silent' }], request('beginning')],
			[
				'not if lines came that are not known',
				varied,
				[{ ...page, lines: ['x', 'y'] }],
				request('beginning'),
			],
		]);

		it('nothing, while the store of the service is behind', () => {
			const whole: Came = { ...page, ending: 'silent' };
			const log: Came = { ...fromBeginning, lines: FIRST };
			for (const came of [
				[whole, log],
				[whole, log, whole],
			])
				expect(decide(searchOf(varied, came))).toEqual(request('window'));
			// It ends its answers: they may be pages
			const search = searchOf(varied, [log, page]);
			search.answers.unshift(answerOf(ended, last));
			expect(decide(search)).toEqual(request('last'));
		});

		it('of the last one, if that was not requested before', () => {
			const search = searchOf(varied, [page]);
			search.answers.unshift(answerOf({ ...ended, lines: ['x'] }, last));
			expect(decide(search)).toEqual(request('beginning'));
		});
	});

	describe('to a request for the last known entry alone', () => {
		check([
			['it is there', last, [{ ...ended, start: 109, lines: ['line 9'] }], found(1)],
			['it is not', last, [{ ...ended, start: 109, lines: ['x'] }], request('all')],
			['nothing is', last, [{ ...ended, start: 109 }], request('all')],
		]);

		it('it is late where it may be elsewhere, at a service that has shown the past', () => {
			const one = { ...lastOneOf(equal), isRepetitive: true, isLast: true };
			const came = { ...ended, start: 109, lines: ['x', 'tick', 'y'], delayMs: 900 };
			// Equal lines are counted unless the offset is known to be honoured
			const habit = { ...past, offset: 'honoured' } as const;
			const twice = { ...one, digests: ['x', 'tick'] };
			expect(decide(searchOf(one, [came], { habit }))).toEqual(found(2));
			expect(decide(searchOf({ ...twice, digests: ['z', 'tick'] }, [came], { habit }))).toEqual(
				found(2),
			);
			expect(
				decide(
					searchOf({ ...twice, digests: ['z', 'tick'] }, [came], { habit: { offset: 'honoured' } }),
				),
			).toEqual(request('all'));
		});
	});

	describe('without the known lines', () => {
		check([
			['the beginning is requested', varied, [others], request('beginning')],
			[
				'from there, once more',
				varied,
				[others, { ...fromBeginning, lines: ['x', 'y'] }],
				request('beginning'),
			],
			[
				'and it is another log',
				varied,
				[others, { ...fromBeginning, lines: ['x'] }, { ...fromBeginning, lines: ['x'] }],
				ROTATED,
			],
			[
				'not if that was lost',
				varied,
				[
					others,
					{ ...fromBeginning, lines: ['x'], ending: 'broken' },
					{ ...fromBeginning, lines: ['x'] },
				],
				request('beginning'),
			],
			[
				'where the offset is the beginning, the same',
				knownOf(lines(2)),
				[{ ...fromBeginning, requested: 'window', lines: ['x'] }],
				request('beginning'),
			],
			[
				'where new lines alone were shown, it is another log',
				varied,
				[{ ...others, delayMs: 900 }],
				ROTATED,
				newOnly,
			],
			['not where nothing came', varied, [silent], request('beginning'), newOnly],
			[
				'an answer that ends without lines is none',
				varied,
				[{ ...fromBeginning, ending: 'ended' }],
				request('beginning'),
			],
			['nor one from the offset', knownOf(lines(2)), [{ ...ended, start: 0 }], request('window')],
			['an answer that goes on without lines may bring them', varied, [fromBeginning], WAIT],
			['or not, where others came before', varied, [others, fromBeginning], ROTATED],
			[
				'unless the service has shown the past',
				varied,
				[others, fromBeginning],
				request('beginning'),
				past,
			],
			[
				'where the offset has shown nothing, it is tried again',
				varied,
				[ended, { ...fromBeginning, lines: ['x'], ending: 'ended' }],
				request('window'),
			],
			[
				'not if the answer goes on',
				varied,
				[ended, { ...fromBeginning, lines: ['x'] }],
				request('beginning'),
			],
			[
				'nor if it has shown some',
				varied,
				[others, { ...fromBeginning, lines: ['x'], ending: 'ended' }],
				request('beginning'),
			],
			[
				'after a lost beginning it is another log',
				varied,
				[
					others,
					...Array.from({ length: 5 }, () => ({
						...fromBeginning,
						lines: ['x'],
						ending: 'broken' as const,
					})),
				],
				ROTATED,
			],
			[
				'it is another log, although the service has shown the past',
				varied,
				[others, { ...fromBeginning, lines: ['x'] }, { ...fromBeginning, lines: ['x'] }],
				ROTATED,
				past,
			],
			['equal lines are not counted', equal, [others], request('beginning')],
			[
				'a lone known entry that is not there',
				tick,
				[{ ...fromBeginning, lines: ['x'] }],
				request('beginning'),
			],
		]);
	});

	it('the log before this one is there again', () => {
		const former = knownOf(lines(6, 0, 'former'), 20);
		const came = { ...others, lines: ['x', ...lines(6, 0, 'former'), 'y'] };
		expect(decide(searchOf(varied, [came], { former }))).toEqual({
			kind: 'former',
			place: { count: 7, bytes: 7 * BYTES },
		});
	});
});
