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
import type { Operation, Resource } from '../../shared/operation/operation';

const get: Operation<Omit<PriceQuery, 'gpusPerVm'> & { gpusPerVm?: number }> = {
	value: 'get',
	name: 'Get',
	action: 'Get a price',
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
	],
	input: (parameters) => ({
		hardwareId: parameters.id('hardwareId'),
		locationId: readLocation(parameters),
		durationHours: parameters.integer('durationHours', HOURS),
		gpusPerVm: readGpus(parameters),
		currency: parameters.text('currency'),
		replicaCount: parameters.integer('replicaCount', { min: 1 }),
	}),
	async run(context, query) {
		const gpusPerVm = await resolveGpus(
			context,
			query.hardwareId,
			query.gpusPerVm,
			query.locationId,
		);
		return [await fetchPrice(context, { ...query, gpusPerVm })];
	},
};

export const price: Resource = { value: 'price', name: 'Price', operations: [get] };
