import { item, record, type Fields, type Output, type Outputs } from '../shared/operation/output';

/** Names and shapes are those of beyond-the-spec.md section 6, where nothing else is said. */
const CHUNK: Fields = {
	id: 'string',
	document_id: 'string',
	text: 'string',
	metadata: 'object',
	owner_id: 'string',
	collection_ids: ['string'],
};

const FOUND_CHUNK: Fields = { ...CHUNK, score: 'number' };

const DOCUMENT: Fields = {
	id: 'string',
	title: 'string|null',
	document_type: 'string',
	metadata: 'object',
	ingestion_status: 'string',
	extraction_status: 'string',
	collection_ids: ['string'],
	owner_id: 'string',
	version: 'string',
	size_in_bytes: 'number',
	created_at: 'string',
	updated_at: 'string',
	summary: 'string|null',
};

const COLLECTION: Fields = {
	id: 'string',
	name: 'string',
	description: 'string|null',
	document_count: 'number',
	user_count: 'number',
	owner_id: 'string',
	graph_sync_status: 'string',
	graph_cluster_status: 'string',
	created_at: 'string',
	updated_at: 'string',
};

const CONVERSATION: Fields = {
	id: 'string',
	name: 'string|null',
	user_id: 'string',
	created_at: 'string',
};

const GRAPH: Fields = {
	id: 'string',
	collection_id: 'string',
	name: 'string',
	status: 'string',
	created_at: 'string',
	updated_at: 'string',
};

/** Section 6 lists no field of these and of a relationship: they are those of the engine. */
const ENTITY: Fields = {
	id: 'string',
	name: 'string',
	category: 'string',
	description: 'string|null',
};

const RELATIONSHIP: Fields = {
	id: 'string',
	subject: 'string',
	predicate: 'string',
	object: 'string',
};

const INDEX: Fields = { name: 'string', table_name: 'string', definition: 'string' };

const PROMPT: Fields = {
	id: 'string',
	name: 'string',
	template: 'string',
	input_types: 'object',
	created_at: 'string',
	updated_at: 'string',
};

const USER: Fields = {
	id: 'string',
	email: 'string',
	name: 'string',
	is_active: 'boolean',
	is_superuser: 'boolean',
};

const LIMIT: Fields = { used: 'number', limit: 'number', remaining: 'number' };

const ANSWER: Fields = { generated_answer: 'string', search_results: 'object' };

const SPAN: Fields = { start: 'number', end: 'number' };

/** A streamed answer cites a source once, with all of its spans. */
const CITATIONS: Fields = {
	citations: [
		{
			id: 'string',
			object: 'string',
			span: SPAN,
			spans: [SPAN],
			source_type: 'string',
			payload: 'object',
		},
	],
};

/** A deletion: the IDs that its path was filled with. */
const deleted = (...ids: string[]): Output =>
	item({ deleted: 'boolean', ...idsOf(ids), already_gone: 'boolean' });

/** A write that answers in words. */
const said = (...ids: string[]): Output => record({ ...idsOf(ids), message: 'string' });

const idsOf = (ids: string[]): Fields => Object.fromEntries(ids.map((id) => [id, 'string']));

