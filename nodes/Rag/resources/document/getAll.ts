import { limitFields, readLimit } from '../../../shared/fields';
import type { Operation } from '../../../shared/operation/operation';
import { option, optionsField, readOption } from '../../../shared/operation/option';
import { readIds, textField, UUID } from '../../../intelligence/retrieval/fields';
import { listResults } from '../../../intelligence/retrieval/list';

const ids = option(
	textField('IDs', 'ids', 'IDs of the documents to return, separated by commas', {
		placeholder: UUID,
	}),
	readIds,
);

/** `GET /documents`: all, or those with the given IDs (the query key is repeated). */
export const getAll: Operation<{ ids?: string[]; limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many documents',
	description: 'Retrieve a list of documents with their collections, metadata and ingestion status',
	effect: 'read',
	fields: [
		...limitFields,
		optionsField([ids], { name: 'filters', displayName: 'Filters', placeholder: 'Add Filter' }),
	],
	input: (parameters) => ({
		ids: readOption(parameters.group('filters'), ids),
		limit: readLimit(parameters),
	}),
	run: async (context, { ids: wanted, limit }) =>
		await listResults(context, { path: '/documents', query: { ids: wanted } }, limit),
};
