import type { Operation } from '../../../shared/operation/operation';
import { optionsField, readOption, text, unlessBlank } from '../../../shared/operation/option';
import { documentIdField, textField } from '../../../intelligence/retrieval/fields';
import { downloadFile } from '../../files';
import { RAG } from '../../../intelligence/retrieval/paths';

const fileName = unlessBlank(
	text({
		displayName: 'File Name',
		name: 'fileName',
		placeholder: 'e.g. manual.pdf',
		description: 'Name of the file. By default, it is the name that the service sends.',
	}),
);

/** `GET /documents/{id}/download`: the file in a binary field of one item. */
export const download: Operation<{ documentId: string; field: string; fileName?: string }> = {
	value: 'download',
	name: 'Download',
	action: 'Download document',
	description: 'Download the file of a document as it was uploaded',
	effect: 'read',
	fields: [
		documentIdField,
		textField(
			'Put Output File in Field',
			'binaryPropertyName',
			'Name of the output field to put the file in',
			{ required: true, default: 'data' },
		),
		optionsField([fileName]),
	],
	input: (parameters) => ({
		documentId: parameters.pathId('documentId'),
		field: parameters.text('binaryPropertyName'),
		fileName: readOption(parameters.group('options'), fileName),
	}),
	async run(context, { documentId, field, fileName: name }) {
		const spec = {
			method: 'GET',
			path: `${RAG}/documents/{documentId}/download`,
			params: { documentId },
			retry: 'idempotent',
			headers: { Accept: '*/*' },
		} as const;
		return [await downloadFile(context, spec, field, name, { document_id: documentId })];
	},
};
