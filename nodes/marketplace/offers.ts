import type { IDataObject } from 'n8n-workflow';
import { entriesOf } from '../shared/http/pages';
import { requestObject, type RequestContext, type QueryValue } from '../shared/http/request';
import { type Id } from '../shared/operation/parameters';
import { numberOf } from '../shared/numbers';
import { VMAAS } from './product';
import { isRecord } from '../shared/guards';

/**
 * One hardware entry (compute-api.md "Hardware entry"). Only what the nodes compute with is named; fields may be missing
 * in live answers (beyond-the-spec.md section 1), and all that the service sent is kept.
 */
export interface Offer extends IDataObject {
	deploy_id?: Id;
	name?: string;
	num_cards?: number;
	/** USD per hour for the whole configuration. */
	price?: number;
	/** GB. */
	vram_per_card?: number;
	location?: string;
	/** Some services send it as text or as a number. */
	sold_out?: boolean | string | number | null;
}

/** `GET …/vmaas/hardware`: every offer that passes the filters; the service knows no paging and no sorting. */
export async function listOffers(
	context: RequestContext,
	query?: Record<string, QueryValue | undefined>,
): Promise<Offer[]> {
	const answer = await requestObject(context, {
		method: 'GET',
		path: `${VMAAS.path}/hardware`,
		query,
		retry: 'idempotent',
	});
	return entriesOf(context, isRecord(answer.data) ? answer.data.hardware : undefined);
}

/** An absent `sold_out` means available: the response schema does not even have the field. What does not deny it is sold out. */
export function isAvailable(offer: Offer): boolean {
	return /^(|false|no|0)$/i.test(String(offer.sold_out ?? '').trim());
}

/** The offer's price in USD per hour, or Infinity: live answers hold 0 for "no price", which must not look cheapest. */
export function hourlyPrice(offer: Offer): number {
	const price = numberOf(offer.price) ?? 0;
	return price > 0 ? price : Infinity;
}

/** What an offer costs, in words: `$0.55/h`. */
export function priceText(offer: Offer): string {
	const price = hourlyPrice(offer);
	// Two decimals at least: $4.10, and all of $0.0375
	const amount = /\.\d\d/.test(String(price)) ? price : price.toFixed(2);
	const text = Number.isFinite(price) ? `$${amount}/h` : 'price not given';
	return isAvailable(offer) ? text : `${text} · sold out`;
}

/** Order of two numbers; Infinity minus Infinity is none, so differences do not serve. */
export function compare(a: number, b: number): number {
	return a < b ? -1 : Number(a > b);
}

/** The offers of one `deploy_id`; `12` and `"12"` are the same hardware. */
export function offersOf(offers: Offer[], hardwareId: Id): Offer[] {
	return offers.filter((offer) => String(offer.deploy_id) === String(hardwareId));
}

/** Available ones first, cheapest first. */
export function byAvailabilityAndPrice(a: Offer, b: Offer): number {
	return Number(isAvailable(b)) - Number(isAvailable(a)) || compare(hourlyPrice(a), hourlyPrice(b));
}

/** A number of GPUs per VM in which some hardware comes. */
export interface Size {
	/** Undefined for offers that do not show it. */
	cards?: number;
	/** The first of its offers by {@link byAvailabilityAndPrice}. */
	offer: Offer;
}

/** The sizes of offers of one hardware, smallest first; 0 is hardware without GPUs. */
export function sizesOf(offers: Offer[]): Size[] {
	const sizes = new Map<number | undefined, Offer>();
	for (const offer of [...offers].sort(byAvailabilityAndPrice)) {
		const cards = numberOf(offer.num_cards);
		if (!sizes.has(cards)) sizes.set(cards, offer);
	}
	return [...sizes]
		.map(([cards, offer]) => ({ cards, offer }))
		.sort((a, b) => compare(a.cards ?? Infinity, b.cards ?? Infinity));
}
