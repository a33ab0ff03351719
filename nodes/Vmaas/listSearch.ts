import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { numberOf } from '../shared/numbers';
import { filterRows, openApi } from '../shared/listSearch';
import type { Id } from '../shared/operation/parameters';
import { idOf, listDeployments, nameOf } from '../marketplace/deployments';
import { isFinal } from '../marketplace/state';
import {
	compare,
	hourlyPrice,
	isAvailable,
	listOffers,
	offersOf,
	type Offer,
} from '../marketplace/offers';
import { KEY_CREDENTIALS } from './credentials';

/** Each `deploy_id` once, cheapest first, with GPU, cards, memory and lowest price; sold-out ones last and marked, without GPUs at the very end. */
export async function searchHardware(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const groups = new Map<string, Offer[]>();
	for (const offer of await listOffers(await openApi(this, KEY_CREDENTIALS))) {
		if (typeof offer.deploy_id !== 'string' && typeof offer.deploy_id !== 'number') continue;
		const key = `${typeof offer.deploy_id} ${offer.deploy_id}`;
		const group = groups.get(key) ?? [];
		if (group.push(offer) === 1) groups.set(key, group);
	}
	const rows = [...groups.values()].map((offers) => {
		const [cheapest] = [...offers].sort(byAvailabilityAndPrice);
		return { offer: cheapest!, name: hardwareLabel(cheapest!), value: cheapest!.deploy_id! };
	});
	return filterRows(
		rows.sort(
			(a, b) => noGpu(a.offer) - noGpu(b.offer) || byAvailabilityAndPrice(a.offer, b.offer),
		),
		filter,
	);
}

/** The locations of the chosen hardware with their prices; sold-out ones last and marked. */
export async function searchLocations(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const hardwareId = this.getCurrentNodeParameter('hardwareId', { extractValue: true }) as
		Id | undefined;
	const offers = await listOffers(await openApi(this, KEY_CREDENTIALS));
	const chosen =
		hardwareId === undefined || hardwareId === '' ? offers : offersOf(offers, hardwareId);
	const rows = new Map<string, { name: string; value: string }>();
	for (const offer of [...chosen].sort(byAvailabilityAndPrice)) {
		const { location } = offer;
		if (typeof location === 'string' && !rows.has(location))
			rows.set(location, { name: `${location} · ${priceLabel(offer)}`, value: location });
	}
	return filterRows([...rows.values()], filter);
}

/** Deployments by name and state; those that have ended last. */
export async function searchDeployments(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const rows = (await listDeployments(await openApi(this, KEY_CREDENTIALS)))
		.sort((a, b) => Number(isFinal(a.status)) - Number(isFinal(b.status)))
		.map((entry: IDataObject) => ({
			name: `${nameOf(entry) ?? 'No name'} · ${String(entry.status ?? 'state unknown')}`,
			value: idOf(entry)!,
		}));
	return filterRows(rows, filter);
}

function byAvailabilityAndPrice(a: Offer, b: Offer): number {
	return Number(isAvailable(b)) - Number(isAvailable(a)) || compare(hourlyPrice(a), hourlyPrice(b));
}

/** Hardware without GPUs cannot be deployed (at least 1 is needed), so it comes last. */
function noGpu(offer: Offer): number {
	return (numberOf(offer.num_cards) ?? 0) > 0 ? 0 : 1;
}

function hardwareLabel(offer: Offer): string {
	const cards = numberOf(offer.num_cards) ?? 0;
	const gpu = cards > 0 ? `${cards} × ${offer.name || 'GPU'}` : offer.name || 'CPU only';
	const memory =
		(numberOf(offer.vram_per_card) ?? 0) > 0 && cards > 0
			? ` · ${offer.vram_per_card} GB each`
			: '';
	return `${gpu}${memory} · ${isAvailable(offer) ? 'from ' : ''}${priceLabel(offer)}`;
}

function priceLabel(offer: Offer): string {
	const price = hourlyPrice(offer);
	// Two decimals at least: $4.10, and all of $0.0375
	const amount = /\.\d\d/.test(String(price)) ? price : price.toFixed(2);
	const label = Number.isFinite(price) ? `$${amount}/h` : 'price not given';
	return isAvailable(offer) ? label : `${label} · sold out`;
}
