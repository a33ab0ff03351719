import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import {
	billHint,
	checkPriceLimits,
	isLimited,
	priceWithin,
	readPriceLimits,
	safetyCollection,
} from '../../nodes/marketplace/priceLimits.ts';
import { CAAS, VMAAS } from '../../nodes/marketplace/product.ts';
import { Market, productContext, refusalOf } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';

const ORDER = { hardwareId: 7, gpus: 1, durationHours: 3, locationIds: ['eu'], replicaCount: 2 };

/** A service that gives these answers to a request for a price, the last one for good. */
async function shopOf(...answers: IDataObject[]) {
	const market = new Market();
	market.instead = () => ({ json: answers.length > 1 ? answers.shift() : answers[0] });
	return { market, context: await productContext(market) };
}

describe('a price limit cannot be checked', () => {
	const cannot = async (currency: string, ...answers: IDataObject[]) => {
		const { context } = await shopOf(...answers);
		const priced = await priceWithin(context, { maxPrice: 100, currency }, ORDER);
		return 'problem' in priced ? priced.problem : priced;
	};
	const PRICE = { total_cost_usdc: 8, replica_count: 2 };

	it.each<[string, string, IDataObject]>([
		[
			'the answer is a no',
			'the service says no: no such hardware',
			{ ...PRICE, success: false, message: 'no such hardware' },
		],
		[
			'it is for another count',
			'the service gave the price for replica_count 1 instead of 2',
			{ ...PRICE, replica_count: 1 },
		],
		[
			'it is for a count that is no number',
			'the service gave the price for replica_count "two" instead of 2',
			{ ...PRICE, replica_count: 'two' },
		],
		[
			'it is for other GPUs',
			'the service gave the price for gpus_per_vm 8 instead of 1',
			{ ...PRICE, gpus_per_vm: 8 },
		],
		[
			'it is for other hours',
			'the service gave the price for duration_hours 1 instead of 3',
			{ ...PRICE, duration_hours: 1 },
		],
		[
			'it is in another currency',
			'the service gave the price in eur instead of usdc',
			{ ...PRICE, currency: 'eur' },
		],
		[
			'it is for other hardware',
			'the service gave the price for hardware_id "8" instead of 7',
			{ ...PRICE, hardware_id: '8' },
		],
		[
			'it has no total at all',
			'the service shows no total price in usdc',
			{ replica_count: 2, my_total_cost_eur: 7, total_cost_usdc: null },
		],
		[
			'its total is 0, and others are no bound',
			'the service shows no total price in usdc, only in eur, gbp',
			{ replica_count: 2, total_cost_usdc: 0, total_cost_eur: 7, total_cost_gbp: 6 },
		],
	])('where %s', async (_, reason, answer) => {
		expect(await cannot('usdc', answer)).toEqual({
			message: `The price limit cannot be checked: ${reason}`,
			description: 'Run Price > Get to see what the service answers.',
		});
	});

	it('where the price of one is not known, and the answer says no count', async () => {
		const answers = [{ total_cost_usdc: 8 }, {}, { total_cost_usdc: 8 }];
		expect(await cannot('usdc', ...answers)).toMatchObject({
			message:
				'The price limit cannot be checked: the service does not show that its price is for all 2 VMs',
		});
	});

	it('is not said where the answer repeats the order in another form', async () => {
		const answer = {
			total_cost_usdc: '8',
			replica_count: '2',
			gpus_per_vm: 1,
			duration_hours: '3',
			currency: 'USDC',
			hardware_id: '7',
		};
		expect(await cannot('UsdC', answer)).toEqual({
			prices: { total_price: 8, hourly_price: 2.66666666667, currency: 'UsdC' },
			answer,
		});
	});
});

