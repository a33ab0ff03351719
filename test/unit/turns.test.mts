import { expect, it } from 'vitest';
import { CAAS, type ProductContext } from '../../nodes/marketplace/product.ts';
import { forgetBought, inTurn, type Recent } from '../../nodes/marketplace/turns.ts';
import { elapsed, now } from '../../nodes/shared/time.ts';
import { Market, productContext } from './market-parts.mts';
import { JUMPS, pass, setWallClock, useStillTime } from './still-time.mts';

useStillTime();

const market = new Market();
const context = async (signal?: AbortSignal) => await productContext(market, { signal });

/** Takes a turn that lasts until it is told to end. */
function turn(
	of: ProductContext,
	what: { name: string } | { id: string },
	begun: string[],
	as: string,
) {
	let end = (): void => undefined;
	const done = inTurn(of, what, async () => {
		begun.push(as);
		await new Promise<void>((resolve) => (end = resolve));
		return as;
	});
	return { done, end: () => end() };
}

/** What is known of what was done before. */
async function recentOf(of: ProductContext, what: { name: string } | { id: string }) {
	return await inTurn(of, what, async (recent) => await Promise.resolve(recent));
}

it('two executions buy one name, in whatever case, one after the other', async () => {
	const begun: string[] = [];
	const first = turn(await context(), { name: 'one' }, begun, 'first');
	const second = turn(await context(), { name: 'ONE' }, begun, 'second');
	const third = turn(await context(), { name: 'one' }, begun, 'third');
	await pass();
	expect(begun).toEqual(['first']);
	first.end();
	expect(await first.done).toBe('first');
	await pass();
	expect(begun).toEqual(['first', 'second']);
	second.end();
	await second.done;
	await pass();
	expect(begun).toEqual(['first', 'second', 'third']);
	third.end();
	expect(await third.done).toBe('third');
});

it('other names, IDs and products do not wait', async () => {
	const begun: string[] = [];
	const own = await context();
	const turns = [
		turn(own, { name: 'two' }, begun, 'name'),
		turn(own, { name: 'two-b' }, begun, 'other name'),
		turn(own, { id: 'two' }, begun, 'ID'),
		turn(own, { id: 'two-b' }, begun, 'other ID'),
		turn({ ...own, product: CAAS }, { name: 'two' }, begun, 'other product'),
	];
	await pass();
	expect(begun).toEqual(['name', 'other name', 'ID', 'other ID', 'other product']);
	for (const { end } of turns) end();
	await Promise.all(turns.map(async ({ done }) => await done));
});

it('a purchase that fails leaves the turn to the next one', async () => {
	const own = await context();
	const failed = inTurn(own, { name: 'three' }, async () => await Promise.reject(new Error('no')));
	const next = inTurn(own, { name: 'three' }, async () => await Promise.resolve('next'));
	await expect(failed).rejects.toThrow('no');
	expect(await next).toBe('next');
});

it('a cancelled execution gives its turn up at once, and lets nobody overtake', async () => {
	const begun: string[] = [];
	const controller = new AbortController();
	const first = turn(await context(), { name: 'four' }, begun, 'first');
	const second = turn(await context(controller.signal), { name: 'four' }, begun, 'second');
	const third = turn(await context(), { name: 'four' }, begun, 'third');
	controller.abort();
	await expect(second.done).rejects.toThrow('The execution was cancelled');
	await pass();
	expect(begun).toEqual(['first']);
	first.end();
	await first.done;
	await pass();
	expect(begun).toEqual(['first', 'third']);
	third.end();
	await third.done;
});

it('the next one knows what was bought for a quarter of an hour', async () => {
	const own = await context();
	const what = { name: 'five' };
	const note = (recent: Recent) => {
		recent.bought.set('d1', elapsed());
		recent.unknown = { since: elapsed(), knownIds: ['d0'] };
	};
	note(await recentOf(own, what));
	await pass(60_000);
	(await recentOf(own, what)).bought.set('d2', elapsed());
	await pass(839_999);
	const begun = elapsed() - 899_999;
	expect(await recentOf(own, { name: 'FIVE' })).toEqual({
		bought: new Map([
			['d1', begun],
			['d2', begun + 60_000],
		]),
		unknown: { since: begun, knownIds: ['d0'] },
	});
	await pass(1);
	expect(await recentOf(own, what)).toEqual({ bought: new Map([['d2', begun + 60_000]]) });
	await pass(900_000);
	expect(await recentOf(own, what)).toEqual({ bought: new Map() });
});

it.each(JUMPS)('no time has passed where the wall clock is set by %i ms', async (jumpMs) => {
	const own = await context();
	const what = { name: `set by ${jumpMs}` };
	const recent = await recentOf(own, what);
	recent.bought.set('d1', elapsed());
	recent.unknown = { since: elapsed() };
	recent.paidTime = { minutes: 60, remaining: 30, readAt: now(), paid: 2 };
	setWallClock(jumpMs);
	expect(await recentOf(own, what)).toMatchObject({ unknown: {}, paidTime: { minutes: 60 } });
	expect(recent.bought.size).toBe(1);
	await pass(900_000);
	expect(await recentOf(own, what)).toEqual({ bought: new Map() });
});

it('the next one knows what an extension has paid for two minutes', async () => {
	const own = await context();
	const what = { id: 'six' };
	const paidTime = { minutes: 60, remaining: 30, readAt: now(), paid: 2 };
	(await recentOf(own, what)).paidTime = paidTime;
	await pass(119_999);
	expect((await recentOf(own, what)).paidTime).toEqual(paidTime);
	// The two minutes are those since anybody had a turn
	await pass(119_999);
	expect((await recentOf(own, what)).paidTime).toEqual(paidTime);
	await pass(120_000);
	expect(await recentOf(own, what)).toEqual({ bought: new Map() });
});

it('what has ended is forgotten under every name, and in no other product', async () => {
	const own = await context();
	const other = { ...own, product: CAAS };
	const known = [
		[own, { name: 'seven' }],
		[own, { name: 'eight' }],
		[other, { name: 'seven' }],
	] as const;
	for (const [of, what] of known) {
		const { bought } = await recentOf(of, what);
		bought.set('d1', 1).set('d2', elapsed());
		bought.set('d1', elapsed());
	}
	forgetBought(own, 'd1');
	const left = [];
	for (const [of, what] of known) left.push([...(await recentOf(of, what)).bought.keys()]);
	expect(left).toEqual([['d2'], ['d2'], ['d1', 'd2']]);
});

it('a turn that lasts long is kept for those who wait', async () => {
	const begun: string[] = [];
	const own = await context();
	const first = turn(own, { name: 'nine' }, begun, 'first');
	await pass(1_000_000);
	const second = turn(own, { name: 'nine' }, begun, 'second');
	await pass();
	expect(begun).toEqual(['first']);
	first.end();
	await first.done;
	await pass();
	second.end();
	expect(await second.done).toBe('second');
});
