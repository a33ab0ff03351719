import type { INodeProperties } from 'n8n-workflow';
import { collectionField, limitFields, readLimit } from '../../shared/fields';
import type { Operation, Resource } from '../../shared/operation/operation';
import type { QueryValue } from '../../shared/http/request';
import type { Parameters } from '../../shared/operation/parameters';
import { numberOf } from '../../shared/numbers';
import { EMPTY_FILTER } from '../../marketplace/fields';
import {
	compare,
	hourlyPrice,
	isAvailable,
	listOffers,
	type Offer,
} from '../../marketplace/offers';

type Query = Record<string, QueryValue | undefined>;

/** The bounded filters of the hardware list with their query names; `large` is where a maximum begins in the form (compute-api.md "Limits"; beyond-the-spec.md section 1). */
const RANGES = [
	{ name: 'cpuCores', query: 'cpu_cores', min: 1, large: 64, label: 'CPU Cores', unit: '' },
	{
		name: 'deviceMemory',
		query: 'device_memory',
		min: 1,
		large: 262_144,
		label: 'Device Memory',
		unit: ' (MB)',
	},
	{ name: 'gpuMemory', query: 'gpu_memory', min: 0, large: 80, label: 'GPU Memory', unit: ' (GB)' },
	{ name: 'storage', query: 'storage', min: 1, large: 1_048_576, label: 'Storage', unit: ' (MB)' },
] as const;

const SUPPLIERS = ['internal', 'external'] as const;

/** The Filters collection of everything that searches the hardware list. */
export const filtersField: INodeProperties = collectionField('filters', 'Filters', 'Add Filter', [
	...RANGES.flatMap(rangeFields),
	{
		displayName: 'GPU',
		name: 'gpu',
		type: 'string',
		default: '',
		placeholder: 'e.g. H100',
		description: 'Text that the GPU name contains',
	},
	{
		displayName: 'GPU Family',
		name: 'gpuFamily',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add GPU Family' },
		default: [],
		placeholder: 'e.g. H100 SXM',
		description: 'GPU model names to keep; one entry for each model',
	},
	{
		displayName: 'Regions',
		name: 'regions',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Region' },
		default: [],
		placeholder: 'e.g. US',
		description: 'Region codes to keep; one entry for each region',
	},
	{
		displayName: 'Supplier',
		name: 'supplier',
		type: 'options',
		options: [
			{ name: 'External', value: 'external' },
			{ name: 'Internal', value: 'internal' },
		],
		default: 'internal',
		description: 'Who provides the hardware',
	},
]);

function rangeFields({
	name,
	min,
	large,
	label,
	unit,
}: (typeof RANGES)[number]): INodeProperties[] {
	// A filter that was only added must not exclude everything
	return (
		[
			['Max', large],
			['Min', min],
		] as const
	).map(([bound, start]) => ({
		displayName: `${label} ${bound}${unit}`,
		name: `${name}${bound}`,
		type: 'number',
		typeOptions: { minValue: min, numberPrecision: 0 },
		default: start,
		description: `${bound === 'Min' ? 'Smallest' : 'Largest'} ${label.replace('Device', 'device').replace('Storage', 'storage')}${unit} to keep, ${min} or more`,
	}));
}

/**
 * The filters as query parameters, each checked against its limit.
 * @param isStrict where money follows: a filter that was added and is empty is an error, not left out
 */
export function readFilters(parameters: Parameters, isStrict = false): Query {
	const filters = parameters.group('filters');
	if (isStrict)
		['gpu', 'gpuFamily', 'regions', 'supplier'].forEach((name) =>
			filters.requireFilled(name, EMPTY_FILTER),
		);
	const query: Query = {
		gpu: filters.text('gpu', { optional: true }),
		gpu_family: list(filters, 'gpuFamily', isStrict),
		regions: list(filters, 'regions', isStrict),
	};
	for (const { name, query: key, min } of RANGES) {
		const lower = filters.integer(`${name}Min`, { optional: true, min });
		const upper = filters.integer(`${name}Max`, { optional: true, min });
		if (lower !== undefined && upper !== undefined && lower > upper) {
			filters.fail(`${name}Min`, `must not be above the maximum of ${upper}, got ${lower}`);
		}
		query[`${key}_min`] = lower;
		query[`${key}_max`] = upper;
	}
	if (filters.has('supplier')) query.supplier = filters.choice('supplier', SUPPLIERS);
	return query;
}

function list(filters: Parameters, name: string, isStrict: boolean): string[] | undefined {
	const texts = filters.texts(name);
	if (texts.length > 0) return texts;
	return isStrict && filters.value(name) !== undefined
		? filters.fail(name, EMPTY_FILTER)
		: undefined;
}

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
			query: readFilters(parameters),
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
