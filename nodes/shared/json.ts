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

/** What Python writes for numbers that JSON does not have. */
const NO_NUMBER = /-?\b(?:NaN|Infinity)\b/;
const NO_NUMBERS = /-?(?:NaN|Infinity)\b/y;

/**
 * The parsed JSON text of a service, as {@link parseJson}. A whole number that no double is, such as an ID of 19 digits, comes as
 * text with all its digits: rounded it may be the ID of another thing. `NaN` and `Infinity`, which JSON does not have, come as null:
 * all else in the answer is of use, and may be paid for.
 */
export function parseAnswer(text: string): unknown {
	const parsed = parseJson(text);
	if (parsed === undefined && NO_NUMBER.test(text)) {
		const withNull = replaced(text, NO_NUMBERS, () => 'null');
		return withNull === text ? undefined : parseAnswer(withNull);
	}
	return parsed !== undefined && MANY_DIGITS.test(text) ? parseJson(withDigits(text)) : parsed;
}

/** A text of JSON that keeps all digits of its whole numbers, as in {@link parseAnswer}, whoever parses it; any other text as it is. */
export function keepingDigits(text: string): string {
	return MANY_DIGITS.test(text) && parseJson(text) !== undefined ? withDigits(text) : text;
}

/** @param text valid JSON, in which each whole number that no double is becomes a text */
function withDigits(text: string): string {
	return replaced(text, NUMBER, (token) => (isRounded(token) ? `"${token}"` : token));
}

/** Whether a number of JSON is a whole one that no double is. */
function isRounded(token: string): boolean {
	return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
}

/** A text of JSON in which each token outside of its texts is replaced. */
function replaced(text: string, token: RegExp, change: (found: string) => string): string {
	let kept = '';
	let keptTo = 0;
	for (let at = 0; at < text.length; at++) {
		if (text.charCodeAt(at) === QUOTE) at = endOfString(text, at);
		token.lastIndex = at;
		const [found] = token.exec(text) ?? [];
		if (found === undefined) continue;
		kept += `${text.slice(keptTo, at)}${change(found)}`;
		keptTo = at + found.length;
		at = keptTo - 1;
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
