import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { readCollection } from '../../nodes/intelligence/retrieval/collections.ts';
import { collectionIdField } from '../../nodes/intelligence/retrieval/fields.ts';
import {
	filterOptions,
	readFilters,
	resolveFilters,
} from '../../nodes/intelligence/retrieval/filters.ts';
import {
	readCompletionOptions,
	samplingOptions,
} from '../../nodes/intelligence/samplingOptions.ts';
import { optionsField, type Option } from '../../nodes/shared/operation/option.ts';
import { Parameters } from '../../nodes/shared/operation/parameters.ts';
import { message, node } from './parameters-form.mts';
import { contextOf, Documents } from './rag-parts.mts';

/** The collection Options as n8n gives it to a node, with these values. */
const added = (options: Option[], values: IDataObject) =>
	new Parameters(node, 0, [optionsField(options)], () => values).group('options');

describe('the filter of a search', () => {
	const conditions = (...rows: IDataObject[]) => ({ filters: { conditions: rows } });
	const filter = (values: IDataObject) => readFilters(added(filterOptions, values));
	const year = { field: 'year', operator: '$gte', value: '2025', valueType: 'number' };
	const topic = { field: 'topic', value: 'money' };
	const YEAR = { year: { $gte: 2025 } };
	const TOPIC = { topic: { $eq: 'money' } };

	it.each<[string, IDataObject, IDataObject | undefined]>([
		['nothing added', {}, undefined],
		['no condition', conditions(), undefined],
		['an empty one in JSON', { filtersJson: '{}' }, undefined],
		['one condition', conditions(year), YEAR],
		['several, of which all must match', conditions(year, topic), { $and: [YEAR, TOPIC] }],
		[
			'several, of which one must match',
			{ ...conditions(year, topic), filterLogic: '$or' },
			{ $or: [YEAR, TOPIC] },
		],
		['one condition, whatever combines it', { ...conditions(topic), filterLogic: '$or' }, TOPIC],
		['one in JSON', { filtersJson: '{"a": {"$eq": 1}}' }, { a: { $eq: 1 } }],
		[
			'collections in JSON, which are sent as they are',
			{ filtersJson: '{"collection_ids": {"$overlap": ["c"]}}' },
			{ collection_ids: { $overlap: ['c'] } },
		],
		[
			'collections, which the service must not take out',
			{ collectionIds: 'a, b', collections: ['c'] },
			{ $and: [{ collection_ids: { $overlap: ['a', 'b', 'c'] } }] },
		],
		[
			'a condition on collections, which the service must not take out',
			conditions({ field: 'collection_ids', operator: '$overlap', value: 'a' }),
			{ $and: [{ collection_ids: { $overlap: ['a'] } }] },
		],
		[
			'a condition, and one in JSON',
			{ ...conditions(topic), filtersJson: '{"a": 1}' },
			{ $and: [TOPIC, { a: 1 }] },
		],
		[
			'all of them',
			{
				collectionIds: 'a',
				...conditions(year, topic),
				filterLogic: '$or',
				filtersJson: '{"a":1}',
			},
			{
				$and: [{ collection_ids: { $overlap: ['a'] } }, { $or: [YEAR, TOPIC] }, { a: 1 }],
			},
		],
	])('of %s', (_, values, expected) => expect(filter(values)).toEqual(expected));

	it.each([
		['boolean', 'true', true],
		['boolean', false, false],
		['number', '7', 7],
		['text', '7', '7'],
		['text', 7, 7],
		['', 'x', 'x'],
	])('has a value of the type %j: %j is %j', (valueType, value, sent) =>
		expect(filter(conditions({ field: 'a', value, valueType }))).toEqual({ a: { $eq: sent } }),
	);

	const list = (operator: string, value: unknown, valueType = 'text') =>
		conditions({ field: 'a', operator, value: value as string, valueType });
	const equal = (...values: unknown[]) => values.map((value) => ({ a: { $eq: value } }));

	it.each<[IDataObject, IDataObject]>([
		[list('$in', 'x, y'), { a: { $in: ['x', 'y'] } }],
		[list('$in', '1, 2', 'number'), { $or: equal(1, 2) }],
		[list('$in', ['1 ', 2], 'number'), { $or: equal(1, 2) }],
		[list('$in', 'true, false', 'boolean'), { $or: equal(true, false) }],
		[list('$in', [' true ', false], 'boolean'), { $or: equal(true, false) }],
		[list('$in', [7, 'x']), { $or: equal(7, 'x') }],
		[list('$in', 7), { $or: equal(7) }],
		[list('$in', ['', 'x']), { a: { $in: ['', 'x'] } }],
		[list('$nin', 'x'), { a: { $nin: ['x'] } }],
		[
			list('$nin', [7, 'x', true]),
			{
				$and: [
					{ $or: [{ a: { $lt: 7 } }, { a: { $gt: 7 } }] },
					{ a: { $nin: ['x'] } },
					{ a: { $eq: false } },
				],
			},
		],
		[list('$overlap', 'x'), { a: { $in: ['x'] } }],
		[list('$overlap', [7, 8]), { $or: [{ a: { $contains: [7] } }, { a: { $contains: [8] } }] }],
		[list('$contains', [7, 8]), { a: { $contains: [7, 8] } }],
		[list('$json_contains', '{"b": 1}'), { a: { $json_contains: { b: 1 } } }],
	])('takes a list: %j', (values, expected) => expect(filter(values)).toEqual(expected));

	it.each<[unknown, string, string]>([
		[' , ', 'text', 'contain at least one value'],
		[['', ' '], 'text', 'contain at least one value'],
		[['1', ' '], 'number', 'be a list of numbers, got " "'],
		['1, x', 'number', 'be a list of numbers, got "x"'],
		['true, 1', 'boolean', 'be a list of true and false, got "1"'],
	])('takes no list of other values: %j as %s', (value, type, problem) => {
		expect(message(() => filter(list('$in', value, type)))).toBe(
			`Options: Filters 1: Value must ${problem}`,
		);
	});

	it('is sent with the IDs of the collections that the options name, and of no others', async () => {
		const documents = new Documents();
		documents.instead = () => ({ json: { results: [{ id: 'c-1', name: 'My manuals' }] } });
		const context = await contextOf({ documents });
		const sent = async (values: IDataObject) => await resolveFilters(context, filter(values));
		const own = { $and: [TOPIC, { collection_ids: { $overlap: ['My manuals'] } }] };
		for (const given of [{}, conditions(topic), { filtersJson: JSON.stringify(own) }])
			expect(await sent(given)).toEqual(filter(given));
		expect(documents.asked).toEqual([]);
		expect(await sent({ collectionIds: 'My manuals', ...conditions(topic) })).toEqual({
			$and: [{ collection_ids: { $overlap: ['c-1'] } }, TOPIC],
		});
	});

	it('has no value that is not of its type', () => {
		const row = (valueType: string) => conditions({ field: 'a', value: 'yes', valueType });
		expect(message(() => filter(row('boolean')))).toBe(
			'Options: Filters 1: Value must be true or false, got "yes"',
		);
		expect(message(() => filter(row('number')))).toBe(
			'Options: Filters 1: Value must be a number, got "yes"',
		);
	});
});

