import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { INTELLIGENCE_CREDENTIALS } from '../intelligence/credentials';
import { openAccount } from '../shared/http/credentials';
import { listOffsets } from '../shared/http/pagination';
import { RAG } from './envelope';

type Label = (entry: IDataObject) => unknown;

/** Most rows that a picker offers; what is not among them is found by typing its ID. */
const MOST_ROWS = 1_000;

function picker(path: string, value: Label, label: Label) {
	return async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		const context = { functions: this, account: await openAccount(this, INTELLIGENCE_CREDENTIALS) };
		const rows = (await listOffsets(context, { path: `${RAG}${path}` }, MOST_ROWS)).map(
			(entry) => ({
				name: String(label(entry)).replace(/\s+/g, ' '),
				value: String(value(entry)),
			}),
		);
		const words = filter.toLowerCase();
		return {
			results: rows
				.filter((row) => `${row.name} ${row.value}`.toLowerCase().includes(words))
				.sort((a, b) => a.name.localeCompare(b.name)),
		};
	};
}

export const searchDocuments = picker(
	'/documents',
	({ id }) => id,
	({ title, id, ingestion_status: status }) =>
		`${String(title ?? id)}${status === 'success' ? '' : ` · ${String(status)}`}`,
);
export const searchCollections = picker(
	'/collections',
	({ id }) => id,
	({ name, id, document_count: count }) =>
		`${String(name ?? id)}${typeof count === 'number' ? ` · ${count} document${count === 1 ? '' : 's'}` : ''}`,
);
export const searchConversations = picker(
	'/conversations',
	({ id }) => id,
	({ name, id, created_at: at }) => name || `${String(at ?? '')} ${String(id)}`,
);
export const searchPrompts = picker(
	'/prompts',
	({ name }) => name,
	({ name }) => name,
);
