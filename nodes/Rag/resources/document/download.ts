import { collectionField } from '../../../shared/fields';
import type { Operation } from '../../../shared/operation/operation';
import { documentIdField, textField } from '../../fields';
import { downloadFile } from '../../files';
import { RAG } from '../../paths';

/** `GET /documents/{id}/download`: the file in a binary field of one item. */
export const download: Operation<{ documentId: string; field: string; fileName?: string }> = {
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
		return [await downloadFile(context, spec, field, fileName, { document_id: documentId })];
	},
};