describe('the field Collection', () => {
	const read = (value: unknown) =>
		readCollection(new Parameters(node, 0, [collectionIdField], () => value), 'collectionId');
	const chosen = (mode: string, value: unknown) => ({ __rl: true, mode, value });

	it.each<[unknown, string | { name: string }]>([
		['c-1', 'c-1'],
		[chosen('id', 'c-1'), 'c-1'],
		[chosen('list', 7), '7'],
		[chosen('name', 'my manuals'), { name: 'my manuals' }],
		[chosen('name', ' spaced '), { name: ' spaced ' }],
		[chosen('name', 2026), { name: '2026' }],
	])('%j names the collection %j', (value, collection) => expect(read(value)).toEqual(collection));

	it.each([
		[chosen('name', '  '), 'Collection must be a name, got "  "'],
		[chosen('name', null), 'Collection must be a name, got nothing'],
		[chosen('name', ['a']), 'Collection must be a name, got ["a"]'],
		[chosen('id', ''), 'Collection is required: choose one from the list or enter its ID'],
	])('%j names none', (value, words) => expect(message(() => read(value))).toBe(words));
});

describe('the options of a chat model', () => {
	const body = (values: IDataObject) => readCompletionOptions(added(samplingOptions, values));

	it('are fields of the body, and the extra ones win', () => {
		const extraBody = '{"seed": 2, "custom": true}';
		expect(body({ temperature: 0.5, reasoningEffort: 'low', seed: 1, extraBody })).toEqual({
			temperature: 0.5,
			reasoning: { effort: 'low' },
			seed: 2,
			custom: true,
		});
		expect(body({})).toEqual({});
	});

	it('do not say whether the response is streamed', () => {
		expect(message(() => body({ extraBody: '{"stream": false}' }))).toBe(
			'Options: Extra Body Fields must not contain stream: the node sets it itself',
		);
	});
});
