import type { IDataObject, INodeProperties, NodeApiError } from 'n8n-workflow';
import {
	filterOptions,
	readFilters,
	resolveFilters,
} from '../../../intelligence/retrieval/filters';
import { matches, roundedIn, unknownIn } from '../../../intelligence/retrieval/filterMatch';
import { listResults } from '../../../intelligence/retrieval/list';
import { limitField } from '../../../shared/fields';
import { contextError, withKnown, type OperationContext } from '../../../shared/operation/context';
import { optionsField } from '../../../shared/operation/option';
import type { Operation } from '../../../shared/operation/operation';
import { asSeen, lookAt, sendDeletion, type Deletion } from '../../deletion';
import { DOCUMENT } from './presence';

/** A document to delete, as the output shows it. */
interface Found extends IDataObject {
	document_id: string;
}

/** What is noted until all are deleted: n8n's Retry On Fail finds what is gone in no list any more. */
interface Note extends IDataObject {
	/** The output of each that is deleted, as the service has said. */
	done: IDataObject[];
	/** The one whose deletion was sent last. */
	sent: Found;
	what: string;
}

const DRY_RUN = { deleted: false, dry_run: true };

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
		const earlier = dryRun ? undefined : (context.journal.intent() as Note | undefined);
		const items = earlier?.done ?? [];
		const done = idsOf(items);
		if (earlier) context.known.deleted_before = done;
		const all = await listResults(context, { path: '/documents' });
		// A list that is behind still has what is deleted
		const found = all.filter((one) => matches(one, filter) && !done.includes(String(one.id)));
		const unnamed = found.filter(({ id }) => !['string', 'number'].includes(typeof id));
		if (unnamed.length > 0)
			throw contextError(
				context,
				{
					message: `${unnamed.length} of the documents that match have no ID`,
					description: `${nothing(done)} The node may not know this version of the service.`,
				},
				{ documents: unnamed },
			);
		const chosen = found.map(({ id, title, metadata }): Found => ({
			document_id: String(id),
			title: title ?? null,
			metadata: metadata ?? null,
		}));
		// What was sent last may be gone, too: its answer is lost, and the list does not have it any more
		if (
			earlier &&
			![...done, ...all.map(({ id }) => String(id))].includes(earlier.sent.document_id)
		)
			chosen.unshift(earlier.sent);
		const count = done.length + chosen.length;
		if (count > limit && !dryRun)
			throw contextError(context, {
				message: `${count} documents match, and Limit is ${limit}`,
				description: `${nothing(done)} Check the filters with Dry Run, then raise Limit.`,
			});
		for (const item of chosen) {
			if (!dryRun) note(item);
			items.push({ ...(dryRun ? DRY_RUN : await deleted(item.document_id)), ...item });
		}
		if (items.length > 0) return dryRun ? items : await asShown(context, items);
		return [{ ...(dryRun ? DRY_RUN : { deleted: false }), reason: 'none', found: all.length }];

		function note(sent: Found): void {
			const what = [
				`Delete of ${sent.document_id}`,
				...(items.length > 0 ? [`done: ${idsOf(items)}`] : []),
			];
			context.journal.note({ done: items, sent, what: what.join('; ') });
		}

		async function deleted(id: string): Promise<Deletion> {
			try {
				return await sendDeletion(context, DOCUMENT, { documentId: id });
			} catch (error) {
				throw withKnown(error as NodeApiError, { document_id: id, deleted_before: idsOf(items) });
			}
		}
	},
};

/** Deletions as they are seen once all are sent, so that all are waited for at once. */
async function asShown(context: OperationContext, items: IDataObject[]): Promise<IDataObject[]> {
	const open = items.filter((item) => item.already_gone !== true);
	const things = open.map(({ document_id: id }) => ({ documentId: String(id) }));
	const seen = await lookAt(context, DOCUMENT, things).catch((error: NodeApiError) => {
		throw withKnown(error, { deleted_before: idsOf(items) });
	});
	return items.map((item) => {
		const index = open.indexOf(item);
		const { document_id, title, metadata } = item;
		return index < 0
			? item
			: { ...asSeen(item as Deletion, seen[index]), document_id, title, metadata };
	});
}

function idsOf(items: IDataObject[]): string[] {
	return items.map(({ document_id: id }) => String(id));
}

/** What an error before the first deletion of a try says. */
function nothing(done: string[]): string {
	return done.length === 0 ? 'Nothing was deleted.' : 'Nothing more was deleted.';
}

function hasBlank(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	return typeof value === 'object' && (value === null || Object.values(value).some(hasBlank));
}
