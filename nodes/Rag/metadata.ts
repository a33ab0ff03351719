import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { json, option, readOption, unlessBlank } from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';
import { textField } from './fields';

const metadataRows = unlessBlank(
	option(
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
		(parameters, name): IDataObject =>
			Object.fromEntries(
				parameters.rows(name, 'values').map((row) => [row.text('key'), row.scalar('value')]),
			),
	),
);

export const metadataJson = unlessBlank(
	json({
		displayName: 'Metadata (JSON)',
		name: 'metadataJson',
		description: 'Facts as a JSON object, added to those of Metadata',
	}),
);

/** Keys and values that go with a document or a message, as rows. */
export const metadataField: INodeProperties = metadataRows.field;

/** The same, as rows and as JSON. */
export const metadataFields: INodeProperties[] = [metadataField, metadataJson.field];

/** The metadata of a form: its JSON, and the rows of keys and values over it. */
export function readMetadata(parameters: Parameters): IDataObject | undefined {
	const metadata = {
		...readOption(parameters, metadataJson),
		...readOption(parameters, metadataRows),
	};
	return Object.keys(metadata).length > 0 ? metadata : undefined;
}
