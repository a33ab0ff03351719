import { createHash } from 'node:crypto';
import {
	BEGINNING,
	logRequest,
	offsetAfter,
	type LogName,
	type OffsetSettings,
	type LogOffset,
} from '../marketplace/log/request';
import type { DecoderOptions } from '../shared/stream/decoder';
import type { StreamEvent } from '../shared/stream/event';
import type { RequestContext } from '../shared/http/request';
import { readStream, type StreamRequest } from '../shared/stream/stream';
import type { Reply } from '../shared/http/reply';

/** What tells one entry from another, short enough to be kept; its ID stands at the end. */
export function digestOf({ data, lastEventId: id, hasOwnId }: StreamEvent): string {
	const ownId = hasOwnId ? id : '';
	return createHash('sha256').update(`${ownId}\n${data}`).digest('base64').slice(0, DIGEST) + ownId;
}

/** Whether the entry is the first of the log that has this head, or has its ID with other data: then it is the first of another log. */
export function isAtHead(entry: StreamEvent, head: string): boolean {
	return (
		digestOf(entry) === head ||
		(entry.lastEventId !== '' && entry.lastEventId === head.slice(DIGEST))
	);
}

const DIGEST = 16;
const FIRST_ENTRIES = 64;
const LONGEST_LOOK_MS = 5_000;
/** After the first entry; before it a service may need some time to find the log. */
const QUIET_MS = 1_000;

interface Found {
	isHonoured: boolean;
	/** Whether that is known for good. */
	isSure: boolean;
	/** The first entry that the log has now. */
	first?: StreamEvent;
}

/**
 * Whether the service goes on from the offset that it is given. Its query name is not shown in the specification, and a
 * service that does not know it begins at the beginning each time. So two places whose entries differ are asked for:
 * where the second answer begins like the first, the offset is ignored. Where that cannot be told (one entry, entries that
 * all say the same, nothing in time), a log with offsets that count is read from its beginning and skipped by count: that is
 * right for either kind of service. An event ID is given then: asked without one, a service may well begin with what comes just
 * then, and one that ignores it shows the beginning, which is known.
 *
 * @param decoding how to read the log
 * @returns the outcome of a request that failed
 */
export async function honoursOffset(
	context: RequestContext,
	log: LogName,
	parameters: OffsetSettings,
	decoding: DecoderOptions,
): Promise<Found | Reply> {
	if (parameters.offsetUnit === 'none') return { isHonoured: false, isSure: true };
	const isId = parameters.offsetUnit === 'eventId';
	// What follows an entry without an ID, a greeting for one, cannot be asked for
	const telling = (entries: StreamEvent[]) =>
		isId ? entries.filter(({ hasOwnId }) => hasOwnId) : entries;
	// Two IDs differ also where all entries say the same
	const told = ({ lastEventId: id, data }: StreamEvent) => (isId ? id : data);
	const otherOf = ([one, ...more]: StreamEvent[]) =>
		more.find((entry) => one && told(entry) !== told(one));
	const look = async (from: LogOffset, isEnough: (entries: StreamEvent[]) => boolean) =>
		await readFirst(context, logRequest(log, parameters, from), decoding, (entries) =>
			isEnough(telling(entries)),
		);
	const all = await look(BEGINNING, (entries) => otherOf(entries) !== undefined);
	if (!Array.isArray(all)) return all;
	const entries = telling(all);
	const [one] = entries;
	const other = otherOf(entries);
	const unsure = { isHonoured: isId, isSure: false, first: all[0] };
	if (!one || !other) return unsure;
	const answer = await look(
		entries.slice(0, entries.indexOf(other)).reduce(offsetAfter, BEGINNING),
		({ length }) => length > 0,
	);
	if (!Array.isArray(answer)) return answer;
	const [begin] = telling(answer).map(told);
	const isHonoured = begin === told(other);
	return isHonoured || begin === told(one) ? { ...unsure, isHonoured, isSure: true } : unsure;
}

/** Looks only for the first entry, at a service that honours the offset. While there is none, the first one that comes will tell whether it is of another log. */
export async function firstOf(
	context: RequestContext,
	log: LogName,
	parameters: OffsetSettings,
	decoding: DecoderOptions,
): Promise<Found | Reply> {
	const entries = await readFirst(
		context,
		logRequest(log, parameters, BEGINNING),
		decoding,
		() => true,
	);
	return Array.isArray(entries)
		? { isHonoured: entries.length > 0, isSure: false, first: entries[0] }
		: entries;
}

/** The first entries: until they are enough, or so many. */
async function readFirst(
	context: RequestContext,
	request: StreamRequest,
	decoding: DecoderOptions,
	isEnough: (entries: StreamEvent[]) => boolean,
): Promise<StreamEvent[] | Reply> {
	const entries: StreamEvent[] = [];
	const bounds = { longestMs: LONGEST_LOOK_MS, quietMs: LONGEST_LOOK_MS };
	const take = (entry: StreamEvent) => {
		bounds.quietMs = QUIET_MS;
		return entries.push({ ...entry }) < FIRST_ENTRIES && !isEnough(entries);
	};
	return (await readStream(context, request, bounds, take, decoding)) ?? entries;
}
