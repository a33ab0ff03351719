import type { INodeProperties } from 'n8n-workflow';
import { EMPTY_FILTER } from './fields';
import type { Offer } from './offers';
import { collectionField } from '../shared/fields';
import { show } from '../shared/guards';
import type { QueryValue } from '../shared/http/request';
import { numberOf } from '../shared/numbers';
import type { Parameters } from '../shared/operation/parameters';

export type Query = Record<string, QueryValue | undefined>;

/** The filters of the hardware list, as they are sent and as they are checked on an offer. */
export interface Filters {
	/** What is sent: the filters under their names, changed by the additional parameters. */
	query: Query;
	/** What an offer must be to pass the filters of the form. */
	checks: Check[];
}

/** One filter on one field of an offer. */
export interface Check {
	/** The filter for messages: `GPU Memory Min (GB) 80`. */
	what: string;
	field: 'name' | 'location' | 'supplier' | 'vcpu' | 'memory' | 'vram_per_card' | 'storage';
	passes(value: string): boolean;
}

/** Why an offer does not pass: a filter that it does not meet, or one that its fields do not let anybody check. */
export interface Unmet {
	isUnknown: boolean;
	reason: string;
}

/**
 * The bounded filters with their query names and the offer's field; `large` is where a maximum begins in the form
 * (compute-api.md "Limits"; beyond-the-spec.md section 1). `units` are how many of the filter's units one of the field may
 * be: memory and storage are in GB there, and nobody says which kind.
 */
const RANGES = [
	{
		name: 'cpuCores',
		query: 'cpu_cores',
		field: 'vcpu',
		units: [1, 1],
		min: 1,
		large: 64,
		label: 'CPU Cores',
		unit: '',
	},
	{
		name: 'deviceMemory',
		query: 'device_memory',
		field: 'memory',
		units: [1000, 1024],
		min: 1,
		large: 262_144,
		label: 'Device Memory',
		unit: ' (MB)',
	},
	{
		name: 'gpuMemory',
		query: 'gpu_memory',
		field: 'vram_per_card',
		units: [1, 1],
		min: 0,
		large: 80,
		label: 'GPU Memory',
		unit: ' (GB)',
	},
	{
		name: 'storage',
		query: 'storage',
		field: 'storage',
		units: [1000, 1024],
		min: 1,
		large: 1_048_576,
		label: 'Storage',
		unit: ' (MB)',
	},
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
		displayName: 'Query Parameters (JSON)',
		name: 'additionalQuery',
		type: 'json',
		default: '{}',
		placeholder: 'e.g. {"gpu": null, "gpu_name": "H100"}',
		description:
			'More query parameters of the hardware list, for a service that calls its filters otherwise. A value replaces that of a filter, null removes it, and of a list the name is repeated.',
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
		description: `${bound === 'Min' ? 'Smallest' : 'Largest'} ${label.replace('Device', 'device').replace('Storage', 'storage')}${unit} to keep, ${min} or more${unit === ' (MB)' ? ': 100 GB are 100000' : ''}`,
	}));
}

/**
 * The filters, each checked against its limit.
 * @param isStrict where money follows: a filter that was added and is empty is an error, not left out
 */
export function readFilters(parameters: Parameters, isStrict = false): Filters {
	const filters = parameters.group('filters');
	if (isStrict)
		['additionalQuery', 'gpu', 'gpuFamily', 'regions', 'supplier'].forEach((name) =>
			filters.requireFilled(name, EMPTY_FILTER),
		);
	const gpu = filters.text('gpu', { optional: true });
	const families = list(filters, 'gpuFamily', isStrict);
	const regions = list(filters, 'regions', isStrict);
	const supplier = filters.has('supplier') ? filters.choice('supplier', SUPPLIERS) : undefined;
	const query: Query = { gpu, gpu_family: families, regions };
	const checks: Check[] = [
		...checkOf('GPU', 'name', gpu, (name) => hasWords(name, gpu!)),
		...checkOf('GPU Family', 'name', families, (name) =>
			families!.some((family) => isOfFamily(name, family)),
		),
		...checkOf('Regions', 'location', regions, (location) =>
			regions!.some((region) => isWithin(location, region)),
		),
		...checkOf('Supplier', 'supplier', supplier, (value) => isSame(value, supplier!)),
	];
	for (const { name, query: key, field, units, min, label, unit } of RANGES) {
		const lower = filters.integer(`${name}Min`, { optional: true, min });
		const upper = filters.integer(`${name}Max`, { optional: true, min });
		if (lower !== undefined && upper !== undefined && lower > upper) {
			filters.fail(`${name}Min`, `must not be above the maximum of ${upper}, got ${lower}`);
		}
		query[`${key}_min`] = lower;
		query[`${key}_max`] = upper;
		const [smallest, largest] = units;
		checks.push(
			...checkOf(`${label} Min${unit}`, field, lower, (v) => Number(v) * largest >= lower!),
			...checkOf(`${label} Max${unit}`, field, upper, (v) => Number(v) * smallest <= upper!),
		);
	}
	return { query: { ...query, supplier, ...readAdditional(filters) }, checks };
}

