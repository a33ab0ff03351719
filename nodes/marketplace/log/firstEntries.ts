import type { RequestContext } from '../../shared/http/request';
import type { StreamEvent } from '../../shared/stream/event';
import type { LogDecoderOptions } from '../../shared/stream/logDecoder';
import { readStream } from '../../shared/stream/stream';
import { BEGINNING, logRequest, type LogName, type OffsetSettings } from './request';

/** Longest time for the first entries of a log. */
const FIRST_ENTRIES_MS = 3_000;
/** Entries that tell one beginning of a log from another place in it. */
const FIRST_ENTRIES = 4;

/** Reads the first entries of a log; none where they do not come in time. */
export async function firstEntries(
	context: RequestContext,
	log: LogName,
	settings: OffsetSettings,
	options: LogDecoderOptions,
): Promise<StreamEvent[]> {
	const first: StreamEvent[] = [];
	await readStream(
		context,
		logRequest(log, settings, BEGINNING),
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

/** Whether the log, requested without an offset, has entries before the one with this ID. */
export async function hasEntriesBefore(
	id: number,
	context: RequestContext,
	log: LogName,
	settings: OffsetSettings,
	options: LogDecoderOptions,
): Promise<boolean> {
	const first = await firstEntries(context, log, { ...settings, offsetUnit: 'none' }, options);
	return first.some(
		({ hasOwnId, lastEventId }) =>
			hasOwnId && /^\d+$/.test(lastEventId) && Number(lastEventId) < id,
	);
}
