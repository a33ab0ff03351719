import { extend as extendProduct } from '../../../marketplace/operations/extend';
import { CAAS } from '../../../marketplace/product';
import { numberOf } from '../../../shared/numbers';

/** The price takes the IDs of the details as they are (beyond-the-spec.md section 2). */
export const extend = extendProduct(
	CAAS,
	async (_context, _hardwareId, locations) =>
		await Promise.resolve(locations.map(({ id }) => numberOf(id) ?? String(id))),
);
