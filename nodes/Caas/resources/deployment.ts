import { collectionField, limitFields, readLimit } from '../../shared/fields';
import type { Operation, Resource } from '../../shared/operation/operation';
import { described, getDeployment, listDeployments, nameOf } from '../../marketplace/deployments';
import { namePrefixField, readNamePrefix, statusField } from '../../marketplace/fields';
import { containerDeploymentIdField } from '../../marketplace/log/fields';
import { CAAS } from '../../marketplace/paths';

const get: Operation<{ deploymentId: string }> = {
	value: 'get',
	name: 'Get',
	action: 'Get a container deployment',
	description:
		'Retrieve one container deployment with state, hardware, locations, container settings and remaining time',
	effect: 'read',
	fields: [containerDeploymentIdField],
	input: (parameters) => ({ deploymentId: parameters.pathId('deploymentId') }),
	async run(context, { deploymentId }) {
		return [
			described({
				...(await getDeployment(context, deploymentId, CAAS)),
				deployment_id: deploymentId,
			}),
		];
	},
};

const getAll: Operation<{ limit?: number; status?: string; namePrefix?: string }> = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many container deployments',
	description:
		'Retrieve the container deployments of the account with state, name and remaining time',
	effect: 'read',
	fields: [
		...limitFields,
		collectionField('filters', 'Filters', 'Add Filter', [namePrefixField, statusField]),
	],
	input(parameters) {
		const filters = parameters.group('filters');
		return {
			limit: readLimit(parameters),
			status: filters.text('status', { optional: true }),
			namePrefix: readNamePrefix(filters),
		};
	},
	async run(context, { limit, status, namePrefix }) {
		return (await listDeployments(context, status, CAAS))
			.filter((entry) => namePrefix === undefined || nameOf(entry)?.startsWith(namePrefix))
			.slice(0, limit)
			.map(described);
	},
};

export const deployment: Resource = {
	value: 'deployment',
	name: 'Deployment',
	operations: [getAll, get],
};
