import { collectionField, limitFields, readLimit } from '../../../shared/fields';
import { download } from '../../files';
import type { Operation, Resource } from '../../../shared/operation/operation';
import { RAG } from '../../envelope';
import { listResults } from '../../list';
import { create } from './create';
import { documentIdField, textField, UUID } from '../../fields';
import { getMany, getOne, remove } from '../../crud';

const ids = [documentIdField];

/** `GET /documents`: all, or those with certain IDs (the key is repeated). */
const getAll: Operation<{ ids?: string[]; limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many documents',
	description:
		'Retrieve a list of documents with their collections, metadata and how far they are ingested',
	effect: 'read',
	fields: [
		...limitFields,
		collectionField('filters', 'Filters', 'Add Filter', [
			textField('IDs', 'ids', 'Only these documents, separated by commas', { placeholder: UUID }),
		]),
	],
	input: (parameters) => ({
		ids: parameters.group('filters').optionalIds('ids'),
		limit: readLimit(parameters),
	}),
	run: async (context, { ids, limit }) =>
		await listResults(context, { path: '/documents', query: { ids } }, limit),
};

const downloadFile: Operation<{ documentId: string; field: string; fileName?: string }> = {
	value: 'download',
	name: 'Download',
	action: 'Download a document',
	description: 'Fetch the file of a document as it was uploaded',
	effect: 'read',
	fields: [
		documentIdField,
		textField(
			'Put Output File in Field',
			'binaryPropertyName',
			'Field of the output item that will hold the file',
			{ required: true, default: 'data' },
		),
		collectionField('options', 'Options', 'Add Option', [
			textField('File Name', 'fileName', 'In place of the name that the service gives', {
				placeholder: 'e.g. manual.pdf',
			}),
		]),
	],
	input: (parameters) => ({
		documentId: parameters.pathId('documentId'),
		field: parameters.text('binaryPropertyName'),
		fileName: parameters.group('options').optionalText('fileName'),
	}),
	async run(context, { documentId, field, fileName }) {
		const spec = {
			method: 'GET',
			path: `${RAG}/documents/{documentId}/download`,
			params: { documentId },
			retry: 'idempotent',
			headers: { Accept: '*/*' },
		} as const;
		return [await download(context, spec, field, fileName, { document_id: documentId })];
	},
};

/** Documents (beyond-the-spec.md section 6 "Documents"). */
export const document: Resource = {
	value: 'document',
	name: 'Document',
	operations: [
		getAll,
		create,
		remove('document', { path: '/documents/{documentId}', ids }),
		downloadFile,
		getOne('document', { path: '/documents/{documentId}', ids }),
		getMany('chunks of a document', {
			path: '/documents/{documentId}/chunks',
			ids,
			value: 'getChunks',
			name: 'Get Chunks',
		}),
	],
};
