/** What this process knows of the conversations of a session: a list may be behind, and a second one would lose the first one's messages. */

const MAX_KNOWN = 10_000;

/** IDs by session. */
const present = new Map<string, string>();
/** Sessions with IDs that were cleared, or are gone: a list may still have them. */
const gone = new Set<string>();

/** The ID of the conversation of a session; undefined where it is not known. */
export function knownId(session: string): string | undefined {
	return present.get(session);
}

export function rememberId(session: string, id: string): string {
	present.set(session, id);
	const [oldest] = present.keys();
	if (present.size > MAX_KNOWN) present.delete(oldest!);
	return id;
}

/** From now on, a conversation is not that of its session any more. */
export function forgetId(session: string, id: string): void {
	present.delete(session);
	gone.add(goneKey(session, id));
	const [oldest] = gone;
	if (gone.size > MAX_KNOWN) gone.delete(oldest!);
}

export function isForgotten(session: string, id: string): boolean {
	return gone.has(goneKey(session, id));
}

function goneKey(session: string, id: string): string {
	return JSON.stringify([session, id]);
}
