import type { IDataObject } from 'n8n-workflow';
import type { PagedList } from '../../shared/http/pages';
import { listEntries, offsetPages } from '../../shared/http/pagination';
import type { RequestContext } from '../../shared/http/request';
import { timeOf } from '../../shared/dates';
import { listIn } from './envelope';
import { RAG } from './paths';

/** A list of the retrieval service; `path` is below its prefix: `/documents`. */
export type ResultList = Pick<PagedList, 'path' | 'params' | 'query'> & {
	/** The entries in a page, if they are more than its list. */
	entries?: PagedList['entries'];
	/** The newest entries are wanted last, and a limit is for these. */
	isNewestLast?: boolean;
};

/**
 * All entries of a list, or the first `limit` ones (beyond-the-spec.md section 6 "Envelope").
 * @throws the error of a page that cannot be read
 */
export async function listResults(
	context: RequestContext,
	{ path, params, query, entries = listIn, isNewestLast }: ResultList,
	limit?: number,
): Promise<IDataObject[]> {
	const list = {
		path: `${RAG}${path}`,
		params,
		query,
		paging: offsetPages,
		entries,
		key: idOf,
		mayLackKey: true,
	};
	if (!isNewestLast) return await listEntries(context, list, limit);
	// The engine sends all messages at once, and repeats them for any offset
	const paging = { ...offsetPages, defaultSize: undefined, mayComeAtOnce: true };
	const all = await listEntries(context, { ...list, paging });
	return (isNewestFirst(all) ? all.reverse() : all).slice(limit === undefined ? 0 : -limit);
}

/** No order of them is specified. */
function isNewestFirst(entries: IDataObject[]): boolean {
	const [first = NaN, last = NaN] = [entries[0], entries.at(-1)].map((one) =>
		timeOf(one?.created_at),
	);
	return first > last;
}

/** The ID of an entry; those of some lists have none. */
function idOf({ id }: IDataObject): string | undefined {
	return ['string', 'number'].includes(typeof id) ? String(id) : undefined;
}
