import type { IDataObject } from 'n8n-workflow';
import { hasZone, LARGEST_ZONE_MS, timeOf } from '../shared/dates';
import { numberOf } from '../shared/numbers';
import { now } from '../shared/time';
import { stateOf } from './state';

/** What is compared before and after an extension, since a lost answer leaves no other trace. */
export interface PaidTime extends IDataObject {
	/** Minutes served and remaining, together: they change only by an extension. */
	minutes: number | null;
	/** The remaining ones alone, as they are shown. */
	remaining: number | null;
	/** When it was read, in milliseconds since 1970. */
	readAt: number;
	paid: number | null;
}

/** Served and remaining minutes are whole numbers of their own, so their sum may be off by their rounding. */
const ROUNDING_MINUTES = 2;

/** Details may come from a copy that is so many minutes behind. */
const BEHIND_MINUTES = 5;

/** Minutes served and remaining, together; undefined where they are not both shown. */
export function minutesOf(details: IDataObject): number | undefined {
	const served = numberOf(details.compute_minutes_served);
	const remaining = numberOf(details.compute_minutes_remaining);
	return served === undefined || remaining === undefined ? undefined : served + remaining;
}

/**
 * The paid time in the details of a deployment.
 * @param known what it has at least: the details may be behind
 */
export function paidTimeOf(details: IDataObject, known?: PaidTime): PaidTime {
	const minutes = minutesOf(details) ?? null;
	const remaining = numberOf(details.compute_minutes_remaining) ?? null;
	// Before the start there may be no minutes yet
	const isShown = (minutes ?? remaining) !== 0 || stateOf(details.status) === 'running';
	return {
		minutes: isShown ? atLeast(minutes, known?.minutes) : null,
		remaining: isShown ? remaining : null,
		readAt: now(),
		paid: atLeast(numberOf(details.amount_paid) ?? null, known?.paid),
	};
}

function atLeast(shown: number | null, known: number | null | undefined): number | null {
	return shown === null ? null : Math.max(shown, known ?? shown);
}

/** The paid time that an extension makes of another one. */
export function extendedBy(before: PaidTime, hours: number, price = 0): PaidTime {
	const { minutes, paid } = before;
	return {
		...before,
		minutes: minutes === null ? null : minutes + hours * 60,
		paid: paid === null ? null : paid + price,
	};
}

/** What an extension adds. */
interface Extension {
	hours: number;
	/** What it costs, where that was read. */
	price?: number;
	/** Whether the details are the answer to it, and no later look: others may extend it as well. */
	isAnswer: boolean;
	/** How often the service counts each minute, where that shows. */
	times?: number;
}

/**
 * Whether details show that hours were added: by the time, or where that is not shown, by what was paid.
 * @param before the paid time when the extension was sent
 */
export function growthOf(
	before: PaidTime,
	details: IDataObject,
	{ hours, price, isAnswer, times }: Extension,
): { state: 'made' } | { state: 'absent' | 'unknown'; problem: string } {
	const after = paidTimeOf(details);
	const paid = paidSince(before, details);
	// How fast the minutes go by at most
	const rate = Math.max(times ?? 1, ...summands(details));
	const isPaid = price !== undefined && paid !== undefined && Math.abs(paid - price) <= price / 100;
	if (before.minutes !== null && after.minutes !== null) {
		const minutes = after.minutes - before.minutes;
		const isAdded = (count: number) => Math.abs(minutes - hours * 60 * count) <= ROUNDING_MINUTES;
		// Twice the hours on two GPUs may as well be an extension that a proxy on the way has sent twice
		const isTold = isAnswer && (price === undefined || paid === undefined) && times !== undefined;
		const counts = isPaid ? summands(details) : [1, ...(isTold ? [times] : [])];
		const count = counts.find(isAdded);
		if (count !== undefined) return unlessDenied({ hours: hours * count, before, after, rate });
		return minutes > ROUNDING_MINUTES
			? { state: 'unknown', problem: `its time has grown by ${minutes} minutes` }
			: { state: 'absent', problem: 'the deployment shows no change' };
	}
	if (paid === undefined) return { state: 'unknown', problem: 'its details do not tell its time' };
	if (paid <= 0) return { state: 'absent', problem: 'what was paid for it has not changed' };
	// Somebody else may have extended it by other hours
	return isPaid
		? unlessDenied({ hours, before, after, rate })
		: { state: 'unknown', problem: 'more was paid for it, and its details do not tell its time' };
}

