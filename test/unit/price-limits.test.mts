import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { priceWithin, type PriceLimits } from '../../nodes/marketplace/priceLimits.ts';
import { Market, productContext } from './market-parts.mts';

const ORDER = { hardwareId: 7, gpus: 1, durationHours: 3, locationIds: ['eu'], replicaCount: 2 };

/** Compares a price with limits; each answer may depend on the count that is asked for. */
async function priced(
	limits: Partial<PriceLimits>,
	answer: (replicaCount: number) => IDataObject,
	order: Partial<typeof ORDER> = {},
) {
	const market = new Market();
	market.instead = () => ({
		json: { data: answer(Number(market.queries.at(-1)?.replica_count)) },
	});
	const context = await productContext(market);
	const result = await priceWithin(
		context,
		{ currency: 'usdc', ...limits },
		{ ...ORDER, ...order },
	);
	return { result, counts: market.queries.map((query) => Number(query.replica_count)) };
}

const each = (replicaCount: number) => ({ total_cost_usdc: 4.1 * replicaCount });

describe('the price of several', () => {
	it('is compared with that of one where the answer does not say for how many it is', async () => {
		const { result, counts } = await priced({}, each);
		expect(result).toMatchObject({
			prices: { total_price: 8.2, hourly_price: 2.73333333333, currency: 'usdc' },
		});
		expect(counts).toEqual([2, 1, 2]);
	});

	it('is asked for once where the answer says it', async () => {
		const { result, counts } = await priced({}, (replicaCount) => ({
			...each(replicaCount),
			replica_count: replicaCount,
		}));
		expect(result).toMatchObject({ prices: { total_price: 8.2 } });
		expect(counts).toEqual([2]);
	});

	it('is asked for once of a single one', async () => {
		const { result, counts } = await priced({}, each, { replicaCount: 1 });
		expect(result).toMatchObject({ prices: { total_price: 4.1 } });
		expect(counts).toEqual([1]);
	});

	it('is unknown where it is no more than that of one', async () => {
		const { result } = await priced({ maxPrice: 100 }, () => ({ total_cost_usdc: 4.1 }));
		expect(result).toEqual({
			problem: {
				message:
					'The price limit cannot be checked: the service does not show that its price is for all 2 VMs',
				description: 'Run Price > Get to see what the service answers.',
			},
		});
	});
});

describe('a price that is not known', () => {
	const unknown = () => ({ total_cost_eur: 5, replica_count: 2 });

	it.each(['maxPrice', 'maxHourlyPrice', 'maxRunningCost'])(
		'stops a purchase by %s',
		async (key) => {
			const { result } = await priced({ [key]: 100 }, unknown);
			expect(result).toMatchObject({
				problem: {
					message:
						'The price limit cannot be checked: the service shows no total price in usdc, only in eur',
				},
			});
		},
	);

	it('does not stop a purchase without a limit, whose output shows none', async () => {
		const { result } = await priced({}, unknown);
		expect(result).toEqual({ prices: {}, answer: unknown() });
	});
});

describe('a price limit', () => {
	const price = (replicaCount: number) => ({ ...each(replicaCount), replica_count: replicaCount });

	it('stops what costs more in all, and tells the price of all hours', async () => {
		const { result } = await priced({ maxPrice: 8.19, maxHourlyPrice: 1 }, price);
		expect(result).toEqual({
			problem: {
				message: 'The price of 8.2 usdc is above the Maximum Price of 8.19 usdc',
				description: 'It is 8.2 usdc in all for 3 hours.',
			},
		});
	});

	it('stops what costs more an hour, and tells the price of the single hour', async () => {
		const { result } = await priced({ maxPrice: 10, maxHourlyPrice: 8 }, price, {
			durationHours: 1,
		});
		expect(result).toEqual({
			problem: {
				message: 'The hourly price of 8.2 usdc is above the Maximum Hourly Price of 8 usdc',
				description: 'It is 8.2 usdc in all for 1 hour.',
			},
		});
	});

	it('does not stop what costs just as much', async () => {
		const { result } = await priced({ maxPrice: 12.3, maxHourlyPrice: 4.1 }, () => ({
			total_cost_usdc: 12.3,
			replica_count: 2,
		}));
		expect(result).toMatchObject({ prices: { total_price: 12.3, hourly_price: 4.1 } });
	});
});
