import type { IDataObject } from 'n8n-workflow';
import { apiError } from './errors';
import { parseJson } from '../json';
import { replyError, requestObject, send, type RequestContext, type ApiRequest } from './request';
import { isRecord } from '../guards';
import { isSuccess } from './reply';

/** A list that the service hands out in numbered pages. */
export interface PagedList {
	path: string;
	params?: Record<string, string>;
	query?: ApiRequest['query'];
	/** Where the service starts to count; 0 where it is not known: page 0 may then be refused, be empty, or repeat page 1. */
	firstPage: 0 | 1;
	/** The entries in the answer's `data`; undefined when they are not where they should be. */
	entries(data: Record<string, unknown>): unknown;
	/**
	 * What tells one entry from another; entries without are left out. Where no field is known to be unique, this is left out: then
	 * the whole entry tells it, and how many equal ones stand before it on its page.
	 */
	key?(entry: IDataObject): string | undefined;
}

/** Largest page that the service accepts (beyond-the-spec.md sections 1 and 2). */
const PAGE_SIZE = 100;
/** 100,000 entries: a service that invents new ones for ever must not keep the node busy for ever. */
const MOST_PAGES = 1_000;

/** Reads page after page until one brings nothing new, or until `limit` entries are there. */
export async function listPages(
	context: RequestContext,
	list: PagedList,
	limit = Infinity,
): Promise<IDataObject[]> {
	const found = new Map<string, IDataObject>();
	for (let page: number = list.firstPage; page < MOST_PAGES && found.size < limit; page++) {
		const entries = await readPage(context, list, page);
		const before = found.size;
		const seen = new Map<string, number>();
		for (const entry of entries) {
			const key = list.key ? list.key(entry) : numbered(seen, JSON.stringify(entry));
			if (key !== undefined && !found.has(key)) found.set(key, entry);
		}
		// Where the service counts from 1, page 1 may be page 0 again: only page 2 tells whether there is more
		const mayRepeat = page === 0 || (page === 1 && list.firstPage === 0 && entries.length > 0);
		if (found.size === before && !mayRepeat) break;
	}
	return [...found.values()].slice(0, limit);
}

function numbered(seen: Map<string, number>, key: string): string {
	const count = seen.get(key) ?? 0;
	seen.set(key, count + 1);
	return `${key}${count}`;
}

/** A list that the service hands out by offset and limit, with the total beside it. */
export interface OffsetList {
	path: string;
	params?: Record<string, string>;
	query?: ApiRequest['query'];
	/** The entries in the answer, where they are not its `results`. */
	entries?(answer: Record<string, unknown>): unknown;
}

/** Largest page of these lists (beyond-the-spec.md section 6 "Envelope"). */
const LARGEST_LIMIT = 1_000;

/** Reads piece after piece until the total is reached or one brings nothing new, or until `limit` entries are there. */
export async function listOffsets(
	context: RequestContext,
	list: OffsetList,
	limit = Infinity,
): Promise<IDataObject[]> {
	const found = new Map<string, IDataObject>();
	for (let offset = 0, pages = 0; found.size < limit && pages < MOST_PAGES; pages++) {
		const query = { ...list.query, offset, limit: Math.min(LARGEST_LIMIT, limit - found.size) };
		const answer = await requestObject(context, {
			method: 'GET',
			path: list.path,
			params: list.params,
			query,
			retry: 'idempotent',
		});
		const entries = entriesOf(context, list.entries ? list.entries(answer) : answer.results);
		const before = found.size;
		// Not every kind of entry has an id, and a service that ignores the offset sends the same ones again
		for (const entry of entries)
			found.set(typeof entry.id === 'string' ? entry.id : JSON.stringify(entry), entry);
		offset += entries.length;
		const total = answer.total_entries;
		if (found.size === before || (typeof total === 'number' && offset >= total)) break;
	}
	return [...found.values()].slice(0, limit);
}

async function readPage(
	context: RequestContext,
	list: PagedList,
	page: number,
): Promise<IDataObject[]> {
	const query = { ...list.query, page, page_size: PAGE_SIZE };
	const reply = await send(context, {
		method: 'GET',
		path: list.path,
		params: list.params,
		query,
		retry: 'idempotent',
	});
	if (reply.kind !== 'answer' || !isSuccess(reply.status)) {
		if (page === 0 && reply.kind === 'answer' && [400, 404, 422].includes(reply.status)) return [];
		throw replyError(context, reply);
	}
	const answer = parseJson(reply.text);
	return entriesOf(
		context,
		isRecord(answer) && isRecord(answer.data) ? list.entries(answer.data) : undefined,
	);
}

/** The entries of a list in an answer. An answer without the list is an error: it must not look like a list with nothing in it. */
export function entriesOf(context: RequestContext, list: unknown): IDataObject[] {
	if (Array.isArray(list)) return list.filter((entry): entry is IDataObject => isRecord(entry));
	throw apiError(
		context.functions.getNode(),
		{
			message: 'The answer does not hold the list that was expected',
			description: 'Check the Base URL in the credential: this may be another service.',
		},
		context.itemIndex,
	);
}
