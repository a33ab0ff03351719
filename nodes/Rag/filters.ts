import type { IDataObject } from 'n8n-workflow';
import { show } from '../shared/guards';
import {
	choice,
	json,
	option,
	readOption,
	unlessBlank,
	type Option,
} from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';
import { textField, UUID } from './fields';

/** The comparisons of beyond-the-spec.md section 6 "Search", with their names in the form. */
const OPERATORS: Array<[value: string, name: string]> = [
	['$eq', 'Equals'],
	['$gt', 'Greater Than'],
	['$gte', 'Greater Than or Equals'],
	['$in', 'Is One Of'],
	['$nin', 'Is None Of'],
	['$lt', 'Less Than'],
	['$lte', 'Less Than or Equals'],
	['$like', 'Like (% for Any Text)'],
	['$ilike', 'Like, Capital Letters Ignored'],
	['$neq', 'Not Equals'],
	['$overlap', 'Overlaps With'],
];
const LIST_OPERATORS = ['$in', '$nin', '$overlap'];

type ValueType = 'boolean' | 'number' | 'text';
type Scalar = string | number | boolean;

const collectionIds = option(
	textField(
		'Collection IDs',
		'collectionIds',
		'Only documents of these collections, separated by commas',
		{ placeholder: UUID },
	),
	(parameters, name) => parameters.optionalIds(name),
);

/** Operators are not checked: the service may know more of them, and an expression can name them. */
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
		description: 'How to read a typed value',
	}),
);

const conditions = unlessBlank(
	option(
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Condition',
			default: {},
			description: 'Conditions on fields of a chunk or on its metadata',
			options: [
				{
					displayName: 'Condition',
					name: 'conditions',
					values: [
						textField('Field', 'field', 'A field such as document_id, or a key of the metadata', {
							placeholder: 'e.g. metadata.department',
						}),
						operator.field,
						textField(
							'Value',
							'value',
							'What to compare with; for Is One Of, Is None Of and Overlaps With a list separated by commas',
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
			{ name: 'And', value: '$and', description: 'Every condition must be met' },
			{ name: 'Or', value: '$or', description: 'One condition is enough' },
		],
		default: '$and',
		description: 'How the conditions of Filters belong together',
	}),
);

const filterJson = json({
	displayName: 'Filters (JSON)',
	name: 'filtersJson',
	placeholder: 'e.g. {"metadata.year": {"$gte": 2025}}',
	description: 'A filter in the form of the service, sent as it is',
});

/** Which chunks a search may find: by collection, by conditions of a form, or by the service's own filter as JSON. */
export const filterOptions: Option[] = [collectionIds, logic, conditions, filterJson];

/** The filter to send, or undefined when none is set. */
export function readFilters(options: Parameters): IDataObject | undefined {
	const ids = readOption(options, collectionIds);
	const rows = readOption(options, conditions) ?? [];
	const own = readOption(options, filterJson) ?? {};
	const parts: IDataObject[] = [];
	if (ids) parts.push({ collection_ids: { $overlap: ids } });
	const combined = readOption(options, logic) ?? '$and';
	if (rows.length > 0) parts.push(rows.length === 1 ? { ...rows[0] } : { [combined]: rows });
	if (Object.keys(own).length > 0) parts.push(own);
	return parts.length > 1 ? { $and: parts } : parts[0];
}

function readCondition(row: Parameters): IDataObject {
	const field = row.text('field');
	const name = readOption(row, operator) ?? '$eq';
	const type = readOption(row, valueType) ?? 'text';
	return {
		[field]: {
			[name]: LIST_OPERATORS.includes(name) ? readList(row, type) : readValue(row, type),
		},
	};
}

/** Typed text is read as its type says; numbers and truth values of an expression stay what they are. */
function readList(row: Parameters, type: ValueType): Scalar[] {
	const values = row.scalars('value');
	if (values.every((value) => String(value).trim() === ''))
		row.fail('value', 'must hold at least one value');
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

/** An expression gives the type with its value; a typed value is read as its type says. */
function readValue(row: Parameters, type: ValueType): Scalar {
	if (type === 'number') return row.number('value');
	if (type === 'boolean') return row.flag('value');
	return row.scalar('value');
}