/** What was paid since then; undefined where it is not shown. */
export function paidSince(before: PaidTime, details: IDataObject): number | undefined {
	const { paid } = paidTimeOf(details);
	return before.paid === null || paid === null ? undefined : paid - before.paid;
}

/** Made, unless the remaining minutes alone deny it: those that were served may have been counted anew. */
function unlessDenied({
	hours,
	before,
	after,
	rate,
}: {
	hours: number;
	before: PaidTime;
	after: PaidTime;
	rate: number;
}): { state: 'made' } | { state: 'unknown'; problem: string } {
	// What was noted by an earlier version has none
	if (typeof before.remaining !== 'number' || after.remaining === null) return { state: 'made' };
	const passed = (after.readAt - before.readAt) / 60_000 + BEHIND_MINUTES;
	const grown = after.remaining - before.remaining;
	if (grown >= hours * 60 - passed * rate - ROUNDING_MINUTES) return { state: 'made' };
	return {
		state: 'unknown',
		problem: `its remaining time does not show it (${before.remaining} minutes before, ${after.remaining} now)`,
	};
}

const SUMMANDS = [
	'total_vms',
	'total_containers',
	'gpus_per_vm',
	'gpus_per_container',
	'total_gpus',
];

/** Some services add the minutes up over VMs, containers or GPUs. */
function summands(details: IDataObject): number[] {
	const counts = SUMMANDS.map((key) => numberOf(details[key]));
	return [1, ...counts.filter((count) => count !== undefined && count > 1)] as number[];
}

/** From so many minutes of use on it shows whether a service adds the minutes up. */
const TELLING_MINUTES = 3;
/** A deployment may take so long to start, where only its creation is shown. */
const START_MINUTES = 15;
/** Clocks of a service and of n8n may differ by so many minutes. */
const SKEW_MINUTES = 5;

/** How often a service may count each minute: once, or for each GPU, VM or container. */
function countsOf(details: IDataObject): Set<number> {
	const [gpus = 1, workers = 1, total = 1, quantity = 1] = [
		details.gpus_per_vm ?? details.gpus_per_container,
		details.total_vms ?? details.total_containers,
		details.total_gpus,
		details.hardware_quantity,
	].map(numberOf);
	return new Set([1, gpus, workers, gpus * workers, total, quantity]);
}

/**
 * How often each minute is counted: the only count by which the minutes served are about those that have passed. A wrong one would
 * make the cost a fraction of what it is.
 * @returns undefined where that cannot be told
 */
export function summandsOf(details: IDataObject, clockAheadMs = 0): number | undefined {
	const counts = countsOf(details);
	const startedAt = timeOf(details.started_at);
	const start = startedAt ?? timeOf(details.created_at);
	const elapsedBy = (clock: number) => (start === undefined ? 0 : (clock - start) / 60_000);
	const elapsed = elapsedBy(now());
	// A time without a zone may be that of any place
	const isSure = hasZone(startedAt === undefined ? details.created_at : details.started_at);
	const slack = start === undefined || isSure ? 0 : LARGEST_ZONE_MS / 60_000;
	const served = numberOf(details.compute_minutes_served) ?? 0;
	// More minutes than have passed are those of several, whatever the size that is shown
	if (counts.size === 1) {
		const most = elapsed + slack;
		return most > 0 && served > most * 1.5 + SKEW_MINUTES ? undefined : 1;
	}
	// The times may be of either clock
	const fitting = [elapsed, elapsedBy(now() + clockAheadMs)].map((minutes) => {
		const least = (minutes - slack) * 0.75 - 1 - (startedAt === undefined ? START_MINUTES : 0);
		const most = (minutes + slack) * 1.1 + 1;
		if (minutes + slack < TELLING_MINUTES) return [];
		return [...counts].filter(
			(count) => count > 0 && served / count >= least && served / count <= most,
		);
	});
	const all = new Set(fitting.flat());
	return all.size === 1 ? [...all][0] : undefined;
}

/** The minutes that remain, each counted once where that can be told, and as they are shown otherwise. */
export function remainingMinutes(details: IDataObject, clockAheadMs?: number): number | undefined {
	const minutes = numberOf(details.compute_minutes_remaining);
	return minutes === undefined ? undefined : minutes / (summandsOf(details, clockAheadMs) ?? 1);
}

/** The minutes that remain at least, however often each is counted; undefined where they are not shown. */
export function leastRemainingMinutes(details: IDataObject): number | undefined {
	const minutes = numberOf(details.compute_minutes_remaining);
	return minutes === undefined ? undefined : minutes / Math.max(...countsOf(details));
}
