import { expect, it } from 'vitest';
import { hasId, idKey, isSameId } from '../../nodes/marketplace/ids.ts';

it.each<[string | undefined, string | undefined, boolean]>([
	['c0ffee', 'c0ffee', true],
	['c0ffee', 'C0FFEE', true],
	['c0ffee', 'c0ffe', false],
	['c0ffee', undefined, false],
	[undefined, undefined, false],
])('%j and %j are one ID: %s', (one, other, expected) => {
	expect(isSameId(one, other)).toBe(expected);
	expect(hasId(['d1', one], other)).toBe(expected);
});

it('an ID has one key in whatever case', () => expect(idKey('C0ffee')).toBe('c0ffee'));
