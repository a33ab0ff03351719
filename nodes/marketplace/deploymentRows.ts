import type { INodeListSearchItems } from 'n8n-workflow';
import { idOf, listDeployments, nameOf } from './deployments';
import type { ProductRequest } from './product';
import { isFinal } from './state';

/** The deployments of a product for a list search, by name and state; those that have ended come last. */
export async function deploymentRows(context: ProductRequest): Promise<INodeListSearchItems[]> {
	return (await listDeployments(context))
		.sort((a, b) => Number(isFinal(a.status)) - Number(isFinal(b.status)))
		.map((entry) => ({
			name: `${nameOf(entry) ?? 'No name'} · ${String(entry.status ?? 'state unknown')}`,
			value: idOf(entry)!,
		}));
}
