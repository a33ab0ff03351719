import {
	currencyField,
	durationHoursField,
	gpusPerVmField,
	hardwareIdField,
	locationIdField,
} from '../../marketplace/fields';
import {
	fetchPrice,
	HOURS,
	readGpus,
	readLocation,
	resolveGpus,
	type PriceQuery,
} from '../../marketplace/price';
import { collectionField } from '../../shared/fields';
import { onProduct, VMAAS } from '../../marketplace/product';
import type { Resource } from '../../shared/operation/operation';
import type { Parameters } from '../../shared/operation/parameters';

const get = onProduct<Omit<PriceQuery, 'gpus'> & { gpus?: number }>(VMAAS, {
	value: 'get',
	name: 'Get',
	action: 'Get price',
	description:
		'Calculate what a deployment costs, with fees and discount, without deploying anything',
	effect: 'read',
	fields: [
		hardwareIdField,
		locationIdField,
		durationHoursField,
		gpusPerVmField,
		currencyField,
		{
			displayName: 'Replica Count',
			name: 'replicaCount',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			default: 1,
			description: 'Number of VMs to price',
		},
		collectionField('options', 'Options', 'Add Option', [
			{
				displayName: 'More Locations',
				name: 'locationIds',
				type: 'string',
				typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Location' },
				default: [],
				placeholder: 'e.g. us-east-1',
				description:
					'Locations to ask for in the same request, besides Location. What the service answers for several is its own affair; a deployment has exactly one.',
			},
		]),
	],
	input: (parameters) => ({
		hardwareId: parameters.id('hardwareId'),
		locationIds: readLocations(parameters),
		durationHours: parameters.integer('durationHours', HOURS),
		gpus: readGpus(parameters),
		currency: parameters.text('currency'),
		replicaCount: parameters.integer('replicaCount', { min: 1 }),
	}),
	async run(context, query) {
		const gpus = await resolveGpus(context, query.hardwareId, query.gpus, query.locationIds);
		return [await fetchPrice(context, { ...query, gpus })];
	},
});

/** Location and More Locations, each once. */
function readLocations(parameters: Parameters): string[] {
	const more = parameters.group('options').texts('locationIds');
	return [...new Set([readLocation(parameters), ...more])];
}

export const price: Resource = { value: 'price', name: 'Price', operations: [get] };
