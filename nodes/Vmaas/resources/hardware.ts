import { collectionField, limitFields, readLimit } from '../../shared/fields';
import type { Operation, Resource } from '../../shared/operation/operation';
import { numberOf } from '../../shared/numbers';
import {
	compare,
	hourlyPrice,
	isAvailable,
	listOffers,
	type Offer,
} from '../../marketplace/offers';
import { filtersField, readFilters, type Query } from '../../marketplace/hardwareFilters';

const ORDERS = {
	none: undefined,
	price: (a: Offer, b: Offer) => compare(hourlyPrice(a), hourlyPrice(b)),
	pricePerGpu: (a: Offer, b: Offer) => compare(perGpu(a), perGpu(b)),
	vram: (a: Offer, b: Offer) => compare(totalVram(b), totalVram(a)),
};

const ORDER_NAMES = Object.keys(ORDERS) as Array<keyof typeof ORDERS>;

function perGpu(offer: Offer): number {
	return hourlyPrice(offer) / (numberOf(offer.num_cards) || 1);
}

function totalVram(offer: Offer): number {
	return (numberOf(offer.vram_per_card) ?? 0) * (numberOf(offer.num_cards) ?? 0);
}

const getAll: Operation<{
	query: Query;
	limit?: number;
	sort: keyof typeof ORDERS;
	onlyAvailable: boolean;
}> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many hardware offers',
	description: 'Retrieve the hardware on offer with price per hour, GPU count, memory and location',
	effect: 'read',
	fields: [
		...limitFields,
		filtersField,
		collectionField('options', 'Options', 'Add Option', [
			{
				displayName: 'Only Available',
				name: 'onlyAvailable',
				type: 'boolean',
				default: true,
				description: 'Whether to leave out offers that are sold out',
			},
			{
				displayName: 'Sort',
				name: 'sort',
				type: 'options',
				options: [
					{ name: 'As the Service Lists Them', value: 'none' },
					{
						name: 'Price, Lowest First',
						value: 'price',
						description: 'Offers without a price come last',
					},
					{
						name: 'Price per GPU, Lowest First',
						value: 'pricePerGpu',
						description: 'Offers without a price come last',
					},
					{ name: 'Total GPU Memory, Largest First', value: 'vram' },
				],
				default: 'price',
				description: 'The order of the offers',
			},
		]),
	],
	input(parameters) {
		const options = parameters.group('options');
		return {
			query: readFilters(parameters).query,
			limit: readLimit(parameters),
			sort: options.has('sort') ? options.choice('sort', ORDER_NAMES) : 'none',
			onlyAvailable: options.flag('onlyAvailable'),
		};
	},
	async run(context, { query, limit, sort, onlyAvailable }) {
		const offers = await listOffers(context, query);
		const kept = onlyAvailable ? offers.filter(isAvailable) : offers;
		const order = ORDERS[sort];
		return (order ? [...kept].sort(order) : kept).slice(0, limit);
	},
};

export const hardware: Resource = { value: 'hardware', name: 'Hardware', operations: [getAll] };
