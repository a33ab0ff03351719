import { delay, elapsed, firstAbort } from '../time';
import type { RequestContext } from './request';

/** So many pages of an account may follow each other at once. 150 requests in 10 seconds are allowed, of all kinds. */
const BURST = 20;
/** After those, a page has so many milliseconds: of the 150 requests in 10 seconds, 30 are left for others than pages. */
const PAGE_MS = 100;
/** Of more pages that did not wait, those that do know nothing: short lists must not keep a long one waiting without end. */
const MOST_COUNTED = 2 * BURST;

interface Pace {
	/** The pages of the last moments: one less with every 100 milliseconds. */
	pages: number;
	/** When they were counted, by {@link elapsed}. */
	at: number;
	/** Resolves when the last page that waits may be asked for. */
	last: Promise<void>;
}

/** By account: an n8n has few of them. */
const paces = new Map<string, Pace>();

/** Counts a page that does not wait: those that do come after it. */
export function countPage(context: RequestContext): void {
	count(paceOf(context));
}

/**
 * Waits until a page of a long list may be asked for; a cancelled execution is not held up. All lists of an account that
 * this process reads share the pace: each one alone may be slow enough, and those that a lost answer needs one after the other are not.
 */
export async function inPace(context: RequestContext): Promise<void> {
	const { signal } = context;
	const pace = paceOf(context);
	const turn = new AbortController();
	pace.last = pace.last.then(async () => {
		// A timer takes whole milliseconds
		if (!signal?.aborted) await delay(Math.ceil(count(pace) * PAGE_MS), signal);
		turn.abort();
	});
	await firstAbort([turn.signal, signal]);
}

function paceOf({ account }: RequestContext): Pace {
	const key = JSON.stringify([account.baseUrl, account.keyHash]);
	const pace = paces.get(key) ?? { pages: 0, at: 0, last: Promise.resolve() };
	paces.set(key, pace);
	return pace;
}

/** Counts a page; returns how many too many there are with it. */
function count(pace: Pace): number {
	const pages = Math.max(0, pace.pages - (elapsed() - pace.at) / PAGE_MS) + 1;
	Object.assign(pace, { pages: Math.min(pages, MOST_COUNTED), at: elapsed() });
	return Math.max(0, pace.pages - BURST);
}
