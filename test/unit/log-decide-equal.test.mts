import { describe, expect, it } from 'vitest';
import { decide, type Habit, type Step } from '../../nodes/CaasLogsTrigger/decide.ts';
import { found, request } from './log-decide-fixture.mts';
import {
	answerOf,
	BYTES,
	knownOf,
	lastOneOf,
	searchOf,
	ticks,
	type Came,
} from './log-search-fixture.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const start = 100;
const equal = knownOf(ticks(10), start);

describe('where equal lines are counted', () => {
	const came = (count: number, ending: 'silent' | 'ended', more: Came = {}): Came => ({
		start,
		lines: ticks(count),
		ending,
		...more,
	});
	const honoured = { offset: 'honoured' } as const;

	it.each<[string, Came, Partial<Habit>, Step]>([
		['as many as are known are these', came(10, 'ended'), {}, found(10)],
		['more that go on are new', came(12, 'silent'), {}, found(10)],
		['more that end may be the whole log', came(12, 'ended'), {}, request('beyond')],
		['as may as many as were read', came(110, 'silent'), {}, request('beyond')],
		['not one less', came(109, 'silent'), {}, found(10)],
		[
			'the whole log, where the offset is ignored',
			came(112, 'silent'),
			{ offset: 'beginning' },
			found(10),
		],
		['the last ones, where it is', came(12, 'ended'), { offset: 'last' }, request('beyond')],
		['where it is honoured, they are not', came(12, 'ended'), honoured, found(10)],
	])('%s', (_, one, habit, step) => {
		const { learned, ...rest } = decide(searchOf(equal, [one], { habit }));
		expect(rest).toEqual(step);
		const isUnsure = habit.offset === 'last';
		expect(learned).toBe(isUnsure ? 'unknown' : undefined);
	});

	it('by a service that sends its last ones, those are new that were not in the answer before', () => {
		const step = (before: number, count: number) =>
			decide(
				searchOf(equal, [came(count, 'silent')], {
					habit: { offset: 'last' },
					history: [answerOf(came(before, 'silent'))],
				}),
			);
		expect(step(15, 20)).toEqual({ kind: 'found', place: { count: 15, bytes: 10 * BYTES } });
		expect(step(15, 15)).toMatchObject({ place: { count: 15 } });
		expect(step(20, 15)).toEqual({ ...found(10), learned: 'unknown' });
	});

	it('by another service, that answer says nothing', () => {
		const history = [answerOf(came(5, 'silent'))];
		expect(decide(searchOf(equal, [came(12, 'silent')], { history }))).toEqual(found(10));
	});

	it('other lines among them show where the whole log is', () => {
		const log = { ...came(0, 'silent'), lines: ['x', ...ticks(12)] };
		const habit = { offset: 'last' } as const;
		const history = [answerOf(came(5, 'silent'))];
		expect(decide(searchOf(equal, [log], { habit, history }))).toEqual(found(11));
	});
});

describe('an answer from far beyond the end tells what the service makes of an offset', () => {
	const beyond = { requested: 'beyond', start: 1e9 } satisfies Came;
	const from = (list: string[], ending: Came['ending'] = 'ended'): Came => ({
		start,
		lines: list,
		ending,
	});

	it.each<[string, string[], string[], Habit['offset'] | undefined]>([
		['the same lines: it is ignored', ticks(12), ticks(12), 'last'],
		['more of them', ticks(12), ticks(13), 'last'],
		['fewer: nothing is learned', ticks(12), ticks(11), undefined],
		['the whole log', ticks(110), ticks(110), 'beginning'],
		['one less than that', ticks(109), ticks(109), 'last'],
		['other lines', ['tick', 'x'], ['y', 'z'], undefined],
		['other lines behind one', ['x', 'tick', 'a'], ['tick', 'b', 'c'], undefined],
		['the end of those, and others', ['x', 'tick'], ['tick', 'y'], 'last'],
		['nothing', ticks(12), [], undefined],
	])('%s', (_, before, list, learned) => {
		for (const ending of ['silent', 'ended', 'broken'] as const) {
			const step = decide(searchOf(equal, [from(before), { ...beyond, lines: list, ending }]));
			expect(step).toEqual({ ...request('window'), learned });
		}
	});

	it.each<[number, Came['ending'], Habit['offset'] | undefined]>([
		[7, 'ended', undefined],
		[19, 'silent', undefined],
		[20, 'ended', 'last'],
		[7, 'broken', 'last'],
	])('%d lines, where 20 came from the known ones on, which was %s', (count, ending, learned) => {
		const history = [answerOf(from(ticks(20), ending), equal)];
		const came = [from(ticks(6)), { ...beyond, lines: ticks(count), ending: 'ended' as const }];
		const step = decide(searchOf(lastOneOf(equal), came, { history }));
		expect(step).toEqual({ ...request('window'), learned });
	});
});
