import type { IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import {
	filterOptions,
	readFilters,
	resolveFilters,
} from '../../../intelligence/retrieval/filters';
import { matches, roundedIn, unknownIn } from '../../../intelligence/retrieval/filterMatch';
import { listResults } from '../../../intelligence/retrieval/list';
import { limitField } from '../../../shared/fields';
import { contextError, withKnown } from '../../../shared/operation/context';
import { optionsField } from '../../../shared/operation/option';
import type { Operation } from '../../../shared/operation/operation';
import type { Deletion } from '../../crud';
import { destroyDocument } from './presence';

interface Input {
	filter: IDataObject;
	limit: number;
	dryRun: boolean;
}

const dryRunField: INodeProperties = {
	displayName: 'Dry Run',
	name: 'dryRun',
	type: 'boolean',
	default: true,
	description: 'Whether to only list the documents that match, without deleting any',
};

/**
 * Deletes the documents that pass a filter, one by one by their IDs. The engine can delete by a filter itself
 * (beyond-the-spec.md section 9), but it shows neither before nor after what that is: so the list is read, and what is deleted is
 * what a dry run shows.
 */
export const deleteMany: Operation<Input> = {
	value: 'deleteMany',
	name: 'Delete Many',
	action: 'Delete many documents by filter',
	description:
		'Permanently delete all documents that pass the filters, such as those whose files are gone. Dry Run is on until you turn it off.',
	effect: 'write',
	identifyingKeys: ['document_id'],
	fields: [
		optionsField(filterOptions, {
			name: 'filters',
			displayName: 'Filters',
			placeholder: 'Add Filter',
		}),
		{
			...limitField,
			description: 'Max number of documents to delete. If more match, none is deleted.',
		},
		dryRunField,
	],
	input(parameters) {
		const limit = parameters.integer('limit', { min: 1 });
		const dryRun = parameters.flag('dryRun');
		const filters = parameters.group('filters');
		const filter = readFilters(filters);
		if (!filter) return parameters.fail('filters', 'must contain at least one condition');
		const problem = unknownIn(filter);
		if (problem !== undefined)
			return parameters.fail('filters', `cannot be compared with documents: ${problem}`);
		const rounded = roundedIn(filter);
		if (rounded !== undefined)
			return parameters.fail(
				'filters',
				`must not compare with the number ${rounded}, whose last digits may be lost: write it as text, in quotes`,
			);
		// Such as an expression that found nothing: most documents are greater than an empty text, and differ from it
		if (hasBlank(filter))
			return parameters.fail('filters', 'must not compare with an empty value: it may match all');
		return { filter, limit, dryRun };
	},
	async run(context, { filter: given, limit, dryRun }) {
		const filter = (await resolveFilters(context, given)) ?? given;
		const all = await listResults(context, { path: '/documents' });
		const found = all.filter((one) => matches(one, filter));
		const unnamed = found.filter(({ id }) => !['string', 'number'].includes(typeof id));
		if (unnamed.length > 0)
			throw contextError(
				context,
				{
					message: `${unnamed.length} of the documents that match have no ID`,
					description: 'Nothing was deleted. The node may not know this version of the service.',
				},
				{ documents: unnamed },
			);
		if (found.length > limit && !dryRun)
			throw contextError(context, {
				message: `${found.length} documents match, and Limit is ${limit}`,
				description: 'Nothing was deleted. Check the filters with Dry Run, then raise Limit.',
			});
		const items: IDataObject[] = [];
		for (const { id, title, metadata } of found) {
			const item = { document_id: String(id), title: title ?? null, metadata: metadata ?? null };
			if (dryRun) items.push({ deleted: false, dry_run: true, ...item });
			else items.push({ ...(await deleted(String(id))), ...item });
		}
		if (items.length > 0) return items;
		return [
			{ deleted: false, ...(dryRun && { dry_run: true }), reason: 'none', found: all.length },
		];

		async function deleted(id: string): Promise<Deletion> {
			try {
				return await destroyDocument(context, id);
			} catch (error) {
				const partial = items.map(({ document_id: done }) => String(done));
				throw withKnown(error as NodeApiError, { document_id: id, deleted_before: partial });
			}
		}
	},
};

function hasBlank(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	return typeof value === 'object' && (value === null || Object.values(value).some(hasBlank));
}
