import { elapsed } from '../shared/time';
import type { Text, Written } from './entries';

/** What this process knows of the conversations of a session: a list may be behind, and a second one would lose the first one's messages. */

const MAX_KNOWN = 10_000;

/** So long reads may be behind writes, in milliseconds. */
const BEHIND_MS = 120_000;

/** IDs by session. */
const present = new Map<string, string>();
/** Sessions whose conversation this process has created, and no list has shown since. */
const unlisted = new Set<string>();
/** What was written last by this process, by session in the order of time. */
const written = new Map<string, { at: number; messages: Array<Written & { at: number }> }>();
/** By session, what was stored last of messages of which a later one has failed. */
const begun = new Map<string, Text[]>();
/** Sessions with IDs that this process has cleared: a list may still have them. */
const cleared = new Set<string>();

/** The ID of the conversation of a session; undefined where it is not known. */
export function knownId(session: string): string | undefined {
	return present.get(session);
}

/** Notes the ID that a list has shown. */
export function rememberId(session: string, id: string): string {
	if (knownId(session) !== id) forgetId(session);
	unlisted.delete(session);
	present.set(session, id);
	limit(present);
	return id;
}

/** Notes the ID of a conversation that this process has created. */
export function noteCreated(session: string, id: string): void {
	rememberId(session, id);
	unlisted.add(session);
	limit(unlisted);
}

/** Whether this process has created the conversation, and no list has shown it since. */
export function isNew(session: string): boolean {
	return unlisted.has(session);
}

/** Notes that a conversation was created, or a message stored in it. */
export function noteWritten(session: string, message?: Written): void {
	const at = elapsed();
	const messages = writtenLately(session);
	written.delete(session);
	written.set(session, { at, messages: message ? [...messages, { ...message, at }] : messages });
	for (const [other, last] of written) if (!isLate(last)) written.delete(other);
}

/** Whether this process has written so short a time ago that a read may not show it. */
export function isWrittenLately(session: string): boolean {
	const last = written.get(session);
	return last !== undefined && isLate(last);
}

/** The messages of this process that a read may not show yet, the oldest first. */
export function writtenLately(session: string): Array<Written & { at: number }> {
	return (written.get(session)?.messages ?? []).filter(isLate);
}

/** Notes what was stored before a message of the same turn has failed. */
export function noteBegun(session: string, stored: Text[]): void {
	begun.set(session, stored);
	limit(begun);
}

/** What {@link noteBegun} has noted last; once, since other messages follow it then. */
export function takeBegun(session: string): Text[] {
	const stored = begun.get(session) ?? [];
	begun.delete(session);
	return stored;
}

/** The conversation is not that of its session any more, unless a list shows it again. */
export function forgetId(session: string): void {
	present.delete(session);
	unlisted.delete(session);
	written.delete(session);
}

/** The conversation is never again that of its session, although a list may still have it. */
export function noteCleared(session: string, id: string): void {
	forgetId(session);
	cleared.add(clearedKey(session, id));
	limit(cleared);
}

export function isCleared(session: string, id: string): boolean {
	return cleared.has(clearedKey(session, id));
}

function isLate({ at }: { at: number }): boolean {
	return elapsed() - at < BEHIND_MS;
}

function clearedKey(session: string, id: string): string {
	return JSON.stringify([session, id]);
}

function limit(all: Map<string, unknown> | Set<string>): void {
	const [oldest] = all.keys();
	if (all.size > MAX_KNOWN) all.delete(oldest!);
}
