import type { IDataObject } from 'n8n-workflow';

/** Deepest JSON that is read. n8n walks through every value on its own stack, and a service could fill that with 100,000 brackets. */
const DEEPEST = 500;

const QUOTE = 34;
const BACKSLASH = 92;
const OPENS = new Set([91, 123]);
const CLOSES = new Set([93, 125]);

/** The parsed JSON text, or undefined when it is none or is nested too deep. */
export function parseJson(text: string): unknown {
	if (isTooDeep(text)) return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** A time without a zone is UTC (compute-api.md "Job"), which JavaScript and n8n read as local time: with the zone. Undefined for anything else. */
export function utcTime(time: unknown): string | undefined {
	const parts =
		typeof time === 'string'
			? /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)$/.exec(time)
			: null;
	return parts ? `${parts[1]}T${parts[2]}Z` : undefined;
}

function isTooDeep(text: string): boolean {
	// Nearly every text is too short to hold so many brackets
	if (text.length <= DEEPEST) return false;
	let depth = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfString(text, at);
		else if (OPENS.has(code)) depth++;
		else if (CLOSES.has(code)) depth--;
		if (depth > DEEPEST) return true;
	}
	return false;
}

/** @param start where the text of JSON begins with its quote */
function endOfString(text: string, start: number): number {
	let at = start + 1;
	while (at < text.length && text.charCodeAt(at) !== QUOTE)
		at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
	return at;
}

/** What an expression such as `{{ $now }}` gives, as ISO text; anything else as it is. */
export function dateText(value: unknown): unknown {
	if (value instanceof Date) return Number.isNaN(value.getTime()) ? value : value.toISOString();
	const { toISO } = (typeof value === 'object' && value ? value : {}) as { toISO?: unknown };
	return typeof toISO === 'function' ? (toISO.call(value) as unknown) : value;
}

/**
 * A result of the service as the JSON of an item. n8n's Retry On Fail takes an item with an `error` at its top for a failure
 * and runs, and pays for, the node again: such a word gets another key.
 */
export function asItem(item: IDataObject): IDataObject {
	const { error, ...rest } = item;
	return (error ?? false) === false ? item : { ...rest, service_error: error };
}
