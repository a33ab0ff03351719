import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { cheapestParameters, deployment, RETRY } from '../../engine/nodes.mts';
import type { Call, Said } from './service.mts';
import { deploy, extend, stage, told } from './stage.mts';

const isPrice = ({ path }: Call) => path === '/price';
const isPost = ({ method }: Call) => method === 'POST';
const json = (data: unknown, status = 200): Said => ({ status, json: { data } });

const cheapest = (changes: IDataObject = {}, settings = {}) =>
	deployment('deployCheapest', cheapestParameters({ maxTries: 3, ...changes }), settings);
const OFFERS = [1, 2, 3].map((price) => ({
	id: `${price}__us`,
	deploy_id: price,
	name: `GPU ${price}`,
	num_cards: 1,
	price,
	location: 'us',
}));

describe('a price limit of 10', () => {
	const STRANGE: Array<[string, IDataObject | unknown[] | string | null]> = [
		['in another currency', { total_cost_eur: 2 }],
		['with thousands', { total_cost_usdc: '1,234.50' }],
		['with a decimal comma', { total_cost_usdc: '2,50' }],
		['with its unit', { total_cost_usdc: '2 USDC' }],
		['of 0', { total_cost_usdc: 0 }],
		['below 0', { total_cost_usdc: -3 }],
		['of null', { total_cost_usdc: null }],
		['of NaN', { total_cost_usdc: 'NaN' }],
		['of Infinity', { total_cost_usdc: 'Infinity' }],
		['as a list', { total_cost_usdc: [2] }],
		['as an object', { total_cost_usdc: { amount: 2 } }],
		['as a boolean', { total_cost_usdc: true }],
		['for seconds', { total_cost_usdc: 2, duration_hours: 7200 }],
		['for one hour', { total_cost_usdc: 2, duration_hours: 1 }],
		['for other GPUs', { total_cost_usdc: 2, gpus_per_vm: 8 }],
		['for other hardware', { total_cost_usdc: 2, hardware_id: 12 }],
		['for two', { total_cost_usdc: 2, replica_count: 2 }],
		['in a list', [{ total_cost_usdc: 2 }]],
		['as text', '2'],
		['as nothing', null],
		['for an hour alone', { hourly_cost_usdc: 1 }],
	];
	it.each(STRANGE)('stops where the price is %s', async (_, data) => {
		for (const node of [
			deploy({ safety: { maxPrice: 10 } }),
			cheapest({ safety: { maxPrice: 10 } }),
		]) {
			const { service, run } = await stage({ offers: [{ ...OFFERS[0], deploy_id: 7 }] });
			service.instead = (call) => (isPrice(call) ? json(data) : undefined);
			const { error } = told(await run(node));
			expect(service.sent('POST')).toEqual([]);
			expect(error).toBeDefined();
		}
		const { service, run } = await stage();
		service.add();
		service.instead = (call) => (isPrice(call) ? json(data) : undefined);
		await run(extend('dep-1', 2, { maxPrice: 10 }));
		expect(service.sent('POST')).toEqual([]);
	});

	const LIMITS: unknown[] = [
		'',
		' ',
		null,
		undefined,
		'ten',
		'1,5',
		true,
		[],
		[10],
		{},
		'-1',
		'NaN',
	];
	it.each(LIMITS)('that an expression gives as %j stops before anything is sent', async (limit) => {
		for (const name of ['maxPrice', 'maxHourlyPrice', 'maxRunningCost']) {
			const { service, run } = await stage();
			service.add();
			const safety = { [name]: '={{ $json.limit }}' };
			const { error } = told(await run(deploy({ safety }), [{ limit } as IDataObject]));
			expect(service.sent('POST')).toEqual([]);
			expect(error).toBeDefined();
		}
	});
});

describe('a price that changes', () => {
	it('between quote and purchase is told of', async () => {
		const { service, run } = await stage();
		service.answered = (call, said) => {
			if (isPrice(call)) service.pricePerHour = 40;
			return said;
		};
		const { of } = told(await run(deploy({ safety: { maxPrice: 10 } })));
		expect(of()[0]?.hint).toContain('80 paid instead of the price of 2');
	});

	it('and shows in the answer alone, is told of', async () => {
		const { service, run } = await stage();
		service.detailed = () => undefined;
		service.deployed = ({ id }) => ({ data: { id, status: 'running', amount_paid: 80 } });
		const { of } = told(await run(deploy({ safety: { maxPrice: 10 } })));
		expect(String(of()[0]?.hint)).toContain('80');
	});

	it('between quote and extension is told of', async () => {
		const { service, run } = await stage();
		service.add();
		service.answered = (call, said) => {
			if (isPrice(call)) service.pricePerHour = 40;
			return said;
		};
		const { of } = told(await run(extend('dep-1', 2, { maxPrice: 10 })));
		expect(of()[0]?.hint).toContain('80');
	});

	it('while Deploy Cheapest tries others is read again', async () => {
		const { service, run } = await stage({ offers: OFFERS });
		let posts = 0;
		service.instead = (call) => {
			if (!isPost(call) || ++posts > 1) return undefined;
			service.pricePerHour = 40;
			return { status: 409, json: { detail: 'sold out' } };
		};
		const { error } = told(await run(cheapest({ safety: { maxPrice: 10 } })));
		expect(service.machines).toEqual([]);
		expect(error).toContain('None of the 3');
	});
});

describe('an offer that is gone between the list and the purchase', () => {
	const GONE: Array<[string, Said]> = [
		['409 sold out', { status: 409, json: { detail: 'Sold out' } }],
		['404 hardware', { status: 404, json: { detail: 'Hardware 1 is not available any more' } }],
		['422', { status: 422, json: { detail: [{ loc: ['body'], msg: 'no capacity', type: 'x' }] } }],
		['400', { status: 400, json: { error: { message: 'Out of stock', code: 7 } } }],
		['200 with an error', { json: { success: false, error: 'Sold out' } }],
	];
	it.each(GONE)('(%s) is not bought, and at most the next one is', async (_, said) => {
		const { service, run } = await stage({ offers: OFFERS });
		service.instead = (call) => (isPost(call) && call.body.hardware_id === 1 ? said : undefined);
		const { all } = told(await run(cheapest({}, RETRY)));
		expect(service.machines.length).toBeLessThanOrEqual(1);
		for (const { id } of service.machines) expect(all).toContain(id);
	});

	it('but was bought all the same, as the list shows, is not bought twice', async () => {
		const { service, run } = await stage({ offers: OFFERS });
		// The last one: a gateway has sent the request twice, and this is the answer to the second
		service.answered = (call, own) =>
			isPost(call) && call.body.hardware_id === 1
				? { status: 409, json: { detail: 'Sold out' } }
				: own;
		const { all } = told(await run(cheapest()));
		for (const { id } of service.machines) expect(all).toContain(id);
		expect(service.machines).toHaveLength(1);
	});
});
