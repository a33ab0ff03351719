import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS, openAccount } from '../shared/http/credentials';
import type { RequestContext } from '../shared/http/request';
import { filterRows } from '../shared/listSearch';
import { listAgents } from '../ChatCompletion/resources/agent';
import { listModels, modelId, type ModelList } from '../ChatCompletion/resources/model';

export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return filterRows(await modelRows(this, 'models', 'max_model_len'), filter);
}

export async function searchEmbeddingModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return filterRows(await modelRows(this, 'embedding-models', 'max_tokens'), filter);
}

export async function searchAgents(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const rows = (await listAgents(await apiOf(this))).map(({ agent_key: key, name }) => ({
		name: `${String(name ?? key)} · ${String(key)}`,
		value: String(key),
	}));
	return filterRows(rows, filter);
}

/** Models by name, each with the length of text that it takes. */
async function modelRows(
	functions: ILoadOptionsFunctions,
	list: ModelList,
	lengthKey: string,
): Promise<INodeListSearchItems[]> {
	const models = await listModels(await apiOf(functions), list);
	const rows = models.flatMap((model) => {
		const [id, length] = [modelId(model), model[lengthKey]];
		const label = typeof length === 'number' ? ` · ${length.toLocaleString('en-US')} tokens` : '';
		return id === undefined ? [] : [{ name: `${id}${label}`, value: id }];
	});
	return rows.sort((a, b) => a.name.localeCompare(b.name));
}

async function apiOf(functions: ILoadOptionsFunctions): Promise<RequestContext> {
	return { functions, account: await openAccount(functions, INTELLIGENCE_CREDENTIALS) };
}
