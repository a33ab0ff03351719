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
