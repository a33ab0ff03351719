import type { IDataObject } from 'n8n-workflow';
import { described, idOf, listPrefixed } from '../../marketplace/deployments';
import { minutesOf } from '../../marketplace/paidTime';
import type { Product } from '../../marketplace/product';
import { stateOf } from '../../marketplace/state';
import { numberOf } from '../../shared/numbers';
import { now } from '../../shared/time';
import { digest, type Watch } from '../watch';

/**
 * What was told of a deployment: all its paid minutes, or -1 where they are not shown, and its end in minutes since 1970. It
 * is told again once that has grown, as it does by an extension.
 */
type Told = [minutes: number, end: number];
export type SeenEnds = Record<string, Told>;

/** An extension adds an hour at least; what is shown is rounded, and may be some minutes old. */
const EXTENDED_MINUTES = 45;
/** What was told and is not listed any more is forgotten so long after the end, in minutes. */
const FORGET_AFTER_MINUTES = 7 * 24 * 60;

/** The deployments of a product whose paid time is over in so many minutes. */
export function watchEnds(product: Product, minutes: number, namePrefix?: string): Watch<SeenEnds> {
	return {
		async look(context, seen) {
			const entries = await listPrefixed({ ...context, product }, namePrefix);
			const at = now() / 60_000;
			const listed = new Set(entries.map(keyOf));
			const told = new Map(
				Object.entries(seen ?? {}).filter(
					([key, [, end]]) => listed.has(key) || end > at - FORGET_AFTER_MINUTES,
				),
			);
			// The first poll tells nothing, and what expires soon is told by the next one
			const expiring = seen === undefined ? [] : entries.filter((one) => isExpiring(one, minutes));
			const events = expiring.flatMap((entry) => {
				const id = idOf(entry)!;
				const key = keyOf(entry);
				const paid = minutesOf(entry) ?? -1;
				const end = Math.round(at + remainingOf(entry));
				if (!isLater([paid, end], told.get(key))) return [];
				told.set(key, [paid, end]);
				return [
					{
						identity: [product.key, id, ...(paid < 0 ? [] : [String(Math.round(paid / 60))])],
						isUnique: paid >= 0,
						json: itemOf(product, entry),
					},
				];
			});
			return { events, seen: Object.fromEntries(told) };
		},
		async sample(context) {
			const entries = await listPrefixed({ ...context, product }, namePrefix);
			const [next] = entries
				.filter((entry) => isExpiring(entry, Infinity))
				.sort((a, b) => remainingOf(a) - remainingOf(b));
			return next && itemOf(product, next);
		},
	};
}

function keyOf(entry: IDataObject): string {
	return digest(idOf(entry)!, 10);
}

function remainingOf(entry: IDataObject): number {
	return numberOf(entry.compute_minutes_remaining) ?? Infinity;
}

/** What starts or ends has no time of its own left to lose. A state that is not known may bill, but without time it is none that runs. */
function isExpiring(entry: IDataObject, minutes: number): boolean {
	const remaining = remainingOf(entry);
	const state = stateOf(entry.status);
	const runs = state === 'running' || (state === 'unknown' && remaining > 0);
	return runs && Number.isFinite(remaining) && remaining <= minutes;
}

function isLater([minutes, end]: Told, told: Told | undefined): boolean {
	if (!told) return true;
	const grown = minutes >= 0 && told[0] >= 0 ? minutes - told[0] : end - told[1];
	return grown > EXTENDED_MINUTES;
}

function itemOf(product: Product, entry: IDataObject): IDataObject {
	return {
		...described(entry),
		product: product.key,
		remaining_minutes: remainingOf(entry),
	};
}
