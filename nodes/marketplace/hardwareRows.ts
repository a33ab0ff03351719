import type { INodeListSearchItems } from 'n8n-workflow';
import { numberOf } from '../shared/numbers';
import {
	byAvailabilityAndPrice,
	hourlyPrice,
	isAvailable,
	priceText,
	sizesOf,
	type Offer,
	type Size,
} from './offers';

/**
 * Each `deploy_id` once for a list search, cheapest first; sold-out ones last, without GPUs at the very end.
 * @param label of a hardware, from its cheapest offer and its sizes; default: GPU, sizes, memory and lowest price, sold-out ones marked
 */
export function hardwareRows(
	all: Offer[],
	label: (cheapest: Offer, sizes: Size[]) => string = hardwareLabel,
): INodeListSearchItems[] {
	const groups = new Map<string, Offer[]>();
	for (const offer of all) {
		if (typeof offer.deploy_id !== 'string' && typeof offer.deploy_id !== 'number') continue;
		const key = `${typeof offer.deploy_id} ${offer.deploy_id}`;
		const group = groups.get(key) ?? [];
		if (group.push(offer) === 1) groups.set(key, group);
	}
	const rows = [...groups.values()].map((offers) => {
		const [cheapest] = [...offers].sort(byAvailabilityAndPrice);
		return {
			offer: cheapest!,
			name: label(cheapest!, sizesOf(offers)),
			value: cheapest!.deploy_id!,
		};
	});
	return rows
		.sort((a, b) => noGpu(a.offer) - noGpu(b.offer) || byAvailabilityAndPrice(a.offer, b.offer))
		.map(({ name, value }) => ({ name, value }));
}

/** Hardware without GPUs cannot be deployed (at least 1 is needed), so it comes last. */
function noGpu(offer: Offer): number {
	return (numberOf(offer.num_cards) ?? 0) > 0 ? 0 : 1;
}

/** The form cuts a long name at its end, so the price comes before the memory. */
function hardwareLabel(cheapest: Offer, sizes: Size[]): string {
	const cards = hasGpus(sizes) ? `${sizesText(sizes)} × ` : '';
	const isFrom = isAvailable(cheapest) && Number.isFinite(hourlyPrice(cheapest));
	const price = `${isFrom ? 'from ' : ''}${priceText(cheapest)}`;
	return `${cards}${nameText(cheapest, sizes)} · ${price}${memoryText(cheapest, sizes)}`;
}

/** The model of a hardware with its memory, without sizes and prices: those of VMs say nothing about containers. */
export function modelText(cheapest: Offer, sizes: Size[]): string {
	return `${nameText(cheapest, sizes)}${memoryText(cheapest, sizes)}`;
}

function nameText({ name }: Offer, sizes: Size[]): string {
	return String(name || (hasGpus(sizes) ? 'GPU' : 'CPU only'));
}

function memoryText({ vram_per_card: memory }: Offer, sizes: Size[]): string {
	return (numberOf(memory) ?? 0) > 0 && hasGpus(sizes) ? ` · ${memory} GB each` : '';
}

function hasGpus(sizes: Size[]): boolean {
	return sizes.some(({ offer }) => noGpu(offer) === 0);
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
