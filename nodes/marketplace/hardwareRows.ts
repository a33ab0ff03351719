import type { INodeListSearchItems } from 'n8n-workflow';
import { numberOf } from '../shared/numbers';
import {
	byAvailabilityAndPrice,
	isAvailable,
	priceText,
	sizesOf,
	type Offer,
	type Size,
} from './offers';

/**
 * Each `deploy_id` once for a list search, cheapest first, with GPU, sizes, memory and lowest price; sold-out ones last and marked,
 * without GPUs at the very end.
 */
export function hardwareRows(all: Offer[]): INodeListSearchItems[] {
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
			name: hardwareLabel(cheapest!, sizesOf(offers)),
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
