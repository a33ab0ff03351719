import {
	destroyEach,
	ifNotFoundField,
	notDestroyed,
	readDestroyOptions,
	refundNotice,
	verifyFields,
} from '../destroy';
import { deploymentField } from '../fields';
import { labelOf, readReferences, type Reference } from '../references';
import type { DestroyOptions } from '../teardown';
import { collectionField } from '../../shared/fields';
import { onProduct, type Product } from '../product';

/** Deployment > Destroy of a product. */
export const destroy = (product: Product) =>
	onProduct<{ references: Reference[]; options: DestroyOptions }>(product, {
		value: 'destroy',
		name: 'Destroy',
		action: `Destroy ${product.deployment}`,
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
		run: async (context, { references, options }) =>
			await destroyEach(context, references, options),
	});
