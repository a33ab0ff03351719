import type { IDataObject } from 'n8n-workflow';
import { refusalIn } from '../shared/http/refusal';
import { requestObject } from '../shared/http/request';
import { numberOf } from '../shared/numbers';
import { contextError } from '../shared/operation/context';
import type { Id, Parameters } from '../shared/operation/parameters';
import { unwrapped } from './deployments';
import { listOffers, offersOf, priceText, sizesOf, type Size } from './offers';
import type { Product, ProductContext, ProductRequest } from './product';

/** Limits of a deployment (compute-api.md "Limits"). */
export const HOURS = { min: 1, max: 8760 };
export const GPUS = { min: 1, max: 8 };

export interface PriceQuery {
	hardwareId: Id;
	/** Of each VM or container. */
	gpus: number;
	durationHours: number;
	/** The price of containers is asked for without one (beyond-the-spec.md section 2). */
	currency: string;
	/** A deployment of VMs has exactly one; a price may be asked for several. */
	locationIds: Id[];
	replicaCount: number;
}

/** `GET …/price` (compute-api.md "Deployment price"). `replica_count` is always sent: the service's schema requires it. What says no comes with its envelope. */
export async function fetchPrice(context: ProductRequest, query: PriceQuery): Promise<IDataObject> {
	const { product } = context;
	const answer = await requestObject(context, {
		method: 'GET',
		path: `${product.path}/price`,
		query: {
			hardware_id: query.hardwareId,
			[product.gpusKey]: query.gpus,
			duration_hours: query.durationHours,
			...(product.hasCurrencies && { currency: query.currency }),
			location_ids: JSON.stringify(query.locationIds),
			replica_count: query.replicaCount,
		},
		retry: 'idempotent',
	});
	return refusalIn(answer) === undefined ? unwrapped(answer) : answer;
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

/**
 * The chosen number of GPUs, or the only one that the hardware has, in these locations where it is offered there. The list
 * of offers is read once for all items, and only where none is chosen.
 * @throws where the hardware has several sizes: which one is wanted cannot be known
 */
export async function resolveGpus(
	context: ProductContext,
	hardwareId: Id,
	chosen: number | undefined,
	locationIds: Id[] = [],
): Promise<number> {
	if (chosen !== undefined) return chosen;
	const offers = offersOf(
		await context.once('offers', async () => await listOffers(context)),
		hardwareId,
	);
	const there = offers.filter((offer) =>
		locationIds.some((id) => String(id) === String(offer.location)),
	);
	const sizes = sizesOf(there.length > 0 ? there : offers);
	const cards = sizes.length === 1 ? sizes[0]!.cards : undefined;
	if (cards !== undefined && cards >= GPUS.min && cards <= GPUS.max) return cards;
	throw contextError(context, sizeProblem(hardwareId, sizes), { hardware_id: hardwareId });
}

function sizeProblem(hardwareId: Id, sizes: Size[]): { message: string; description: string } {
	const hardware = `Hardware ${String(hardwareId)}`;
	if (sizes.length > 1) {
		const listed = sizes.map(({ cards, offer }) => `${cards ?? 'not shown'} (${priceText(offer)})`);
		return {
			message: `${hardware} comes in several sizes. Set GPUs per VM to one of them: ${listed.join(', ')}`,
			description: 'The prices are those of the hardware list, for a VM of that size.',
		};
	}
	const [size] = sizes;
	const problem = size
		? `has ${size.cards ?? 'no number of'} GPUs in its offer`
		: 'is not on offer now';
	return {
		message: `${hardware} ${problem}, so GPUs per VM cannot be taken from it`,
		description: 'Choose the hardware from the list, or enter GPUs per VM yourself (1 to 8).',
	};
}

/** How large a deployment is. */
export interface DeploymentSize {
	workers: number;
	/** Of each VM or container. */
	gpus: number;
}

/**
 * The size of a deployment from its details (beyond-the-spec.md section 1 "Deployment details"); where one of its three
 * numbers is absent, the others give it.
 * @returns undefined where the details show too little, or contradict themselves
 */
export function sizeOf(
	{ workersKey, gpusKey }: Product,
	details: IDataObject,
): DeploymentSize | undefined {
	const shown = [workersKey, gpusKey, 'total_gpus'].map((key) => numberOf(details[key]));
	const [workers, gpus, total] = shown as [number?, number?, number?];
	const size = {
		workers: workers ?? (total ?? NaN) / (gpus ?? NaN),
		gpus: gpus ?? (total ?? NaN) / (workers ?? NaN),
	};
	const isWhole = [size.workers, size.gpus].every((count) => Number.isInteger(count) && count > 0);
	return isWhole && (total ?? size.workers * size.gpus) === size.workers * size.gpus
		? size
		: undefined;
}
