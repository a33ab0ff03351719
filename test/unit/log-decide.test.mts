import { describe, expect, it } from 'vitest';
import { decide } from '../../nodes/CaasLogsTrigger/decide.ts';
import { check, found, request, ROTATED, WAIT } from './log-decide-fixture.mts';
import {
	BEFORE,
	equal,
	FIRST,
	knownOf,
	last,
	lines,
	searchOf,
	ticks,
	varied,
	type Came,
} from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const start = BEFORE;
const beginning = { requested: 'beginning', start: 0 } as const;
const LATE = 901;

const all = { lines: lines(10), start } satisfies Came;
const lateAll = { ...all, delayMs: LATE } satisfies Came;
const equalAll = { lines: ticks(10), start } satisfies Came;

describe('when an entry has come, the place', () => {
	const three = knownOf(lines(10), 5);
	const repeated = { offset: 'honoured' } as const;
	check([
		['is found where it is', varied, [all], found(10)],
		['is not there before', varied, [{ ...all, lines: lines(9) }], WAIT],
		['is to be confirmed where it came late', varied, [lateAll], WAIT],
		['is there once more', varied, [lateAll, lateAll], found(10)],
		['is found, and more came', varied, [{ ...all, lines: [...lines(10), 'x'] }], found(10)],
		['is none before as many came as were read', three, [{ ...beginning, lines: lines(10) }], WAIT],
		[
			'is where as many came as were read',
			three,
			[{ ...beginning, lines: [...FIRST, 'x', ...lines(10)] }],
			found(15),
		],
		[
			'is not too far behind the offset',
			varied,
			[{ start, lines: [...lines(6, 0, 'x'), ...lines(10)] }],
			WAIT,
		],
		[
			'is close behind the offset',
			varied,
			[{ start, lines: [...lines(5, 0, 'x'), ...lines(10)] }],
			found(15),
		],
		['is none where the log is shown whole', varied, [all], WAIT, { offset: 'beginning' }],
		[
			'of equal lines is the last, where the offset is honoured',
			equal,
			[{ ...equalAll, lines: ticks(12) }],
			found(12),
			repeated,
		],
		['of equal lines is not known', equal, [equalAll], WAIT],
		[
			'of equal lines is not known in a whole log',
			equal,
			[{ ...equalAll, lines: ticks(110) }],
			WAIT,
		],
		[
			'of equal lines is their number, where the offset is ignored',
			equal,
			[{ ...equalAll, lines: ticks(110) }],
			found(110),
			{ offset: 'beginning' },
		],
		[
			'is not before it',
			equal,
			[{ ...equalAll, lines: ticks(109) }],
			WAIT,
			{ offset: 'beginning' },
		],
		['nor after it', equal, [{ ...equalAll, lines: ticks(111) }], WAIT, { offset: 'last' }],
		[
			'is none in new lines',
			varied,
			[{ start, lines: ['x', 'y'], delayMs: LATE }],
			ROTATED,
			{ showsNewOnly: true },
		],
	]);
});

describe('when there is no answer, what is requested next', () => {
	const refused = { start, ending: 'refused' } satisfies Came;
	const offsetRefused = { start, ending: 'offsetRefused' } satisfies Came;
	const shown = { start, lines: ['x', 'y'], ending: 'ended' } satisfies Came;
	check([
		['is the same', varied, [refused], request('window')],
		['is the beginning again', varied, [{ ...refused, ...beginning }], request('beginning')],
		[
			'is the beginning, where the offset was refused',
			varied,
			[offsetRefused],
			request('beginning'),
		],
		['is all, where that was of the last entry', last, [offsetRefused], request('all')],
		['is the last entry again', last, [refused], request('window')],
		[
			'is the offset, where the beginning was refused',
			varied,
			[{ ...offsetRefused, ...beginning }],
			request('window'),
		],
		[
			'is the beginning again, if lines have come before',
			varied,
			[shown, { ...offsetRefused, ...beginning }],
			request('beginning'),
		],
		[
			'is the offset, where that is the beginning',
			knownOf(lines(2)),
			[{ ...offsetRefused, start: 0 }],
			request('window'),
		],
		[
			'is the offset again, where lines have come before',
			knownOf(lines(2)),
			[shown, { ...offsetRefused, start: 0 }],
			request('window'),
		],
	]);

	it.each([
		['offsetRefused', 2, undefined],
		['offsetRefused', 3, 'honoured'],
		['ended', 3, 'honoured'],
		['refused', 3, undefined],
		['refused', 4, undefined],
		['refused', 5, 'honoured'],
		['broken', 4, undefined],
		['broken', 5, 'honoured'],
	] as const)(
		'far beyond the end is over with %s, %d times: the offset is %s',
		(ending, count, learned) => {
			const beyond = { requested: 'beyond', start: 1e9, ending } as const;
			const before = Array.from({ length: count - 1 }, () => beyond);
			const came: Came[] = [equalAll, ...before, { ...beyond, ending: 'refused' }];
			if (ending === 'offsetRefused' || ending === 'ended')
				came.push({ ...beyond, ending: 'offsetRefused' });
			expect(decide(searchOf(equal, came))).toEqual({ ...request('window'), learned });
		},
	);

	it.each<[string, number, Came, number]>([
		['were lost after lines', 4, { lines: ['x'], ending: 'broken' }, 1],
		['are few of each kind', 2, { ending: 'ended' }, 3],
	])('such requests show nothing that %s', (_, count, shown, failures) => {
		const beyond = { requested: 'beyond', start: 1e9 } as const;
		const came: Came[] = [
			...Array.from({ length: count }, () => ({ ...beyond, ...shown })),
			...Array.from({ length: failures }, () => ({ ...beyond, ending: 'refused' as const })),
		];
		expect(decide(searchOf(equal, [equalAll, ...came]))).toEqual(request('window'));
	});
});

