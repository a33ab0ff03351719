import { numberOf } from './numbers';

/** A time without a zone is UTC (compute-api.md "Job"), which JavaScript and n8n read as local time: with the zone. Undefined for anything else. */
export function utcTime(time: unknown): string | undefined {
	const parts =
		typeof time === 'string'
			? /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/.exec(time)
			: null;
	return parts ? `${parts[1]}T${parts[2]}Z` : undefined;
}

/** What an expression such as `{{ $now }}` gives, as ISO text; anything else as it is. */
export function dateText(value: unknown): unknown {
	if (value instanceof Date) return Number.isNaN(value.getTime()) ? value : value.toISOString();
	const { toISO } = (typeof value === 'object' && value ? value : {}) as { toISO?: unknown };
	return typeof toISO === 'function' ? (toISO.call(value) as unknown) : value;
}

/** Below this a number of seconds since 1970, above it one of milliseconds: the year 5138, and 1973. */
const MILLISECONDS_FROM = 100_000_000_000;

/**
 * A moment in an answer of a service: ISO 8601 (UTC without a zone, compute-api.md "Job"), or seconds or milliseconds since 1970, as a
 * number or as text.
 * @returns milliseconds since 1970; undefined where it cannot be read for certain, such as `22/11/2026 10:00`
 */
export function instantOf(value: unknown): number | undefined {
	const number = numberOf(value);
	if (number !== undefined) {
		if (number <= 0) return undefined;
		return number < MILLISECONDS_FROM ? number * 1_000 : number;
	}
	if (typeof value !== 'string') return undefined;
	const text = utcTime(value.trim()) ?? value.trim().replace(' ', 'T');
	if (!/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined;
	const instant = Date.parse(text);
	return Number.isNaN(instant) ? undefined : instant;
}
