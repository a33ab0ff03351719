import { described, getDeployment } from '../../../marketplace/deployments';
import { deploymentIdField } from '../../../marketplace/fields';
import type { Operation } from '../../../shared/operation/operation';

export const get: Operation<{ deploymentId: string }> = {
	value: 'get',
	name: 'Get',
	action: 'Get a deployment',
	description:
		'Retrieve one deployment with state, hardware, locations, paid amount and remaining time',
	effect: 'read',
	fields: [deploymentIdField],
	input: (parameters) => ({ deploymentId: parameters.pathId('deploymentId') }),
	async run(context, { deploymentId }) {
		return [
			described({ ...(await getDeployment(context, deploymentId)), deployment_id: deploymentId }),
		];
	},
};
