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
