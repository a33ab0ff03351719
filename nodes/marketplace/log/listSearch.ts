import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { openAccount } from '../../shared/http/credentials';
import type { Api } from '../../shared/http/request';
import type { Id } from '../../shared/operation/parameters';
import { idOf, isFinal, listDeployments, nameOf } from '../deployments';
import { matching } from '../../shared/listSearch';
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
	return matching(rows, filter);
}

/** The containers of the chosen deployment. */
export async function searchContainers(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return matching(await containerRows(this), filter);
}

/** As {@link searchContainers}, for a multiple choice. */
export async function loadContainers(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await containerRows(this);
}

/** As much of an ID as tells containers apart; a whole one does not fit into a form. A search looks at all of it. */
const SHORT_ID = 8;

async function containerRows(
	ctx: ILoadOptionsFunctions,
): Promise<Array<{ name: string; value: string }>> {
	const deploymentId = ctx.getCurrentNodeParameter('deploymentId', { extractValue: true }) as
		Id | undefined;
	if (deploymentId === undefined || deploymentId === '') return [];
	return (await listContainers(await apiOf(ctx), String(deploymentId))).map((container, index) => {
		const value = containerIdOf(container)!;
		return {
			name: `${index + 1} · ${String(container.hardware ?? 'hardware unknown')} · ${String(container.status ?? 'state unknown')} · ${value.slice(0, SHORT_ID)}`,
			value,
		};
	});
}

async function apiOf(ctx: ILoadOptionsFunctions): Promise<Api> {
	return { ctx, account: await openAccount(ctx, LOG_CREDENTIALS) };
}
