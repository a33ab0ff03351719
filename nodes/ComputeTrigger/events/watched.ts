import type { IDataObject } from 'n8n-workflow';
import { listDeployments, nameOf } from '../../marketplace/deployments';
import type { ProductRequest } from '../../marketplace/product';

/**
 * The deployments that a trigger watches, all pages.
 * @throws where the list is incomplete
 */
export async function listWatched(
	context: ProductRequest,
	namePrefix?: string,
): Promise<IDataObject[]> {
	const entries = await listDeployments(context);
	return entries.filter((entry) => isWatched(entry, namePrefix));
}

export function isWatched(entry: IDataObject, namePrefix = ''): boolean {
	return namePrefix === '' || nameOf(entry)?.startsWith(namePrefix) === true;
}
