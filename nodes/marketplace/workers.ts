import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { isAbsent } from './deployments';
import { isSameStatus, stateOf } from './state';

/**
 * The VMs or containers that a deployment shows.
 * @param list reads them; those of a young deployment may not show yet
 * @returns all of them, and those that have neither ended nor been replaced
 */
export async function workersShown(
	list: () => Promise<IDataObject[]>,
): Promise<{ listed: IDataObject[]; present: IDataObject[] }> {
	const listed = await list().catch((error: NodeApiError) => {
		if (isAbsent(error)) return [];
		throw error;
	});
	const present = listed.filter(
		({ status }) =>
			stateOf(status) !== 'ended' &&
			stateOf(status) !== 'ending' &&
			!isSameStatus(status, 'replaced'),
	);
	return { listed, present };
}
