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

/** Only a text with so many digits in a row can hold a whole number that no double is. */
const MANY_DIGITS = /\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * The parsed JSON text of a service, as {@link parseJson}. A whole number that no double is, such as an ID of 19 digits, comes as
 * text with all its digits: rounded it may be the ID of another thing.
 */
export function parseAnswer(text: string): unknown {
	const parsed = parseJson(text);
	return parsed !== undefined && MANY_DIGITS.test(text) ? parseJson(withDigits(text)) : parsed;
}

/** @param text valid JSON */
function withDigits(text: string): string {
	let kept = '';
	let keptTo = 0;
	for (let at = 0; at < text.length; at++) {
		if (text.charCodeAt(at) === QUOTE) at = endOfString(text, at);
		NUMBER.lastIndex = at;
		const [token] = NUMBER.exec(text) ?? [];
		if (token === undefined) continue;
		if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
			kept += `${text.slice(keptTo, at)}"${token}"`;
			keptTo = at + token.length;
		}
		at += token.length - 1;
	}
	return kept + text.slice(keptTo);
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

/**
 * The place of the quote that ends a text of JSON; the length where there is none.
 * @param start where it begins with its quote
 */
export function endOfString(text: string, start: number): number {
	let at = start + 1;
	while (at < text.length && text.charCodeAt(at) !== QUOTE)
		at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
	return at;
}
