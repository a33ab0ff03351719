import { limitFields, readLimit } from '../../shared/fields';
import type { Operation, Resource } from '../../shared/operation/operation';
import { isRecord } from '../../shared/guards';
import { listEntries, numberedPages } from '../../shared/http/pagination';
import { listContainers } from '../../marketplace/containers';
import { containerDeploymentIdField, containerIdField } from '../../marketplace/log/fields';
import { CAAS } from '../../marketplace/product';
import { withoutSecrets } from '../../marketplace/secrets';

const getAll: Operation<{ deploymentId: string; limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many containers',
	description: 'Retrieve the containers of a deployment with state, events and public address',
	effect: 'read',
	fields: [containerDeploymentIdField, ...limitFields],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		limit: readLimit(parameters),
	}),
	async run(context, { deploymentId, limit }) {
		return (await listContainers(context, deploymentId, limit)).map((container) => ({
			...withoutSecrets(container),
			deployment_id: deploymentId,
		}));
	},
};

/**
 * `GET …/deployment/{deployment_id}/containers-jobs/{container_id}`, all pages (beyond-the-spec.md section 2). Neither the list
 * nor its entries are documented: the list is assumed to have the same key as the jobs of a VM (section 1 "VMs of a
 * deployment"), and an entry is output as the service sent it.
 */
const getJobs: Operation<{ deploymentId: string; containerId: string; limit?: number }> = {
	value: 'getJobs',
	name: 'Get Jobs',
	action: 'Get jobs of container',
	description: 'Retrieve the jobs of one container of a deployment',
	effect: 'read',
	fields: [containerDeploymentIdField, containerIdField, ...limitFields],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		containerId: parameters.pathId('containerId'),
		limit: readLimit(parameters),
	}),
	async run(context, { deploymentId, containerId, limit }) {
		const jobs = await listEntries(
			context,
			{
				path: `${CAAS.path}/deployment/{deployment_id}/containers-jobs/{container_id}`,
				params: { deployment_id: deploymentId, container_id: containerId },
				paging: numberedPages(0),
				entries: ({ data }) => isRecord(data) && data.workers,
			},
			limit,
		);
		return jobs.map((job) => ({
			...withoutSecrets(job),
			deployment_id: deploymentId,
			container_id: containerId,
		}));
	},
};

export const container: Resource = {
	value: 'container',
	name: 'Container',
	operations: [getAll, getJobs],
};
