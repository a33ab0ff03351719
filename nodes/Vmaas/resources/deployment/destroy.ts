import {
	destroyEach,
	destroyOptionsField,
	notDestroyed,
	readDestroyOptions,
	refundNotice,
	type DestroyOptions,
} from '../../../marketplace/destroy';
import { deploymentIdField } from '../../../marketplace/fields';
import type { Operation } from '../../../shared/operation/operation';

export const destroy: Operation<{ deploymentIds: string[]; options: DestroyOptions }> = {
	value: 'destroy',
	name: 'Destroy',
	action: 'Destroy a deployment',
	description: 'End a deployment early. One that has already ended counts as destroyed.',
	effect: 'write',
	runsAllItems: true,
	identifyingKeys: ['deployment_id'],
	describeUnsent: (inputs) => notDestroyed(inputs.flatMap(({ deploymentIds }) => deploymentIds)),
	fields: [deploymentIdField, refundNotice, destroyOptionsField],
	input: (parameters) => ({
		deploymentIds: parameters.pathIds('deploymentId'),
		options: readDestroyOptions(parameters),
	}),
	run: async (context, { deploymentIds, options }) =>
		await destroyEach(context, deploymentIds, options),
};
