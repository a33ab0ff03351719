import type { IDataObject } from 'n8n-workflow';
import type { Operation, Resource } from '../../shared/operation/operation';
import { requestObject, type RequestContext } from '../../shared/http/request';
import type { Parameters, Id } from '../../shared/operation/parameters';
import { unwrapped } from '../../marketplace/deployments';
import {
	currencyField,
	durationHoursField,
	gpusPerVmField,
	hardwareIdField,
	locationIdField,
} from '../../marketplace/fields';
import { listOffers, offersOf } from '../../marketplace/offers';
import { VMAAS } from '../../marketplace/paths';
import { type OperationContext, contextError } from '../../shared/operation/context';

/** Limits of a deployment (compute-api.md "Limits"). */
export const HOURS = { min: 1, max: 8760 };
export const GPUS = { min: 1, max: 8 };

export interface PriceQuery {
	hardwareId: Id;
	gpusPerVm: number;
	durationHours: number;
	currency: string;
	locationId: string;
	replicaCount: number;
}

/** `GET …/vmaas/price` (compute-api.md "Deployment price"). `replica_count` is always sent: the service's schema requires it. */
export async function fetchPrice(context: RequestContext, query: PriceQuery): Promise<IDataObject> {
	const answer = await requestObject(context, {
		method: 'GET',
		path: `${VMAAS}/price`,
		query: {
			hardware_id: query.hardwareId,
			gpus_per_vm: query.gpusPerVm,
			duration_hours: query.durationHours,
			currency: query.currency,
			location_ids: JSON.stringify([query.locationId]),
			replica_count: query.replicaCount,
		},
		retry: 'idempotent',
	});
	return unwrapped(answer);
}

/** The total of a price answer in this currency (one in usdc is no bound for another), or undefined when it names none. Fee fields carry the service's name and are not looked at. */
export function totalPrice(price: IDataObject, currency: string): number | undefined {
	const total = price[`total_cost_${currency.toLowerCase()}`];
	const number = typeof total === 'string' && total.trim() !== '' ? Number(total) : total;
	return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

/** GPUs per VM from the form: undefined for 0 or empty, which means the number that the hardware has. */
export function readGpus(parameters: Parameters): number | undefined {
	if (!parameters.has('gpusPerVm')) return undefined;
	const gpus = parameters.integer('gpusPerVm', { min: 0, max: GPUS.max });
	return gpus === 0 ? undefined : gpus;
}

/** The location code as text; the service takes exactly one. */
export function readLocation(parameters: Parameters): string {
	return String(parameters.id('locationId'));
}

/** The chosen number of GPUs, or the `num_cards` of the hardware's offer in this location, read once for all items. */
export async function resolveGpus(
	context: OperationContext,
	hardwareId: Id,
	chosen: number | undefined,
	locationId?: string,
): Promise<number> {
	if (chosen !== undefined) return chosen;
	const offers = offersOf(
		await context.once('offers', async () => await listOffers(context)),
		hardwareId,
	);
	const there = offers.filter((offer) => String(offer.location) === locationId);
	const cards = (there.length > 0 ? there : offers)
		.map((offer) => Number(offer.num_cards))
		.find((count) => count >= GPUS.min && count <= GPUS.max);
	if (cards !== undefined) return cards;
	const problem = offers.length === 0 ? 'is not on offer now' : 'has no GPU count in its offer';
	throw contextError(
		context,
		{
			message: `Hardware ${String(hardwareId)} ${problem}, so GPUs per VM cannot be taken from it`,
			description: 'Choose the hardware from the list, or enter GPUs per VM yourself (1 to 8).',
		},
		{ hardware_id: hardwareId },
	);
}

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
			description: 'How many machines to price',
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
