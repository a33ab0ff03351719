import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { numberOf } from '../shared/numbers';
import { filterRows, openApi } from '../shared/listSearch';
import type { Id } from '../shared/operation/parameters';
import { idOf, listDeployments, nameOf } from '../marketplace/deployments';
import { isFinal } from '../marketplace/state';
import {
	byAvailabilityAndPrice,
	isAvailable,
	listOffers,
	offersOf,
	priceText,
	sizesOf,
	type Offer,
	type Size,
} from '../marketplace/offers';
import { KEY_CREDENTIALS } from './credentials';

/** Each `deploy_id` once, cheapest first, with GPU, sizes, memory and lowest price; sold-out ones last and marked, without GPUs at the very end. */
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
		return {
			offer: cheapest!,
			name: hardwareLabel(cheapest!, sizesOf(offers)),
			value: cheapest!.deploy_id!,
		};
	});
	return filterRows(
		rows.sort(
			(a, b) => noGpu(a.offer) - noGpu(b.offer) || byAvailabilityAndPrice(a.offer, b.offer),
		),
		filter,
	);
}

/** The locations of the chosen hardware with the price of each size; sold-out ones last and marked. */
export async function searchLocations(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const hardwareId = this.getCurrentNodeParameter('hardwareId', { extractValue: true }) as
		Id | undefined;
	const offers = await listOffers(await openApi(this, KEY_CREDENTIALS));
	const isChosen = hardwareId !== undefined && hardwareId !== '';
	const there = new Map<string, Offer[]>();
	const chosen = isChosen ? offersOf(offers, hardwareId) : offers;
	for (const offer of [...chosen].sort(byAvailabilityAndPrice)) {
		const { location } = offer;
		if (typeof location !== 'string') continue;
		const group = there.get(location) ?? [];
		if (group.push(offer) === 1) there.set(location, group);
	}
	const rows = [...there].map(([location, group]) => ({
		name: `${location} · ${isChosen ? pricesText(sizesOf(group)) : priceText(group[0]!)}`,
		value: location,
	}));
	return filterRows(rows, filter);
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

/** Hardware without GPUs cannot be deployed (at least 1 is needed), so it comes last. */
function noGpu(offer: Offer): number {
	return (numberOf(offer.num_cards) ?? 0) > 0 ? 0 : 1;
}

function hardwareLabel(cheapest: Offer, sizes: Size[]): string {
	const hasGpus = sizes.some(({ offer }) => noGpu(offer) === 0);
	const cards = hasGpus ? `${sizesText(sizes)} × ` : '';
	const memory =
		(numberOf(cheapest.vram_per_card) ?? 0) > 0 && hasGpus
			? ` · ${cheapest.vram_per_card} GB each`
			: '';
	const name = cheapest.name || (hasGpus ? 'GPU' : 'CPU only');
	return `${cards}${name}${memory} · ${isAvailable(cheapest) ? 'from ' : ''}${priceText(cheapest)}`;
}

/** `1, 2 or 8`; of several sizes, those that are sold out are marked. */
function sizesText(sizes: Size[]): string {
	const isMarked = sizes.some(({ offer }) => isAvailable(offer));
	const texts = sizes.map(
		({ cards, offer }) => `${cards ?? '?'}${isMarked && !isAvailable(offer) ? ' (sold out)' : ''}`,
	);
	const last = texts.pop();
	return texts.length > 0 ? `${texts.join(', ')} or ${last}` : String(last);
}

/** The price of the only size, or of each: `1 × $0.55/h, 8 × $4.40/h`. */
function pricesText(sizes: Size[]): string {
	if (sizes.length === 1) return priceText(sizes[0]!.offer);
	return sizes.map(({ cards, offer }) => `${cards ?? '?'} × ${priceText(offer)}`).join(', ');
}
