import type { IDataObject } from 'n8n-workflow';
import { hasZone, LARGEST_ZONE_MS, timeOf } from '../shared/dates';
import { numberOf } from '../shared/numbers';
import { now } from '../shared/time';
import { minutesOf } from './paidTime';
import type { Product } from './product';
import { stateOf } from './state';

/** What was ordered, as far as a deployment can show it. */
export interface Ordered extends IDataObject {
	hardware_id: string | number;
	/** Of each VM or container. */
	gpus: number;
	duration_hours: number;
	/** Number of VMs or containers. */
	workers: number;
}

/** An order that was sent. */
export interface OrderFacts extends Ordered {
	/** When, in milliseconds since 1970. */
	sentAt: number;
}

/** The clocks of the service and of n8n may differ by so much, in milliseconds, where the service does not tell its own. */
export const CLOCK_SKEW_MS = 300_000;
/** Where it does, both its clock and the creation may be cut to whole seconds. */
const CLOCK_ROUNDING_MS = 2_000;
const MINUTE_MS = 60_000;
/** Zones differ by multiples of it. */
const ZONE_STEP_MS = 15 * MINUTE_MS;
/** Served and remaining minutes are rounded, and a deployment may have waited for its start. */
const ROUNDING_MINUTES = 5;

/**
 * What a deployment shows that was not ordered: `gpus_per_vm 8 instead of 1`. What it does not show contradicts nothing.
 * @param found an entry of the list, or details
 * @param clockAheadMs how far the clock of the service is ahead
 * @param skewMs by how much a creation may be off that clock: times are of a database with a clock of its own
 */
export function differencesFrom(
	{ gpusKey, workersKey }: Product,
	order: OrderFacts,
	found: IDataObject,
	clockAheadMs?: number,
	skewMs = clockAheadMs === undefined ? CLOCK_SKEW_MS : 0,
): string[] {
	const { hardware_id, gpus, workers, duration_hours, sentAt } = order;
	const differences: string[] = [];
	const compare = (key: string, ordered: number, shown = numberOf(found[key])) => {
		if (shown !== undefined && shown > 0 && shown !== ordered)
			differences.push(`${key} ${shown} instead of ${ordered}`);
	};
	const shownHardware = found.hardware_id ?? '';
	// 0 and '' are a field that is not set
	if (!['', '0'].includes(String(shownHardware)) && !isSameHardware(shownHardware, hardware_id))
		differences.push(`hardware_id ${String(shownHardware)} instead of ${String(hardware_id)}`);
	compare(gpusKey, gpus);
	compare(workersKey, workers);
	compare('total_gpus', gpus * workers);
	// Of what ends or has ended, minutes tell nothing; before it runs, 0 may be shown
	const isBegun = ['starting', 'running'].includes(stateOf(found.status));
	const minutes = isBegun ? minutesOf(found) : undefined;
	// Some services add the minutes up over VMs, containers or GPUs
	const sums = [1, workers, gpus, gpus * workers].map((count) => count * duration_hours * 60);
	const fits = (sum: number) => Math.abs(sum - (minutes ?? 0)) <= ROUNDING_MINUTES;
	if (minutes !== undefined && minutes > 0 && !sums.some(fits))
		differences.push(`${minutes} minutes instead of ${duration_hours * 60}`);
	const served = numberOf(found.compute_minutes_served) ?? 0;
	if (served > ((now() - sentAt) / MINUTE_MS) * gpus * workers + ROUNDING_MINUTES)
		differences.push(`${served} minutes served, more than since it was ordered`);
	for (const key of ['created_at', 'started_at'])
		if (isBefore(found[key], sentAt + (clockAheadMs ?? 0), skewMs))
			differences.push(`${key} ${String(found[key])}, before it was ordered`);
	return differences;
}

/** Whether a time that is shown, and that may be off by so much, is before a moment. */
function isBefore(shown: unknown, moment: number, skewMs: number): boolean {
	const shownAt = timeOf(shown);
	if (shownAt === undefined) return false;
	// What is given to the minute was made at any second of it; a full minute may be one that is given to the second
	const isToMinute = typeof shown === 'string' && !/:\d{2}:/.test(shown);
	const roundingMs = CLOCK_ROUNDING_MS + (isToMinute ? MINUTE_MS : 0);
	const sinceMs = shownAt - moment + Math.max(skewMs, roundingMs);
	if (hasZone(shown) || sinceMs < -LARGEST_ZONE_MS) return sinceMs < 0;
	// In whatever zone it was written, the minutes within a quarter of an hour are the same
	const restMs = sinceMs - Math.floor(sinceMs / ZONE_STEP_MS) * ZONE_STEP_MS;
	return restMs >= ZONE_STEP_MS - CLOCK_SKEW_MS;
}

/** Whether two IDs are of the same hardware: an offer of it has the ID of the hardware with a suffix, `12__1` of 12. */
export function isSameHardware(one: unknown, other: unknown): boolean {
	const [shorter, longer] = [String(one), String(other)].sort((a, b) => a.length - b.length);
	return shorter === longer || longer!.startsWith(`${shorter!}__`);
}
