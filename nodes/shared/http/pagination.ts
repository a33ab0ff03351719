import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../guards';
import { numberOf } from '../numbers';
import { delay } from '../time';
import { apiError } from './errors';
import { hasTotal, saysMore, type Body, type Paging, type Progress, type Query } from './paging';
import type { Reply } from './reply';
import { objectOf, replyError, send, type RequestContext } from './request';

export { announcedPages, numberedPages, offsetPages } from './paging';

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
	 * What identifies an entry; one without is an error, since a list of them would look empty. Leave this out where no field is
	 * known to be unique: the whole entry then identifies it, and equal entries of one page stay apart.
	 */
	key?(entry: IDataObject): string | undefined;
}

/** A list of which no entry may be missing. */
export interface CompleteList extends PagedList {
	key(entry: IDataObject): string | undefined;
	/** The number of entries in all pages, where a page says it. */
	total(page: Body): unknown;
}

/** A list that grows as fast as it is read must not keep the node busy forever. */
const MAX_PAGES = 1_000;
/** From so many pages on there is a pause in milliseconds before each: 150 requests in 10 seconds are allowed. */
const UNPACED_PAGES = 20;
const PAGE_PAUSE_MS = 100;
/** Entries in a page of services that do not heed what is asked for: a list of exactly so many may be the first page of several. */
const USUAL_SIZES = [10, 20, 25, 30, 40, 50, 60, 100, 200, 250, 500, 1_000];
/** How often a list is read whose entries move meanwhile. */
const MAX_PASSES = 4;
/**
 * Reads a list page by page. It ends where the service says so, at a page that brings nothing new (a service that ignores the
 * query repeats itself), and at `limit` entries. An entry that comes again replaces the earlier one, since it is newer. A list that
 * gets shorter meanwhile is read again: its entries move towards pages that were read before.
 * @returns the entries in the order in which they first came
 * @throws the error of the first page that cannot be read, or where a service that repeats itself has more than it sends: a part of
 * a list must not look like all of it
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
				`The service sends the same ${found.size} entries for every page: the list may be incomplete`,
				`To get these, turn off Return All and set Limit to ${found.size} or less.`,
			);
		const totals = pass.pages.flatMap((page) => list.paging.total?.(page) ?? []);
		const isShorter = totals.some((total, index) => total < (totals[index - 1] ?? 0));
		// Where an entry came twice, another one may not have come
		const isOverlapping =
			pass.hasTwice === true && found.size < Math.min(limit, totals.at(-1) ?? 0);
		if (!isShorter && !isOverlapping) return [...found.values()].slice(0, limit);
		if (passes === MAX_PASSES)
			throw listError(
				context,
				`The list ${isShorter ? 'got shorter' : 'had entries twice'} in each of ${passes} tries to read it, so entries may be missing`,
				isShorter
					? 'Try again when nothing is deleted.'
					: 'Its entries move while it is read, or its pages overlap. Try again.',
			);
	}
}

/** Whether a list ended at a page that repeated another, though there is more, or may be. */
async function isCutOff(
	context: RequestContext,
	list: PagedList,
	{ found, pages, isRepeated }: Pass,
): Promise<boolean> {
	const { paging } = list;
	const last = pages.at(-1);
	if (!isRepeated || !last || !paging.total) return false;
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
 * the service tells no total, until the same entries came twice, unless one page brought them all.
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
			throw listError(
				context,
				`The list is incomplete: ${entries.length}${of} entries came in the last of ${passes} tries`,
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
function isBehind(list: CompleteList, { found, last }: Pass): boolean {
	return last !== undefined && (numberOf(list.total(last)) ?? 0) > found.size;
}

/** What one reading of a list brought. */
interface Pass {
	found: Map<string, IDataObject>;
	/** The first page, and those that brought something new: the last one may say anything of the total. */
	pages: Body[];
	/** The last page. */
	last?: Body;
	/** Whether it ended at a page whose entries had all come before. */
	isRepeated?: boolean;
	/** Whether a page that brought something new had entries of an earlier one, too. */
	hasTwice?: boolean;
}

/** Reads a list once, in smaller pages where the service refuses the larger ones. */
async function readPages(context: RequestContext, list: PagedList, until: Until): Promise<Pass> {
	for (const [index, size] of list.paging.sizes.entries()) {
		const pass = await readPass(context, list, size, until);
		if (!('refused' in pass)) return pass;
		if (index === list.paging.sizes.length - 1) throw replyError(context, pass.refused);
	}
	return { found: new Map(), pages: [] };
}

/** When a reading ends before the list does. */
interface Until {
	/** At so many entries. */
	limit?: number;
	/** After a page with such an entry. */
	isEnough?: (entry: IDataObject) => boolean;
}

async function readPass(
	context: RequestContext,
	list: PagedList,
	size: number,
	{ limit = Infinity, isEnough = () => false }: Until,
): Promise<Pass | { refused: Reply }> {
	const pass: Pass = { found: new Map(), pages: [] };
	const { found } = pass;
	const progress: Progress = { pages: 0, received: 0, missing: limit, size };
	while (progress.missing > 0) {
		const query = list.paging.next(progress);
		if (!query) break;
		if (progress.pages === MAX_PAGES) {
			const message = `The list has more than ${MAX_PAGES} pages`;
			throw listError(context, message, 'Set filters to make it shorter.');
		}
		if (progress.pages >= UNPACED_PAGES) await delay(PAGE_PAUSE_MS, context.signal);
		const page = await readPage(context, list, query, progress.pages);
		if ('refused' in page && progress.received === 0 && mayBeSize(page.refused)) return page;
		if ('refused' in page) throw replyError(context, page.refused);
		const { body, entries } = page;
		const before = found.size;
		pass.last = body;
		const keyed = identified(context, list, entries);
		const hasTwice = keyed.some(([key]) => found.has(key));
		for (const [key, entry] of keyed) found.set(key, entry);
		if (body && (found.size > before || !progress.last)) pass.pages.push(body);
		if (found.size === before && !mayBeBeforeFirst(list, progress.pages, entries)) {
			pass.isRepeated = entries.length > 0;
			break;
		}
		pass.hasTwice ||= hasTwice;
		if (entries.some(isEnough)) break;
		progress.last = body;
		progress.pages++;
		progress.received += entries.length;
		progress.missing = limit - found.size;
	}
	return pass;
}

async function readPage(
	context: RequestContext,
	{ path, params, query, paging, entries }: PagedList,
	pageQuery: Query,
	page: number,
): Promise<{ body?: Body; entries: IDataObject[] } | { refused: Reply }> {
	const reply = await send(context, {
		method: 'GET',
		path,
		params,
		query: { ...query, ...pageQuery },
		retry: 'idempotent',
	});
	if (paging.mayStartAtOne && page === 0 && isMissing(reply)) return { entries: [] };
	if (isMissing(reply)) return { refused: reply };
	const body = objectOf(context, reply, paging.mayBeBare);
	const list = entries(body);
	// Services in Go write an empty list so, and the one after the last page
	if (list === null && (page > 0 || hasTotal(body))) return { body, entries: [] };
	return { body, entries: entriesOf(context, list) };
}

/** Whether a refusal may be about the size of the page. */
function mayBeSize(reply: Reply): boolean {
	return reply.kind === 'answer' && reply.status !== 404;
}

/** What the pages say of the total; undefined where one of them does not tell it. */
function totalsOf(list: CompleteList, { pages }: Pass): number[] | undefined {
	const totals = pages.flatMap((page) => numberOf(list.total(page)) ?? []);
	return totals.length === pages.length ? totals : undefined;
}

function isWhole(list: CompleteList, pass: Pass, before?: Pass): boolean {
	const { found, pages } = pass;
	const totals = totalsOf(list, pass);
	if (isBehind(list, pass)) return false;
	if (totals) return totals.every((total) => total === totals[0] && found.size >= total);
	if (saysMore(pages.at(-1))) return false;
	// A full page for every number may be the first of several
	if (pass.isRepeated && [...list.paging.sizes, ...USUAL_SIZES].includes(found.size)) return false;
	if (!before) return pages.length <= 1;
	return (
		found.size === before.found.size && [...found.keys()].every((key) => before.found.has(key))
	);
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
function identified(
	context: RequestContext,
	list: PagedList,
	entries: IDataObject[],
): Array<[string, IDataObject]> {
	const seen = new Map<string, number>();
	return entries.map((entry) => {
		const key = list.key ? list.key(entry) : numbered(seen, JSON.stringify(entry));
		if (key !== undefined) return [key, entry];
		const fields = Object.keys(entry).join(', ') || 'no fields';
		const message = `An entry of the list has no ID that is known; it has ${fields}`;
		throw listError(context, message, 'The node may not know this version of the service.');
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
	throw listError(
		context,
		'The response does not contain the expected list',
		'Check the Base URL in the credential: this may be another service.',
	);
}

function listError(context: RequestContext, message: string, description: string) {
	return apiError(context.functions.getNode(), { message, description }, context.itemIndex);
}
