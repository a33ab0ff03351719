import type { IDataObject } from 'n8n-workflow';
import { numberOf } from '../shared/numbers';
import { inOrder } from '../shared/operation/inOrder';
import { findDeployment, idOf } from './deployments';
import { minutesOf, summandsOf } from './paidTime';
import type { ProductRequest } from './product';
import { isFinal, stateOf } from './state';

/** Requests for details that run side by side: n8n opens a connection for each. */
const CONCURRENT_DETAILS = 5;

/** A deployment with all that is known of it. */
export interface Known {
	entry: IDataObject;
	/** Its entry of the list with its details; undefined where these cannot be read. */
	details?: IDataObject;
	error?: Error;
}

/** The deployments of a list with their details, which are only asked for where an entry does not show what was paid. */
export async function withDetails(
	context: ProductRequest,
	entries: IDataObject[],
	isEnough = (entry: IDataObject) => amountOf(entry) !== undefined,
): Promise<Known[]> {
	const known: Known[] = entries.map((entry) => ({ entry }));
	await inOrder(known.length, CONCURRENT_DETAILS, async (index) => {
		const one = known[index]!;
		if (isEnough(one.entry)) one.details = one.entry;
		else await readDetails(context, one);
		return !context.signal?.aborted;
	});
	return known;
}

async function readDetails(context: ProductRequest, one: Known): Promise<void> {
	try {
		const details = await findDeployment(context, idOf(one.entry)!);
		if (details) one.details = { ...one.entry, ...details };
	} catch (error) {
		one.error = error as Error;
	}
}

/**
 * What was paid for a deployment, after refunds. Undefined where it is not shown; 0 for one that has not ended is no amount: it
 * may not be booked yet.
 */
export function amountOf(details: IDataObject): number | undefined {
	const amount = numberOf(details.amount_paid);
	if (amount === undefined || amount < 0) return undefined;
	return amount > 0 || isFinal(details.status) ? amount : undefined;
}

/** What a deployment that has not ended costs an hour, and how many paid hours are left. */
export interface RunningCost {
	perHour: number;
	remainingHours: number;
}

/**
 * The cost of an hour: what was paid, by the hours that were paid for. Undefined where one of them is not known: some services add
 * the minutes up over GPUs, VMs or containers, which shows only when it has run for some minutes.
 * @param clockAheadMs how far the clock is ahead that its times are of
 */
export function runningCostOf(
	details: IDataObject,
	clockAheadMs?: number,
): RunningCost | undefined {
	const amount = amountOf(details);
	const minutes = minutesOf(details);
	if (amount === undefined || minutes === undefined || minutes <= 0) return undefined;
	// Whatever the service calls it, its paid time is over
	if (stateOf(details.status) === 'unknown' && numberOf(details.compute_minutes_remaining) === 0)
		return { perHour: 0, remainingHours: 0 };
	const times = summandsOf(details, clockAheadMs);
	if (times === undefined) return undefined;
	return {
		perHour: (amount * times * 60) / minutes,
		remainingHours: numberOf(details.compute_minutes_remaining)! / times / 60,
	};
}
