import { describe, expect, it } from 'vitest';
import {
	byAvailabilityAndPrice,
	compare,
	listOffers,
	offersOf,
	priceText,
	sizesOf,
	type Offer,
} from '../../nodes/marketplace/offers.ts';
import {
	fetchPrice,
	readGpus,
	readLocation,
	resolveGpus,
	sizeOf,
} from '../../nodes/marketplace/price.ts';
import { gpusPerVmField, locationIdField } from '../../nodes/marketplace/fields.ts';
import { CAAS, VMAAS } from '../../nodes/marketplace/product.ts';
import { Market, productContext, refusalOf } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

/** A service that offers this hardware. */
function offering(...hardware: Offer[]): Market {
	const market = new Market();
	market.instead = () => ({ json: { data: { hardware } } });
	return market;
}

describe('the price of an offer in words', () => {
	it.each<[Offer, string]>([
		[{ price: 4.1 }, '$4.10/h'],
		[{ price: 0.0375 }, '$0.0375/h'],
		[{ price: 12.25 }, '$12.25/h'],
		[{ price: 3 }, '$3.00/h'],
		[{ price: 0 }, 'price not given'],
		[{}, 'price not given'],
		[{ price: 3, sold_out: true }, '$3.00/h · sold out'],
		[{ price: 3, sold_out: ' no ' }, '$3.00/h'],
	])('%j: %s', (offer, text) => expect(priceText(offer)).toBe(text));
});

describe('offers', () => {
	it('are those of the list, which is asked for again after a moment', async () => {
		const market = offering({ deploy_id: 1 }, { deploy_id: '1' }, { deploy_id: 2 });
		const { instead } = market;
		market.instead = (request) =>
			market.asked.length === 1 ? { status: 503, json: {} } : instead(request);
		const { value } = await ended(productContext(market).then(listOffers));
		expect(value).toHaveLength(3);
		expect(offersOf(value ?? [], '1')).toEqual([{ deploy_id: 1 }, { deploy_id: '1' }]);
		expect(market.asked).toEqual(['GET hardware', 'GET hardware']);
	});

	it('are an error where the answer has no list', async () => {
		const market = new Market();
		market.instead = () => ({ json: { data: 'none' } });
		const read = productContext(market).then(listOffers);
		expect(await refusalOf(read)).toBeDefined();
	});

	it('are in order of availability, then of price', () => {
		const soldOut = { price: 1, sold_out: true };
		const offers: Offer[] = [soldOut, {}, { price: 3 }, { price: 2 }];
		expect([...offers].sort(byAvailabilityAndPrice)).toEqual([
			{ price: 2 },
			{ price: 3 },
			{},
			soldOut,
		]);
		expect([compare(1, 2), compare(2, 1), compare(2, 2)]).toEqual([-1, 1, 0]);
		expect(compare(Infinity, Infinity)).toBe(0);
	});

	it('have sizes, smallest first, each with its best offer, and the unknown one last', () => {
		const sizes = sizesOf([
			{ price: 1 },
			{ num_cards: 8, price: 9 },
			{ num_cards: 1, price: 3 },
			{ num_cards: 0, price: 4 },
			{ num_cards: 1, price: 2 },
		]);
		expect(sizes.map(({ cards, offer }) => [cards, offer.price])).toEqual([
			[0, 4],
			[1, 2],
			[8, 9],
			[undefined, 1],
		]);
	});
});

describe('the number of GPUs that is ordered', () => {
	const resolved = async (offers: Offer[], chosen?: number, locations?: string[]) => {
		const market = offering(...offers);
		const context = await productContext(market);
		const gpus = await resolveGpus(context, 7, chosen, locations);
		await resolveGpus(context, 7, chosen, locations);
		return { gpus, asked: market.asked };
	};
	const offer = (num_cards?: number, more: Offer = {}): Offer => ({
		deploy_id: '7',
		num_cards,
		price: 2,
		...more,
	});

	it('is the chosen one', async () => {
		expect(await resolved([], 4)).toEqual({ gpus: 4, asked: [] });
	});

	it.each([1, 8])('is the only one that the hardware has: %d', async (cards) => {
		const offers = [offer(cards), offer(cards), offer(2, { deploy_id: 8 })];
		expect(await resolved(offers)).toEqual({ gpus: cards, asked: ['GET hardware'] });
	});

	it('is the only one in the locations, where it is offered there', async () => {
		const offers = [offer(2, { location: 'eu' }), offer(4, { location: 'us' })];
		expect(await resolved(offers, undefined, ['eu'])).toMatchObject({ gpus: 2 });
		expect(await resolved(offers.slice(0, 1), undefined, ['asia'])).toMatchObject({ gpus: 2 });
	});

	it('must be chosen where there are several', async () => {
		const offers = [offer(8, { price: 9 }), offer(1), offer()];
		expect(await refusalOf(resolved(offers))).toEqual({
			message:
				'Hardware 7 comes in several sizes. Set GPUs per VM to one of them: 1 ($2.00/h), 8 ($9.00/h), not shown ($2.00/h)',
			description: 'The prices are those of the hardware list, for a VM of that size.',
			known: { hardware_id: 7 },
		});
	});

	it.each<[Offer[], string]>([
		[[], 'is not on offer now'],
		[[offer(0)], 'has 0 GPUs in its offer'],
		[[offer(9)], 'has 9 GPUs in its offer'],
		[[offer()], 'has no number of GPUs in its offer'],
	])('cannot be taken from %j', async (offers, problem) => {
		expect(await refusalOf(resolved(offers))).toEqual({
			message: `Hardware 7 ${problem}, so GPUs per VM cannot be taken from it`,
			description: 'Choose the hardware from the list, or enter GPUs per VM yourself (1 to 8).',
			known: { hardware_id: 7 },
		});
	});
});

