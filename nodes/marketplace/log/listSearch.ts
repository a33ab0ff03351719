import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { filterRows, openApi } from '../../shared/listSearch';
import type { Id } from '../../shared/operation/parameters';
import { containerIdOf, listContainers } from '../containers';
import { deploymentRows } from '../deploymentRows';
import { CAAS } from '../product';
import { LOG_CREDENTIALS } from './credentials';

/** List search: container deployments by name and state; those that have ended come last. */
export async function searchDeployments(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const context = { ...(await openApi(this, LOG_CREDENTIALS)), product: CAAS };
	return filterRows(await deploymentRows(context), filter);
}

/** List search: the containers of the selected deployment; none while there is no deployment. */
export async function searchContainers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return filterRows(await containerRows(this), filter);
}

/** As {@link searchContainers}, for a multiple choice. */
export async function loadContainers(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await containerRows(this);
}

/** Characters of an ID in a label: enough to tell containers apart, and few enough to fit. A search looks at the whole ID. */
const ID_CHARACTERS = 8;

async function containerRows(
	functions: ILoadOptionsFunctions,
): Promise<Array<{ name: string; value: string }>> {
	const deploymentId = functions.getCurrentNodeParameter('deploymentId', { extractValue: true }) as
		Id | undefined;
	if (deploymentId === undefined || deploymentId === '') return [];
	return (
		await listContainers(await openApi(functions, LOG_CREDENTIALS), String(deploymentId))
	).map((container, index) => {
		const value = containerIdOf(container)!;
		return {
			name: `${index + 1} · ${String(container.hardware ?? 'hardware unknown')} · ${String(container.status ?? 'state unknown')} · ${value.slice(0, ID_CHARACTERS)}`,
			value,
		};
	});
}
