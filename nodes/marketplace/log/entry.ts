import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { isRecord } from '../../shared/guards';
import { parseJson } from '../../shared/json';
import type { StreamEvent } from '../../shared/stream/event';
import type { LogName } from './request';

const OPENING_BRACE = 123;
const SPACE = 32;

/** The JSON object that a line consists of; undefined for any other line. */
export function jsonObjectOf(line: string): Record<string, unknown> | undefined {
	const first = line.charCodeAt(0);
	// Decides nearly every line by its first character
	if (first !== OPENING_BRACE && (first > SPACE || !line.trimStart().startsWith('{')))
		return undefined;
	const value = parseJson(line);
	return isRecord(value) ? value : undefined;
}

/**
 * The output of one log entry. It runs once per line of a log, so it is written for speed: one assignment per field. V8 tracks
 * what becomes of the objects of a literal with fields (`{}` has none). Once most of them have survived a garbage collection,
 * as the lines of a batch may, it allocates the next ones in old space, and a line costs twice as much.
 *
 * @param offset of the entry, in the unit in which the service counts; null where it has none
 * @param receivedAt ISO 8601
 */
export function entryJson(
	{ deploymentId, containerId, stream }: LogName,
	offset: string | number | null,
	event: StreamEvent,
	receivedAt: string,
): IDataObject {
	const json: IDataObject = {};
	json.line = event.data;
	json.stream = stream;
	json.deployment_id = deploymentId;
	json.container_id = containerId;
	json.offset = offset;
	json.received_at = receivedAt;
	const data = jsonObjectOf(event.data);
	if (data) json.data = data as IDataObject;
	if (event.type !== '' && event.type !== 'message') json.event = event.type;
	if (event.truncated) json.truncated = true;
	return json;
}

/** An output item; assigned as in {@link entryJson}, for the same reason. */
export function itemOf(json: IDataObject): INodeExecutionData {
	const item = {} as INodeExecutionData;
	item.json = json;
	return item;
}
