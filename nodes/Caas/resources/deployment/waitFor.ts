import type { IDataObject } from 'n8n-workflow';
import { listContainers } from '../../../marketplace/containers';
import { waitFor as waitForProduct } from '../../../marketplace/operations/waitFor';
import { CAAS, type ProductContext } from '../../../marketplace/product';
import { workersShown } from '../../../marketplace/workers';
import { show } from '../../../shared/guards';
import { numberOf } from '../../../shared/numbers';
import type { Parameters } from '../../../shared/operation/parameters';
import { problemAt, publicUrlIn } from '../../publicUrl';
import { settingIn } from '../../shownSettings';

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
		path: parameters.value('waitUntil') === 'reachable' ? readPath(parameters) : '/',
	}),
	look: lookAtContainers,
});

/** Characters of a path and its query in a URL. */
const PATH = /^[\w./?%~!$&'()*+,;=:@-]*$/;

function readPath(parameters: Parameters): string {
	const path = `/${parameters.text('healthPath').replace(/^\/+/, '')}`;
	if (PATH.test(path) && !/\/\.{1,2}(?:[/?]|$)/.test(path)) return path;
	return parameters.fail(
		'healthPath',
		`must be a path such as /health, without white space and other characters that no URL has, got ${show(path)}`,
	);
}

/** Which container does not answer, or the public URLs of all. */
async function lookAtContainers(
	context: ProductContext,
	deploymentId: string,
	details: IDataObject,
	{ path }: { path: string },
): Promise<{ missing: string } | { reached: IDataObject }> {
	const count = countOf(details);
	const { present: containers } = await workersShown(
		async () => await listContainers(context, deploymentId),
	);
	if (containers.length < count)
		return { missing: `${containers.length} of ${count} containers are listed` };
	const shown = containers.flatMap(({ public_url: url }) => publicUrlIn(url) ?? []);
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

/** How many containers there must be, from what the details show of it; before they start, 0 may be shown. */
function countOf(details: IDataObject): number {
	const total = numberOf(details.total_containers) ?? 0;
	return Math.max(1, total, numberOf(settingIn(details, 'replica_count')) ?? 0);
}
