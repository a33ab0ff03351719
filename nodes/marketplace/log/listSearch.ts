import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { openAccount } from '../../shared/http/credentials';
import type { RequestContext } from '../../shared/http/request';
import type { Id } from '../../shared/operation/parameters';
import { idOf, listDeployments, nameOf } from '../deployments';
import { isFinal } from '../state';
import { filterRows } from '../../shared/listSearch';
import { containerIdOf, listContainers } from '../../Caas/resources/container';
import { CAAS, LOG_CREDENTIALS } from './credentials';

/** Container deployments by name and state; those that have ended last. */
export async function searchDeployments(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const rows = (await listDeployments(await apiOf(this), undefined, CAAS))
		.sort((a, b) => Number(isFinal(a.status)) - Number(isFinal(b.status)))
		.map((entry) => ({
			name: `${nameOf(entry) ?? 'No name'} · ${String(entry.status ?? 'state unknown')}`,
			value: idOf(entry)!,
		}));
	return filterRows(rows, filter);
}

/** The containers of the chosen deployment. */
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

/** As much of an ID as tells containers apart; a whole one does not fit into a form. A search looks at all of it. */
const SHORT_ID = 8;

async function containerRows(
	functions: ILoadOptionsFunctions,
): Promise<Array<{ name: string; value: string }>> {
	const deploymentId = functions.getCurrentNodeParameter('deploymentId', { extractValue: true }) as
		Id | undefined;
	if (deploymentId === undefined || deploymentId === '') return [];
	return (await listContainers(await apiOf(functions), String(deploymentId))).map(
		(container, index) => {
			const value = containerIdOf(container)!;
			return {
				name: `${index + 1} · ${String(container.hardware ?? 'hardware unknown')} · ${String(container.status ?? 'state unknown')} · ${value.slice(0, SHORT_ID)}`,
				value,
			};
		},
	);
}

async function apiOf(functions: ILoadOptionsFunctions): Promise<RequestContext> {
	return { functions, account: await openAccount(functions, LOG_CREDENTIALS) };
}
