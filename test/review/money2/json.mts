/** JSON in which a whole number of any length keeps its digits. */
export function jsonOf(value: unknown): string {
	// n8n gives BigInt a `toJSON` of its own, which comes first
	const text = JSON.stringify(value, function (this: Record<string, unknown>, key, one: unknown) {
		const original = this[key];
		return typeof original === 'bigint' ? `big:${original}` : one;
	});
	return text.replace(/"big:(\d+)"/g, '$1');
}
