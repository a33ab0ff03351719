import type { IDataObject } from 'n8n-workflow';
import { requestObject, type RequestContext } from '../shared/http/request';
import { numberOf } from '../shared/numbers';
import { contextError, type OperationContext } from '../shared/operation/context';
import type { Id, Parameters } from '../shared/operation/parameters';
import { unwrapped } from './deployments';
import { listOffers, offersOf } from './offers';
import { VMAAS } from './paths';

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
	const total = numberOf(price[`total_cost_${currency.toLowerCase()}`]);
	return total !== undefined && total >= 0 ? total : undefined;
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
		.map((offer) => numberOf(offer.num_cards) ?? 0)
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
