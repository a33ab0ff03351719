import { delay, elapsed } from '../time';
import type { RequestContext } from './request';

/** So many pages of an account may follow each other at once. 150 requests in 10 seconds are allowed, of all kinds. */
const BURST = 20;
/** After those, a page has so many milliseconds: of the 150 requests in 10 seconds, 30 are left for others than pages. */
const PAGE_MS = 100;

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

/**
 * Waits until a page of a long list may be asked for; a cancelled execution is not held up. All lists of an account that
 * this process reads share the pace: each one alone may be slow enough, and those that a lost answer needs one after the other are not.
 */
export async function inPace({ account, signal }: RequestContext): Promise<void> {
	const key = JSON.stringify([account.baseUrl, account.keyHash]);
	const pace = paces.get(key) ?? { pages: 0, at: 0, last: Promise.resolve() };
	paces.set(key, pace);
	pace.last = pace.last.then(async () => {
		const pages = Math.max(0, pace.pages - (elapsed() - pace.at) / PAGE_MS) + 1;
		const tooMany = Math.max(0, pages - BURST);
		// A timer takes whole milliseconds
		await delay(Math.ceil(tooMany * PAGE_MS), signal);
		Object.assign(pace, { pages: pages - tooMany, at: elapsed() });
	});
	await pace.last;
}
