import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { listEntries, numberedPages } from '../shared/http/pagination';
import type { RequestContext } from '../shared/http/request';
import { CAAS } from './product';

/**
 * `GET …/deployment/{deployment_id}/containers`, all pages (beyond-the-spec.md section 2).
 * @param limit maximum number of containers; all of them without it
 * @returns the containers as the service sent them
 * @throws the error of a request that failed
 */
export async function listContainers(
	context: RequestContext,
	deploymentId: string,
	limit?: number,
): Promise<IDataObject[]> {
	return await listEntries(
		context,
		{
			path: `${CAAS.path}/deployment/{deployment_id}/containers`,
			params: { deployment_id: deploymentId },
			paging: numberedPages(0),
			// Before the first one starts there may be no list
			entries: ({ data }) => isRecord(data) && 'workers' in data && (data.workers ?? []),
			key: containerIdOf,
		},
		limit,
	);
}

/** The ID of a container as text; undefined where an entry of the list has none. */
export function containerIdOf(container: IDataObject): string | undefined {
	const id = container.container_id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}
