import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { listContainers } from '../../../marketplace/containers';
import { isAbsent } from '../../../marketplace/deployments';
import { waitFor as waitForProduct } from '../../../marketplace/operations/waitFor';
import { CAAS, type ProductContext } from '../../../marketplace/product';
import { stateOf } from '../../../marketplace/state';
import { numberOf } from '../../../shared/numbers';
import { problemAt } from '../../publicUrl';

export const waitFor = waitForProduct(CAAS, {
	option: {
		name: 'Running and Reachable at Its Public URL',
		value: 'reachable',
		description: 'The public URL of every container answers with a status of 200 to 399',
	},
	fields: [
		{
			displayName: 'Health Path',
			name: 'healthPath',
			type: 'string',
			default: '/',
			placeholder: 'e.g. /health',
			description: 'Path that is asked for at the public URL',
		},
	],
	read: (parameters) => ({
		path:
			parameters.value('waitUntil') === 'reachable'
				? `/${parameters.text('healthPath').replace(/^\/+/, '')}`
				: '/',
	}),
	look: lookAtContainers,
});

/** Which container does not answer, or the public URLs of all. */
async function lookAtContainers(
	context: ProductContext,
	deploymentId: string,
	details: IDataObject,
	{ path }: { path: string },
): Promise<{ missing: string } | { reached: IDataObject }> {
	const count = numberOf(details.total_containers) ?? 1;
	const listed = await listContainers(context, deploymentId).catch((error: NodeApiError) => {
		// They may be too young to show
		if (isAbsent(error)) return [];
		throw error;
	});
	const containers = listed.filter(
		({ status }) => stateOf(status) !== 'ended' && stateOf(status) !== 'ending',
	);
	if (containers.length < count)
		return { missing: `${containers.length} of ${count} containers are listed` };
	const urls = containers.map(({ public_url: url }) => url);
	const shown = urls.filter((url): url is string => typeof url === 'string' && URL.canParse(url));
	if (shown.length < containers.length)
		return {
			missing: `${containers.length - shown.length} of ${containers.length} containers have no public URL yet`,
		};
	for (const url of new Set(shown)) {
		const missing = await problemAt(context, url, path);
		if (missing !== undefined) return { missing };
	}
	return { reached: { public_url: shown[0]!, public_urls: shown } };
}
