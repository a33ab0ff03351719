import { isRecord } from '../guards';
import { numberOf } from '../numbers';
import type { ApiRequest } from './request';

export type Query = NonNullable<ApiRequest['query']>;
/** The JSON of one page. */
export type Body = Record<string, unknown>;

/** How far a list has been read. */
export interface Progress {
	/** Pages read. */
	pages: number;
	/** Entries received, with those that came more than once. */
	received: number;
	/** Entries still wanted; Infinity for the rest of the list. */
	missing: number;
	/** Entries that a page may have. */
	size: number;
	/** The last page as the service sent it; undefined before the first. */
	last?: Body;
}

/** How a service divides a list into pages. */
export interface Paging {
	/** Entries that a page may have: the first number is asked for, the next one where a service refuses it. */
	sizes: readonly number[];
	/** The query of the next page, or undefined where the last page says that it is the last. */
	next(progress: Progress): Query | undefined;
	/** The service may number its pages from 1 although the first one asked for is 0. */
	mayStartAtOne?: boolean;
	/** A page begins at a place in the list: an entry of it that is equal to one of an earlier page is another one. */
	isByPlace?: boolean;
	/** A list may come as an array, all of it at once. */
	mayBeBare?: boolean;
	/** The service may send all entries whatever is asked for: then as many as a page may have at most can be all. */
	mayComeAtOnce?: boolean;
	/** The number of entries in all pages, as a page says it. */
	total?(page: Body): number | undefined;
	/** Entries in a page where the service does not heed what is asked for: so many are not known to be all. */
	defaultSize?: number;
}

/** Sizes of numbered pages: 100 is the largest (beyond-the-spec.md sections 1 and 2), 20 and 10 are defaults of the service. */
const PAGE_SIZES = [100, 20, 10];

/** Largest `limit`, and the one that holds where none is sent (beyond-the-spec.md section 6 "Envelope"). */
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;

/**
 * Numbered pages: `page` and `page_size`. The service does not say how many there are.
 * @param first number of the first page; 0 where it is not known whether the service counts from 0 or from 1
 */
export function numberedPages(first: 0 | 1): Paging {
	return {
		sizes: PAGE_SIZES,
		next: ({ pages, size }) => ({ page: first + pages, page_size: size }),
		mayStartAtOne: first === 0,
	};
}

/** Pages by `offset` and `limit`; the list ends at `total_entries` if a page has that. */
export const offsetPages = {
	sizes: [MAX_LIMIT],
	isByPlace: true,
	mayBeBare: true,
	defaultSize: DEFAULT_LIMIT,
	total: (page) => numberOf(page.total_entries),
	next({ received, missing, size, last = {} }) {
		const total = numberOf(last.total_entries);
		// That of a page with as many entries as may be asked for by default may be of this page alone
		const isPage = received === DEFAULT_LIMIT && size > DEFAULT_LIMIT;
		// One that is smaller than what came is not that of the list
		if (received === total && !isPage) return undefined;
		return { offset: received, limit: Math.min(size, missing) };
	},
} satisfies Paging;

/** A request without a query, then one for each next page that `pagination` of the last one announces. */
export const announcedPages: Paging = {
	sizes: [Infinity],
	mayBeBare: true,
	total: (page) => totalIn(paginationOf(page)),
	next({ last, received }) {
		if (!last) return {};
		const pagination = paginationOf(last);
		const page = numberOf(pagination.page);
		const size = numberOf(pagination.page_size);
		const total = totalIn(pagination);
		const pages = total === undefined ? numberOf(pagination.total_pages) : undefined;
		const hasNext = saysMore(last) || received < (total ?? 0) || (page ?? 0) < (pages ?? 0);
		if (!hasNext || page === undefined) return undefined;
		return { page: page + 1, ...(size !== undefined && { page_size: size }) };
	},
};

/** Where a page is in its list; some services say so beside the entries. */
function paginationOf(page: Body): Body {
	return { ...page, ...(isRecord(page.pagination) && page.pagination) };
}

function totalIn({ total, total_entries }: Body): number | undefined {
	return numberOf(total) ?? numberOf(total_entries);
}

/** Whether a page says how many entries there are in all: it is one of a list. */
export function hasTotal({ total, total_entries, data }: Body): boolean {
	const totals = [total, total_entries, isRecord(data) ? data.total : undefined];
	return totals.some((one) => numberOf(one) !== undefined);
}

/** With which services say that others follow: a flag, or where the next page is. */
const MORE_FLAGS = ['has_next', 'has_more', 'hasNext', 'hasMore'];
const NEXT_PAGES = ['next', 'next_page', 'next_cursor', 'nextCursor', 'next_page_token'];

/** Whether a page says that others follow. */
export function saysMore(page: Body = {}): boolean {
	return [page, page.data, page.pagination]
		.filter(isRecord)
		.some(
			(said) =>
				MORE_FLAGS.some((key) => [true, 1, 'true'].includes(said[key] as never)) ||
				NEXT_PAGES.some((key) => Boolean(said[key])),
		);
}
