import type { IDataObject } from 'n8n-workflow';
import { unmetBy } from '../../marketplace/hardwareFilters';
import {
	compare,
	hourlyPrice,
	isAvailable,
	listOffers,
	type Offer,
} from '../../marketplace/offers';
import { asItem } from '../../shared/operation/items';
import type { OfferSettings } from '../settings';
import { digest, type TriggerEvent, type Watch } from '../watch';

/** The offers that match, with the price that was told last: -1 where none was shown. */
export interface SeenOffers {
	prices: Record<string, number>;
	/** The list was empty at the last poll. */
	wasEmpty?: true;
}

/** Available offers that pass the filters and the price limit. */
export function watchOffers(settings: OfferSettings): Watch<SeenOffers> {
	const { filters, maxHourlyPrice, alsoCheaper } = settings;
	const matches = (offer: Offer) =>
		isAvailable(offer) &&
		unmetBy(offer, filters.checks) === undefined &&
		(maxHourlyPrice === Infinity || hourlyPrice(offer) <= maxHourlyPrice);
	return {
		async look(context, seen) {
			const offers = await listOffers(context, filters.query);
			// One empty answer may be that of a copy which has none; two are believed
			if (seen && !seen.wasEmpty && offers.length === 0)
				return { events: [], seen: { ...seen, wasEmpty: true } };
			const prices: Record<string, number> = {};
			const events: TriggerEvent[] = [];
			for (const offer of offers.filter(matches)) {
				const identity = identityOf(offer);
				const key = digest(identity, 12);
				if (key in prices) continue;
				const price = priceOf(offer);
				const told = seen?.prices[key];
				const isCheaper = told !== undefined && price >= 0 && (told < 0 || price < told);
				const isEvent = told === undefined || (alsoCheaper && isCheaper);
				prices[key] = isEvent ? price : told;
				if (!isEvent || !seen) continue;
				events.push({
					identity: [identity],
					json: { ...itemOf(offer), former_price: told === undefined || told < 0 ? null : told },
				});
			}
			return { events, seen: { prices } };
		},
		async sample(context) {
			const offers = await listOffers(context, filters.query);
			const byPrice = (a: Offer, b: Offer) => compare(hourlyPrice(a), hourlyPrice(b));
			const [offer] = offers.filter(matches).sort(byPrice);
			return offer && { ...itemOf(offer), former_price: null };
		},
	};
}

function priceOf(offer: Offer): number {
	const price = hourlyPrice(offer);
	return Number.isFinite(price) ? price : -1;
}

/** An offer has an ID of its own, and one hardware may have several locations and sizes. */
function identityOf({ id, deploy_id, location, num_cards }: Offer): string {
	return JSON.stringify([id, deploy_id, location, num_cards].map((part) => String(part ?? '')));
}

function itemOf(offer: Offer): IDataObject {
	const price = hourlyPrice(offer);
	return { ...asItem(offer), hourly_price: Number.isFinite(price) ? price : null };
}
