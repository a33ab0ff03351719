import type { IDataObject } from 'n8n-workflow';
import { VMAAS } from '../../../marketplace/product';
import { isRecord } from '../../../shared/guards';
import { listEntries, numberedPages } from '../../../shared/http/pagination';
import type { RequestContext } from '../../../shared/http/request';

/**
 * `GET …/deployment/{deployment_id}/vms`, all pages (beyond-the-spec.md section 1 "VMs of a deployment").
 * @throws also where one of them has no ID
 */
export async function listVms(
	context: RequestContext,
	deploymentId: string,
	limit?: number,
): Promise<IDataObject[]> {
	return await listEntries(
		context,
		{
			path: `${VMAAS.path}/deployment/{deployment_id}/vms`,
			params: { deployment_id: deploymentId },
			paging: numberedPages(1),
			entries: ({ data }) => isRecord(data) && data.workers,
			key: vmIdOf,
		},
		limit,
	);
}

/** The ID of a VM as text. */
export function vmIdOf({ vm_id: id }: IDataObject): string | undefined {
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
