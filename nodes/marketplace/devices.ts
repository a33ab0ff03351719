import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { saysError } from '../shared/http/refusal';
import { requestObject, type RequestContext } from '../shared/http/request';
import { contextError } from '../shared/operation/context';

/**
 * The `data` of an envelope (compute-api.md "Device details envelope").
 * @param part last segment of the path
 * @throws an error with the service's own words for a `status` that is not `succeeded`, in any case; one that is absent says nothing
 */
export async function readDevice(
	context: RequestContext,
	deviceId: string,
	part: string,
): Promise<IDataObject> {
	const response = await requestObject(context, {
		method: 'GET',
		path: `/v1/{service}-explorer/devices/{device_id}/${part}`,
		params: { device_id: deviceId },
		retry: 'idempotent',
	});
	const { status, data } = response;
	const words = [response.message, response.detail, response.error].find(
		(text) => typeof text === 'string' && saysError(text),
	);
	const isSuccess = String(status ?? (words ? '' : 'succeeded')).toLowerCase() === 'succeeded';
	if (isSuccess && isJson(data)) return data;
	throw contextError(context, {
		message: `The service reports "${String(status ?? 'no status')}" for device ${deviceId}${words ? `: ${String(words)}` : ''}`,
		description: 'The response does not contain the device. Try again later.',
	});
}

/** One item for each day. The value of a day is an array in the object reference and an object in the response (compute-api.md "Downtime entry"): both are read. */
export function downtimeDays(byDate: unknown): Array<IDataObject & { date: string }> {
	if (!isRecord(byDate)) return [];
	return Object.entries(byDate).flatMap(([date, value]) =>
		(Array.isArray(value) ? value : [value]).filter(isJson).map((entry) => ({ date, ...entry })),
	);
}

function isJson(value: unknown): value is IDataObject {
	return isRecord(value);
}
