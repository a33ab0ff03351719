import { expect, it } from 'vitest';
import type { Next } from '../../nodes/CaasLogsTrigger/answer.ts';
import { decide, type Habit, type Step } from '../../nodes/CaasLogsTrigger/decide.ts';
import type { KnownEntries } from '../../nodes/CaasLogsTrigger/known.ts';
import { BYTES, searchOf, type Came } from './log-search-fixture.mts';

export const WAIT: Step = { kind: 'wait' };
export const ROTATED: Step = { kind: 'rotated' };

/** The place is after so many entries of the answer. */
export function found(count: number): Step {
	return { kind: 'found', place: { count, bytes: count * BYTES } };
}

export function request(what: Next): Step {
	return { kind: 'request', what };
}

/** What is decided after these answers. */
type Case = [
	title: string,
	known: KnownEntries,
	came: Came[],
	expected: Step,
	habit?: Partial<Habit>,
];

export function check(cases: Case[]): void {
	it.each(cases)('%s', (_, known, came, expected, habit = {}) => {
		expect(decide(searchOf(known, came, { habit }))).toEqual(expected);
	});
}
