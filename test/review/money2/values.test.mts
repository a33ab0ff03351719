import { describe, expect, it } from 'vitest';
import { RETRY } from '../../engine/nodes.mts';
import { deployment, locator } from '../../engine/nodes.mts';
import { deploy, deployContainers, destroy, extend, told, waitFor } from './forms.mts';
import { HOUR, MINUTE, openMarket } from './service.mts';

const SECRET = { variables: [{ name: 'TOKEN', value: 'secret-of-the-container' }] };
const UNSEEN = '0001-01-01T00:00:00Z';

describe('IDs', () => {
	it('above 2^53 keep all their digits where the node hides secrets', async () => {
		const market = await openMarket({ nextId: () => 9_007_199_254_740_993n });
		const { items } = await told(market, deployContainers({ secretEnvironment: SECRET }));
		expect(items).toMatchObject([{ deployment_id: '9007199254740993' }]);
	});

	it('above 2^53 are destroyed by the ID of the deploy', async () => {
		const market = await openMarket({ nextId: () => 18_446_744_073_709_551_557n });
		const { items } = await told(market, deploy());
		const ended = await told(market, destroy(items[0]?.deployment_id));
		expect(ended.items).toMatchObject([{ deleted: true, verified: true }]);
		expect(market.running()).toEqual([]);
	});

	it('of 0 beside another one are no IDs', async () => {
		const market = await openMarket({ look: (shown) => ({ deployment_id: 0, ...shown }) });
		market.add({ name: 'other' });
		market.add({ name: 'third' });
		market.odd = ({ method, path, product, body }) =>
			method === 'POST' && path === '/deploy'
				? { status: 200, json: { deployment_id: 0, id: market.buy(product, body).id } }
				: undefined;
		const { items } = await told(market, deploy());
		expect(items).toMatchObject([{ deployment_id: 'd-3', resource_private_name: 'job' }]);
		expect(items[0]?.hint).toBeUndefined();
	});

	it('in another case in the list than in the answer are the same deployment', async () => {
		const market = await openMarket({
			nextId: (count) => `ABC-${count}`,
		});
		market.look = (shown) => ({ ...shown, id: String(shown.id).toLowerCase() });
		market.odd = ({ path, method }) => {
			const [, id] = /^\/deployment\/([^/]+)/.exec(path) ?? [];
			const one = market.rented.find(
				(other) => String(other.id).toLowerCase() === id?.toLowerCase(),
			);
			if (!one) return undefined;
			if (method === 'DELETE') Object.assign(one, { status: 'destroyed', endedAt: market.now });
			return { status: 200, json: { data: market.shown(one) } };
		};
		const { items } = await told(market, deploy());
		expect(items[0]?.hint).toBeUndefined();
		const second = await told(market, deploy({ safety: { ifNameExists: 'useExisting' } }));
		expect(second.items).toMatchObject([{ existing: true }]);
		expect((await told(market, destroy(items[0]?.deployment_id))).items).toMatchObject([
			{ deleted: true },
		]);
	});
});

describe('names', () => {
	it('that the service sends as numbers are names: nothing is bought twice', async () => {
		const market = await openMarket({ nameFor: Number });
		market.add({ name: 2026 });
		const { error } = await told(market, deploy({ resourcePrivateName: '2026' }));
		expect(error).toMatch(/already exists/);
		expect(market.sent('POST', /deploy/)).toEqual([]);
	});

	it('that are empty in one key are read in the other: a lost answer is found', async () => {
		const market = await openMarket({ look: (shown) => ({ resource_private_name: '', ...shown }) });
		let isLost = true;
		market.odd = ({ method, path, product, body }) => {
			if (method !== 'POST' || path !== '/deploy' || !isLost) return undefined;
			isLost = false;
			market.buy(product, body);
			return 'cut';
		};
		const { items } = await told(market, deploy({}, RETRY));
		expect(items).toMatchObject([
			{ recovered: true, deployment_id: 'd-1', resource_private_name: 'job' },
		]);
		expect(market.rented).toHaveLength(1);
	});

	it('of another deployment that stop a purchase are explained', async () => {
		const market = await openMarket();
		market.add({ name: 'nightly-training-run' });
		const { error } = await told(
			market,
			deploy({ resourcePrivateName: 'nightly-training-run-eu' }),
		);
		expect(error).toMatch(/nightly-training-run-eu/);
		expect(market.sent('POST', /deploy/)).toEqual([]);
	});

	it('that an expression did not make are refused before anything is sent', async () => {
		const market = await openMarket();
		const { error } = await told(market, deploy({ resourcePrivateName: '={{ Number("x") }}' }));
		expect(error).toMatch(/Name/);
		expect(market.calls).toEqual([]);
	});
});

