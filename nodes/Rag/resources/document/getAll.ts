import { collectionField, limitFields, readLimit } from '../../../shared/fields';
import type { Operation } from '../../../shared/operation/operation';
import { textField, UUID } from '../../fields';
import { listResults } from '../../list';

/** `GET /documents`: all, or those with certain IDs (the key is repeated). */
export const getAll: Operation<{ ids?: string[]; limit?: number }> = {
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
