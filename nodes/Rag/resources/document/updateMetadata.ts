import type { IDataObject } from 'n8n-workflow';
import { refusalIn } from '../../../shared/http/refusal';
import { request } from '../../../shared/http/request';
import type { Operation } from '../../../shared/operation/operation';
import type { Parameters } from '../../../shared/operation/parameters';
import { itemOf } from '../../../intelligence/retrieval/envelope';
import { documentIdField } from '../../../intelligence/retrieval/fields';
import { metadataJson } from '../../metadata';
import { RAG } from '../../../intelligence/retrieval/paths';

/**
 * `PATCH /documents/{id}/metadata` (beyond-the-spec.md section 9). The same values again change nothing more, so it is sent again
 * as a read is.
 */
export const updateMetadata: Operation<{ documentId: string; entries: IDataObject[] }> = {
	value: 'updateMetadata',
	name: 'Update Metadata',
	action: 'Update metadata of document',
	description: 'Set or replace metadata of one document by key. Other keys are kept.',
	effect: 'write',
	fields: [
		documentIdField,
		{
			...metadataJson.field,
			required: true,
			description: 'Keys to set or replace, as a JSON object. Searches can filter by them.',
		},
	],
	input: (parameters) => ({
		documentId: parameters.pathId('documentId'),
		entries: readEntries(parameters),
	}),
	async run(context, { documentId, entries }) {
		const spec = {
			method: 'PATCH',
			path: `${RAG}/documents/{documentId}/metadata`,
			params: { documentId },
			body: entries,
			retry: 'idempotent',
		} as const;
		// With the document beside it, a no is one all the same
		const answer = await request(context, spec, refusalIn);
		return [{ document_id: documentId, ...itemOf(answer) }];
	},
};

/** The body: a list of objects, here one for each key. */
function readEntries(parameters: Parameters): IDataObject[] {
	const entries = Object.entries(metadataJson.read(parameters));
	if (entries.length === 0)
		parameters.fail(
			metadataJson.field.name,
			'must contain at least one key: there is nothing to change',
		);
	return entries.map(([key, value]) => ({ [key]: value }));
}
