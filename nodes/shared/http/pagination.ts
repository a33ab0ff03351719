import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../guards';
import { apiError } from './errors';
import type { Reply } from './reply';
import { objectOf, send, type ApiRequest, type RequestContext } from './request';

type Query = NonNullable<ApiRequest['query']>;
/** The JSON of one page. */
type Body = Record<string, unknown>;

/** How far a list has been read. */
interface Progress {
	/** Pages read. */
	pages: number;
	/** Entries received, with those that came more than once. */
	received: number;
	/** Entries still wanted; Infinity for the rest of the list. */
	missing: number;
	/** The last page as the service sent it; undefined before the first. */
	last?: Body;
}

/** How a service divides a list into pages. */
export interface Paging {
	/** The query of the next page, or undefined where the last page says that it is the last. */
	next(progress: Progress): Query | undefined;
	/** The service may number its pages from 1 although the first one asked for is 0. */
	mayStartAtOne?: boolean;
}

/** A list of the service: where it is, how it is divided into pages and what its entries are. */
export interface PagedList {
	path: string;
	params?: Record<string, string>;
	/** The filters, sent with each page. */
	query?: Query;
	paging: Paging;
	/** The entries in a page; anything but an array is an error. */
	entries(page: Body): unknown;
	/**
	 * What identifies an entry; entries without are left out. Leave this out where no field is known to be unique: the whole entry
	 * then identifies it, and equal entries of one page stay apart.
	 */
	key?(entry: IDataObject): string | undefined;
}

/** A list that grows as fast as it is read must not keep the node busy forever. */
const MAX_PAGES = 1_000;

/** Largest numbered page (beyond-the-spec.md sections 1 and 2). */
const MAX_PAGE_SIZE = 100;

/** Largest `limit` (beyond-the-spec.md section 6 "Envelope"). */
const MAX_LIMIT = 1_000;

/**
 * Numbered pages: `page` and `page_size`. The service does not say how many there are.
 * @param first number of the first page; 0 where it is not known whether the service counts from 0 or from 1
 */
export function numberedPages(first: 0 | 1): Paging {
	return {
		next: ({ pages }) => ({ page: first + pages, page_size: MAX_PAGE_SIZE }),
		mayStartAtOne: first === 0,
	};
}

/** Pages by `offset` and `limit`; the list ends at `total_entries` if a page has that. */
export const offsetPages: Paging = {
	next({ received, missing, last }) {
		const total = last?.total_entries;
		if (typeof total === 'number' && received >= total) return undefined;
		return { offset: received, limit: Math.min(MAX_LIMIT, missing) };
	},
};

/** A request without a query, then one for each next page that `pagination` of the last one announces. */
export const announcedPages: Paging = {
	next({ last }) {
		if (!last) return {};
		const pagination = isRecord(last.pagination) ? last.pagination : {};
		const { has_next: hasNext, page, page_size: size } = pagination;
		if (hasNext !== true || typeof page !== 'number') return undefined;
		return { page: page + 1, ...(typeof size === 'number' && { page_size: size }) };
	},
};

/**
 * Reads a list page by page. It ends where the service says so, at a page that brings nothing new (a service that ignores the
 * query repeats itself), and at `limit` entries. An entry that comes again replaces the earlier one, since it is newer.
 * @returns the entries in the order in which they first came
 * @throws the error of the first page that cannot be read: a part of a list must not look like all of it
 */
export async function listEntries(
	context: RequestContext,
	list: PagedList,
	limit = Infinity,
): Promise<IDataObject[]> {
	const found = new Map<string, IDataObject>();
	const progress: Progress = { pages: 0, received: 0, missing: limit };
	while (progress.missing > 0 && progress.pages < MAX_PAGES) {
		const query = list.paging.next(progress);
		if (!query) break;
		const { body, entries } = await readPage(context, list, query, progress.pages);
		const before = found.size;
		for (const [key, entry] of identified(list, entries)) found.set(key, entry);
		if (found.size === before && !mayBeBeforeFirst(list, progress.pages, entries)) break;
		progress.last = body;
		progress.pages++;
		progress.received += entries.length;
		progress.missing = limit - found.size;
	}
	return [...found.values()].slice(0, limit);
}

async function readPage(
	context: RequestContext,
	{ path, params, query, paging, entries }: PagedList,
	pageQuery: Query,
	page: number,
): Promise<{ body?: Body; entries: IDataObject[] }> {
	const reply = await send(context, {
		method: 'GET',
		path,
		params,
		query: { ...query, ...pageQuery },
		retry: 'idempotent',
	});
	if (paging.mayStartAtOne && page === 0 && isMissing(reply)) return { entries: [] };
	const body = objectOf(context, reply);
	return { body, entries: entriesOf(context, entries(body)) };
}

/** A service that counts from 1 has no page 0. */
function isMissing(reply: Reply): boolean {
	return reply.kind === 'answer' && [400, 404, 422].includes(reply.status);
}

/** A service that counts from 1 may send nothing, or page 1, for page 0: only page 2 tells whether there is more. */
function mayBeBeforeFirst({ paging }: PagedList, page: number, entries: IDataObject[]): boolean {
	return paging.mayStartAtOne === true && (page === 0 || (page === 1 && entries.length > 0));
}

/** The entries of one page with what identifies them. */
function identified(list: PagedList, entries: IDataObject[]): Array<[string, IDataObject]> {
	const seen = new Map<string, number>();
	return entries.flatMap((entry): Array<[string, IDataObject]> => {
		const key = list.key ? list.key(entry) : numbered(seen, JSON.stringify(entry));
		return key === undefined ? [] : [[key, entry]];
	});
}

function numbered(seen: Map<string, number>, text: string): string {
	const count = seen.get(text) ?? 0;
	seen.set(text, count + 1);
	return `${text}${count}`;
}

/**
 * The objects in a list of a response.
 * @throws where the response does not have the list: that must not look like an empty list
 */
export function entriesOf(context: RequestContext, list: unknown): IDataObject[] {
	if (Array.isArray(list)) return list.filter((entry): entry is IDataObject => isRecord(entry));
	throw apiError(
		context.functions.getNode(),
		{
			message: 'The response does not contain the expected list',
			description: 'Check the Base URL in the credential: this may be another service.',
		},
		context.itemIndex,
	);
}
