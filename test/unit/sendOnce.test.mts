import { describe, expect, it } from 'vitest';
import { describeCause } from '../../nodes/shared/operation/cause.ts';
import { isConfirmed, isRejected } from '../../nodes/shared/operation/sendOnce.ts';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import { answer } from './replies.mts';

const lost = (status?: number): Reply => ({
	kind: 'lost',
	reason: 'The connection broke',
	status,
});
const unsent: Reply = { kind: 'unsent', reason: 'No connection' };

/** Whether a machine was bought: yes, no, or nobody knows. */
const known = (outcome: Reply) =>
	isConfirmed(outcome) ? 'done' : isRejected(outcome) ? 'refused' : 'unknown';

describe('a request that must not be sent twice', () => {
	it.each([
		[200, 'done'],
		[201, 'done'],
		[204, 'done'],
		[299, 'done'],
		[300, 'unknown'],
		[302, 'unknown'],
		[400, 'refused'],
		[401, 'refused'],
		[404, 'refused'],
		[409, 'refused'],
		[422, 'refused'],
		[429, 'refused'],
		[451, 'refused'],
		[408, 'unknown'],
		[423, 'unknown'],
		[425, 'unknown'],
		[444, 'unknown'],
		[499, 'unknown'],
		[500, 'unknown'],
		[502, 'unknown'],
		[503, 'unknown'],
		[504, 'unknown'],
		[199, 'unknown'],
	])('answered with %i: %s', (status, end) => expect(known(answer(status))).toBe(end));

	it('an answer that broke is not known', () => {
		expect(known(lost(200))).toBe('unknown');
		expect(known(lost(422))).toBe('unknown');
		expect(known(lost())).toBe('unknown');
	});

	it('what never left is refused, what was cancelled is not known', () => {
		expect(known(unsent)).toBe('refused');
		expect(known({ kind: 'cancelled' })).toBe('unknown');
	});
});

it.each([
	[undefined, 'An earlier try of this node did not end'],
	[{ kind: 'cancelled' } as const, 'An earlier try of this node did not end'],
	[lost(), 'The connection broke'],
	[lost(200), 'The connection broke'],
	[unsent, 'No connection'],
	[answer(201), 'The service answered 201, but not with what was made'],
	[answer(500, '{"detail":"disk full"}'), 'Server error (500): disk full'],
])('%j is told as: %s', (outcome, words) => expect(describeCause(outcome)).toBe(words));
