import { createHash } from 'node:crypto';
import type { StreamEvent } from '../shared/stream/event';

const DIGEST_CHARACTERS = 16;

/** A short text that tells entries apart: a digest of ID and data, followed by the entry's own ID if it has one. */
export function entryDigest({ data, lastEventId, hasOwnId }: StreamEvent): string {
	const ownId = hasOwnId ? lastEventId : '';
	const digest = createHash('sha256').update(`${ownId}\n${data}`).digest('base64');
	return digest.slice(0, DIGEST_CHARACTERS) + ownId;
}

/**
 * Whether an entry is the first one of a log: of the log with this digest, or, if only the ID is the same, of the log
 * that has taken its place.
 */
export function isFirstEntry(entry: StreamEvent, firstEntryDigest: string): boolean {
	return (
		entryDigest(entry) === firstEntryDigest ||
		(entry.lastEventId !== '' && entry.lastEventId === firstEntryDigest.slice(DIGEST_CHARACTERS))
	);
}
