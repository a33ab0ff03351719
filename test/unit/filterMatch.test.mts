import { describe, expect, it } from 'vitest';
import { matches, roundedIn, unknownIn } from '../../nodes/intelligence/retrieval/filterMatch.ts';

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
		[{ year: { $gte: 2026 } }, false],
		[{ year: { $gt: 2020, $lt: 2030 } }, true],
		[{ year: { $gt: 2020, $lt: 2022 } }, false],
		[{ topic: 'money', year: 1 }, false],
		[{ year: { $lt: 'soon' } }, false],
		[{ year: { $lt: ' 2026 ' } }, true],
		[{ year: [2025] }, false],
		[{ share: { $gt: '3.5' } }, true],
		[{ share: { $lt: 3.5 } }, false],
		[{ share: { $lt: '100.5' } }, true],
		[{ part: { $gt: '1' } }, false],
		[{ part: { $gt: '1.5' } }, false],
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
		[{ tags: { $in: ['a', 'x'] } }, true],
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
		[{ title: { $like: '_'.repeat(14) } }, true],
		[{ title: { $like: '_'.repeat(15) } }, false],
		[{ title: { $like: `${'_'.repeat(15)}%` } }, false],
		[{ title: { $like: `%${'_'.repeat(15)}%` } }, false],
		[{ title: { $like: `B%x%f` } }, false],
		[{ $and: [{ topic: 'money' }, { year: 2025 }] }, true],
		[{ $and: [{ topic: 'money' }, { year: 1 }] }, false],
		[{ $or: [{ topic: 'other' }, { year: 2025 }] }, true],
		[{ $or: [{ topic: 'other' }, { year: 1 }] }, false],
	])('%j: %s', (filter, isMatch) => {
		expect(unknownIn(filter)).toBeUndefined();
		expect(matches(document, filter)).toBe(isMatch);
	});

	/** What a condition on the field `k` makes of its values: for each, whether the document is deleted. */
	it.each<[condition: unknown, matching: unknown[], others: unknown[]]>([
		[{ $lt: 5 }, [4, '4'], [true, false, [3], ['3'], {}, 5, ' ', 'x']],
		[{ $lte: 0 }, [0, '-1'], [false, [], '']],
		[{ $gt: '9' }, ['10', 11], ['unknown', '10.1.2', '1,000', 'v0']],
		[{ $nin: ['r\u00e9.pdf'] }, ['re.pdf'], ['re\u0301.pdf']],
		[
			{ $ne: '3E157B3A-8469-51DB-90D9-52E7D896B49B' },
			['3e157b3a-8469-51db-90d9-52e7d896b49c'],
			['3e157b3a-8469-51db-90d9-52e7d896b49b'],
		],
		[{ $gt: 'b' }, ['c', 'b2'], [true, 5, ['c'], '2026-04 (draft)', '2026-04-01']],
		[{ $ne: 5 }, [4, '4', 5.5], [5, '5', '5.0', true, [4], {}, 'x']],
		[{ $neq: '5' }, [4, '4', 'x'], [5, '5', '05', false, ['4']]],
		[{ $ne: 'x' }, ['y', '5', '2026-04 (draft)'], ['x', 5, true, ['y'], '2026-04-01']],
		[{ $ne: true }, [false, 'false'], [true, 'true', 0, 'x', [false]]],
		[{ $ne: false }, [true, 'true'], [false, 'false', 1, 'x']],
		[{ $eq: null }, [], [null, undefined, 'null']],
		[{ $eq: '2026-01-01' }, ['2026-01-01', ' 2026-01-01 '], ['2026-01-02', '2026']],
		[{ $lte: '2026-01-01' }, ['2025-12-31'], ['2026-01-01T00:00:01Z', 'Oct 24', 'draft']],
		[{ $gt: 'a' }, ['v2026-04', 'edition 2026-04'], [' 2026-04 (draft)']],
		[{ $ne: '007' }, ['8', 8, 'x'], ['007', '7', 7]],
		[{ $eq: '007' }, ['007'], ['7', 7]],
		[
			{ $nin: ['a.pdf', '7'] },
			['b.pdf', [], ['b', 'c']],
			['a.pdf', '7', 7, null, ['b', 'a.pdf'], ['b', 3.5, 7]],
		],
		[{ $like: '%' }, ['x', 5], [['x'], { x: 1 }]],
		[{ $ilike: 'X%' }, ['xy'], [['xy']]],
		[{ $ilike: 'STRASSE%' }, ['Strasse 1'], ['stra\u00dfe']],
		[{ $like: '100\\%' }, ['100%'], ['100\\x', '100\\%', '100x', '100']],
		[{ $like: '%a\\_b%' }, ['a_b', 'xa_by'], ['axb', 'a\\xb', 'a\\_b']],
		[{ $like: 'a\\\\%' }, ['a\\', 'a\\b'], ['a', 'ab']],
		[{ $like: 'a\\' }, [], ['a', 'a\\', 'a\\\\']],
		[{ $like: '_😀' }, ['x😀', '😀😀'], ['😀', 'xx😀']],
	])('of %j, only what matches for certain: %j', (condition, matching, others) => {
		const passes = (k: unknown) => matches({ metadata: { k } }, { k: condition } as never);
		expect(matching.filter((one) => !passes(one))).toEqual([]);
		expect(others.filter(passes)).toEqual([]);
	});

	const NEW_YEAR = '2026-01-01T00:00:00Z';

	it.each([
		NEW_YEAR,
		'2026-01-01 00:00:00+00',
		'2026-01-01T01:00:00.000+01:00',
		'2025-12-31 18:30:00-0530',
		'2026-01-01T01:00:00+01',
		'2026-01-01',
		'2026-01',
	])('%s is one moment, however it is written', (k) => {
		const passes = (condition: unknown) => matches({ metadata: { k } }, { k: condition } as never);
		for (const condition of [{ $eq: NEW_YEAR }, { $in: [NEW_YEAR] }, { $lte: NEW_YEAR }])
			expect(passes(condition)).toBe(true);
		for (const condition of [{ $ne: NEW_YEAR }, { $nin: [NEW_YEAR] }, { $lt: NEW_YEAR }])
			expect(passes(condition)).toBe(false);
		for (const other of ['2026-02', '2025-12-31T23:59:59.999999Z', '2026-01-01T00:00:00.0001Z'])
			expect(passes({ $ne: other })).toBe(true);
		for (const other of ['1 January 2026', 'Invalid DateTime', 2026])
			expect(passes({ $ne: other })).toBe(false);
	});

	it('all digits of a second count', () => {
		const at = (part: string) => ({ k: { $lte: `2026-01-01T00:00:00.${part}Z` } });
		const document = { metadata: { k: '2026-01-01T00:00:00.123456Z' } };
		expect(matches(document, at('123456'))).toBe(true);
		expect(matches(document, at('123455'))).toBe(false);
		expect(matches(document, at('123'))).toBe(false);
	});

	it.each([
		['123', '1230000'],
		['1234', '123400'],
		['5', '500'],
		['123456789', '1234567891'],
	])('zeros at their end, and what no clock has, do not: .%s and .%s', (one, other) => {
		const at = (part: string) => `2026-01-01T00:00:00.${part}Z`;
		expect(matches({ metadata: { k: at(one) } }, { k: at(other) })).toBe(true);
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

	it.each(['missing', 'gone', 'nested.toString', 'topic.length', 'topic.x.y'])(
		'not even any text is one of %s, nor anything else where there is no metadata',
		(field) => {
			expect(matches(document, { [field]: { $like: '%' } })).toBe(false);
			expect(matches({}, { [field]: { $like: '%' } })).toBe(false);
		},
	);

	it('an operator that is not known matches nothing', () => {
		expect(matches(document, { topic: { $regex: 'm' } })).toBe(false);
	});

	it.each([
		[{ topic: { $regex: 'm' } }, '"$regex" of topic is not known'],
		[{ $not: [{ topic: 'a' }] }, '$not is not known'],
		[{}, 'a condition is empty'],
		[{ $or: [{ a: 1 }, {}] }, 'a condition is empty'],
		[{ $and: [] }, '$and needs a list of conditions'],
		[{ $and: [{ a: 1 }, 'x'] }, '$and needs a list of conditions'],
		[{ $and: [{ a: 1 }], b: { $regex: 'm' } }, '"$regex" of b is not known'],
		[{ $or: [{ a: { $in: [] } }] }, '$in of a needs a list with values'],
		[{ a: { $ne: ['x'] } }, '$ne of a needs a single value'],
		[{ a: { $lt: { b: 1 } } }, '$lt of a needs a single value'],
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

it.each<[unknown, number | undefined]>([
	[2 ** 53, 2 ** 53],
	[{ a: 1, b: [{ $eq: '1' }, { $gt: -(2 ** 60) }] }, -(2 ** 60)],
	[2 ** 53 - 1, undefined],
	[{ a: 0.5, b: [null, 'x', true, 7], c: Infinity }, undefined],
	[null, undefined],
	['9007199254740993', undefined],
])('the whole number in %j that may not be the one that was meant is %j', (filter, number) =>
	expect(roundedIn(filter)).toBe(number),
);
