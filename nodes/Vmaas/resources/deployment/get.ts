import { described, getDeployment } from '../../../marketplace/deployments';
import { deploymentField } from '../../../marketplace/fields';
import { readReference, resolveDeployment, type Reference } from '../../../marketplace/references';
import type { Operation } from '../../../shared/operation/operation';

export const get: Operation<{ reference: Reference }> = {
	value: 'get',
	name: 'Get',
	action: 'Get a deployment',
	description:
		'Retrieve one deployment with state, hardware, locations, paid amount and remaining time',
	effect: 'read',
	fields: [deploymentField],
	input: (parameters) => ({ reference: readReference(parameters) }),
	async run(context, { reference }) {
		const id = await resolveDeployment(context, reference);
		return [described({ ...(await getDeployment(context, id)), deployment_id: id })];
	},
};
