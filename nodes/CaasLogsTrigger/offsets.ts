import { createHash } from 'node:crypto';
import { after, BEGINNING, logRequest, type LogName, type Position } from '../Caas/logStream';
import type { DecoderOptions, StreamEvent } from '../shared/decoder';
import type { Api, Outcome } from '../shared/request';
import { readStream } from '../shared/stream';
import { now } from '../shared/time';
import type { Settings } from './settings';

/** What tells one log from all others; no identifier holds a slash. */
export function nameOf({ deploymentId, containerId, stream }: LogName): string {
	return `${deploymentId}/${containerId}/${stream}`;
}

/** What tells one entry from another, short enough to be kept. */
export function digestOf({ data, id, hasOwnId }: StreamEvent): string {
	return createHash('sha256').update(`${hasOwnId ? id : ''}\n${data}`).digest('base64').slice(0, 16);
}

/** How the decoder has to be set for a log. */
export function decoding(settings: Settings): DecoderOptions {
	return { format: settings.format, keepsBareLines: true, largestEntry: settings.largestLine, countsBytes: settings.offsetUnit === 'bytes' };
}

const FIRST_ENTRIES = 64;
const LONGEST_LOOK_MS = 5_000;
const QUIET_MS = 1_000;

/**
 * Whether the service goes on from the offset that it is given. Its query name is not shown in the specification, and a
 * service that does not know it begins at the beginning each time. So two places whose entries differ are asked for:
 * where the second answer begins like the first, the offset is ignored. Where that cannot be told (the log is too short or
 * says the same all the time) the offset is believed: entries may then come twice, but none is skipped.
 *
 * @returns the outcome of a request that failed
 */
export async function honoursOffset(api: Api, log: LogName, settings: Settings): Promise<{ isHonoured: boolean; isSure: boolean } | Outcome> {
	if (settings.offsetUnit === 'none') return { isHonoured: false, isSure: true };
	const entries = await look(api, log, settings, BEGINNING);
	if (!Array.isArray(entries)) return entries;
	const [first] = entries;
	const other = entries.find((entry) => entry.data !== first?.data);
	if (!first || !other) return { isHonoured: true, isSure: false };
	const answer = await look(api, log, settings, entries.slice(0, entries.indexOf(other)).reduce(after, BEGINNING), 1);
	if (!Array.isArray(answer)) return answer;
	const data = answer[0]?.data;
	return { isHonoured: data !== first.data, isSure: data === first.data || data === other.data };
}

/** The first entries at a place: up to the first one that differs from those before it, or up to a number. */
async function look(api: Api, log: LogName, settings: Settings, from: Position, limit = FIRST_ENTRIES): Promise<StreamEvent[] | Outcome> {
	const entries: StreamEvent[] = [];
	const take = (entry: StreamEvent) => entries.push({ ...entry }) < limit && entry.data === entries[0]?.data;
	const bounds = { until: now() + LONGEST_LOOK_MS, quietMs: QUIET_MS };
	return (await readStream(api, logRequest(log, settings, from), bounds, take, decoding(settings))) ?? entries;
}
