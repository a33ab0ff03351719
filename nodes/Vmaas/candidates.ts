import { compare, hourlyPrice, isAvailable, type Offer } from '../marketplace/offers';
import { GPUS } from '../marketplace/price';
import { numberOf } from '../shared/numbers';
import type { Id } from '../shared/operation/parameters';
import { unmetBy, type Check } from '../marketplace/hardwareFilters';

/** An offer that may be bought, with what a deploy needs of it. */
export interface Candidate {
	offer: Offer;
	hardwareId: Id;
	gpusPerVm: number;
	locationId: string;
}

/** Why some available offers are left out, and how many. */
export interface Skipped {
	reason: string;
	offers: number;
	/** Whether they may pass: their fields do not tell. */
	isUnknown: boolean;
}

/**
 * The available offers that pass the filters, checked on the offers themselves: cheapest first by list price, of equal prices
 * more GPU memory first, then by location, so that the order is always the same.
 * @param gpus only offers with this number of GPUs per VM
 */
export function chooseOffers(
	offers: Offer[],
	checks: Check[],
	gpus?: number,
): { candidates: Candidate[]; skipped: Skipped[] } {
	const candidates: Candidate[] = [];
	const skipped = new Map<string, Skipped>();
	for (const offer of offers) {
		const candidate = candidateOf(offer);
		if (!candidate || (gpus !== undefined && candidate.gpusPerVm !== gpus)) continue;
		const unmet = unmetBy(offer, checks);
		if (!unmet) {
			candidates.push(candidate);
			continue;
		}
		const before = skipped.get(unmet.reason)?.offers ?? 0;
		skipped.set(unmet.reason, { ...unmet, offers: before + 1 });
	}
	candidates.sort(
		(a, b) =>
			compare(hourlyPrice(a.offer), hourlyPrice(b.offer)) ||
			compare(memoryOf(b), memoryOf(a)) ||
			a.locationId.localeCompare(b.locationId),
	);
	return { candidates, skipped: [...skipped.values()] };
}

/** An available offer with a price that can be deployed, or undefined. */
function candidateOf(offer: Offer): Candidate | undefined {
	const { deploy_id: hardwareId, location } = offer;
	const gpusPerVm = numberOf(offer.num_cards);
	const hasIds =
		(typeof hardwareId === 'string' || typeof hardwareId === 'number') &&
		(typeof location === 'string' || typeof location === 'number');
	const hasGpus = Number.isInteger(gpusPerVm) && gpusPerVm! >= GPUS.min && gpusPerVm! <= GPUS.max;
	if (!isAvailable(offer) || !Number.isFinite(hourlyPrice(offer)) || !hasIds || !hasGpus)
		return undefined;
	return { offer, hardwareId, gpusPerVm: gpusPerVm!, locationId: String(location) };
}

function memoryOf({ offer, gpusPerVm }: Candidate): number {
	return (numberOf(offer.vram_per_card) ?? 0) * gpusPerVm;
}
