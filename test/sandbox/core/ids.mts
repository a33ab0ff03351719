import { createHash } from 'node:crypto';

/** A deterministic identifier in UUID form, so that a failing test fails with the same ids again. */
export function stableUuid(name: string): string {
	const hex = createHash('sha256').update(name).digest('hex');
	const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
	return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A deterministic whole number from 0 to `below - 1` for a name. */
export function stableNumber(name: string, below: number): number {
	return createHash('sha256').update(name).digest().readUInt32BE(0) % below;
}
