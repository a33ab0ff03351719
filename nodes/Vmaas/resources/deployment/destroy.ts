import {
	destroyEach,
	ifNotFoundField,
	notDestroyed,
	readDestroyOptions,
	refundNotice,
	verifyFields,
} from '../../../marketplace/destroy';
import { deploymentField } from '../../../marketplace/fields';
import { labelOf, readReferences, type Reference } from '../../../marketplace/references';
import type { DestroyOptions } from '../../../marketplace/teardown';
import { collectionField } from '../../../shared/fields';
import type { Operation } from '../../../shared/operation/operation';

export const destroy: Operation<{ references: Reference[]; options: DestroyOptions }> = {
	value: 'destroy',
	name: 'Destroy',
	action: 'Destroy a deployment',
	description: 'End a deployment early. One that has already ended counts as destroyed.',
	effect: 'write',
	runsAllItems: true,
	identifyingKeys: ['deployment_id'],
	describeUnsent: (inputs) =>
		notDestroyed(inputs.flatMap(({ references }) => references.map(labelOf))),
	fields: [
		deploymentField,
		refundNotice,
		collectionField('options', 'Options', 'Add Option', [...verifyFields, ifNotFoundField]),
	],
	input: (parameters) => ({
		references: readReferences(parameters),
		options: readDestroyOptions(parameters),
	}),
	run: async (context, { references, options }) => await destroyEach(context, references, options),
};