export const outputs: Outputs = {
	retrieval: {
		search: record(FOUND_CHUNK),
		generate: record({
			answer: 'string|null',
			generated_answer: 'string',
			id: 'string',
			metadata: { prompt_name: 'string', prompt_tokens: 'number', completion_tokens: 'number' },
		}),
		ask: record({
			answer: 'string',
			found: 'boolean',
			sources: [
				{
					source: 'string',
					text: 'string',
					score: 'number|null',
					document_id: 'string|null',
					chunk_id: 'string|null',
				},
			],
			query: 'string',
			prompt_name: 'string',
			context_characters: 'number',
			generated_answer: 'string',
			id: 'string',
			metadata: { prompt_name: 'string', prompt_tokens: 'number', completion_tokens: 'number' },
		}),
		rag: record({
			...ANSWER,
			...CITATIONS,
			metadata: 'object',
			completion: 'string',
			truncated: 'boolean',
		}),
		agent: record({
			answer: 'string|null',
			conversation_id: 'string',
			messages: [{ role: 'string', content: 'string|null', metadata: 'object' }],
			truncated: 'boolean',
		}),
	},
	document: {
		create: record({
			document_id: 'string',
			message: 'string',
			task_id: 'string|null',
			title: 'string|null',
			ingestion_status: 'string',
			waited_seconds: 'number',
			progress: [{ ingestion_status: 'string', after_seconds: 'number' }],
			existing: 'boolean',
			content_changed: 'boolean|null',
			replaced: 'string',
			replaced_deleted: 'string|array',
			recovered: 'boolean',
		}),
		get: record(DOCUMENT),
		getAll: record(DOCUMENT),
		search: record(DOCUMENT),
		getChunks: record(CHUNK),
		getEntities: record(ENTITY),
		getRelationships: record(RELATIONSHIP),
		updateMetadata: record({ document_id: 'string', ...DOCUMENT }),
		extract: said('document_id'),
		download: item({
			document_id: 'string',
			file_name: 'string',
			mime_type: 'string',
			size_in_bytes: 'number',
		}),
		delete: deleted('document_id'),
		deleteMany: item({
			deleted: 'boolean',
			dry_run: 'boolean',
			document_id: 'string',
			title: 'string|null',
			metadata: 'object|null',
			already_gone: 'boolean',
			reason: 'string',
			found: 'number',
		}),
	},
	chunk: {
		search: record(FOUND_CHUNK),
		get: record(CHUNK),
		getAll: record(CHUNK),
		update: record({ chunk_id: 'string', ...CHUNK }),
		delete: deleted('chunk_id'),
	},
	collection: {
		create: record({ ...COLLECTION, existing: 'boolean' }),
		get: record(COLLECTION),
		getAll: record(COLLECTION),
		update: record({ collection_id: 'string', ...COLLECTION }),
		getDocuments: record(DOCUMENT),
		addDocument: record({
			collection_id: 'string',
			document_id: 'string',
			message: 'string',
			already_added: 'boolean',
		}),
		removeDocument: deleted('collection_id', 'document_id'),
		extract: said('collection_id'),
		delete: deleted('collection_id'),
	},
	conversation: {
		create: record(CONVERSATION),
		// One item for each message
		get: record({
			id: 'string',
			role: 'string',
			content: 'string',
			metadata: 'object',
			parent_id: 'string|null',
			created_at: 'string',
		}),
		getAll: record(CONVERSATION),
		update: record({ conversation_id: 'string', ...CONVERSATION }),
		addMessage: record({
			conversation_id: 'string',
			id: 'string',
			message: { role: 'string', content: 'string' },
			metadata: 'object',
		}),
		delete: deleted('conversation_id'),
	},
	graph: {
		get: record(GRAPH),
		getAll: record(GRAPH),
		pull: record({ collection_id: 'string', success: 'boolean' }),
		buildCommunities: said('collection_id'),
		getEntities: record(ENTITY),
		getRelationships: record(RELATIONSHIP),
		getCommunities: record({ id: 'string', name: 'string', summary: 'string' }),
	},
	index: {
		create: said(),
		get: record({ ...INDEX, index: INDEX }),
		getAll: record({ ...INDEX, index: INDEX, progress: 'string|object|null' }),
		delete: deleted('table_name', 'index_name'),
	},
	prompt: {
		create: said(),
		get: record(PROMPT),
		getAll: record(PROMPT),
		update: said('prompt_name'),
		delete: deleted('prompt_name'),
	},
	system: {
		getHealth: record({ message: 'string' }),
		getStatus: record({
			start_time: 'string',
			uptime_seconds: 'number',
			cpu_usage: 'number',
			memory_usage: 'number',
		}),
	},
	user: {
		getMe: record({
			...USER,
			is_verified: 'boolean',
			created_at: 'string',
			updated_at: 'string',
			collection_ids: ['string'],
		}),
		get: record(USER),
		getLimits: record({
			storage_limits: { chunks: LIMIT, documents: LIMIT, collections: LIMIT },
			usage: 'object',
		}),
	},
};
