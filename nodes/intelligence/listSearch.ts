import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS, openAccount } from '../shared/http/credentials';
import type { Api } from '../shared/http/request';
import { matching } from '../shared/listSearch';
import { listAgents } from '../ChatCompletion/resources/agent';
import { listModels, modelId, type ModelList } from '../ChatCompletion/resources/model';

export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return matching(await modelRows(this, 'models', 'max_model_len'), filter);
}

export async function searchEmbeddingModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return matching(await modelRows(this, 'embedding-models', 'max_tokens'), filter);
}

export async function searchAgents(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const rows = (await listAgents(await apiOf(this))).map(({ agent_key: key, name }) => ({
		name: `${String(name ?? key)} · ${String(key)}`,
		value: String(key),
	}));
	return matching(rows, filter);
}

/** Models by name, each with the length of text that it takes. */
async function modelRows(
	ctx: ILoadOptionsFunctions,
	list: ModelList,
	lengthKey: string,
): Promise<INodeListSearchItems[]> {
	const models = await listModels(await apiOf(ctx), list);
	const rows = models.flatMap((model) => {
		const [id, length] = [modelId(model), model[lengthKey]];
		const label = typeof length === 'number' ? ` · ${length.toLocaleString('en-US')} tokens` : '';
		return id === undefined ? [] : [{ name: `${id}${label}`, value: id }];
	});
	return rows.sort((a, b) => a.name.localeCompare(b.name));
}

async function apiOf(ctx: ILoadOptionsFunctions): Promise<Api> {
	return { ctx, account: await openAccount(ctx, INTELLIGENCE_CREDENTIALS) };
}
