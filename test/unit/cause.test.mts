import { describe, expect, it } from 'vitest';
import type { Reply } from '../../nodes/shared/http/reply.ts';
import { describeCause, endOf, isAccepted } from '../../nodes/shared/operation/cause.ts';
import { answer } from './replies.mts';

const LOST: Reply = { kind: 'lost', reason: 'The connection broke (ECONNRESET)' };
const CUT: Reply = { kind: 'lost', reason: 'The connection was lost', status: 201 };
const CANCELLED: Reply = { kind: 'cancelled' };

describe('whether the service has accepted a request', () => {
	it.each<[Reply, boolean]>([
		[answer(200), true],
		[answer(299), true],
		[answer(300), false],
		[answer(503), false],
		[CUT, true],
		[{ kind: 'lost', reason: 'The connection was lost', status: 500 }, false],
		[LOST, false],
		[CANCELLED, false],
	])('%j: %s', (reply, expected) => expect(isAccepted(reply)).toBe(expected));
});

describe('how a try ended, for a later one', () => {
	it.each<[Reply, string | undefined]>([
		[CANCELLED, undefined],
		[LOST, 'The answer to an earlier try of this node was lost'],
		[CUT, 'The answer to an earlier try of this node was lost'],
		[
			answer(200, '{"detail": "words of the service"}'),
			'An earlier try of this node was answered, but not with what was made: 200',
		],
		[
			answer(500, '{"detail": "words of the service"}'),
			'An earlier try of this node was answered, but not with what was made: Server error (500)',
		],
	])('%j', (reply, words) => expect(endOf(reply)).toBe(words));
});

describe('why an outcome is unknown', () => {
	it.each<[string, Reply | undefined, object | undefined, string]>([
		[
			'an earlier try that was refused',
			undefined,
			{ isRefused: true, ended: 'it ended' },
			'The service said no to an earlier try of this node',
		],
		['how an earlier try ended', undefined, { ended: 'It ended so' }, 'It ended so'],
		['an earlier try', undefined, { ended: 3 }, 'An earlier try of this node did not end'],
		['no note', undefined, undefined, 'An earlier try of this node did not end'],
		['cancelled', CANCELLED, { ended: 'before' }, 'An earlier try of this node did not end'],
		['this one, not the earlier', LOST, { isRefused: true }, 'The connection broke'],
		['cut off', CUT, undefined, 'The connection was lost'],
		[
			'an answer without what was made',
			answer(200, '{}'),
			undefined,
			'The service answered 200, but not with what was made',
		],
		[
			'an answer that says no',
			answer(200, '{"error": "out of stock"}'),
			undefined,
			'The service answered 200, but says no: out of stock',
		],
	])('%s', (_, reply, note, words) => expect(describeCause(reply, note as never)).toBe(words));

	it('of an answer with an error, its words', () => {
		expect(describeCause(answer(503, '{"detail": "full"}'))).toBe('Server error (503): full');
	});
});
