import type { IDataObject } from 'n8n-workflow';
import type { NodeError } from '../../shared/http/errors';
import { replyError, type RequestContext } from '../../shared/http/request';
import { listResults, type ResultList } from './list';

/** Where a thing would show if it were there. */
export interface Listing {
	list: ResultList;
	/** What its entry has, by the fields of an entry: its `id`, say. */
	fields: Record<string, string>;
}

/**
 * Confirms that a thing is gone, of which the service has answered 404. A wrong Base URL, a proxy and a service without this endpoint
 * answer so, too: only a list that can be read to its end, and does not have the thing, says that it is gone.
 * @param notFound the error of the 404
 * @throws that error, with the reason, where the list has the thing or cannot be read
 */
export async function confirmAbsent(
	context: RequestContext,
	{ list, fields }: Listing,
	notFound: NodeError,
): Promise<void> {
	const reason = await listResults(context, list).then(
		(entries) => (entries.some((entry) => mayBe(entry, fields)) ? 'its list has it' : undefined),
		(error: Error) => `its list could not be read: ${error.message}`,
	);
	if (context.signal?.aborted) throw replyError(context, { kind: 'cancelled' });
	if (reason === undefined) return;
	const advice = notFound.description ?? '';
	notFound.description = `It is not known to be gone: ${reason.replace(/\.$/, '')}. ${advice}`;
	throw notFound;
}

/**
 * Whether a list certainly has a thing.
 * @throws where it cannot be read to its end
 */
export async function isListed(
	context: RequestContext,
	{ list, fields }: Listing,
): Promise<boolean> {
	const entries = await listResults(context, list);
	const isShown = (entry: IDataObject) =>
		Object.keys(fields).every((field) => entry[field] !== undefined && entry[field] !== null);
	return entries.some((entry) => isShown(entry) && mayBe(entry, fields));
}

/** Whether an entry is the thing; one that does not show a field may be. */
function mayBe(entry: IDataObject, fields: Listing['fields']): boolean {
	return Object.entries(fields).every(([field, value]) => {
		const shown = entry[field] ?? value;
		return String(shown).toLowerCase() === value.toLowerCase();
	});
}
