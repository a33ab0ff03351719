import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { type Parameters } from '../shared/operation/parameters';
import { textField } from './fields';
import { show } from '../shared/guards';

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
const VALUE_TYPES = ['text', 'number', 'boolean'] as const;

type ValueType = (typeof VALUE_TYPES)[number];
type Scalar = string | number | boolean;

/** Which chunks a search may find: by collection, by conditions of a form, or by the service's own filter as JSON. */
export const filterFields: INodeProperties[] = [
	textField(
		'Collection IDs',
		'collectionIds',
		'Only documents of these collections, separated by commas',
		{ placeholder: 'e.g. 4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7' },
	),
	{
		displayName: 'Combine Filters With',
		name: 'filterLogic',
		type: 'options',
		options: [
			{ name: 'And', value: '$and', description: 'Every condition must be met' },
			{ name: 'Or', value: '$or', description: 'One condition is enough' },
		],
		default: '$and',
		description: 'How the conditions of Filters belong together',
	},
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
					{
						displayName: 'Operator',
						name: 'operator',
						type: 'options',
						options: OPERATORS.map(([value, name]) => ({ name, value })),
						default: '$eq',
					},
					textField(
						'Value',
						'value',
						'What to compare with; for Is One Of, Is None Of and Overlaps With a list separated by commas',
						{ placeholder: 'e.g. support' },
					),
					{
						displayName: 'Value Type',
						name: 'valueType',
						type: 'options',
						options: [
							{ name: 'Boolean', value: 'boolean' },
							{ name: 'Number', value: 'number' },
							{ name: 'Text', value: 'text' },
						],
						default: 'text',
						description: 'How to read a typed value',
					},
				],
			},
		],
	},
	{
		displayName: 'Filters (JSON)',
		name: 'filtersJson',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"metadata.year": {"$gte": 2025}}',
		description: 'A filter in the form of the service, sent as it is',
	},
];

/** The filter to send, or undefined when none is set. Operators in JSON are not checked: the service may know more of them. */
export function readFilters(parameters: Parameters): IDataObject | undefined {
	const collectionIds = parameters.optionalIds('collectionIds');
	const conditions = parameters.has('filters')
		? parameters.rows('filters', 'conditions').map(readCondition)
		: [];
	const json = parameters.isSet('filtersJson') ? parameters.object('filtersJson') : {};
	const logic = parameters.has('filterLogic')
		? parameters.choice('filterLogic', ['$and', '$or'] as const)
		: '$and';
	const parts: IDataObject[] = [];
	if (collectionIds) parts.push({ collection_ids: { $overlap: collectionIds } });
	if (conditions.length > 0)
		parts.push(conditions.length === 1 ? { ...conditions[0] } : { [logic]: conditions });
	if (Object.keys(json).length > 0) parts.push(json);
	return parts.length > 1 ? { $and: parts } : parts[0];
}

function readCondition(row: Parameters): IDataObject {
	const field = row.text('field');
	const operator = row.has('operator') ? row.text('operator') : '$eq';
	const type = row.has('valueType') ? row.choice('valueType', VALUE_TYPES) : 'text';
	return {
		[field]: {
			[operator]: LIST_OPERATORS.includes(operator) ? readList(row, type) : readValue(row, type),
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
