import { allowAiAgentsField, requireAllowedByPerson } from '../agentLimit';
import {
	DESTROYED_AT_ONCE,
	destroyEach,
	ifNotFoundField,
	notDestroyed,
	readDestroyOptions,
	refundNotice,
	tellEach,
	verifyFields,
} from '../destroy';
import { deploymentField } from '../fields';
import { labelOf, readReferences, type Reference } from '../references';
import type { DestroyOptions } from '../teardown';
import { collectionField } from '../../shared/fields';
import { openJournals } from '../../shared/operation/journal';
import { onProduct, type Product } from '../product';

interface Input {
	references: Reference[];
	options: DestroyOptions;
}

/** Deployment > Destroy of a product. */
export const destroy = (product: Product) =>
	onProduct<Input>(product, {
		value: 'destroy',
		name: 'Destroy',
		action: `Destroy ${product.deployment}`,
		description: 'End a deployment early. One that has already ended counts as destroyed.',
		effect: 'write',
		runsAllItems: true,
		concurrency: DESTROYED_AT_ONCE,
		identifyingKeys: ['deployment_id'],
		describeUnsent: (inputs) =>
			notDestroyed(inputs.flatMap(({ references }) => references.map(labelOf))),
		fields: [
			deploymentField,
			refundNotice,
			collectionField('options', 'Options', 'Add Option', [
				...verifyFields,
				ifNotFoundField,
				allowAiAgentsField(
					'Whether an AI agent may destroy several deployments in one call, with this node as its tool. Without it, an agent can destroy one.',
				),
			]),
		],
		input: (parameters) => ({
			references: readReferences(parameters),
			options: readDestroyOptions(parameters),
		}),
		async run(context, { references, options }) {
			const begun = await context.once('told', async () => {
				const journalOf = openJournals(context.functions);
				// A name that an earlier try has done may be that of a newer deployment by now
				const all = (context.inputs as Array<Input | undefined>).flatMap((input, index) => {
					const journal = journalOf(index);
					if (!input || journal.results()) return [];
					const own = { ...context, journal };
					return input.references.map((reference) => ({ context: own, reference }));
				});
				// A model that may name a list needs no Destroy Many
				if (all.length > 1)
					requireAllowedByPerson(
						context,
						'Destroy of several deployments in one call',
						'Nothing was destroyed',
						'; Destroy with one ID is allowed',
					);
				return await Promise.resolve(tellEach(all));
			});
			return await destroyEach(context, references, options, begun);
		},
	});
