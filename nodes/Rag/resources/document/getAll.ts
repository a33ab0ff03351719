import { limitFields, readLimit } from '../../../shared/fields';
import type { Operation } from '../../../shared/operation/operation';
import { option, optionsField, readOption } from '../../../shared/operation/option';
import { textField, UUID } from '../../fields';
import { listResults } from '../../list';

const ids = option(
	textField('IDs', 'ids', 'Only these documents, separated by commas', { placeholder: UUID }),
	(filters, name) => filters.optionalIds(name),
);

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
		optionsField([ids], { name: 'filters', displayName: 'Filters', placeholder: 'Add Filter' }),
	],
	input: (parameters) => ({
		ids: readOption(parameters.group('filters'), ids),
		limit: readLimit(parameters),
	}),
	run: async (context, { ids: wanted, limit }) =>
		await listResults(context, { path: '/documents', query: { ids: wanted } }, limit),
};
