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
