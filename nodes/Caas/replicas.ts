import type { IDataObject } from 'n8n-workflow';
import { CAAS } from '../marketplace/product';
import { entriesOf } from '../shared/http/pages';
import { requestObject, type RequestContext } from '../shared/http/request';

/**
 * `GET …/available-replicas` (beyond-the-spec.md section 2): the locations of a hardware, and how many containers of this size each has room for.
 * @param hardwareQty GPUs per container
 * @returns the locations as the service sent them
 */
export async function listAvailableReplicas(
	context: RequestContext,
	hardwareId: number,
	hardwareQty: number,
): Promise<IDataObject[]> {
	const { data } = await requestObject(context, {
		method: 'GET',
		path: `${CAAS.path}/available-replicas`,
		query: { hardware_id: hardwareId, hardware_qty: hardwareQty },
		retry: 'idempotent',
	});
	return entriesOf(context, data);
}