function list(filters: Parameters, name: string, isStrict: boolean): string[] | undefined {
	const texts = filters.texts(name);
	if (texts.length > 0) return texts;
	return isStrict && filters.value(name) !== undefined
		? filters.fail(name, EMPTY_FILTER)
		: undefined;
}

/** The additional query parameters; undefined takes a filter out of the query. */
function readAdditional(filters: Parameters): Query {
	if (!filters.has('additionalQuery')) return {};
	const given = Object.entries(filters.json('additionalQuery', 'object'));
	return Object.fromEntries(
		given.map(([key, value]) => {
			if (value === null) return [key, undefined];
			const isPlain = [value]
				.flat()
				.every((one) => ['string', 'number', 'boolean'].includes(typeof one));
			if (!isPlain)
				filters.fail(
					'additionalQuery',
					`must hold texts, numbers, true, false, null, or lists of texts and numbers, got ${show(value)} for "${key}"`,
				);
			return [key, value as QueryValue];
		}),
	);
}

/**
 * Why an offer does not pass the filters, if so. A service may not know the name of a filter and ignore it, so what is
 * bought is checked here.
 */
export function unmetBy(offer: Offer, checks: Check[]): Unmet | undefined {
	const unmet = checks.flatMap(({ what, field, passes }): Unmet[] => {
		const value = offer[field];
		const isShown =
			field === 'name' || field === 'location' || field === 'supplier'
				? (typeof value === 'string' && value !== '') || typeof value === 'number'
				: numberOf(value) !== undefined;
		if (!isShown)
			return [
				{ isUnknown: true, reason: `${what} cannot be checked: the offer shows no ${field}` },
			];
		return passes(String(value)) ? [] : [{ isUnknown: false, reason: `does not meet ${what}` }];
	});
	return unmet.find(({ isUnknown }) => !isUnknown) ?? unmet[0];
}

function checkOf(
	label: string,
	field: Check['field'],
	wanted: string | number | string[] | undefined,
	passes: Check['passes'],
): Check[] {
	if (wanted === undefined) return [];
	return [{ what: `${label} ${[wanted].flat().join(', ')}`, field, passes }];
}

/** Words of letters and digits, in lower case. */
function wordsOf(text: string): string[] {
	return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Whether a name contains each word of a text, wherever they are written together: `rtx 4090` is in `GeForce RTX4090`. */
function hasWords(name: string, text: string): boolean {
	const letters = wordsOf(name).join('');
	const words = wordsOf(text);
	return words.length > 0 && words.every((word) => letters.includes(word));
}

/**
 * Whether a name is of a GPU model: it has its words in their order, and they end where a word ends. A number may follow
 * letters: `H100 SXM` is `H100 SXM5`, but `L4` is not `L40` or `L40S`.
 */
function isOfFamily(name: string, family: string): boolean {
	const words = wordsOf(family).join('[^\\p{L}\\p{N}]*');
	if (words === '') return false;
	const end = /\p{N}$/u.test(words) ? '[\\p{L}\\p{N}]' : '\\p{L}';
	return new RegExp(`(?<![\\p{L}\\p{N}])${words}(?!${end})`, 'u').test(name.toLowerCase());
}

/** Whether a location is a region or, by its first part, in it: `us-east-1` is in `US`. */
function isWithin(location: string, region: string): boolean {
	return (
		isSame(location, region) ||
		(/^[-_]/.test(location.slice(region.length)) &&
			isSame(location.slice(0, region.length), region))
	);
}

function isSame(text: string, other: string): boolean {
	return text.toLowerCase() === other.toLowerCase();
}
