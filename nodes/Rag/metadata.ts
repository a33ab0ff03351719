import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../shared/operation/parameters';
import { textField } from './fields';

/** Keys and values that go with a document or a message, as a form or as JSON. */
export const metadataFields: INodeProperties[] = [
	{
		displayName: 'Metadata',
		name: 'metadata',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Entry',
		default: {},
		description: 'Facts that go with it and that a search can filter by',
		options: [
			{
				displayName: 'Entry',
				name: 'values',
				values: [
					textField('Key', 'key', 'Name of the fact', { placeholder: 'e.g. department' }),
					textField(
						'Value',
						'value',
						'Content of the fact. An expression may also give a number, true or false.',
						{ placeholder: 'e.g. support' },
					),
				],
			},
		],
	},
	{
		displayName: 'Metadata (JSON)',
		name: 'metadataJson',
		type: 'json',
		default: '{}',
		description: 'Facts as a JSON object, added to those of Metadata',
	},
];

/** The metadata of a form: its JSON, and the rows of keys and values over it. */
export function readMetadata(parameters: Parameters): IDataObject | undefined {
	const metadata = parameters.has('metadataJson') ? parameters.object('metadataJson') : {};
	const rows = parameters.has('metadata')
		? parameters
				.rows('metadata', 'values')
				.map((row) => [row.text('key'), row.scalar('value')] as const)
		: [];
	const whole = { ...metadata, ...Object.fromEntries(rows) };
	return Object.keys(whole).length > 0 ? whole : undefined;
}
