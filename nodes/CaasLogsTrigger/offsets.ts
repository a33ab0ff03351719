import { createHash } from 'node:crypto';
import { after, BEGINNING, logRequest, type LogName, type OffsetForm, type Position } from '../Caas/logStream';
import type { DecoderOptions, StreamEvent } from '../shared/decoder';
import type { Api, Outcome } from '../shared/request';
import { readStream, type StreamRequest } from '../shared/stream';

/** What tells one log from all others; no identifier holds a slash. */
export function nameOf({ deploymentId, containerId, stream }: LogName): string {
	return `${deploymentId}/${containerId}/${stream}`;
}

/** What tells one entry from another, short enough to be kept. */
export function digestOf({ data, id, hasOwnId }: StreamEvent): string {
	return createHash('sha256').update(`${hasOwnId ? id : ''}\n${data}`).digest('base64').slice(0, 16);
}

const FIRST_ENTRIES = 64;
const LONGEST_LOOK_MS = 5_000;
/** After the first entry; before it a service may need some time to find the log. */
const QUIET_MS = 1_000;

/**
 * Whether the service goes on from the offset that it is given. Its query name is not shown in the specification, and a
 * service that does not know it begins at the beginning each time. So two places whose entries differ are asked for:
 * where the second answer begins like the first, the offset is ignored. Where that cannot be told (one entry, entries that
 * all say the same) the log is read from its beginning and skipped by count, too: that is right for either kind of service.
 * So it is where nothing of the beginning comes in time.
 *
 * @param decoding how to read the log
 * @returns the outcome of a request that failed
 */
export async function honoursOffset(api: Api, log: LogName, form: OffsetForm, decoding: DecoderOptions): Promise<{ isHonoured: boolean; isSure: boolean; first?: StreamEvent } | Outcome> {
	if (form.offsetUnit === 'none') return { isHonoured: false, isSure: true };
	const look = async (from: Position, limit: number) => await readFirst(api, logRequest(log, form, from), decoding, limit);
	const entries = await look(BEGINNING, FIRST_ENTRIES);
	if (!Array.isArray(entries)) return entries;
	const [first] = entries;
	const other = entries.find((entry) => entry.data !== first?.data);
	// Asked for without an ID, a service may well begin with what comes now
	if (!first || !other) return { isHonoured: !first && form.offsetUnit === 'eventId', isSure: false, first };
	const answer = await look(entries.slice(0, entries.indexOf(other)).reduce(after, BEGINNING), 1);
	if (!Array.isArray(answer)) return answer;
	const data = answer[0]?.data;
	return { isHonoured: data === other.data, isSure: data === first.data || data === other.data, first };
}

/** The first entry that the log has now; undefined when none comes in time. */
export async function firstOf(api: Api, log: LogName, form: OffsetForm, decoding: DecoderOptions): Promise<StreamEvent | undefined | Outcome> {
	const entries = await readFirst(api, logRequest(log, form, BEGINNING), decoding, 1);
	return Array.isArray(entries) ? entries[0] : entries;
}

/** The first entries: up to the first one that differs from those before it, or up to a number. */
async function readFirst(api: Api, request: StreamRequest, decoding: DecoderOptions, limit: number): Promise<StreamEvent[] | Outcome> {
	const entries: StreamEvent[] = [];
	const bounds = { longestMs: LONGEST_LOOK_MS, quietMs: LONGEST_LOOK_MS };
	const take = (entry: StreamEvent) => {
		bounds.quietMs = QUIET_MS;
		return entries.push({ ...entry }) < limit && entry.data === entries[0]?.data;
	};
	return (await readStream(api, request, bounds, take, decoding)) ?? entries;
}
