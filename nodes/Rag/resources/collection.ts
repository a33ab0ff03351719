import type { INodeProperties } from 'n8n-workflow';
import type { Operation, Resource } from '../../shared/operation/operation';
import { listOffsets } from '../../shared/http/pagination';
import type { Parameters } from '../../shared/operation/parameters';
import { writeOnce } from '../../shared/operation/sendOnce';
import { itemOf, RAG } from '../envelope';
import { collectionIdField, documentIdField, textField } from '../fields';
import { getMany, getOne, remove, write } from '../crud';

const ids = [collectionIdField];
const pair = [collectionIdField, documentIdField];

const nameField = textField('Name', 'name', 'Name of the collection', {
	required: true,
	placeholder: 'e.g. manuals',
});
const describing: INodeProperties = textField(
	'Description',
	'description',
	'What the collection holds',
	{ placeholder: 'e.g. Manuals of all machines' },
);

interface CreateInput {
	name: string;
	description?: string;
	useExisting: boolean;
}

/** `POST /collections`, or the one of this name that is there already: so a workflow can begin with it each time. */
const create: Operation<CreateInput> = {
	value: 'create',
	name: 'Create',
	action: 'Create a collection',
	description: 'Create an empty collection of documents',
	effect: 'write',
	fields: [
		nameField,
		describing,
		{
			displayName: 'If Exists',
			name: 'ifExists',
			type: 'options',
			options: [
				{ name: 'Stop With an Error', value: 'error' },
				{
					name: 'Use It',
					value: 'useExisting',
					description: 'Return the first collection of this name',
				},
			],
			default: 'error',
			description: 'What to do when there is a collection of this name',
		},
	],
	input: (parameters) => ({
		name: parameters.text('name'),
		description: parameters.optionalText('description'),
		useExisting:
			parameters.has('ifExists') &&
			parameters.choice('ifExists', ['error', 'useExisting'] as const) === 'useExisting',
	}),
	async run(context, { name, description, useExisting }) {
		const existing = useExisting
			? (await listOffsets(context, { path: `${RAG}/collections` })).find(
					(entry) => entry.name === name,
				)
			: undefined;
		if (existing) return [{ ...existing, existing: true }];
		return [
			itemOf(
				await writeOnce(
					context,
					{ method: 'POST', path: `${RAG}/collections`, body: { name, description } },
					`Create collection "${name}"`,
				),
			),
		];
	},
};

/** Collections and the documents in them (beyond-the-spec.md section 6 "Collections"). */
export const collection: Resource = {
	value: 'collection',
	name: 'Collection',
	operations: [
		getMany('collections', { path: '/collections' }),
		create,
		getOne('collection', { path: '/collections/{collectionId}', ids }),
		remove('collection', {
			path: '/collections/{collectionId}',
			ids,
			description: 'Delete one collection; its documents stay',
		}),
		write({
			value: 'update',
			name: 'Update',
			action: 'Update a collection',
			description: 'Change the name or the description of one collection',
			path: '/collections/{collectionId}',
			ids,
			fields: [
				{ ...nameField, required: false, description: 'The new name; empty keeps it' },
				describing,
			],
			body: readUpdate,
		}),
		getMany('documents of a collection', {
			path: '/collections/{collectionId}/documents',
			ids,
			value: 'getDocuments',
			name: 'Get Documents',
		}),
		write({
			value: 'addDocument',
			name: 'Add Document',
			action: 'Add a document to a collection',
			description: 'Put one document into a collection',
			path: '/collections/{collectionId}/documents/{documentId}',
			ids: pair,
		}),
		remove('document', {
			value: 'removeDocument',
			name: 'Remove Document',
			action: 'Remove a document from a collection',
			description: 'Take one document out of a collection; the document stays',
			path: '/collections/{collectionId}/documents/{documentId}',
			ids: pair,
		}),
	],
};

function readUpdate(parameters: Parameters) {
	const body = {
		name: parameters.optionalText('name'),
		description: parameters.optionalText('description'),
	};
	if (body.name === undefined && body.description === undefined)
		parameters.fail('name', 'or Description must be set: there is nothing to change');
	return body;
}
