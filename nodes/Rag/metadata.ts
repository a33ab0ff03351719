import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { json, option, readOption, unlessBlank } from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';
import { textField } from '../intelligence/retrieval/fields';
import { readScalar } from '../intelligence/retrieval/scalar';

const metadataRows = unlessBlank(
	option(
		{
			displayName: 'Metadata',
			name: 'metadata',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				fixedCollection: { itemTitle: '={{ $collection.item.value.key }}' },
			},
			placeholder: 'Add Entry',
			default: {},
			description: 'Keys and values to store with it. Searches can filter by them.',
			options: [
				{
					displayName: 'Entry',
					name: 'values',
					values: [
						textField('Key', 'key', 'Name of the metadata field', {
							placeholder: 'e.g. department',
						}),
						textField(
							'Value',
							'value',
							'Value of the metadata field. An expression may also return a number, true or false.',
							{ placeholder: 'e.g. support' },
						),
					],
				},
			],
		},
		(parameters, name): IDataObject =>
			Object.fromEntries(
				parameters.rows(name, 'values').map((row) => [row.text('key'), readScalar(row, 'value')]),
			),
	),
);

export const metadataJson = unlessBlank(
	json({
		displayName: 'Metadata (JSON)',
		name: 'metadataJson',
		description: 'Metadata as a JSON object. Entries in Metadata override it.',
	}),
);

/** Keys and values that are stored with a document, a chunk or a message, as rows. */
export const metadataField: INodeProperties = metadataRows.field;

/** The same, as rows and as JSON. */
export const metadataFields: INodeProperties[] = [metadataField, metadataJson.field];

/** The metadata of an item: the JSON, overridden by the rows; undefined if there is none. */
export function readMetadata(parameters: Parameters): IDataObject | undefined {
	const metadata = {
		...readOption(parameters, metadataJson),
		...readOption(parameters, metadataRows),
	};
	return Object.keys(metadata).length > 0 ? metadata : undefined;
}
