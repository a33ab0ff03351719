import { expect, it } from 'vitest';
import { startEngine } from '../../engine/engine.mts';
import { deploy, extend, toldBy } from '../money2/forms.mts';
import { HOUR, openMarket, type Market } from '../money2/service.mts';

const NEXT_KEY = 'sk-review-next-09b1d7';

/** Opens a service, and an engine whose credentials have these keys at it. */
async function withKeys(market: Market, keys: Record<string, string>, baseUrl = market.url) {
	const credentials = Object.entries(keys).map(([id, apiKey]) => [
		id,
		{ type: 'computeMarketplaceApi', data: { baseUrl, service: 'svc', apiKey } },
	]);
	market.engine = await startEngine(Object.fromEntries(credentials));
}

const by = (id: string) => ({
	credentials: { computeMarketplaceApi: { id, name: id } },
});

it.each([
	['the same key', 'sk-one-5512c8'],
	['the same key with blanks', ' sk-one-5512c8 '],
])(
	'two credentials with %s buy one deployment, with the list a minute behind',
	async (_, other) => {
		const market = await openMarket({ listBehindMs: 60_000, detailsBehindMs: 60_000 });
		await withKeys(market, { one: 'sk-one-5512c8', two: other });
		const runs = await Promise.all(
			['one', 'two'].map(async (id) =>
				toldBy(await market.engine.run(deploy({}, by(id)), [{}], { executionId: id })),
			),
		);
		expect(market.rented).toHaveLength(1);
		expect(runs.filter(({ error }) => /already exists \(d-1/.test(error ?? ''))).toHaveLength(1);
	},
);

it('two credentials with the same key share one Maximum Running Cost', async () => {
	const market = await openMarket({ listBehindMs: 60_000 });
	await withKeys(market, { one: 'sk-one-5512c8', two: 'sk-one-5512c8' });
	const runs = await Promise.all(
		['one', 'two'].map(async (id) => {
			const node = deploy({ resourcePrivateName: id, safety: { maxRunningCost: 1.5 } }, by(id));
			return toldBy(await market.engine.run(node, [{}], { executionId: id }));
		}),
	);
	expect(market.rented).toHaveLength(1);
	expect(runs.filter(({ error }) => error?.includes('Maximum Running Cost'))).toHaveLength(1);
});

it('a credential that gets the key of another account is another account', async () => {
	const market = await openMarket({ listBehindMs: 60_000, detailsBehindMs: 60_000 });
	await withKeys(market, { one: 'sk-one-5512c8' });
	await market.engine.run(deploy({}, by('one')), [{}], { executionId: '1' });
	// The other account sees nothing of it
	market.odd = ({ path }) =>
		path === '/deployments'
			? { status: 200, json: { data: { deployments: [], total: 0 } } }
			: undefined;
	await withKeys(market, { one: NEXT_KEY });
	const next = toldBy(await market.engine.run(deploy({}, by('one')), [{}], { executionId: '2' }));
	expect(next.error).toBeUndefined();
	expect(market.rented).toHaveLength(2);
	expect(next.text).not.toContain(NEXT_KEY);
});

it('extensions by two credentials with the same key tell the hours that were added', async () => {
	const market = await openMarket();
	const one = market.add({ boughtAt: market.now - HOUR, startedAt: market.now - HOUR });
	await withKeys(market, { one: 'sk-one-5512c8', two: 'sk-one-5512c8' });
	const runs = await Promise.all(
		['one', 'two'].map(async (id) =>
			toldBy(await market.engine.run(extend(one.id, 2, {}, by(id)), [{}], { executionId: id })),
		),
	);
	expect(one.hours).toBe(7);
	expect(runs.map(({ items }) => items[0]?.added_hours)).toEqual([2, 2]);
});