describe('when the connection was lost', () => {
	const lost = { start, ending: 'broken' } satisfies Came;
	const lostPage = { ...lost, lines: lines(2) } satisfies Came;
	const one = knownOf(['tick'], BEFORE);
	const from = { ...one.position.from, entries: 98 };
	const led = { ...one, position: { ...one.position, from } };
	const fromThere = Array.from({ length: 5 }, () => ({ ...lost, ...beginning, lines: ['x'] }));
	check([
		['the place counts that has come', varied, [{ ...all, ...lost }], found(10)],
		['not late', varied, [{ ...lateAll, ...lost, lines: [...lines(10), 'x'] }], request('window')],
		[
			'not where the log is shown whole',
			varied,
			[{ ...all, ...lost, lines: [...lines(10), 'x'] }],
			request('window'),
			{ offset: 'beginning' },
		],
		[
			'with other lines, it is requested once more',
			varied,
			[{ ...lost, lines: ['x', 'y'] }],
			request('window'),
		],
		[
			'twice, from the beginning',
			varied,
			[lost, { ...lost, lines: ['x', 'y'] }],
			request('beginning'),
		],
		[
			'from the beginning, from there again',
			varied,
			[{ ...lost, ...beginning, lines: ['x'] }],
			request('beginning'),
		],
		[
			'from there where the offset has shown nothing',
			varied,
			[{ start }, { ...lost, ...beginning, lines: ['x'] }],
			request('window'),
		],
		['with a page, the last known entry is requested', varied, [lostPage], request('last')],
		[
			'with a page of that, too, it is requested again',
			last,
			[{ ...lost, start: 109, lines: ['line 9', 'line 10'] }],
			found(1),
		],
		['before the last known one came', last, [{ ...lost, start: 109 }], request('window')],
		['so twice', last, [lost, lost], request('all')],
		['twice with another line', last, [lost, { ...lost, lines: ['x', 'y'] }], request('all')],
		[
			'with equal lines, those behind are new in doubt',
			equal,
			[{ ...equalAll, ...lost, lines: ticks(12) }],
			found(10),
		],
		['with equal lines at an end', equal, [{ ...equalAll, ...lost }], found(10)],
		[
			'with equal lines where the offset is ignored, it is requested again',
			equal,
			[{ ...equalAll, ...lost }],
			request('window'),
			{ offset: 'last' },
		],
		[
			'with few equal lines, the last one tells nothing',
			equal,
			[{ ...lost, lines: ticks(5) }],
			request('window'),
		],
		[
			'with few equal lines, it does where the offset is honoured',
			equal,
			[{ ...lost, lines: ticks(5) }],
			request('last'),
			{ offset: 'honoured' },
		],
		['without lines twice, the beginning is requested', varied, [lost, lost], request('beginning')],
		[
			'the place counts where the last lines are sent',
			varied,
			[{ ...all, ...lost }],
			found(10),
			{ offset: 'last' },
		],
		[
			'with as many equal lines as were read, the offset is tried',
			equal,
			[{ ...equalAll, ...lost, lines: ticks(110) }],
			request('beyond'),
		],
		[
			'with the last known entry, which came late, it is requested again',
			last,
			[{ ...lost, start: 109, lines: ['line 9'], delayMs: LATE }],
			request('window'),
		],
		[
			'with a page before a lone known entry, that is requested',
			led,
			[{ ...lost, lines: ['x'], start: 98 }],
			request('last'),
		],
		[
			'from the beginning too often, with lines before, it is requested again',
			varied,
			[...fromThere, { ...lost, ...beginning }],
			request('beginning'),
		],
	]);
});
