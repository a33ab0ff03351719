/**
 * The number in a value of the service, which some services send as text.
 * @returns undefined for anything that is no finite number: null, an absent field, blank or other text
 */
export function numberOf(value: unknown): number | undefined {
	const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
