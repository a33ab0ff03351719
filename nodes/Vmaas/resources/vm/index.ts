import { deploymentIdField } from '../../../marketplace/fields';
import { VMAAS } from '../../../marketplace/product';
import { readSshAccess } from '../../../marketplace/ssh';
import { limitFields, readLimit } from '../../../shared/fields';
import { isRecord } from '../../../shared/guards';
import { listEntries, numberedPages } from '../../../shared/http/pagination';
import type { Operation, Resource } from '../../../shared/operation/operation';
import { downloadFile, uploadFile } from './files';
import { listVms } from './list';
import { runCommand } from './runCommand';
import { vmField } from './target';

export { listVms } from './list';

const getAll: Operation<{ deploymentId: string; limit?: number }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many VMs',
	description: 'Retrieve the VMs of a deployment with state, events, open ports and SSH address',
	effect: 'read',
	fields: [deploymentIdField, ...limitFields],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		limit: readLimit(parameters),
	}),
	async run(context, { deploymentId, limit }) {
		return (await listVms(context, deploymentId, limit)).map((vm) => ({
			...vm,
			...readSshAccess(vm),
			deployment_id: deploymentId,
		}));
	},
};

const getJobs: Operation<{ deploymentId: string; vmId: string; limit?: number }> = {
	value: 'getJobs',
	name: 'Get Jobs',
	action: 'Get jobs of VM',
	description: 'Retrieve the jobs of one VM of a deployment',
	effect: 'read',
	fields: [
		deploymentIdField,
		vmField('The VM whose jobs to get', 'Select a VM...'),
		...limitFields,
	],
	input: (parameters) => ({
		deploymentId: parameters.pathId('deploymentId'),
		vmId: parameters.pathId('vmId'),
		limit: readLimit(parameters),
	}),
	async run(context, { deploymentId, vmId, limit }) {
		const jobs = await listEntries(
			context,
			{
				path: `${VMAAS.path}/deployment/{deployment_id}/vms-jobs/{vm_id}`,
				params: { deployment_id: deploymentId, vm_id: vmId },
				paging: numberedPages(1),
				entries: ({ data }) => isRecord(data) && data.workers,
			},
			limit,
		);
		return jobs.map((job) => ({ ...job, deployment_id: deploymentId, vm_id: vmId }));
	},
};

export const vm: Resource = {
	value: 'vm',
	name: 'VM',
	operations: [getAll, getJobs, runCommand, uploadFile, downloadFile],
};
