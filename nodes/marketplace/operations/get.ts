import { described, getDeployment } from '../deployments';
import { deploymentField } from '../fields';
import { onProduct, type Product } from '../product';
import { readReference, resolveDeployment, type Reference } from '../references';

/** Deployment > Get of a product. */
export const get = (product: Product) =>
	onProduct<{ reference: Reference }>(product, {
		value: 'get',
		name: 'Get',
		action: `Get ${product.deployment}`,
		description:
			'Retrieve one deployment with state, hardware, locations, paid amount and remaining time',
		effect: 'read',
		fields: [deploymentField],
		input: (parameters) => ({ reference: readReference(parameters) }),
		async run(context, { reference }) {
			const id = await resolveDeployment(context, reference);
			const details = { ...(await getDeployment(context, id)), deployment_id: id };
			return [described(details, context.account.clockAheadMs)];
		},
	});
