import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { StreamEvent } from '../../shared/stream/decoder';
import type { StreamRequest } from '../../shared/stream/stream';
import { jsonOf } from './level';
import { CAAS } from './credentials';

export const STREAMS = ['stdout', 'stderr'] as const;

/** One stream of one container. */
export interface LogName {
	deploymentId: string;
	containerId: string;
	stream: (typeof STREAMS)[number];
}

export const OFFSET_UNITS = ['entries', 'bytes', 'eventId', 'none'] as const;

/** How the service is asked to go on from a place; neither name nor unit is shown in the specification. */
export interface OffsetSettings {
	offsetParameter: string;
	offsetUnit: (typeof OFFSET_UNITS)[number];
}

/** A place between two entries of a log. */
export interface LogOffset {
	/** Entries before it, counted from where reading began. */
	entries: number;
	/** Bytes before it. */
	bytes: number;
	/** ID of the last event before it; empty when there was none. */
	id: string;
}

export const BEGINNING: LogOffset = { entries: 0, bytes: 0, id: '' };

/** The place after an entry. */
export function after(place: LogOffset, event: StreamEvent): LogOffset {
	return {
		entries: place.entries + 1,
		bytes: place.bytes + event.bytes,
		id: event.hasOwnId ? event.id : place.id,
	};
}

/** `GET …/caas/deployment/{deployment_id}/log/{container_id}` from a place on (compute-api.md "Container log stream"). */
export function logRequest(
	{ deploymentId, containerId, stream }: LogName,
	parameters: OffsetSettings,
	from: LogOffset,
): StreamRequest {
	const isId = parameters.offsetUnit === 'eventId' && from.id !== '';
	const offset = {
		entries: from.entries,
		bytes: from.bytes,
		eventId: isId ? from.id : undefined,
		none: undefined,
	}[parameters.offsetUnit];
	return {
		method: 'GET',
		path: `${CAAS}/deployment/{deployment_id}/log/{container_id}`,
		params: { deployment_id: deploymentId, container_id: containerId },
		query: { stream, [parameters.offsetParameter]: offset },
		headers: isId ? { 'Last-Event-ID': from.id } : undefined,
	};
}

/** An entry for the output. */
export function entryJson(
	log: LogName,
	offset: string | number | null,
	event: StreamEvent,
	receivedAt: string,
): IDataObject {
	const json = textJson(log, offset, event.data, receivedAt);
	if (event.type !== '' && event.type !== 'message') json.event = event.type;
	if (event.truncated) json.truncated = true;
	return json;
}

/**
 * An entry of which there is nothing but its text; made for each line of a log, so without detours.
 *
 * Field by field, since V8 watches what becomes of the objects of a literal that has fields (`{}` has none): once most of them have
 * outlived a collection of garbage, as the lines of a batch may, it makes the next ones where they stay for long, and a line
 * costs twice as much.
 */
export function textJson(
	{ deploymentId, containerId, stream }: LogName,
	offset: string | number | null,
	line: string,
	receivedAt: string,
): IDataObject {
	const json: IDataObject = {};
	json.line = line;
	json.stream = stream;
	json.deployment_id = deploymentId;
	json.container_id = containerId;
	json.offset = offset;
	json.received_at = receivedAt;
	const data = jsonOf(line);
	if (data) json.data = data as IDataObject;
	return json;
}

/** An item of a batch; field by field as {@link textJson}. */
export function itemOf(json: IDataObject): INodeExecutionData {
	const item = {} as INodeExecutionData;
	item.json = json;
	return item;
}