describe('the price for the output', () => {
	it('is that of the currency that is asked for', async () => {
		const { market, context } = await shopOf({ total_cost_eur: 6, replica_count: 2 });
		expect(await checkPriceLimits(context, { currency: 'EUR' }, ORDER)).toEqual({
			total_price: 6,
			hourly_price: 2,
			currency: 'EUR',
		});
		expect(market.queries).toEqual([
			{
				hardware_id: 7,
				gpus_per_vm: 1,
				duration_hours: 3,
				currency: 'EUR',
				location_ids: '["eu"]',
				replica_count: 2,
			},
		]);
	});

	it('is an error above a limit, without more than what it is about', async () => {
		const { context } = await shopOf({ total_cost_usdc: 6, replica_count: 2 });
		expect(
			await refusalOf(checkPriceLimits(context, { maxPrice: 5, currency: 'usdc' }, ORDER)),
		).toEqual({
			message: 'The price of 6 usdc is above the Maximum Price of 5 usdc',
			description: 'It is 6 usdc in all for 3 hours.',
			known: {},
		});
	});
});

describe('a bill above the price of an order', () => {
	const price = (total_price: unknown, currency = 'usdc') =>
		({ total_price, currency }) as IDataObject;

	it('is told, in usd and usdc', () => {
		expect(billHint(2.5, price(2))).toBe('The service shows 2.5 paid instead of the price of 2.');
		expect(billHint(0.1 + 0.2, price('0.2', 'USD'), 'paid more')).toBe(
			'The service shows 0.3 paid more instead of the price of 0.2.',
		);
	});

	it('is told from a hundredth above it on', () => {
		expect(billHint(101, price(100))).toBeUndefined();
		expect(billHint(101.1, price(100))).toBeDefined();
	});

	it.each<[string, number | undefined, IDataObject]>([
		['the bill is not known', undefined, price(2)],
		['the price is not known', 3, price(undefined)],
		['the price is in another currency', 3, price(2, 'eur')],
		['the price is in a currency of a similar name', 3, price(2, 'usdcx')],
		['the price is in a currency that ends alike', 3, price(2, 'xusd')],
	])('is not told where %s', (_, paid, prices) => {
		expect(billHint(paid, prices)).toBeUndefined();
	});
});

describe('the limits of a form', () => {
	const read = (safety: unknown) =>
		readPriceLimits(
			formOf({ fields: [safetyCollection(VMAAS, 'Deploy nothing')] }, { safety } as IDataObject),
		);

	it('are none where nothing is set, in usdc', () => {
		expect(read({})).toEqual({
			maxPrice: undefined,
			maxHourlyPrice: undefined,
			maxRunningCost: undefined,
			currency: 'usdc',
		});
	});

	it('are those that are set', () => {
		expect(
			read({ maxPrice: 0, maxHourlyPrice: '2.5', maxRunningCost: 9, currency: ' eur ' }),
		).toEqual({ maxPrice: 0, maxHourlyPrice: 2.5, maxRunningCost: 9, currency: 'eur' });
	});

	it.each<[IDataObject, string]>([
		[{ maxPrice: -1 }, 'Safety: Maximum Price must be a number of at least 0, got -1'],
		[{ maxHourlyPrice: '' }, 'Safety: Maximum Hourly Price must be a number, got ""'],
		[{ maxPrice: '0,5' }, 'Safety: Maximum Price must be a number, got "0,5"'],
		[{ currency: ' ' }, 'Safety: Currency must not be white space alone'],
	])('are an error as %j, which an expression may give', (safety, text) => {
		expect(message(() => read(safety))).toBe(text);
	});

	it.each(['maxPrice', 'maxHourlyPrice', 'maxRunningCost'])('make a price needed by %s', (name) => {
		expect(isLimited({ currency: 'usdc', [name]: 0 })).toBe(true);
		expect(isLimited({ currency: 'usdc' })).toBe(false);
	});

	it('are open in a new node, with a currency only where there are several', () => {
		const mine = { displayName: 'A', name: 'mine', type: 'string', default: '' } as const;
		const shown = (product: typeof VMAAS, more: Array<typeof mine> = []) => {
			const field = safetyCollection(product, 'Deploy nothing', more, 'Why');
			const names = field.options?.map(({ name }) => name);
			return [field.placeholder, field.default, field.description, names];
		};
		const open = { maxHourlyPrice: '', maxPrice: '' };
		expect(shown(VMAAS)).toEqual([
			'Add Price Limit',
			open,
			'Why',
			['currency', 'maxHourlyPrice', 'maxPrice'],
		]);
		expect(shown(CAAS, [mine])).toEqual([
			'Add Safety Option',
			open,
			'Why',
			['mine', 'maxHourlyPrice', 'maxPrice'],
		]);
	});
});
