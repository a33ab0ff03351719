import type { IDataObject } from 'n8n-workflow';
import { limitFields, readLimit } from '../../shared/fields';
import type { Operation, Resource } from '../../shared/operation/operation';
import { isRecord } from '../../shared/guards';
import { listEntries, numberedPages } from '../../shared/http/pagination';
import type { RequestContext } from '../../shared/http/request';
import { containerIdField, deploymentIdField } from '../../marketplace/log/fields';
import { CAAS } from '../../marketplace/log/credentials';

/** `GET …/deployment/{deployment_id}/containers`, all pages (beyond-the-spec.md section 2). */
export async function listContainers(
	context: RequestContext,
	deploymentId: string,
	limit?: number,
): Promise<IDataObject[]> {
	return await listEntries(
		context,
		{
			path: `${CAAS}/deployment/{deployment_id}/containers`,
			params: { deployment_id: deploymentId },
			paging: numberedPages(0),
			entries: ({ data }) => isRecord(data) && data.workers,
			key: containerIdOf,
		},
		limit,
	);
}

export function containerIdOf(container: IDataObject): string | undefined {
	const id = container.container_id;
	return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
}

const getAll: Operation<{ deploymentId: string; limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many containers',
	description: 'Retrieve the containers of a deployment with state, events and public address',
	effect: 'read',
	fields: [deploymentIdField, ...limitFields],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		limit: readLimit(parameters),
	}),
	async run(context, { deploymentId, limit }) {
		return (await listContainers(context, deploymentId, limit)).map((container) => ({
			...container,
			deployment_id: deploymentId,
		}));
	},
};

/**
 * `GET …/deployment/{deployment_id}/containers-jobs/{container_id}`, all pages (beyond-the-spec.md section 2). Neither the list
 * nor its entries are described: the list is taken to have the name that it has for the jobs of a VM (section 1 "VMs of a
 * deployment"), and an entry is handed on as it comes.
 */
const getJobs: Operation<{ deploymentId: string; containerId: string; limit?: number }> = {
	value: 'getJobs',
	name: 'Get Jobs',
	action: 'Get jobs of a container',
	description: 'Retrieve the jobs of one container of a deployment',
	effect: 'read',
	fields: [deploymentIdField, containerIdField, ...limitFields],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		containerId: parameters.pathId('containerId'),
		limit: readLimit(parameters),
	}),
	async run(context, { deploymentId, containerId, limit }) {
		const jobs = await listEntries(
			context,
			{
				path: `${CAAS}/deployment/{deployment_id}/containers-jobs/{container_id}`,
				params: { deployment_id: deploymentId, container_id: containerId },
				paging: numberedPages(0),
				entries: ({ data }) => isRecord(data) && data.workers,
			},
			limit,
		);
		return jobs.map((job) => ({ ...job, deployment_id: deploymentId, container_id: containerId }));
	},
};

export const container: Resource = {
	value: 'container',
	name: 'Container',
	operations: [getAll, getJobs],
};
