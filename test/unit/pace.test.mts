import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countPage, inPace } from '../../nodes/shared/http/pace.ts';
import type { RequestContext } from '../../nodes/shared/http/request.ts';

/** How often the service may be asked within ten seconds, all kinds of requests together, and how many of them may be pages. */
const WINDOW_MS = 10_000;
const MOST_PAGES = 120;

let at = 0;
let account = 0;

beforeEach(() => {
	at += 60_000;
	account++;
	vi.spyOn(performance, 'now').mockImplementation(() => at);
	vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		at += ms;
		return AbortSignal.abort();
	});
});
afterEach(() => void vi.restoreAllMocks());

const contextOf = (keyHash = `account ${account}`, signal?: AbortSignal) =>
	({ account: { baseUrl: 'https://x', segments: {}, keyHash }, signal }) as RequestContext;

/** When each of so many pages was asked for, after the first one of its list. */
async function pagesOf(count: number, context = contextOf()): Promise<number[]> {
	const times: number[] = [];
	for (let page = 0; page < count; page++) {
		await inPace(context);
		times.push(at);
	}
	return times;
}

describe('pages of lists', () => {
	it('follow each other at once up to the 20th, and then ten a second', async () => {
		const begun = at;
		const times = await pagesOf(30);
		expect(times.slice(0, 20)).toEqual(Array(20).fill(begun));
		expect(times.slice(20).map((time) => time - begun)).toEqual(
			Array.from({ length: 10 }, (_, index) => (index + 1) * 100),
		);
	});

	it('are at most 120 in 10 seconds, in however many lists of one account', async () => {
		const times: number[] = [];
		for (let list = 0; list < 10; list++) {
			times.push(...(await pagesOf(50)));
			at += 700;
		}
		const most = Math.max(
			...times.map((time) => times.filter((t) => t >= time && t < time + WINDOW_MS).length),
		);
		expect(most).toBeGreaterThan(90);
		expect(most).toBeLessThanOrEqual(MOST_PAGES);
	});

	it('are at most ten a second also where lists are read at the same time', async () => {
		const begun = at;
		await Promise.all([pagesOf(30), pagesOf(30), pagesOf(30)]);
		expect(at - begun).toBe(7_000);
	});

	it('follow each other at once again after a rest of two seconds', async () => {
		await pagesOf(60);
		at += 2_000;
		const begun = at;
		expect((await pagesOf(21)).map((time) => time - begun)).toEqual([...Array(20).fill(0), 100]);
	});

	it('wait for whole milliseconds, as timers do', async () => {
		await pagesOf(20);
		at += 30.5;
		await pagesOf(1);
		const { calls } = vi.mocked(AbortSignal.timeout).mock;
		expect(calls).toEqual([[70]]);
	});

	it('do not wait for those of another account', async () => {
		await pagesOf(60);
		const begun = at;
		await pagesOf(20, contextOf('another one'));
		expect(at).toBe(begun);
	});

	it('do not wait in a cancelled execution', async () => {
		await pagesOf(60);
		const begun = at;
		await pagesOf(5, contextOf(undefined, AbortSignal.abort()));
		expect(at).toBe(begun);
	});

	it('wait for those that do not wait themselves, two seconds at most', async () => {
		const begun = at;
		for (let page = 0; page < 25; page++) countPage(contextOf());
		await pagesOf(1);
		expect(at - begun).toBe(600);
		for (let page = 0; page < 500; page++) countPage(contextOf());
		const counted = at;
		await pagesOf(1);
		expect(at - counted).toBe(2_000);
	});

	it('of a cancelled execution do not wait for those that do', async () => {
		const stop = new AbortController();
		await pagesOf(20);
		vi.mocked(AbortSignal.timeout).mockImplementation(() => new AbortController().signal);
		void inPace(contextOf());
		const waiting = inPace(contextOf(undefined, stop.signal));
		stop.abort();
		await waiting;
	});
});
