import { describe, expect, it } from 'vitest';
import { locator } from '../../engine/nodes.mts';
import { destroy, deploy, told, waitFor } from '../money2/forms.mts';
import { HOUR, MINUTE, openMarket, type Market } from '../money2/service.mts';
import type { Answer, Call } from '../money2/types.mts';

const isDelete = ({ method }: Call) => method === 'DELETE';
const isList = ({ path }: Call) => path === '/deployments';
const deletes = (market: Market) => market.sent('DELETE', /deployment/).length;

/** A service with one deployment that is an hour old. */
async function rentedOut(): Promise<Market> {
	const market = await openMarket();
	market.add({ boughtAt: market.now - HOUR, startedAt: market.now - HOUR });
	return market;
}

/** Each request to destroy has this answer for so many milliseconds. */
function refuse(market: Market, answer: Answer, forMs: number): void {
	const end = market.now + forMs;
	market.odd = (call) => (isDelete(call) && market.now < end ? answer : undefined);
}

const NO: Array<[string, Answer]> = [
	['409', { status: 409, json: { detail: 'busy' } }],
	['422', { status: 422, json: { detail: 'not in this state' } }],
	['400', { status: 400, json: {} }],
	['500', { status: 500, text: 'oops' }],
	['503', { status: 503, json: {} }],
	['a cut connection', 'cut'],
	['a redirect', { status: 303, headers: { location: '/elsewhere' } }],
	['200 that says no', { status: 200, json: { success: false, message: 'not now' } }],
	['429 that opens after 70 s', { status: 429, headers: { 'retry-after': '70' } }],
];

describe('Destroy goes on asking after', () => {
	it.each(NO)('%s for 70 seconds, and ends the bill', async (_, answer) => {
		const market = await rentedOut();
		refuse(market, answer, 70_000);
		const { items, error } = await told(market, destroy('d-1'));
		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ deleted: true, verified: true, already_gone: false }]);
		expect(market.running()).toEqual([]);
	});

	it.each(NO)('%s with Verify off, until the service takes it', async (_, answer) => {
		const market = await rentedOut();
		refuse(market, answer, 70_000);
		const { items } = await told(market, destroy('d-1', { verify: false }));
		expect(items[0]?.deployment_id).toBe('d-1');
		expect(market.running()).toEqual([]);
	});

	it.each(NO)('%s of a service that shows neither details nor list', async (_, answer) => {
		const market = await rentedOut();
		const end = market.now + 70_000;
		market.odd = (call) => {
			if (call.method === 'GET') return { status: 404, json: {} };
			return market.now < end ? answer : undefined;
		};
		const { items } = await told(market, destroy('d-1'));
		expect(items).toMatchObject([{ deleted: null, accepted: true, verified: false }]);
		expect(market.running()).toEqual([]);
	});

	it('503 and reads that fail, too', async () => {
		const market = await rentedOut();
		const end = market.now + 70_000;
		market.odd = () => (market.now < end ? { status: 503, text: '' } : undefined);
		const { items } = await told(market, destroy('d-1'));
		expect(items).toMatchObject([{ deleted: true, verified: true }]);
	});

	it('409, then an end that takes as long as Verify Timeout allows', async () => {
		const market = await rentedOut();
		const end = market.now + 110_000;
		market.odd = (call) => {
			if (!isDelete(call)) return undefined;
			if (market.now < end) return { status: 409, json: {} };
			const one = market.nth(0);
			if (one.status === 'running') one.status = 'termination requested';
			return { status: 202, text: '' };
		};
		market.onWait = () => {
			const one = market.nth(0);
			if (one.status === 'termination requested' && market.now > end + 60_000)
				Object.assign(one, { status: 'destroyed', endedAt: market.now });
		};
		const { items, error } = await told(market, destroy('d-1'));
		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ deleted: true, verified: true, already_gone: false }]);
	});
});

