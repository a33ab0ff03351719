import type { IDataObject } from 'n8n-workflow';
import { numberOf } from '../numbers';
import {
	incompleteError,
	listError,
	readPage,
	readPages,
	type PagedList,
	type Pass,
} from './pages';
import { saysMore, type Body } from './paging';
import type { RequestContext } from './request';

export { announcedPages, numberedPages, offsetPages } from './paging';

/** A list of which no entry may be missing. */
export interface CompleteList extends PagedList {
	key(entry: IDataObject): string | undefined;
	/** The number of entries in all pages, where a page says it. */
	total(page: Body): unknown;
}

/** Entries in a page of services that do not heed what is asked for: a list of exactly so many may be the first page of several. */
const USUAL_SIZES = [10, 20, 25, 30, 40, 50, 60, 100, 200, 250, 500, 1_000];
/** How often a list is read whose entries move meanwhile. */
const MAX_PASSES = 4;

/**
 * Reads a list page by page. It ends where the service says so, at a page that brings nothing new (a service that ignores the
 * query repeats itself), and at `limit` entries. An entry that comes again replaces the earlier one, since it is newer. A list that
 * gets shorter meanwhile is read again, since its entries move towards pages that were read before, and so is one that ends before its
 * total is reached.
 * @returns the entries in the order in which they first came
 * @throws the error of the first page that cannot be read, or where the service has more than it sends: a part of a list must not
 * look like all of it
 */
export async function listEntries(
	context: RequestContext,
	list: PagedList,
	limit = Infinity,
): Promise<IDataObject[]> {
	for (let passes = 1; ; passes++) {
		const pass = await readPages(context, list, { limit });
		const { found } = pass;
		if (found.size < limit && (await isCutOff(context, list, pass)))
			throw listError(
				context,
				pass.isRepeated
					? `The service sends the same ${found.size} entries for every page: the list may be incomplete`
					: `The service says that there are more than these ${found.size} entries, but not how to get them`,
				found.size > 0
					? `To get these, turn off Return All and set Limit to ${found.size} or less.`
					: 'Try again.',
			);
		const gap = gapIn(list, pass, limit);
		if (!gap) return [...found.values()].slice(0, limit);
		if (passes === MAX_PASSES) throw listError(context, ...gap);
	}
}

/** In words, why entries may be missing in what was read, and what to do; undefined where none is. */
function gapIn(
	list: PagedList,
	{ pages, found, received, hasTwice }: Pass,
	limit: number,
): [message: string, description: string] | undefined {
	const totals = totalsIn(list, pages, (page) => list.paging.total?.(page));
	const each = `in each of ${MAX_PASSES} tries to read it, so entries may be missing`;
	if (totals.some((total, index) => total < (totals[index - 1] ?? 0)))
		return [`The list got shorter ${each}`, 'Try again when nothing is deleted.'];
	const total = totals.at(-1) ?? 0;
	if (found.size >= Math.min(limit, total)) return undefined;
	// Where an entry came twice, another one may not have come
	if (hasTwice)
		return [
			`The list had entries twice ${each}`,
			'Its entries move while it is read, or its pages overlap. Try again.',
		];
	if (received >= total) return undefined;
	return [
		`The list is incomplete: ${received} of ${total} entries came in the last of ${MAX_PASSES} tries`,
		`The service does not show all of them. To get these, turn off Return All and set Limit to ${found.size} or less.`,
	];
}

/** Whether a list ended, at a page that repeated another or without a next one, though there is more, or may be. */
async function isCutOff(
	context: RequestContext,
	list: PagedList,
	{ found, pages, isRepeated, last: end }: Pass,
): Promise<boolean> {
	const { paging } = list;
	const last = pages.at(-1);
	if (!last || !paging.total) return false;
	// Some say of each page that others follow, also of the empty one after the last
	if (!isRepeated) return saysMore(end) && (end === last || pages.length === 1);
	const total = paging.total(last);
	if (total !== undefined) return found.size < total;
	if (saysMore(last) || found.size === paging.defaultSize) return true;
	if (found.size !== paging.sizes[0]) return false;
	const query = paging.next({ pages: 0, received: 0, missing: 1, size: 1 });
	const page = paging.mayComeAtOnce && query && (await readPage(context, list, query, 0));
	return !(page && 'entries' in page && page.entries.length === found.size);
}

/**
 * As {@link listEntries}, of a list of which no entry may be missing. An entry is missed where others end or move while
 * the pages are read, so the list is read again until each page has told the same total and as many entries came; where
 * the service tells no total, until the same entries came twice, unless its first page brought them all.
 * @param isEnough ends the reading at the first page with such an entry: for a question that one entry answers
 * @throws where the list is still incomplete after some tries
 */
export async function completeEntries(
	context: RequestContext,
	list: CompleteList,
	isEnough?: (entry: IDataObject) => boolean,
): Promise<IDataObject[]> {
	let before: Pass | undefined;
	for (let passes = 1; ; passes++) {
		const pass = await readPages(context, list, { isEnough });
		const entries = [...pass.found.values()];
		if (isWhole(list, pass, before) || (isEnough && entries.some(isEnough))) return entries;
		if (passes === MAX_PASSES) {
			const totals = totalsOf(list, pass);
			const of = totals ? ` of ${Math.max(...totals)}` : '';
			throw incompleteError(
				context,
				`${entries.length}${of} entries came in the last of ${passes} tries`,
				'Its entries move while it is read, or the service does not show all of them. Try again.',
			);
		}
		before = pass;
		// Two copies that answer in turn: the next pass begins at the other one
		const [size = 0] = list.paging.sizes;
		const first = list.paging.next({ pages: 0, received: 0, missing: Infinity, size });
		if (first && isBehind(list, pass)) await readPage(context, list, first, 0);
	}
}

/** Whether the last page knows of more entries than came: another copy of the service has answered the pages before. */
function isBehind(list: CompleteList, { found, last = {} }: Pass): boolean {
	return (numberOf(list.total(last)) ?? 0) > found.size;
}

/** What the pages say of the total; undefined where one of them does not tell it. */
function totalsOf(list: CompleteList, { pages }: Pass): number[] | undefined {
	const totals = totalsIn(list, pages, (page) => numberOf(list.total(page)));
	return totals.length === pages.length ? totals : undefined;
}

/** What the pages say of the total. Where each of several tells its own number of entries, that is no total: the others have some, too. */
function totalsIn(
	{ entries }: PagedList,
	pages: Body[],
	totalOf: (page: Body) => number | undefined,
): number[] {
	const isOwn = (page: Body) => {
		const own = entries(page);
		return Array.isArray(own) && own.length === totalOf(page);
	};
	const areOwn = pages.length > 1 && pages.every(isOwn);
	return areOwn ? [] : pages.flatMap((page) => totalOf(page) ?? []);
}

function isWhole(list: CompleteList, pass: Pass, before?: Pass): boolean {
	const { found, pages } = pass;
	const totals = totalsOf(list, pass);
	if (isBehind(list, pass)) return false;
	if (totals) return totals.every((total) => total === totals[0] && found.size >= total);
	if (saysMore(pages.at(-1))) return false;
	// A full page for every number may be the first of several
	if (pass.isRepeated && [...list.paging.sizes, ...USUAL_SIZES].includes(found.size)) return false;
	if (!before) return pages.length <= 1 && pass.lacksFirst !== true;
	return (
		found.size === before.found.size && [...found.keys()].every((key) => before.found.has(key))
	);
}
