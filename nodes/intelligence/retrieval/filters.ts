import type { IDataObject } from 'n8n-workflow';
import { isRecord, show } from '../../shared/guards';
import { parseJson } from '../../shared/json';
import {
	choice,
	json,
	option,
	readOption,
	unlessBlank,
	type Option,
} from '../../shared/operation/option';
import type { Parameters } from '../../shared/operation/parameters';
import { collectionIdsOf, collectionOptions, type CollectionContext } from './collections';
import { textField } from './fields';
import { readScalar, scalarOf, type Scalar } from './scalar';

/** The operators of beyond-the-spec.md sections 6 "Search" and 9, and their labels. */
const OPERATORS: Array<[value: string, name: string]> = [
	['$contains', 'Contains All Of'],
	['$json_contains', 'Contains JSON'],
	['$eq', 'Equals'],
	['$gt', 'Greater Than'],
	['$gte', 'Greater Than or Equals'],
	['$in', 'Is One Of'],
	['$nin', 'Is None Of'],
	['$lt', 'Less Than'],
	['$lte', 'Less Than or Equals'],
	['$like', 'Like (% for Any Text)'],
	['$ilike', 'Like (Ignore Case)'],
	['$neq', 'Not Equals'],
	['$overlap', 'Overlaps With'],
];
const LIST_OPERATORS = ['$contains', '$in', '$nin', '$overlap'];

type ValueType = 'boolean' | 'number' | 'text';

const collections = collectionOptions('to search');

/** The lists of the collection options, which may hold names. A filter that a person writes is sent as it is. */
const maybeNames = new WeakSet<object>();

/** Not limited to the list: an expression can name another operator that the service knows. */
const operator = unlessBlank(
	option(
		{
			displayName: 'Operator',
			name: 'operator',
			type: 'options',
			options: OPERATORS.map(([value, name]) => ({ name, value })),
			default: '$eq',
		},
		(row, name) => row.text(name),
	),
);

const valueType = unlessBlank(
	choice({
		displayName: 'Value Type',
		name: 'valueType',
		options: [
			{ name: 'Boolean', value: 'boolean' },
			{ name: 'Number', value: 'number' },
			{ name: 'Text', value: 'text' },
		],
		default: 'text',
		description: 'Type of a value that is typed in. Values from expressions keep their own type.',
	}),
);

const conditions = unlessBlank(
	option(
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				fixedCollection: { itemTitle: '={{ $collection.item.value.field }}' },
			},
			placeholder: 'Add Condition',
			default: {},
			description: 'Conditions on the fields or the metadata of a chunk',
			options: [
				{
					displayName: 'Condition',
					name: 'conditions',
					values: [
						textField('Field', 'field', 'A field such as document_id, or a metadata key', {
							placeholder: 'e.g. metadata.department',
						}),
						operator.field,
						textField(
							'Value',
							'value',
							'Value to compare with. Contains All Of, Is One Of, Is None Of and Overlaps With take several, separated by commas.',
							{ placeholder: 'e.g. support' },
						),
						valueType.field,
					],
				},
			],
		},
		(parameters, name) => parameters.rows(name, 'conditions').map(readCondition),
	),
);

const logic = unlessBlank(
	choice({
		displayName: 'Combine Filters With',
		name: 'filterLogic',
		options: [
			{ name: 'And', value: '$and', description: 'All conditions must match' },
			{ name: 'Or', value: '$or', description: 'At least one condition must match' },
		],
		default: '$and',
		description: 'Whether all conditions in Filters must match or only one',
	}),
);

const filterJson = json({
	displayName: 'Filters (JSON)',
	name: 'filtersJson',
	placeholder: 'e.g. {"metadata.year": {"$gte": 2025}}',
	description: "Filter in the service's own syntax, sent unchanged",
});

/** Which chunks a search may find: by collection, by conditions, or by a filter in the service's own syntax. */
export const filterOptions: Option[] = [
	collections.typed,
	collections.chosen,
	logic,
	conditions,
	filterJson,
];

/** The filter: all parts together; undefined if none was added. {@link resolveFilters} makes it ready to send. */
export function readFilters(options: Parameters): IDataObject | undefined {
	const ids = [collections.typed, collections.chosen].flatMap(
		(one) => readOption(options, one) ?? [],
	);
	maybeNames.add(ids);
	const rows = readOption(options, conditions) ?? [];
	const own = readOption(options, filterJson) ?? {};
	const parts: IDataObject[] = [];
	if (ids.length > 0) parts.push({ collection_ids: { $overlap: ids } });
	const combined = readOption(options, logic) ?? '$and';
	if (rows.length > 0) parts.push(rows.length === 1 ? { ...rows[0] } : { [combined]: rows });
	const isOwn = Object.keys(own).length > 0;
	if (isOwn) parts.push(own);
	const [first = {}] = parts;
	return parts.length > 1 || (!isOwn && isTakenOut(first)) ? { $and: parts } : parts[0];
}

