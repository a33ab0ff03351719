import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../credentials';
import { filterRows, openApi } from '../../shared/listSearch';
import { INDICES } from './indices';
import { listResults, type ResultList } from './list';

/** Maximum number of rows in a dropdown; what is not among them is entered by its ID. */
const MAX_ROWS = 1_000;

/** Characters of a chunk's text that tell it from others in a dropdown. */
const CHUNK_LABEL = 60;

/** Documents by title or ID; those that are not ingested with their status. */
export async function searchDocuments(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const label = ({ title, id, ingestion_status: status }: IDataObject) =>
		`${String(title ?? id)}${status === 'success' ? '' : ` · ${String(status)}`}`;
	return filterRows(await readRows(this, { path: '/documents' }, label), filter);
}

/** Collections by name or ID, with the number of their documents. */
export async function searchCollections(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const label = ({ name, id, document_count: count }: IDataObject) =>
		`${String(name ?? id)}${typeof count === 'number' ? ` · ${count} document${count === 1 ? '' : 's'}` : ''}`;
	return filterRows(await readRows(this, { path: '/collections' }, label), filter);
}

/** The same collections for a field that takes several. */
export async function loadCollections(
	this: ILoadOptionsFunctions,
): Promise<INodePropertyOptions[]> {
	return (await searchCollections.call(this)).results;
}

/** Conversations by name; those without one by date and ID. */
export async function searchConversations(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const label = ({ name, id, created_at: createdAt }: IDataObject) =>
		String(name || `${String(createdAt ?? '')} ${String(id)}`);
	return filterRows(await readRows(this, { path: '/conversations' }, label), filter);
}

/** Prompt templates by name, which is their ID. */
export async function searchPrompts(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const name = (entry: IDataObject) => String(entry.name);
	return filterRows(await readRows(this, { path: '/prompts' }, name, name), filter);
}

/** Chunks by the beginning of their text, with their ID. */
export async function searchChunks(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const label = ({ id, text }: IDataObject) =>
		`${typeof text === 'string' ? `${text.slice(0, CHUNK_LABEL)} · ` : ''}${String(id)}`;
	return filterRows(await readRows(this, { path: '/chunks' }, label), filter);
}

/** The indices of the table that the form names, by name. */
export async function searchIndices(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const table = this.getCurrentNodeParameter('tableName');
	const name = (entry: IDataObject) => String(entry.name);
	const isThere = ({ table_name: of }: IDataObject) =>
		table === undefined || table === '' || of === undefined || of === table;
	return filterRows(await readRows(this, INDICES, name, name, isThere), filter);
}

/** The entries of a list in the order of their labels. */
async function readRows(
	functions: ILoadOptionsFunctions,
	list: ResultList,
	label: (entry: IDataObject) => string,
	value = ({ id }: IDataObject) => String(id),
	isShown: (entry: IDataObject) => boolean = () => true,
): Promise<INodeListSearchItems[]> {
	const context = await openApi(functions, INTELLIGENCE_CREDENTIALS);
	const entries = await listResults(context, list, MAX_ROWS);
	return entries
		.filter(isShown)
		.map((entry) => ({ name: label(entry).replace(/\s+/g, ' '), value: value(entry) }))
		.sort((one, other) => one.name.localeCompare(other.name));
}
