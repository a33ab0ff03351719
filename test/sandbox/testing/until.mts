import { setTimeout as pause } from 'node:timers/promises';

const LIMIT_MS = 60_000;

/** Waits until a condition holds; throws after a minute, so that a failed test leaves no wait behind. */
export async function until(condition: () => boolean): Promise<void> {
	const end = Date.now() + LIMIT_MS;
	while (!condition()) {
		if (Date.now() > end) throw new Error(`Not after ${LIMIT_MS} ms: ${condition.toString()}`);
		await pause(1);
	}
}
