import { setImmediate } from 'node:timers/promises';

/** Resolves when the condition holds; fails after some seconds with what it was waiting for. */
export async function eventually(
	what: string,
	condition: () => boolean,
	ms = 60_000,
): Promise<void> {
	const end = Date.now() + ms;
	while (!condition()) {
		if (Date.now() > end) throw new Error(`Still not after ${ms} ms: ${what}`);
		await setImmediate();
	}
}

/**
 * Lets so many turns of the event loop pass. What is on its way between two sockets of this process arrives within a few;
 * unlike a time it does not depend on how busy the machine is.
 */
export async function turns(count = 20): Promise<void> {
	for (let turn = 0; turn < count; turn++) await setImmediate();
}
