import { now } from '../shared/time';

/** What this process knows of the conversations of a session: a list may be behind, and a second one would lose the first one's messages. */

const MAX_KNOWN = 10_000;

/** So long reads may be behind writes, in milliseconds. */
const BEHIND_MS = 120_000;

interface Written {
	at: number;
	/** The ID of the message, where the service has said it. */
	messageId?: string;
}

/** IDs by session. */
const present = new Map<string, string>();
/** The last messages of this process by session, and when they were stored. */
const written = new Map<string, Written>();
/** Sessions with IDs that were cleared, or are gone: a list may still have them. */
const gone = new Set<string>();

/** The ID of the conversation of a session; undefined where it is not known. */
export function knownId(session: string): string | undefined {
	return present.get(session);
}

export function rememberId(session: string, id: string): string {
	present.set(session, id);
	limit(present);
	return id;
}

/** Notes that a conversation was created, or a message stored in it. */
export function noteWritten(session: string, messageId?: string): void {
	written.delete(session);
	written.set(session, { at: now(), messageId });
	limit(written);
}

/** What this process has written so short a time ago that a read may not show it; undefined where it would show. */
export function recentlyWritten(session: string): Written | undefined {
	const last = written.get(session);
	return last && now() - last.at < BEHIND_MS ? last : undefined;
}

/** From now on, a conversation is not that of its session any more. */
export function forgetId(session: string, id: string): void {
	present.delete(session);
	written.delete(session);
	gone.add(goneKey(session, id));
	limit(gone);
}

export function isForgotten(session: string, id: string): boolean {
	return gone.has(goneKey(session, id));
}

function goneKey(session: string, id: string): string {
	return JSON.stringify([session, id]);
}

function limit(all: Map<string, unknown> | Set<string>): void {
	const [oldest] = all.keys();
	if (all.size > MAX_KNOWN) all.delete(oldest!);
}
