import { numberOf } from './numbers';

/** A time without a zone is UTC (compute-api.md "Job"), which JavaScript and n8n read as local time: with the zone. Undefined for anything else. */
export function utcTime(time: unknown): string | undefined {
	const parts =
		typeof time === 'string'
			? /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/.exec(time)
			: null;
	return parts ? `${parts[1]}T${parts[2]}Z` : undefined;
}

/** Seconds since 1970 of the years 2001 to 2286. */
const SECONDS = [1e9, 1e10] as const;
/** Milliseconds since 1970 of the same years: no number is in both. */
const MILLISECONDS = [1e12, 1e13] as const;

/** What is not set, services write as the beginning of a calendar: year 1, 1900, 1970. Nothing is as old as that: 1973. */
const EARLIEST_MS = 1e11;

/**
 * The moment that a time of the service means, in milliseconds since 1970, in the forms that can be read for certain: ISO 8601
 * with a zone, or without one in UTC, and seconds or milliseconds since 1970 as number or text. Undefined for anything else,
 * such as `11/12/2026`, which has two meanings.
 */
export function timeOf(time: unknown): number | undefined {
	const ms = momentOf(time);
	return ms !== undefined && ms >= EARLIEST_MS ? ms : undefined;
}

/** As {@link timeOf}, of a time that a person has entered: it may be long ago. */
export function momentOf(time: unknown): number | undefined {
	const number = numberOf(time);
	if (number !== undefined) {
		if (number >= SECONDS[0] && number < SECONDS[1]) return number * 1000;
		return number >= MILLISECONDS[0] && number < MILLISECONDS[1] ? number : undefined;
	}
	if (typeof time !== 'string') return undefined;
	const iso = utcTime(time.trim()) ?? time.trim().replace(' ', 'T');
	if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})$/i.test(iso))
		return undefined;
	const ms = Date.parse(iso.replace(',', '.'));
	return Number.isNaN(ms) ? undefined : ms;
}

/** Where a time without a zone is not UTC, it may be off by so many milliseconds. */
export const LARGEST_ZONE_MS = 14 * 3_600_000;

/** Whether a time that {@link timeOf} can read says of itself when it is, and was not only taken for UTC. */
export function hasZone(time: unknown): boolean {
	return typeof time !== 'string' || utcTime(time.trim()) === undefined;
}

/** What an expression such as `{{ $now }}` gives, as ISO text; anything else as it is. */
export function dateText(value: unknown): unknown {
	if (value instanceof Date) return Number.isNaN(value.getTime()) ? value : value.toISOString();
	const { toISO } = (typeof value === 'object' && value ? value : {}) as { toISO?: unknown };
	return typeof toISO === 'function' ? (toISO.call(value) as unknown) : value;
}
