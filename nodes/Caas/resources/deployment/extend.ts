import { extend as extendProduct } from '../../../marketplace/operations/extend';
import { CAAS } from '../../../marketplace/product';
import { numberOf } from '../../../shared/numbers';
import { contextError } from '../../../shared/operation/context';

/** The price takes the IDs of the details as they are (beyond-the-spec.md section 2). */
export const extend = extendProduct(
	CAAS,
	async (context, _hardwareId, locations) =>
		await Promise.resolve(
			locations.map(({ id }) => {
				if (typeof id === 'number' || typeof id === 'string') return numberOf(id) ?? id;
				throw contextError(context, {
					message:
						'The price limit cannot be checked: the details of the deployment do not show the ID of its location',
					description: 'Remove the price limit to extend it without this check.',
				});
			}),
		),
);
