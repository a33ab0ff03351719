import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { errorOf, jsonOf } from '../engine/results.mts';
import { useRetrieval } from '../engine/retrieval.mts';

const { fixture, run, lastBody } = useRetrieval();

const conditions = (...rows: IDataObject[]) => ({ filters: { conditions: rows } });

describe('search: filters', () => {
	it.each<[string, IDataObject, unknown, number]>([
		[
			'a condition',
			conditions({ field: 'topic', operator: '$eq', value: 'money' }),
			{ topic: { $eq: 'money' } },
			2,
		],
		[
			'a number',
			conditions({ field: 'number', operator: '$gte', value: '1', valueType: 'number' }),
			{ number: { $gte: 1 } },
			1,
		],
		[
			'a list of numbers',
			conditions({ field: 'number', operator: '$in', value: '0, 2', valueType: 'number' }),
			{ $or: [{ number: { $eq: 0 } }, { number: { $eq: 2 } }] },
			1,
		],
		[
			'a list from an expression',
			conditions({ field: 'topic', operator: '$nin', value: '={{ ["sea", "air"] }}' }),
			{ topic: { $nin: ['sea', 'air'] } },
			2,
		],
		[
			'a list of years from an expression',
			conditions({ field: 'number', operator: '$in', value: '={{ [0, 2] }}' }),
			{ $or: [{ number: { $eq: 0 } }, { number: { $eq: 2 } }] },
			1,
		],
		[
			'a list of all kinds from an expression',
			conditions({ field: 'number', operator: '$nin', value: '={{ [0, true, "1", " a"] }}' }),
			{
				$and: [
					{ $or: [{ number: { $lt: 0 } }, { number: { $gt: 0 } }] },
					{ number: { $eq: false } },
					{ number: { $nin: ['1'] } },
					{ number: { $nin: [' a'] } },
				],
			},
			0,
		],
		[
			'texts of an expression as numbers',
			conditions({
				field: 'number',
				operator: '$in',
				value: '={{ ["0", 1] }}',
				valueType: 'number',
			}),
			{ $or: [{ number: { $eq: 0 } }, { number: { $eq: 1 } }] },
			2,
		],
		[
			'one number from an expression',
			conditions({ field: 'number', operator: '$overlap', value: '={{ 0 }}' }),
			{ $or: [{ number: { $contains: [0] } }] },
			1,
		],
		[
			'a typed list of truth values',
			conditions({ field: 'number', operator: '$nin', value: 'true, false', valueType: 'boolean' }),
			{ $and: [{ number: { $eq: false } }, { number: { $eq: true } }] },
			0,
		],
		[
			'two conditions',
			conditions(
				{ field: 'topic', operator: '$eq', value: 'money' },
				{ field: 'number', operator: '$eq', value: '={{ 0 }}' },
			),
			{ $and: [{ topic: { $eq: 'money' } }, { number: { $eq: 0 } }] },
			1,
		],
		[
			'either of two',
			{
				...conditions(
					{ field: 'topic', operator: '$eq', value: 'sea' },
					{ field: 'number', operator: '$eq', value: '={{ 0 }}' },
				),
				filterLogic: '$or',
			},
			{ $or: [{ topic: { $eq: 'sea' } }, { number: { $eq: 0 } }] },
			1,
		],
		[
			'a value that is JSON',
			conditions({ field: 'topic', operator: '$json_contains', value: '["money"]' }),
			{ topic: { $json_contains: ['money'] } },
			0,
		],
		[
			'JSON from an expression',
			conditions({ field: 'topic', operator: '$json_contains', value: '={{ ["money"] }}' }),
			{ topic: { $json_contains: ['money'] } },
			0,
		],
		[
			'all of some numbers',
			conditions({ field: 'number', operator: '$contains', value: '={{ [0, 1] }}' }),
			{ number: { $contains: [0, 1] } },
			0,
		],
		[
			'one text of several',
			conditions({ field: 'topic', operator: '$overlap', value: 'money, sea' }),
			{ topic: { $in: ['money', 'sea'] } },
			2,
		],
		[
			'what is not in a collection',
			conditions({ field: 'collection_ids', operator: '$neq', value: 'one' }),
			{ $and: [{ collection_ids: { $nin: ['one'] } }] },
			2,
		],
		['JSON', { filtersJson: '{"topic":{"$like":"mon%"}}' }, { topic: { $like: 'mon%' } }, 2],
		[
			'a collection',
			{ collectionIds: '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7' },
			{ $and: [{ collection_ids: { $overlap: ['4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7'] } }] },
			0,
		],
		[
			'a collection as a condition',
			conditions({ field: 'collection_ids', operator: '$overlap', value: 'one' }),
			{ $and: [{ collection_ids: { $overlap: ['one'] } }] },
			0,
		],
		[
			'a collection in JSON, as it is',
			{ filtersJson: '{"collection_ids":{"$overlap":["one"]}}' },
			{ collection_ids: { $overlap: ['one'] } },
			0,
		],
		[
			'several kinds',
			{
				...conditions({ field: 'topic', operator: '$eq', value: 'money' }),
				filtersJson: '={{ { number: { $lt: 1 } } }}',
			},
			{ $and: [{ topic: { $eq: 'money' } }, { number: { $lt: 1 } }] },
			1,
		],
		[
			'an operator that is not known here',
			{ filtersJson: '{"topic":{"$new":1}}' },
			{ topic: { $new: 1 } },
			0,
		],
	])('filters by %s', async (_, options, sent, count) => {
		const found = jsonOf(await run('search', { query: 'first hour', topK: 10, options }));
		expect((lastBody().search_settings as IDataObject).filters).toEqual(sent);
		expect(found).toHaveLength(count);
	});
});

