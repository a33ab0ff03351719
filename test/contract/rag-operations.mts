import type { IDataObject } from 'n8n-workflow';

const ALL = { returnAll: true };

/** An operation and its one request; `{document}` is the ID of the document, and so on. */
export type Row = [
	id: string,
	parameters: IDataObject,
	method: string,
	path: string,
	body?: IDataObject | IDataObject[],
];

/** A list: one item per entry. */
export const lists: Row[] = [
	['document.getAll', ALL, 'GET', '/documents'],
	[
		'document.getChunks',
		{ documentId: '{document}', ...ALL },
		'GET',
		'/documents/{document}/chunks',
	],
	[
		'document.getEntities',
		{ documentId: '{document}', ...ALL },
		'GET',
		'/documents/{document}/entities',
	],
	[
		'document.getRelationships',
		{ documentId: '{document}', ...ALL },
		'GET',
		'/documents/{document}/relationships',
	],
	['chunk.getAll', ALL, 'GET', '/chunks'],
	['collection.getAll', ALL, 'GET', '/collections'],
	[
		'collection.getDocuments',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/collections/{collection}/documents',
	],
	['conversation.getAll', ALL, 'GET', '/conversations'],
	[
		'conversation.get',
		{ conversationId: '{conversation}', ...ALL },
		'GET',
		'/conversations/{conversation}',
	],
	['graph.getAll', ALL, 'GET', '/graphs'],
	[
		'graph.getEntities',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/graphs/{collection}/entities',
	],
	[
		'graph.getRelationships',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/graphs/{collection}/relationships',
	],
	[
		'graph.getCommunities',
		{ collectionId: '{collection}', ...ALL },
		'GET',
		'/graphs/{collection}/communities',
	],
	['prompt.getAll', ALL, 'GET', '/prompts'],
];

/** One object. */
export const reads: Row[] = [
	['document.get', { documentId: '{document}' }, 'GET', '/documents/{document}'],
	['chunk.get', { chunkId: '{chunk}' }, 'GET', '/chunks/{chunk}'],
	['collection.get', { collectionId: '{collection}' }, 'GET', '/collections/{collection}'],
	['graph.get', { collectionId: '{collection}' }, 'GET', '/graphs/{collection}'],
	[
		'index.get',
		{ tableName: 'chunks', indexName: 'ix_vector_cosine_ops_hnsw' },
		'GET',
		'/indices/chunks/ix_vector_cosine_ops_hnsw',
	],
	['prompt.get', { promptName: 'short' }, 'POST', '/prompts/short'],
	['system.getHealth', {}, 'GET', '/health'],
	['system.getStatus', {}, 'GET', '/system/status'],
	['user.getMe', {}, 'GET', '/users/me'],
	['user.get', { userId: '{user}' }, 'GET', '/users/{user}'],
	['user.getLimits', { userId: '{user}' }, 'GET', '/users/{user}/limits'],
];

/** A write with its body. */
export const writes: Row[] = [
	[
		'document.updateMetadata',
		{ documentId: '{document}', metadataJson: '{"year":2026,"tags":["a"]}' },
		'PATCH',
		'/documents/{document}/metadata',
		[{ year: 2026 }, { tags: ['a'] }],
	],
	[
		'document.search',
		{ query: 'Anna', limit: 3, options: {} },
		'POST',
		'/documents/search',
		{ query: 'Anna', search_settings: { limit: 3 } },
	],
	[
		'index.create',
		{ indexTable: 'chunks', name: 'mine', indexMethod: 'hnsw', indexMeasure: 'l2_distance' },
		'POST',
		'/indices',
		{
			config: {
				table_name: 'chunks',
				name: 'mine',
				index_method: 'hnsw',
				index_measure: 'l2_distance',
			},
		},
	],
	[
		'chunk.search',
		{ query: 'Anna', topK: 3, options: {} },
		'POST',
		'/chunks/search',
		{ query: 'Anna', search_settings: { limit: 3 } },
	],
	[
		'chunk.update',
		{ chunkId: '{chunk}', text: 'Anna', metadata: { values: [{ key: 'a', value: 'b' }] } },
		'POST',
		'/chunks/{chunk}',
		{ id: '{chunk}', text: 'Anna', metadata: { a: 'b' } },
	],
	[
		'collection.create',
		{ name: 'books', description: 'all' },
		'POST',
		'/collections',
		{ name: 'books', description: 'all' },
	],
	[
		'collection.update',
		{ collectionId: '{collection}', name: 'articles' },
		'POST',
		'/collections/{collection}',
		{ name: 'articles' },
	],
	[
		'collection.addDocument',
		{ collectionId: '{collection}', documentId: '{document}' },
		'POST',
		'/collections/{collection}/documents/{document}',
	],
	['conversation.create', { name: 'first' }, 'POST', '/conversations', { name: 'first' }],
	['conversation.create', {}, 'POST', '/conversations', {}],
	[
		'conversation.update',
		{ conversationId: '{conversation}', name: 'second' },
		'POST',
		'/conversations/{conversation}',
		{ name: 'second' },
	],
	[
		'conversation.addMessage',
		{
			conversationId: '{conversation}',
			role: 'user',
			content: 'hi',
			metadata: { values: [{ key: 'a', value: 'b' }] },
		},
		'POST',
		'/conversations/{conversation}/messages',
		{ role: 'user', content: 'hi', metadata: { a: 'b' } },
	],
	['document.extract', { documentId: '{document}' }, 'POST', '/documents/{document}/extract'],
	[
		'collection.extract',
		{ collectionId: '{collection}' },
		'POST',
		'/collections/{collection}/extract',
	],
	['graph.pull', { collectionId: '{collection}' }, 'POST', '/graphs/{collection}/pull'],
	[
		'graph.buildCommunities',
		{ collectionId: '{collection}' },
		'POST',
		'/graphs/{collection}/communities/build',
	],
	[
		'prompt.create',
		{ name: 'long', template: '{query} {context}', inputTypes: '{"query":"str"}' },
		'POST',
		'/prompts',
		{ name: 'long', template: '{query} {context}', input_types: { query: 'str' } },
	],
	[
		'prompt.update',
		{ promptName: 'short', template: '{context}', inputTypes: '{"context":"str"}' },
		'PUT',
		'/prompts/short',
		{ template: '{context}', input_types: { context: 'str' } },
	],
];

/** A deletion, and what is gone then. */
export const deletions: Row[] = [
	['document.delete', { documentId: '{document}' }, 'DELETE', '/documents/{document}'],
	['chunk.delete', { chunkId: '{chunk}' }, 'DELETE', '/chunks/{chunk}'],
	['collection.delete', { collectionId: '{collection}' }, 'DELETE', '/collections/{collection}'],
	[
		'conversation.delete',
		{ conversationId: '{conversation}' },
		'DELETE',
		'/conversations/{conversation}',
	],
	[
		'index.delete',
		{ tableName: 'chunks', indexName: 'ix_vector_cosine_ops_hnsw' },
		'DELETE',
		'/indices/chunks/ix_vector_cosine_ops_hnsw',
	],
	['prompt.delete', { promptName: 'short' }, 'DELETE', '/prompts/short'],
];
