import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 100;

/**
 * Waits until `look` finds something, and returns that.
 * @param look undefined or false while it is not there yet; what it throws ends the wait
 * @param ms the longest wait
 * @throws an Error that says what did not happen
 */
export async function until<T>(
	what: string,
	look: () => Promise<T | undefined | false> | T | undefined | false,
	ms: number,
): Promise<T> {
	for (const deadline = Date.now() + ms; ; await delay(INTERVAL_MS)) {
		const found = await look();
		if (found !== undefined && found !== false) return found;
		if (Date.now() > deadline) throw new Error(`Not within ${ms} ms: ${what}`);
	}
}
