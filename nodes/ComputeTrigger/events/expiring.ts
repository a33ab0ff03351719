import type { IDataObject } from 'n8n-workflow';
import { described, idOf, listPrefixed } from '../../marketplace/deployments';
import { leastRemainingMinutes, remainingMinutes, summandsOf } from '../../marketplace/paidTime';
import type { Product } from '../../marketplace/product';
import { withDetails } from '../../marketplace/spending';
import { stateOf } from '../../marketplace/state';
import type { RequestContext } from '../../shared/http/request';
import { now } from '../../shared/time';
import { digest, type TriggerEvent, type Watch } from '../watch';

/**
 * The end that was told of a deployment as the last poll saw it, in minutes since 1970, and how often the service counted each minute:
 * 0 where that did not show. Minutes served tell nothing of an end: there are none while a VM is down, and its paid time goes on.
 */
type Told = [end: number, times: number];
export type SeenEnds = Record<string, Told>;

/**
 * An end that is so much later than at the last poll is another one: an extension adds an hour at least. What is shown is rounded, and may
 * be some minutes old; and where paid time stands still while a VM is down, its end is later at each poll, by the time since the last one.
 */
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
					([key, [end]]) => keys.has(key) || end > at - FORGET_AFTER_MINUTES,
				),
			);
			const events: TriggerEvent[] = [];
			for (const { entry, remaining } of running) {
				const key = keyOf(entry);
				const times = summandsOf(entry, clockAheadMs) ?? 0;
				const former = told.get(key);
				const end = Math.round(at + remaining);
				const isAlike = former?.[1] === times;
				// Minutes that are counted otherwise, as where details cannot be read, are later for sure if the fewest they can be are
				const surely = isAlike ? end : Math.round(at + leastRemainingMinutes(entry)!);
				// The end of one that has no time left is over, however long it is shown
				const isNew = !former || (remaining > 0 && surely - former[0] > EXTENDED_MINUTES);
				if (isNew) told.delete(key);
				else if (remaining > 0 && (isAlike || times > 0)) told.set(key, [end, times]);
				// The first poll tells nothing, and what expires soon is told by the next one
				if (!isNew || seen === undefined || remaining > minutes) continue;
				told.set(key, [end, times]);
				const json = itemOf(product, entry, clockAheadMs);
				events.push({ identity: [product.key, idOf(entry)!], json });
			}
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
 * tell whether one expires: it shows no minutes, or 0, which may be a field that is not set, or they may be added up over GPUs, which the
 * times in the details tell.
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
		(remainingMinutes(entry) ?? 0) > 0 &&
		(summandsOf(entry) !== undefined || leastRemainingMinutes(entry)! > minutes);
	const known = await withDetails(context, listed.filter(runs), isClear);
	const running = known.flatMap(({ entry, details = entry, error }) => {
		const remaining = remainingMinutes(details, context.account.clockAheadMs);
		const isShown = remaining !== undefined && (remaining > 0 || error === undefined);
		return runs(details) && isShown ? [{ entry: details, remaining }] : [];
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

function itemOf(product: Product, entry: IDataObject, clockAheadMs?: number): IDataObject {
	return {
		...described(entry, clockAheadMs),
		product: product.key,
		remaining_minutes: remainingMinutes(entry, clockAheadMs)!,
	};
}
