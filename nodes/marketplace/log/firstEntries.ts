import type { RequestContext } from '../../shared/http/request';
import type { StreamEvent } from '../../shared/stream/event';
import type { LogDecoderOptions } from '../../shared/stream/logDecoder';
import { readStream } from '../../shared/stream/stream';
import { BEGINNING, logRequest, type LogName, type OffsetSettings } from './request';

/** Longest time for the first entries of a log. */
const FIRST_ENTRIES_MS = 3_000;
/** Entries that tell one beginning of a log from another place in it. */
export const FIRST_ENTRIES = 4;

/**
 * Reads the first entries of a log; none where they do not come in time.
 * @param headMs how long the head of the answer may take, in place of the usual time
 * @param offset of the first one, in entries
 */
export async function firstEntries(
	context: RequestContext,
	log: LogName,
	settings: OffsetSettings,
	options: LogDecoderOptions,
	headMs?: number,
	offset = 0,
): Promise<StreamEvent[]> {
	const first: StreamEvent[] = [];
	await readStream(
		context,
		{ ...logRequest(log, settings, { ...BEGINNING, entries: offset }), headMs },
		{ longestMs: FIRST_ENTRIES_MS, quietMs: FIRST_ENTRIES_MS },
		(event) => first.push(event) < FIRST_ENTRIES,
		options,
	);
	return first;
}

/**
 * The ID of an entry that came first from the offset 0, if others may be before it: a service may take the offset for the ID of the
 * last event that the client has, and then the offset 0 leaves out the event with the ID 0.
 */
export function laterId({ hasOwnId, lastEventId }: Readonly<StreamEvent>): number | undefined {
	return hasOwnId && /^[1-9]\d*$/.test(lastEventId) ? Number(lastEventId) : undefined;
}

/**
 * Whether entries are the first ones of a log, by their text: event IDs may be of each connection's own. Undefined where that cannot be
 * told, since they are equal or the log shows none. Where it is true of two offsets that follow each other, the service has ignored them:
 * no log of lines that differ repeats its beginning at both.
 * @param first the first entries of the log
 */
export function areFirst(
	entries: ReadonlyArray<Readonly<StreamEvent>>,
	first: ReadonlyArray<Readonly<StreamEvent>>,
): boolean | undefined {
	const compared = entries.slice(0, first.length).map(({ data }) => data);
	if (compared.some((data, index) => data !== first[index]!.data)) return false;
	return new Set(compared).size > 1 ? true : undefined;
}

/** Whether the log, requested without an offset, has entries before the one with this ID. */
export async function hasEntriesBefore(
	id: number,
	context: RequestContext,
	log: LogName,
	settings: OffsetSettings,
	options: LogDecoderOptions,
	headMs?: number,
): Promise<boolean> {
	const withoutOffset: OffsetSettings = { ...settings, offsetUnit: 'none' };
	const first = await firstEntries(context, log, withoutOffset, options, headMs);
	return first.some(
		({ hasOwnId, lastEventId }) =>
			hasOwnId && /^\d+$/.test(lastEventId) && Number(lastEventId) < id,
	);
}

/** What an entry is recognized by. */
export function keyOf({ data, hasOwnId, lastEventId }: Readonly<StreamEvent>): string {
	return JSON.stringify([data, hasOwnId && lastEventId]);
}
