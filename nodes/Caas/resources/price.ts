import { durationHoursField } from '../../marketplace/fields';
import { fetchPrice, HOURS } from '../../marketplace/price';
import { CAAS, onProduct } from '../../marketplace/product';
import type { Resource } from '../../shared/operation/operation';
import {
	containerHardwareField,
	gpusPerContainerField,
	locationIdsField,
	readPlacement,
	replicaCountField,
	type Placement,
} from '../placement';

/** `GET …/caas/price` (beyond-the-spec.md section 2). */
const get = onProduct<Placement & { durationHours: number }>(CAAS, {
	value: 'get',
	name: 'Get',
	action: 'Get container price',
	description: 'Calculate what containers cost, without deploying anything',
	effect: 'read',
	fields: [
		containerHardwareField,
		gpusPerContainerField,
		locationIdsField,
		replicaCountField,
		durationHoursField,
	],
	input: (parameters) => ({
		...readPlacement(parameters),
		durationHours: parameters.integer('durationHours', HOURS),
	}),
	run: async (context, query) => [await fetchPrice(context, { ...query, currency: 'usdc' })],
});

export const price: Resource = { value: 'price', name: 'Price', operations: [get] };
