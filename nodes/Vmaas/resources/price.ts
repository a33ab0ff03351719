import type { IDataObject } from 'n8n-workflow';
import type { Call } from '../../shared/operation/execute';
import { knownError } from '../../shared/operation/execute';
import type { Operation, Resource } from '../../shared/operation/operation';
import { requestObject, type Api } from '../../shared/http/request';
import type { Form, Id } from '../../shared/operation/parameters';
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
export async function fetchPrice(api: Api, query: PriceQuery): Promise<IDataObject> {
	const answer = await requestObject(api, {
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
		retry: 'read',
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
export function readGpus(form: Form): number | undefined {
	if (!form.has('gpusPerVm')) return undefined;
	const gpus = form.integer('gpusPerVm', { min: 0, max: GPUS.max });
	return gpus === 0 ? undefined : gpus;
}

/** The location code as text; the service takes exactly one. */
export function readLocation(form: Form): string {
	return String(form.id('locationId'));
}

/** The chosen number of GPUs, or the `num_cards` of the hardware's offer in this location, read once for all items. */
export async function resolveGpus(
	call: Call,
	hardwareId: Id,
	chosen: number | undefined,
	locationId?: string,
): Promise<number> {
	if (chosen !== undefined) return chosen;
	const offers = offersOf(
		await call.once('offers', async () => await listOffers(call)),
		hardwareId,
	);
	const there = offers.filter((offer) => String(offer.location) === locationId);
	const cards = (there.length > 0 ? there : offers)
		.map((offer) => Number(offer.num_cards))
		.find((count) => count >= GPUS.min && count <= GPUS.max);
	if (cards !== undefined) return cards;
	const problem = offers.length === 0 ? 'is not on offer now' : 'has no GPU count in its offer';
	throw knownError(
		call,
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
	input: (form) => ({
		hardwareId: form.id('hardwareId'),
		locationId: readLocation(form),
		durationHours: form.integer('durationHours', HOURS),
		gpusPerVm: readGpus(form),
		currency: form.text('currency'),
		replicaCount: form.integer('replicaCount', { min: 1 }),
	}),
	async run(call, query) {
		const gpusPerVm = await resolveGpus(call, query.hardwareId, query.gpusPerVm, query.locationId);
		return [await fetchPrice(call, { ...query, gpusPerVm })];
	},
};

export const price: Resource = { value: 'price', name: 'Price', operations: [get] };
