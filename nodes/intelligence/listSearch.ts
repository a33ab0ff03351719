import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';
import { filterRows, openApi } from '../shared/listSearch';
import { listAgents } from './agents';
import { INTELLIGENCE_CREDENTIALS } from './credentials';
import { listModels, modelId, type ModelList } from './models';

/** The chat models by ID, each with the number of tokens that fit into its context. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return filterRows(await modelRows(this, 'models', 'max_model_len'), filter);
}

/** The embedding models by ID, each with the maximum number of tokens of a text. */
export async function searchEmbeddingModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return filterRows(await modelRows(this, 'embedding-models', 'max_tokens'), filter);
}

/** The agents by name and key, in the order of the service. */
export async function searchAgents(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const agents = await listAgents(await openApi(this, INTELLIGENCE_CREDENTIALS));
	const rows = agents.map(({ agent_key: key, name }) => ({
		name: `${String(name ?? key)} · ${String(key)}`,
		value: String(key),
	}));
	return filterRows(rows, filter);
}

/** @param lengthKey the field of a model that holds its number of tokens */
async function modelRows(
	functions: ILoadOptionsFunctions,
	list: ModelList,
	lengthKey: string,
): Promise<INodeListSearchItems[]> {
	const models = await listModels(await openApi(functions, INTELLIGENCE_CREDENTIALS), list);
	const rows = models.flatMap((model) => {
		const [id, length] = [modelId(model), model[lengthKey]];
		const label = typeof length === 'number' ? ` · ${length.toLocaleString('en-US')} tokens` : '';
		return id === undefined ? [] : [{ name: `${id}${label}`, value: id }];
	});
	return rows.sort((a, b) => a.name.localeCompare(b.name));
}
