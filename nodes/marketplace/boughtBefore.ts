import type { IDataObject } from 'n8n-workflow';
import { contextError } from '../shared/operation/context';
import { whatIsForCertain } from './presence';
import type { ProductContext } from './product';

/**
 * What an earlier try has bought, for a retry.
 * @throws where it has ended meanwhile: it is not bought again without an order
 */
export async function boughtBefore(
	context: ProductContext,
	results: IDataObject[],
): Promise<IDataObject[]> {
	for (const { deployment_id: id } of results) {
		if (typeof id !== 'string' || id === '') continue;
		const { state, details } = await whatIsForCertain(context, id);
		if (state !== 'ended') continue;
		throw contextError(
			context,
			{
				message: `Deployment ${id}, which an earlier try of this item has bought, has ended${details ? ` (${String(details.status)})` : ''}`,
				description: 'Nothing was deployed now. Execute the workflow again to deploy another one.',
			},
			{ deployment_id: id },
		);
	}
	return results;
}
