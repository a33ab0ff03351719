import type { IDataObject } from 'n8n-workflow';
import { described, idOf, listPrefixed } from '../../marketplace/deployments';
import {
	leastRemainingMinutes,
	minutesOf,
	remainingMinutes,
	summandsOf,
} from '../../marketplace/paidTime';
import type { Product } from '../../marketplace/product';
import { withDetails } from '../../marketplace/spending';
import { stateOf } from '../../marketplace/state';
import type { RequestContext } from '../../shared/http/request';
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
			const { listed, running, failure } = await read(context, product, minutes, namePrefix);
			const { clockAheadMs } = context.account;
			const at = now() / 60_000;
			const keys = new Set(listed.map(keyOf));
			const told = new Map(
				Object.entries(seen ?? {}).filter(
					([key, [, end]]) => keys.has(key) || end > at - FORGET_AFTER_MINUTES,
				),
			);
			// The first poll tells nothing, and what expires soon is told by the next one
			const expiring = seen === undefined ? [] : running.filter((one) => one.remaining <= minutes);
			const events = expiring.flatMap(({ entry, remaining }) => {
				const key = keyOf(entry);
				const shown = minutesOf(entry);
				const paid = shown === undefined ? -1 : shown / (summandsOf(entry, clockAheadMs) ?? 1);
				const end = Math.round(at + remaining);
				if (!isLater([paid, end], told.get(key))) return [];
				told.set(key, [paid, end]);
				return [
					{
						identity: [
							product.key,
							idOf(entry)!,
							...(paid < 0 ? [] : [String(Math.round(paid / 60))]),
						],
						isUnique: paid >= 0,
						json: itemOf(product, entry, clockAheadMs),
					},
				];
			});
			return { events, seen: Object.fromEntries(told), failure };
		},
		async sample(context) {
			const { running } = await read(context, product, Infinity, namePrefix);
			const [next] = running.sort((a, b) => a.remaining - b.remaining);
			return next && itemOf(product, next.entry, context.account.clockAheadMs);
		},
	};
}

/**
 * The deployments of the list, and those that run with the minutes that remain. Details are only asked for where the list does not
 * tell whether one expires: it shows no minutes, or they may be added up over GPUs, which the times in the details tell.
 */
async function read(
	requests: RequestContext,
	product: Product,
	minutes: number,
	namePrefix?: string,
) {
	const context = { ...requests, product };
	const listed = await listPrefixed(context, namePrefix);
	const isClear = (entry: IDataObject) =>
		remainingMinutes(entry) !== undefined &&
		(summandsOf(entry) !== undefined || leastRemainingMinutes(entry)! > minutes);
	const known = await withDetails(context, listed.filter(runs), isClear);
	const running = known.flatMap(({ entry, details = entry }) => {
		const remaining = remainingMinutes(details, context.account.clockAheadMs);
		return runs(details) && remaining !== undefined ? [{ entry: details, remaining }] : [];
	});
	return { listed, running, failure: known.find(({ error }) => error)?.error };
}

function keyOf(entry: IDataObject): string {
	return digest(idOf(entry)!, 10);
}

/** What starts or ends has no time of its own left to lose. A state that is not known may bill, but without time it is none that runs. */
function runs(entry: IDataObject): boolean {
	const state = stateOf(entry.status);
	return state === 'running' || (state === 'unknown' && (leastRemainingMinutes(entry) ?? 0) > 0);
}

function isLater([minutes, end]: Told, told: Told | undefined): boolean {
	if (!told) return true;
	const grown = minutes >= 0 && told[0] >= 0 ? minutes - told[0] : end - told[1];
	return grown > EXTENDED_MINUTES;
}

function itemOf(product: Product, entry: IDataObject, clockAheadMs?: number): IDataObject {
	return {
		...described(entry, clockAheadMs),
		product: product.key,
		remaining_minutes: remainingMinutes(entry, clockAheadMs)!,
	};
}
