import { describe, expect, it } from 'vitest';
import { matches, unknownIn } from '../../nodes/intelligence/retrieval/filterMatch.ts';

const document = {
	id: 'd-1',
	title: 'Boats 100%.pdf',
	collection_ids: ['c-1', 'c-2'],
	size_in_bytes: 12,
	created_at: '2026-03-01T10:00:00Z',
	metadata: {
		topic: 'money',
		year: 2025,
		tags: ['a', 'b'],
		nested: { key: 'x' },
		gone: null,
		share: '12.5',
		month: '2026-04',
		edition: 'v2026-04',
		part: 'v12',
		serial: '9007199254740993',
		blank: ' ',
	},
};

describe('which documents pass a filter', () => {
	it.each([
		[{ document_id: { $eq: 'd-1' } }, true],
		[{ id: 'd-1' }, true],
		[{ topic: 'money' }, true],
		[{ 'metadata.topic': { $eq: 'other' } }, false],
		[{ 'metadata.nested.key': 'x' }, true],
		[{ year: { $eq: '2025' } }, true],
		[{ year: { $gte: 2025 } }, true],
		[{ year: { $gt: 2025 } }, false],
		[{ year: { $gt: 2020, $lt: 2030 } }, true],
		[{ year: { $lt: 'soon' } }, false],
		[{ year: { $lt: ' 2026 ' } }, true],
		[{ year: [2025] }, false],
		[{ share: { $gt: '3.5' } }, true],
		[{ share: { $lt: 3.5 } }, false],
		[{ share: { $lt: '100.5' } }, true],
		[{ part: { $gt: '1' } }, true],
		[{ part: { $gt: '1.5' } }, true],
		[{ blank: { $gt: '-0.5' } }, false],
		[{ topic: { $gt: 5 } }, false],
		[{ topic: { $lt: 'money' } }, false],
		[{ topic: { $gt: 'money' } }, false],
		[{ topic: { $gte: 'money' } }, true],
		[{ topic: { $gt: 'love' } }, true],
		[{ topic: { $lt: 'moon' } }, true],
		[{ tags: ['a', 'b'] }, true],
		[{ tags: { $eq: ['b', 'a'] } }, false],
		[{ size_in_bytes: { $lt: '100' } }, true],
		[{ created_at: { $lt: '2026-04' } }, true],
		[{ created_at: { $lt: '2026-02' } }, false],
		[{ month: { $lt: '2026-04-15' } }, true],
		[{ month: { $gt: '2026-04-15' } }, false],
		[{ edition: { $gt: '2026-01-01' } }, false],
		[{ created_at: { $lt: 'Invalid DateTime' } }, false],
		[{ created_at: { $lt: 'Oct 24, 2030' } }, false],
		[{ created_at: { $lte: '24.10.2030' } }, false],
		[{ created_at: { $gt: '2026-03-01T10:30:00+01:00' } }, true],
		[{ created_at: { $lt: '2026-03-01T09:30:00-02:00' } }, true],
		[{ created_at: { $gte: '2026-03-01T11:00:00+0100' } }, true],
		[{ serial: { $gt: '9007199254740992' } }, true],
		[{ serial: { $lt: ' 9007199254740994 ' } }, true],
		[{ serial: { $lt: '9007199254740993' } }, false],
		[{ tags: { $eq: 'a,b' } }, false],
		[{ topic: { $ne: 'money' } }, false],
		[{ topic: { $neq: 'other' } }, true],
		[{ topic: { $in: ['time', 'money'] } }, true],
		[{ document_id: { $nin: ['d-1', 'd-2'] } }, false],
		[{ document_id: { $nin: ['d-2'] } }, true],
		[{ collection_ids: { $overlap: ['c-2', 'c-3'] } }, true],
		[{ collection_ids: { $overlap: ['c-3'] } }, false],
		[{ tags: { $contains: ['a', 'b'] } }, true],
		[{ tags: { $contains: ['a', 'c'] } }, false],
		[{ title: { $like: 'Boats%.pdf' } }, true],
		[{ title: { $like: 'boats%' } }, false],
		[{ title: { $ilike: 'boats%' } }, true],
		[{ title: { $like: 'Boats' } }, false],
		[{ title: { $like: '%100__pdf' } }, true],
		[{ title: { $like: '%a%.%d_' } }, true],
		[{ title: { $like: '%pdf%pdf' } }, false],
		[{ $and: [{ topic: 'money' }, { year: 2025 }] }, true],
		[{ $or: [{ topic: 'other' }, { year: 2025 }] }, true],
		[{ $or: [{ topic: 'other' }, { year: 1 }] }, false],
	])('%j: %s', (filter, isMatch) => {
		expect(unknownIn(filter)).toBeUndefined();
		expect(matches(document, filter)).toBe(isMatch);
	});

	it.each(['toString', 'constructor', 'hasOwnProperty'])('%s is no operator', (operator) => {
		expect(unknownIn({ topic: { [operator]: 'x' } })).toBe(`"${operator}" of topic is not known`);
	});

	it.each(['$eq', '$ne', '$neq', '$nin', '$like', '$lt'])(
		'what a document does not have matches no condition, not even %s',
		(operator) => {
			const wanted = operator === '$nin' ? ['x'] : 'x';
			for (const field of ['missing', 'gone', 'toString', 'metadata.nested.other', 'summary'])
				expect(matches(document, { [field]: { [operator]: wanted } })).toBe(false);
		},
	);

	it.each([
		[{ topic: { $regex: 'm' } }, '"$regex" of topic is not known'],
		[{ $not: [{ topic: 'a' }] }, '$not is not known'],
		[{ $and: [] }, '$and needs a list of conditions'],
		[{ $or: [{ a: { $in: [] } }] }, '$in of a needs a list with values'],
		[{ a: { $nin: 'x' } }, '$nin of a needs a list with values'],
		[{ a: {} }, 'a has no condition'],
	])('%j cannot be evaluated: %s', (filter, problem) => {
		expect(unknownIn(filter)).toBe(problem);
	});

	it('a long pattern takes no long time', () => {
		const title = 'a'.repeat(100_000);
		expect(matches({ title }, { title: { $like: `${'%a'.repeat(50)}%b` } })).toBe(false);
	});
});
