import type { IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import type { OperationContext } from '../../shared/operation/context';
import type { Operation, Resource } from '../../shared/operation/operation';
import type { Parameters } from '../../shared/operation/parameters';
import { writeOnce } from '../../shared/operation/sendOnce';
import { inLine } from '../../shared/operation/turn';
import { itemOf } from '../../intelligence/retrieval/envelope';
import { RAG } from '../../intelligence/retrieval/paths';
import { listResults } from '../../intelligence/retrieval/list';
import { collectionIdField, documentIdField, textField } from '../../intelligence/retrieval/fields';
import { getMany, getOne, remove, write } from '../crud';

const ids = [collectionIdField];
const bothIds = [collectionIdField, documentIdField];

const nameField = textField('Name', 'name', 'Name of the collection', {
	required: true,
	placeholder: 'e.g. manuals',
});
const descriptionField: INodeProperties = textField(
	'Description',
	'description',
	'What the collection contains',
	{ placeholder: 'e.g. Manuals of all products' },
);

interface CreateInput {
	name: string;
	description?: string;
	useExisting: boolean;
}

/** `POST /collections`, or the existing collection with this name, so that a workflow can start with it each time. */
const create: Operation<CreateInput> = {
	value: 'create',
	name: 'Create',
	action: 'Create collection',
	description: 'Create an empty collection of documents',
	effect: 'write',
	fields: [
		nameField,
		descriptionField,
		{
			displayName: 'If Exists',
			name: 'ifExists',
			type: 'options',
			options: [
				{ name: 'Stop With an Error', value: 'error' },
				{
					name: 'Use It',
					value: 'useExisting',
					description: 'Return the first collection with this name',
				},
			],
			default: 'error',
			description: 'What to do if a collection with this name exists',
		},
	],
	input: (parameters) => ({
		name: parameters.text('name'),
		description: parameters.text('description', { optional: true }),
		useExisting:
			parameters.has('ifExists') &&
			parameters.choice('ifExists', ['error', 'useExisting'] as const) === 'useExisting',
	}),
	async run(context, { name, description, useExisting }) {
		const make = async () => await createOnce(context, name, description);
		if (!useExisting) return [await make()];
		// Two that look at once would both find none
		return await inLine(context, ['collection', name], async () => {
			const existing = await findByName(context, name);
			if (existing) return [{ ...existing, existing: true }];
			let isMade = false;
			// The list may not show yet what an earlier item has created
			const created = context.once(`collection ${name}`, async () => {
				const item = await make();
				isMade = true;
				return item;
			});
			const item = await created.catch(async (error: NodeApiError) => {
				const isConflict = error.httpCode === '409';
				// Another process was faster
				const theirs = isConflict && (await findByName(context, name).catch(() => undefined));
				if (!theirs) throw error;
				return theirs;
			});
			return [isMade ? item : { ...item, existing: true }];
		});
	},
};

async function createOnce(
	context: OperationContext,
	name: string,
	description: string | undefined,
): Promise<IDataObject> {
	const request = {
		method: 'POST' as const,
		path: `${RAG}/collections`,
		body: { name, description },
	};
	return itemOf(await writeOnce(context, request, `Create collection "${name}"`));
}

async function findByName(
	context: OperationContext,
	name: string,
): Promise<IDataObject | undefined> {
	const all = await listResults(context, { path: '/collections' });
	return all.find((entry) => String(entry.name) === name);
}

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
			hasDetails: true,
			description: 'Delete one collection. Its documents are kept.',
		}),
		write({
			value: 'update',
			name: 'Update',
			action: 'Update collection',
			description: 'Change the name or the description of one collection',
			path: '/collections/{collectionId}',
			ids,
			fields: [
				{
					...nameField,
					required: false,
					description: 'New name. Leave empty to keep the current one.',
				},
				descriptionField,
			],
			body: readUpdate,
		}),
		getMany('documents in a collection', {
			path: '/collections/{collectionId}/documents',
			ids,
			value: 'getDocuments',
			name: 'Get Documents',
		}),
		write({
			value: 'addDocument',
			name: 'Add Document',
			action: 'Add document to collection',
			description: 'Add one document to a collection',
			path: '/collections/{collectionId}/documents/{documentId}',
			ids: bothIds,
			ifThere: {
				item: { already_added: true },
				listing: ({ collectionId = '', documentId = '' }) => ({
					list: { path: '/collections/{collectionId}/documents', params: { collectionId } },
					fields: { id: documentId },
				}),
			},
		}),
		write({
			value: 'extract',
			name: 'Extract',
			action: 'Extract entities from documents in collection',
			description:
				'Find entities and relationships in the documents of a collection, for its graph. The service works in the background.',
			path: '/collections/{collectionId}/extract',
			ids,
		}),
		remove('document', {
			value: 'removeDocument',
			name: 'Remove Document',
			action: 'Remove document from collection',
			description: 'Remove one document from a collection. The document itself is kept.',
			path: '/collections/{collectionId}/documents/{documentId}',
			ids: bothIds,
		}),
	],
};

function readUpdate(parameters: Parameters) {
	const body = {
		name: parameters.text('name', { optional: true }),
		description: parameters.text('description', { optional: true }),
	};
	if (body.name === undefined && body.description === undefined)
		parameters.fail('name', 'or Description must be set: there is nothing to change');
	return body;
}