describe('times', () => {
	it('of a service that has none yet are not those of an old deployment', async () => {
		const market = await openMarket({
			look: (shown) => ({ ...shown, created_at: UNSEEN, started_at: UNSEEN }),
		});
		market.add({ name: 'fresh' });
		const { items } = await told(
			market,
			deployment('getAll', { returnAll: true, filters: { olderThanHours: 12 } }),
		);
		expect(items.map(({ deployment_id: id }) => id)).toEqual(items.map(() => null));
	});

	it('of a service that has none yet: a lost answer is found, and no hint says that it was there before', async () => {
		const market = await openMarket({ look: (shown) => ({ ...shown, created_at: UNSEEN }) });
		let isLost = true;
		market.odd = ({ method, path, product, body }) => {
			if (method !== 'POST' || path !== '/deploy' || !isLost) return undefined;
			isLost = false;
			market.buy(product, body);
			return 'cut';
		};
		const lost = await told(market, deploy());
		expect(lost.items).toMatchObject([{ recovered: true }]);
		const other = await told(market, deploy({ resourcePrivateName: 'other' }));
		expect(other.items[0]?.hint).toBeUndefined();
	});

	it('of a service that has none yet prove no age: a young deployment that vanishes is looked for', async () => {
		const market = await openMarket({ look: (shown) => ({ ...shown, created_at: UNSEEN }) });
		market.add({ name: 'other' });
		const one = market.add({ name: 'young' });
		// It takes the request, another copy shows nothing of it for some seconds, and it goes on
		let hiddenUntil = 0;
		market.odd = ({ method, path, query }) => {
			if (method === 'DELETE') {
				hiddenUntil = market.now + 10_000;
				return { status: 200, json: { status: 'success' } };
			}
			if (market.now >= hiddenUntil) return undefined;
			if (path === `/deployment/${String(one.id)}`) return { status: 404 };
			if (path !== '/deployments') return undefined;
			const entries = query.get('page') === '0' ? [market.shown(market.nth(0))] : [];
			return { status: 200, json: { data: { deployments: entries, total: 1 } } };
		};
		const ended = await told(market, destroy(one.id, { verifyTimeout: 60 }));
		expect(market.running()).toHaveLength(2);
		expect(ended.items).toEqual([]);
		expect(ended.error).toMatch(/still/);
	});
});

describe('hardware', () => {
	it('that details leave at 0 is not another one: a lost answer is found', async () => {
		const market = await openMarket({ look: (shown) => ({ ...shown, hardware_id: 0 }) });
		market.odd = ({ method, path, product, body }) => {
			if (method !== 'POST' || path !== '/deploy') return undefined;
			market.buy(product, body);
			return 'cut';
		};
		const { items } = await told(market, deploy());
		expect(items).toMatchObject([{ recovered: true }]);
	});
});

describe('expires_at', () => {
	const at = (text: unknown) => Date.parse(String(text));

	it('of a deployment that waits for its start is not now', async () => {
		const market = await openMarket({ startMs: 20 * MINUTE });
		market.look = (shown, one) =>
			one.startedAt === undefined ? { ...shown, compute_minutes_remaining: 0 } : shown;
		market.odd = ({ method, path, product, body }) =>
			method === 'POST' && path === '/deploy'
				? { status: 200, json: { data: market.shown(market.buy(product, body)) } }
				: undefined;
		const { items } = await told(market, deploy());
		expect(at(items[0]?.expires_at)).toBeGreaterThanOrEqual(market.now + HOUR);
		const { items: shown } = await told(
			market,
			deployment('get', { deploymentId: locator('d-1') }),
		);
		expect(shown[0]?.expires_at ?? null).toBeNull();
	});

	it('is that of the order where minutes are summed over GPUs', async () => {
		const market = await openMarket({ sumsMinutes: true });
		market.odd = ({ method, path, product, body }) =>
			method === 'POST' && path === '/deploy'
				? { status: 200, json: { data: market.shown(market.buy(product, body)) } }
				: undefined;
		const { items } = await told(market, deploy({ gpusPerVm: 8 }));
		expect(at(items[0]?.expires_at)).toBeLessThanOrEqual(market.endsAt(market.nth(0)));
	});

	it('is that of the books after an hour where minutes are summed over GPUs', async () => {
		const market = await openMarket({ sumsMinutes: true });
		const one = market.add({ gpus: 8, hours: 3, paid: 24 });
		market.advance(HOUR);
		const end = market.endsAt(one);
		const waited = await told(market, waitFor(one.id));
		expect(Math.abs(at(waited.items[0]?.expires_at) - end)).toBeLessThan(10 * MINUTE);
		const longer = await told(market, extend(one.id, 2, { maxPrice: 100 }));
		expect(longer.items).toMatchObject([{ added_hours: 2 }]);
		expect(Math.abs(at(longer.items[0]?.expires_at) - market.endsAt(one))).toBeLessThan(
			10 * MINUTE,
		);
	});
});
