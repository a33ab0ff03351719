import {
	BEGINNING,
	logRequest,
	offsetAfter,
	type LogName,
	type LogOffset,
	type OffsetSettings,
} from '../marketplace/log/request';
import type { Reply } from '../shared/http/reply';
import type { RequestContext } from '../shared/http/request';
import type { StreamEvent } from '../shared/stream/event';
import type { LogDecoderOptions } from '../shared/stream/logDecoder';
import { readStream, type StreamRequest } from '../shared/stream/stream';

const MAX_ENTRIES = 64;
const MAX_READ_MS = 5_000;
/** Silence that ends a read once an entry has come; before it, a service may need some time to find the log. */
const MAX_SILENCE_MS = 1_000;

interface ProbeResult {
	/** Whether the service honours the offset. */
	isHonoured: boolean;
	/** Whether that was observed, and not only assumed. */
	isCertain: boolean;
	/** The first entry of the present log. */
	firstEntry?: StreamEvent;
}

/**
 * Finds out whether the service resumes at an offset. The name of the query parameter is not documented, and a service that
 * does not know it sends the log from its start. So two offsets whose entries differ are requested: if the second answer begins
 * like the first, the offset is ignored. Without two such entries (one entry, all the same, nothing in time), an offset that
 * counts is assumed to be ignored: the log is read from its start and skipped by count, which is right for either kind of service. An
 * event ID is assumed to be honoured: without one, a service may begin with the newest entries, and one that ignores it
 * shows the start of the log, which is recognized.
 *
 * @returns the reply of a request that failed
 */
export async function probeOffset(
	context: RequestContext,
	log: LogName,
	settings: OffsetSettings,
	decoderOptions: LogDecoderOptions,
): Promise<ProbeResult | Reply> {
	if (settings.offsetUnit === 'none') return { isHonoured: false, isCertain: true };
	const isId = settings.offsetUnit === 'eventId';
	// An entry without an ID, such as a greeting, cannot be resumed after
	const addressable = (entries: StreamEvent[]) =>
		isId ? entries.filter(({ hasOwnId }) => hasOwnId) : entries;
	// IDs differ even if all entries have the same text
	const identity = ({ lastEventId, data }: StreamEvent) => (isId ? lastEventId : data);
	const otherOf = ([one, ...more]: StreamEvent[]) =>
		more.find((entry) => one && identity(entry) !== identity(one));
	const readFrom = async (from: LogOffset, isEnough: (entries: StreamEvent[]) => boolean) =>
		await readEntries(context, logRequest(log, settings, from), decoderOptions, (entries) =>
			isEnough(addressable(entries)),
		);
	const all = await readFrom(BEGINNING, (entries) => otherOf(entries) !== undefined);
	if (!Array.isArray(all)) return all;
	const entries = addressable(all);
	const [one] = entries;
	const other = otherOf(entries);
	const assumed = { isHonoured: isId, isCertain: false, firstEntry: all[0] };
	if (!one || !other) return assumed;
	const answer = await readFrom(
		entries.slice(0, entries.indexOf(other)).reduce(offsetAfter, BEGINNING),
		({ length }) => length > 0,
	);
	if (!Array.isArray(answer)) return answer;
	const [first] = addressable(answer).map(identity);
	const isHonoured = first === identity(other);
	return isHonoured || first === identity(one)
		? { ...assumed, isHonoured, isCertain: true }
		: assumed;
}

/**
 * Reads only the first entry, at a service that is known to honour the offset. An empty log counts as one that does not: the
 * first entry that comes later shows whether the log has rotated.
 * @returns the reply of a request that failed
 */
export async function readFirstEntry(
	context: RequestContext,
	log: LogName,
	settings: OffsetSettings,
	decoderOptions: LogDecoderOptions,
): Promise<ProbeResult | Reply> {
	const entries = await readEntries(
		context,
		logRequest(log, settings, BEGINNING),
		decoderOptions,
		() => true,
	);
	return Array.isArray(entries)
		? { isHonoured: entries.length > 0, isCertain: false, firstEntry: entries[0] }
		: entries;
}

/** Reads entries until they are enough, up to limits of number and time. */
async function readEntries(
	context: RequestContext,
	request: StreamRequest,
	decoderOptions: LogDecoderOptions,
	isEnough: (entries: StreamEvent[]) => boolean,
): Promise<StreamEvent[] | Reply> {
	const entries: StreamEvent[] = [];
	const bounds = { longestMs: MAX_READ_MS, quietMs: MAX_READ_MS };
	const take = (entry: StreamEvent) => {
		bounds.quietMs = MAX_SILENCE_MS;
		return entries.push({ ...entry }) < MAX_ENTRIES && !isEnough(entries);
	};
	return (await readStream(context, request, bounds, take, decoderOptions)) ?? entries;
}