describe('search: parameters', () => {
	it.each<[string, IDataObject, string]>([
		['an empty query', { query: '  ' }, 'Query is required and must not be empty'],
		['top_k 0', { topK: 0 }, 'Top K must be a whole number from 1 to 1000, got 0'],
		['top_k 1001', { topK: 1001 }, 'Top K must be a whole number from 1 to 1000, got 1001'],
		['top_k 1.5', { topK: 1.5 }, 'Top K must be a whole number from 1 to 1000, got 1.5'],
		[
			'filters that are no object',
			{ options: { filtersJson: '[1]' } },
			'Options: Filters (JSON) must be a JSON object such as {"key": "value"}, got [1]',
		],
		[
			'filters that are no JSON',
			{ options: { filtersJson: '{topic' } },
			'Options: Filters (JSON) must be valid JSON, got "{topic"',
		],
		[
			'a condition without a field',
			{ options: conditions({ field: '', operator: '$eq', value: 'a' }) },
			'Options: Filters 1: Field is required and must not be empty',
		],
		[
			'a number that is none',
			{ options: conditions({ field: 'a', operator: '$in', value: '1,b', valueType: 'number' }) },
			'Options: Filters 1: Value must be a list of numbers, got "b"',
		],
		[
			'a value that is no JSON',
			{ options: conditions({ field: 'a', operator: '$json_contains', value: '{a' }) },
			'Options: Filters 1: Value must be valid JSON, got "{a"',
		],
		[
			'an empty text among numbers',
			{
				options: conditions({
					field: 'a',
					operator: '$in',
					value: '={{ [1, " "] }}',
					valueType: 'number',
				}),
			},
			'Options: Filters 1: Value must be a list of numbers, got " "',
		],
		[
			'a truth value that is none',
			{
				options: conditions({
					field: 'a',
					operator: '$in',
					value: 'true,yes',
					valueType: 'boolean',
				}),
			},
			'Options: Filters 1: Value must be a list of true and false, got "yes"',
		],
		[
			'a list with nothing in it',
			{ options: conditions({ field: 'a', operator: '$in', value: '={{ [null] }}' }) },
			'Options: Filters 1: Value must be text, a number, true or false, got nothing',
		],
		[
			'a number that is none, which JSON would turn into null',
			{ options: conditions({ field: 'a', operator: '$eq', value: '={{ Number("x") }}' }) },
			'Options: Filters 1: Value must be text, a number, true or false, got NaN',
		],
		...['$in', '$nin', '$overlap'].flatMap((operator) =>
			['', ' , ', '={{ [] }}', '={{ ["", " "] }}'].map((value): [string, IDataObject, string] => [
				`${operator} ${value}`,
				{ options: conditions({ field: 'a', operator, value }) },
				'Options: Filters 1: Value must contain at least one value',
			]),
		),
		...['', ' , ', '={{ [] }}', '={{ [""] }}'].map(
			(collectionIds): [string, IDataObject, string] => [
				`collections ${collectionIds}`,
				{ options: { collectionIds } },
				'Options: Collection IDs must contain at least one ID',
			],
		),
		[
			'a filter that an expression did not find',
			{ options: { filtersJson: '={{ "" }}' } },
			'Options: Filters (JSON) must be valid JSON, got ""',
		],
		[
			'a negative weight',
			{ options: { semanticWeight: -1 } },
			'Options: Hybrid: Semantic Weight must be a number of at least 0, got -1',
		],
	])('%s is an error, and nothing is sent', async (_, parameters, message) => {
		const error = errorOf(await run('search', { query: 'hour', topK: 10, ...parameters }));
		expect(error.message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