describe('the form of an order', () => {
	const formWith = (gpusPerVm: unknown, locationId: unknown = 'eu') =>
		formOf(
			{ fields: [gpusPerVmField, locationIdField] },
			{
				gpusPerVm: gpusPerVm as number,
				locationId: locationId as string,
			},
		);

	it.each([
		['', undefined],
		[undefined, undefined],
		[0, undefined],
		[1, 1],
		[8, 8],
	])('with %j as GPUs gives %j', (entered, gpus) => {
		expect(readGpus(formWith(entered))).toBe(gpus);
	});

	it.each([9, -1])('refuses %d GPUs', (entered) => {
		expect(message(() => readGpus(formWith(entered)))).toContain('GPUs per VM must be');
	});

	it('gives the location as text', () => {
		expect(readLocation(formWith(1, 12))).toBe('12');
	});
});

describe('a price', () => {
	const query = {
		hardwareId: 7,
		gpus: 2,
		durationHours: 3,
		currency: 'eur',
		locationIds: ['eu', 4],
		replicaCount: 5,
	};
	const sent = {
		hardware_id: 7,
		duration_hours: 3,
		location_ids: '["eu",4]',
		replica_count: 5,
	};

	it('of VMs is asked for in a currency, also again', async () => {
		const market = new Market();
		market.instead = () =>
			market.asked.length === 1
				? { status: 503, json: {} }
				: { json: { data: { total_cost_eur: 9 } } };
		const { value } = await ended(
			productContext(market).then(async (context) => await fetchPrice(context, query)),
		);
		expect(value).toEqual({ total_cost_eur: 9 });
		expect(market.queries[1]).toEqual({ ...sent, gpus_per_vm: 2, currency: 'eur' });
	});

	it('of containers is asked for without one', async () => {
		const market = new Market();
		market.instead = () => ({ json: { total_cost_usdc: 9 } });
		const context = await productContext(market, { product: CAAS });
		expect(await fetchPrice(context, query)).toEqual({ total_cost_usdc: 9 });
		expect(market.queries).toEqual([{ ...sent, gpus_per_container: 2 }]);
	});

	it('that is refused comes with what says so', async () => {
		const market = new Market();
		const answer = { status: 'error', message: 'sold out', data: { total_cost_usdc: 9 } };
		market.instead = () => ({ json: answer });
		expect(await fetchPrice(await productContext(market), query)).toEqual(answer);
	});
});

describe('the size of a deployment', () => {
	it.each([
		[
			{ total_vms: 2, gpus_per_vm: 4 },
			{ workers: 2, gpus: 4 },
		],
		[
			{ total_vms: '2', gpus_per_vm: '4', total_gpus: '8' },
			{ workers: 2, gpus: 4 },
		],
		[
			{ total_vms: 2, total_gpus: 8 },
			{ workers: 2, gpus: 4 },
		],
		[
			{ gpus_per_vm: 4, total_gpus: 8 },
			{ workers: 2, gpus: 4 },
		],
		[{ total_vms: 2, gpus_per_vm: 4, total_gpus: 9 }, undefined],
		[{ total_vms: 3, total_gpus: 8 }, undefined],
		[{ gpus_per_vm: 3, total_gpus: 8 }, undefined],
		[{ total_vms: 0, gpus_per_vm: 4 }, undefined],
		[{ total_vms: 2, gpus_per_vm: 0 }, undefined],
		[{ total_vms: -1, gpus_per_vm: -1 }, undefined],
		[{ total_gpus: 8 }, undefined],
		[{ total_vms: 2 }, undefined],
		[{ gpus_per_vm: 4 }, undefined],
		[{}, undefined],
	])('%j is %j', (details, size) => expect(sizeOf(VMAAS, details)).toEqual(size));
});