/**
 * The filter to send: with the IDs of the collections that the options give by name.
 * @throws where a name is not that of exactly one collection
 */
export async function resolveFilters(
	context: CollectionContext,
	filter: IDataObject | undefined,
): Promise<IDataObject | undefined> {
	if (!Array.isArray(filter?.$and)) return filter;
	const parts = (filter.$and as IDataObject[]).map(async (part) => {
		const given = isRecord(part.collection_ids) && part.collection_ids.$overlap;
		if (!Array.isArray(given) || !maybeNames.has(given)) return part;
		return { collection_ids: { $overlap: await collectionIdsOf(context, given as string[]) } };
	});
	return { ...filter, $and: await Promise.all(parts) };
}

/**
 * Of an ordinary user, R2R (`select_search_filters`) takes the collections at the top of a filter out and adds all documents that
 * the user owns. Below `$and` they stay, for a superuser as well.
 */
function isTakenOut(filter: IDataObject): boolean {
	return Object.keys(filter).some((field) => field.includes('collection_ids'));
}

function readCondition(row: Parameters): IDataObject {
	const field = row.text('field');
	const name = readOption(row, operator) ?? '$eq';
	const type = readOption(row, valueType) ?? 'text';
	if (name === '$json_contains') return { [field]: { [name]: readJson(row) } };
	return LIST_OPERATORS.includes(name)
		? ofList(field, name, readList(row, type))
		: ofValue(field, name, readValue(row, type));
}

/**
 * Not equal: in R2R 3.6 the operator is `$ne`, in its documentation `$neq`, and what one does not know it takes for a key of the
 * metadata, which finds nothing. These mean the same in both.
 */
function ofValue(field: string, name: string, value: Scalar): IDataObject {
	if (name !== '$neq') return { [field]: { [name]: value } };
	if (typeof value === 'string') return { [field]: { $nin: [value] } };
	if (typeof value === 'boolean') return { [field]: { $eq: !value } };
	return { $or: [{ [field]: { $lt: value } }, { [field]: { $gt: value } }] };
}

/**
 * In R2R 3.6 the lists of metadata compare texts alone, so numbers and truth values are compared one by one; and `$overlap` knows
 * IDs alone, but `$in` looks into a list of texts.
 */
function ofList(field: string, name: string, values: Scalar[]): IDataObject {
	const isNone = name === '$nin';
	if (name === '$contains' || field.startsWith('collection_id'))
		return { [field]: { [name]: values } };
	if (values.every((value) => typeof value === 'string'))
		return { [field]: { [name === '$overlap' ? '$in' : name]: values } };
	const parts = values.map((value) =>
		name === '$overlap'
			? { [field]: { $contains: [value] } }
			: ofValue(field, isNone ? '$neq' : '$eq', value),
	);
	return { [isNone ? '$and' : '$or']: parts };
}

function readJson(row: Parameters): IDataObject['x'] {
	const given = row.value('value');
	const value = typeof given === 'string' ? parseJson(given) : given;
	return value === undefined
		? row.fail('value', `must be valid JSON, got ${show(given)}`)
		: (value as IDataObject['x']);
}

/** Typed text is parsed as its type; numbers and booleans from an expression are kept. */
function readList(row: Parameters, type: ValueType): Scalar[] {
	const given = row.value('value');
	const values =
		typeof given === 'string'
			? row.texts('value')
			: (Array.isArray(given) ? given : [given]).map((entry) => scalarOf(row, 'value', entry));
	if (values.every((value) => String(value).trim() === ''))
		row.fail('value', 'must contain at least one value');
	return values.map((value) => (typeof value === 'string' ? readText(row, value, type) : value));
}

function readText(row: Parameters, text: string, type: ValueType): Scalar {
	if (type === 'text') return text;
	const word = text.trim();
	const value =
		type === 'number' ? Number(word || NaN) : word === 'true' || (word === 'false' ? false : NaN);
	if (typeof value === 'number' && !Number.isFinite(value))
		row.fail(
			'value',
			`must be a list of ${type === 'number' ? 'numbers' : 'true and false'}, got ${show(text)}`,
		);
	return value;
}

/** A text type keeps whatever an expression returns; typed text is parsed as its type. */
function readValue(row: Parameters, type: ValueType): Scalar {
	if (type === 'number') return row.number('value');
	if (type === 'boolean') return row.flag('value');
	return readScalar(row, 'value');
}
