import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isRecord } from '../guards';
import { apiError } from './errors';
import { refusalIn } from './refusal';
import { countPage, inPace } from './pace';
import { hasTotal, type Body, type Paging, type Progress, type Query } from './paging';
import type { Answer, Reply } from './reply';
import { asTransient, objectOf, replyError, send, type RequestContext } from './request';

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
	 * known to be unique: the whole entry then identifies it, and equal entries stay apart.
	 */
	key?(entry: IDataObject): string | undefined;
	/** Entries without a key are no error; they are told apart as those of a list that has none. */
	mayLackKey?: boolean;
}

/** A list that grows as fast as it is read must not keep the node busy forever. */
const MAX_PAGES = 1_000;
/** A list whose entries fit in a page needs so many where the service may count from 0 or from 1, and however many are read, these do not wait. */
const UNPACED_PAGES = 3;

/** What one reading of a list brought. */
export interface Pass {
	found: Map<string, IDataObject>;
	/** Entries in the pages that brought something new, with those that came more than once. */
	received: number;
	/** The first page, and those that brought something new: the last one may say anything of the total. */
	pages: Body[];
	/** The last page. */
	last?: Body;
	/** Whether it ended at a page whose entries had all come before. */
	isRepeated?: boolean;
	/** Whether a page that brought something new had entries of an earlier one, too. */
	hasTwice?: boolean;
	/** Whether there was no page 0: the service counts from 1, or a gateway has answered in its place. */
	lacksFirst?: boolean;
}

/**
 * Reads a list once, page by page, in smaller pages where the service refuses the larger ones. An entry that comes again replaces the
 * earlier one, since it is newer.
 * @param sizes of a page that are tried, the largest first
 * @throws the error of the first page that cannot be read
 */
export async function readPages(
	context: RequestContext,
	list: PagedList,
	until: Until,
	[size = Infinity, ...smaller]: readonly number[] = list.paging.sizes,
): Promise<Pass> {
	const pass = await readPass(context, list, size, until);
	if (!('refused' in pass)) return pass;
	if (smaller.length === 0) throw replyError(context, pass.refused);
	return await readPages(context, list, until, smaller);
}

/** When a reading ends before the list does. */
export interface Until {
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
): Promise<Pass | Refused> {
	const pass: Pass = { found: new Map(), received: 0, pages: [] };
	const { found } = pass;
	const equals: Equals = { counts: new Map() };
	const progress: Progress = { pages: 0, received: 0, missing: limit, size };
	while (progress.missing > 0) {
		const query = list.paging.next(progress);
		if (!query) break;
		if (progress.pages === MAX_PAGES) {
			const message = `The list has more than ${MAX_PAGES} pages`;
			throw listError(context, message, 'Set filters to make it shorter.');
		}
		if (progress.pages < UNPACED_PAGES) countPage(context);
		else await inPace(context);
		const reading = readPage(context, list, query, progress.pages);
		const page = await (progress.received > 0 ? laterPage(context, progress, reading) : reading);
		if ('refused' in page) {
			// That there is no list is not about the size of a page
			if (page.refused.status === 404) throw replyError(context, page.refused);
			return page;
		}
		const { body, entries } = page;
		const isEmpty = entries.length === 0;
		// What a service that counts from 1 says of page 0 is about that page only if the next one brings entries
		if (isEmpty && progress.pages > 0) requireConsent(context, progress.last, true, 0);
		if (!isEmpty || !list.paging.mayStartAtOne || progress.pages > 0)
			requireConsent(context, body, isEmpty, progress.received);
		pass.lacksFirst ||= body === undefined;
		const before = found.size;
		pass.last = body;
		const keyed = identified(context, list, entries, equals);
		const hasTwice = keyed.some(([key]) => found.has(key));
		for (const [key, entry] of keyed) found.set(key, entry);
		if (body && (found.size > before || !progress.last)) pass.pages.push(body);
		if (found.size === before && !mayBeBeforeFirst(list, progress.pages, entries)) {
			pass.isRepeated = entries.length > 0;
			break;
		}
		pass.hasTwice ||= hasTwice;
		pass.received += entries.length;
		if (entries.some(isEnough)) break;
		progress.last = body;
		progress.pages++;
		progress.received = pass.received;
		progress.missing = limit - found.size;
	}
	return pass;
}