describe('a refusal that stays', () => {
	it.each(NO.slice(0, 8))('%s is told after Verify Timeout', async (_, answer) => {
		const market = await rentedOut();
		refuse(market, answer, Infinity);
		const begun = market.now;
		const { error, details } = await told(market, destroy('d-1', { verifyTimeout: 40 }));
		expect(error).toContain('Deployment d-1 may still run and bill.');
		expect(error).not.toContain('does not know');
		expect(details).toEqual({ deployment_id: 'd-1' });
		expect(market.now - begun).toBeGreaterThanOrEqual(40_000);
		expect(market.now - begun).toBeLessThan(80_000);
		expect(deletes(market)).toBeGreaterThan(2);
	});

	it.each([401, 403])('%i is told at once', async (status) => {
		const market = await rentedOut();
		refuse(market, { status, json: { detail: 'not yours' } }, Infinity);
		const begun = market.now;
		expect((await told(market, destroy('d-1'))).error).toContain('not yours');
		expect(market.now).toBe(begun);
		expect(deletes(market)).toBe(1);
	});

	it('a limit that opens after Verify Timeout is told at once, with its end', async () => {
		const market = await rentedOut();
		refuse(market, { status: 429, headers: { 'retry-after': '2700' } }, Infinity);
		expect((await told(market, destroy('d-1'))).error).toContain('Retry after 45 minutes');
		expect(deletes(market)).toBe(1);
	});

	it('of one that ends all the same: what was seen is told', async () => {
		const market = await rentedOut();
		refuse(market, { status: 409, json: { detail: 'is ending' } }, Infinity);
		market.nth(0).status = 'termination requested';
		const { error } = await told(market, destroy('d-1', { verifyTimeout: 20 }));
		expect(error).toContain('it is still "termination requested"');
		expect(error).not.toMatch(/was told to end|does not know/);
		expect(deletes(market)).toBe(1);
		market.onWait = () =>
			Object.assign(market.nth(0), { status: 'destroyed', endedAt: market.now });
		const { items } = await told(market, destroy('d-1', { verifyTimeout: 20 }));
		expect(items).toMatchObject([{ deleted: true, already_gone: true, verified: true }]);
	});
});

it('a first request that was carried out, and a second that is refused: not gone before', async () => {
	const market = await rentedOut();
	let asked = 0;
	const end = market.now + 3_000;
	market.look = (shown) => (market.now < end ? { ...shown, status: 'running' } : shown);
	market.odd = (call) => {
		if (!isDelete(call)) return undefined;
		if (asked++ > 0) return { status: 409, json: { detail: 'already terminated' } };
		market.documented(call);
		return { status: 303, headers: { location: '/' } };
	};
	const { items } = await told(market, destroy('d-1'));
	expect(items).toMatchObject([{ deleted: true, already_gone: false, verified: true }]);
	expect(asked).toBe(2);
});

/** A list of which the second page fails, or whose total is never reached, for so many milliseconds. */
function hold(market: Market, page: Answer | undefined, forMs: number): void {
	const end = market.now + forMs;
	for (let count = 0; count < 20; count++) market.add({ name: `other-${count}` });
	market.odd = (call) => {
		if (call.method === 'GET' && call.path.startsWith('/deployment/')) return { status: 404 };
		if (!isList(call) || market.now >= end) return undefined;
		if (Number(call.query.get('page')) > 0)
			return page ?? { status: 200, json: { data: { deployments: [], total: 21 } } };
		const deployments = market.rented.slice(1, 11).map((one) => market.shown(one));
		return { status: 200, json: { data: { deployments, total: 21 } } };
	};
}

const PAGES: Array<[string, Answer | undefined]> = [
	['whose second page is a 404', { status: 404, json: {} }],
	['whose second page is a 405', { status: 405, json: {} }],
	['whose second page is a 422', { status: 422, json: {} }],
	['whose second page is a 500', { status: 500, json: {} }],
	['whose second page is a web page', { status: 200, text: '<html></html>' }],
	['whose second page is cut', 'cut'],
	['whose total is not reached', undefined],
];

describe('a list', () => {
	it.each(PAGES)('%s is read again while Destroy verifies', async (_, page) => {
		const market = await rentedOut();
		hold(market, page, 80_000);
		const { items, error } = await told(market, destroy('d-1'));
		expect(error).toBeUndefined();
		expect(items).toMatchObject([{ deleted: true, verified: true }]);
	});

	it.each(PAGES)('%s proves no end', async (_, page) => {
		const market = await rentedOut();
		hold(market, page, Infinity);
		const first = market.odd;
		let isSeen = false;
		market.odd = (call) => {
			if (isDelete(call)) return { status: 202, text: '' };
			if (isSeen || !call.path.startsWith('/deployment/')) return first(call);
			isSeen = true;
			return undefined;
		};
		const { error } = await told(market, destroy('d-1'));
		expect(error).toMatch(/its state could not be read: The list of deployments could not be read/);
	});

	it.each(PAGES)('%s is waited for by Wait For', async (_, page) => {
		const market = await rentedOut();
		hold(market, page, 80_000);
		const { items } = await told(
			market,
			waitFor('d-1', { deploymentId: locator('d-1'), timeout: 200 }),
		);
		expect(items).toMatchObject([{ reached: true }]);
	});
});

it('what was deployed and destroyed while the service was down for a minute is gone', async () => {
	const market = await openMarket();
	await told(market, deploy());
	market.advance(5 * MINUTE);
	const end = market.now + MINUTE;
	market.odd = () => (market.now < end ? 'cut' : undefined);
	const { items } = await told(market, destroy('d-1'));
	expect(items).toMatchObject([{ deleted: true, verified: true }]);
	expect(market.running()).toEqual([]);
});
