/** Whether a value is a JSON object: not null, not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A wrong value for a message: short, so that a pasted file does not become the error. */
export function show(value: unknown): string {
	if (value === null || value === undefined) return 'nothing';
	const text = typeof value === 'string' ? `"${value}"` : json(value);
	return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** Not every value of an expression has a JSON form: a function, an object that holds itself. */
function json(value: unknown): string {
	try {
		return JSON.stringify(value) ?? typeof value;
	} catch {
		return typeof value;
	}
}

/** Whether n8n's lookup of a binary field has found a file: for a name such as `constructor` it finds what all objects have. */
export function isFile(found: unknown): boolean {
	return isRecord(found) && (typeof found.id === 'string' || typeof found.data === 'string');
}

/** Far longer than any identifier, and short enough for the head of a request. */
const LONGEST_SEGMENT = 1_000;

/** Why a text may not become a segment of a request's path; undefined where it may. See `Parameters.pathId`. */
export function segmentProblem(text: string): string | undefined {
	if (!/^[A-Za-z0-9._~:@+=-]+$/.test(text) || /^\.+$/.test(text))
		return `must contain only letters, digits and . _ ~ : @ + = -, got ${show(text)}`;
	return text.length > LONGEST_SEGMENT
		? `must have at most ${LONGEST_SEGMENT} characters, got ${text.length}`
		: undefined;
}

/** Whether a flag is down, or a count is none: services write either as a text, too. */
export function isFalse(value: unknown): boolean {
	return /^(?:false|0)$/.test(String(value));
}