/** Beside a refusal, a page does not say what there is: a name that is taken would be bought, and a part be told as all. */
function requireConsent(
	context: RequestContext,
	body: Body = {},
	isEmpty: boolean,
	received: number,
): void {
	const [refusal] = [body, body.data, body.results].flatMap((said) => refusalIn(said) ?? []);
	if (refusal === undefined) return;
	const what = received > 0 ? `a page after entry ${received}` : 'it';
	const problem = isEmpty ? 'is empty, and the service says no' : 'has entries beside an error';
	throw incompleteError(context, `${what} ${problem}: ${refusal}`, 'Try again.');
}

/**
 * Reads one page.
 * @param page its number, from 0 in each reading
 * @returns its entries, or the refusal of the service where it may be about the page
 */
export async function readPage(
	context: RequestContext,
	{ path, params, query, paging, entries }: PagedList,
	pageQuery: Query,
	page: number,
): Promise<Page> {
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

interface Refused {
	refused: Answer;
}

type Page = { body?: Body; entries: IDataObject[] } | Refused;

/**
 * A page after others that had entries. Where it fails the list is there, but incomplete: this is neither the error of a service that
 * has no list, nor one that stays.
 */
async function laterPage(
	context: RequestContext,
	{ received }: Progress,
	reading: Promise<Page>,
): Promise<Exclude<Page, Refused>> {
	const page = await reading.catch((error: NodeApiError) => ({ error }));
	if ('entries' in page) return page;
	const error = 'error' in page ? page.error : replyError(context, page.refused);
	if (context.signal?.aborted) throw error;
	throw incompleteError(
		context,
		`a page after entry ${received} could not be read: ${error.message}`,
		error.description ?? '',
	);
}

/** A service that counts from 1 has no page 0. */
function isMissing(reply: Reply): reply is Answer {
	return reply.kind === 'answer' && [400, 404, 422].includes(reply.status);
}

/** A service that counts from 1 may send nothing, or page 1, for page 0: only page 2 tells whether there is more. */
function mayBeBeforeFirst({ paging }: PagedList, page: number, entries: IDataObject[]): boolean {
	return paging.mayStartAtOne === true && (page === 0 || (page === 1 && entries.length > 0));
}

/** How often entries without a key came that are equal. */
interface Equals {
	counts: Map<string, number>;
	/** The first page as text, without its last bracket. */
	first?: string;
}

/** The entries of one page with what identifies them. */
function identified(
	context: RequestContext,
	list: PagedList,
	entries: IDataObject[],
	equals: Equals,
): Array<[string, IDataObject]> {
	if (!list.paging.isByPlace || isFirstAgain(entries, equals)) equals.counts.clear();
	const isNumbered = !list.key || list.mayLackKey;
	return entries.map((entry) => {
		const own = list.key?.(entry);
		const key = own ?? (isNumbered ? numbered(equals.counts, JSON.stringify(entry)) : undefined);
		if (key !== undefined) return [key, entry];
		const fields = Object.keys(entry).join(', ') || 'no fields';
		const message = `An entry of the list has no ID that is known; it has ${fields}`;
		throw listError(context, message, 'The node may not know this version of the service.');
	});
}

/** Whether a page is the first one once more, which may have got longer: the service ignores what place is asked for. */
function isFirstAgain(entries: IDataObject[], equals: Equals): boolean {
	const text = JSON.stringify(entries).slice(0, -1);
	equals.first ??= text;
	return text.startsWith(equals.first);
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

/** An error about a list, with what to do about it. */
export function listError(context: RequestContext, message: string, description: string) {
	return apiError(context.functions.getNode(), { message, description }, context.itemIndex);
}

/** The error of a list of which entries may be missing; a moment later it may be complete. */
export function incompleteError(context: RequestContext, problem: string, description: string) {
	return asTransient(listError(context, `The list is incomplete: ${problem}`, description));
}
