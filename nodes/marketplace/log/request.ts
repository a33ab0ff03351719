import type { StreamEvent } from '../../shared/stream/event';
import type { StreamRequest } from '../../shared/stream/stream';
import { CAAS } from '../product';

export const STREAMS = ['stdout', 'stderr'] as const;

/** One log: one output stream of one container. */
export interface LogName {
	deploymentId: string;
	containerId: string;
	stream: (typeof STREAMS)[number];
}

/** Text that identifies a log among all others; no identifier contains a slash. */
export function logKey({ deploymentId, containerId, stream }: LogName): string {
	return `${deploymentId}/${containerId}/${stream}`;
}

export const OFFSET_UNITS = ['entries', 'bytes', 'eventId', 'none'] as const;

/** How the service is asked to resume at an offset; the specification documents neither name nor unit. */
export interface OffsetSettings {
	/** Name of the query parameter. */
	offsetParameter: string;
	offsetUnit: (typeof OFFSET_UNITS)[number];
}

/** An offset in a log, between two entries, in each unit that a service may count in. */
export interface LogOffset {
	/** Entries before it, counted from where reading began. */
	entries: number;
	/** Bytes before it. */
	bytes: number;
	/** ID of the last event before it; empty when there was none. */
	lastEventId: string;
}

/** The start of a log. */
export const BEGINNING: LogOffset = { entries: 0, bytes: 0, lastEventId: '' };

/** No log is so long, and a service that counts in 32 bits can still read it. */
const FAR = 1_000_000_000;

/** With which services refuse an offset that they do not know, such as 0 where they count from one. */
export const OFFSET_VALUE_STATUSES: ReadonlySet<number> = new Set([400, 416, 422]);

/** An offset far beyond the end of the log, where nothing can be. */
export function beyond({ entries, bytes, lastEventId }: LogOffset): LogOffset {
	return { entries: entries + FAR, bytes: bytes + FAR, lastEventId };
}

/** The offset after an entry that begins at `offset`. */
export function offsetAfter(offset: LogOffset, event: StreamEvent): LogOffset {
	return {
		entries: offset.entries + 1,
		bytes: offset.bytes + event.bytes,
		lastEventId: event.hasOwnId ? event.lastEventId : offset.lastEventId,
	};
}

/**
 * `GET …/caas/deployment/{deployment_id}/log/{container_id}` (compute-api.md "Container log stream").
 * @param from offset of the first entry that is wanted; sent in the unit of the settings
 */
export function logRequest(
	{ deploymentId, containerId, stream }: LogName,
	settings: OffsetSettings,
	from: LogOffset,
): StreamRequest {
	const isId = settings.offsetUnit === 'eventId' && from.lastEventId !== '';
	const offset = {
		entries: from.entries,
		bytes: from.bytes,
		eventId: isId ? from.lastEventId : undefined,
		none: undefined,
	}[settings.offsetUnit];
	return {
		method: 'GET',
		path: `${CAAS.path}/deployment/{deployment_id}/log/{container_id}`,
		params: { deployment_id: deploymentId, container_id: containerId },
		query: { stream, [settings.offsetParameter]: offset },
		headers: isId ? { 'Last-Event-ID': from.lastEventId } : undefined,
	};
}
