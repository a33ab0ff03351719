import type { INodeProperties } from 'n8n-workflow';
import { gpusPerVmField } from '../../../marketplace/fields';
import { readGpus } from '../../../marketplace/price';
import type { Parameters } from '../../../shared/operation/parameters';
import { filtersField, readFilters } from '../../../marketplace/hardwareFilters';
import type { CheapestOrder } from './buyCheapest';

/** What is cheapest of what. */
export const cheapestFields: INodeProperties[] = [
	filtersField,
	{
		...gpusPerVmField,
		description: 'Only offers with this number of GPUs per VM, 1 to 8. Empty accepts any number.',
	},
	{
		displayName: 'Max Tries',
		name: 'maxTries',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 20, numberPrecision: 0 },
		default: 3,
		description:
			'How many offers to price and then try, the cheapest total first, if one is sold out or above a price limit',
	},
];

export const keepTryingField: INodeProperties = {
	displayName: 'Keep Trying For (Minutes)',
	name: 'keepTryingFor',
	type: 'number',
	typeOptions: { minValue: 0, maxValue: 1440 },
	default: 0,
	description:
		'How long to look again each minute if every offer is sold out or above a price limit. 0 looks once.',
};

/** Reads and checks {@link cheapestFields}, and {@link keepTryingField} of a collection. */
export function readCheapest(
	parameters: Parameters,
	extra: Parameters,
): Pick<CheapestOrder, 'filters' | 'gpusPerVm' | 'maxTries' | 'keepTryingMs'> {
	// An expression that finds nothing must not accept any number
	if (!parameters.isLeftEmpty('gpusPerVm'))
		parameters.requireFilled('gpusPerVm', 'must not be empty; 0 accepts any number');
	const limits = { optional: true, min: 0, max: 1440 } as const;
	return {
		filters: readFilters(parameters, true),
		gpusPerVm: readGpus(parameters),
		maxTries: parameters.integer('maxTries', { min: 1, max: 20 }),
		keepTryingMs: (extra.number('keepTryingFor', limits) ?? 0) * 60_000,
	};
}
