const keys = new Set<string>();

/** Keeps the keys of a JSON body that the service sends. */
export function noteSent(body: unknown): void {
	if (typeof body !== 'string' || !/^\s*[{[]/.test(body)) return;
	for (const [, key = ''] of body.matchAll(/"([^"\\]*)"\s*:/g)) keys.add(key);
}

/** Whether any body of this process had the key. */
export function isSent(key: string): boolean {
	return keys.has(key);
}
