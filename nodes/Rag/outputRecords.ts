import {
	item,
	record,
	type Fields,
	type Output,
	type Simplified,
} from '../shared/operation/output';

/** Names and shapes are those of beyond-the-spec.md section 6, where nothing else is said. */
export const CHUNK: Fields = {
	id: 'string',
	document_id: 'string',
	text: 'string',
	metadata: 'object',
	owner_id: 'string',
	collection_ids: ['string'],
};

export const FOUND_CHUNK: Fields = { ...CHUNK, score: 'number' };

export const DOCUMENT: Fields = {
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

export const simplifiedDocument = (id: string): Simplified => ({
	always: [id, 'ingestion_status'],
	also: [
		'title',
		'summary',
		'document_type',
		'metadata',
		'extraction_status',
		'size_in_bytes',
		'created_at',
		'updated_at',
	],
});

export const DOCUMENT_RECORD = record(DOCUMENT, simplifiedDocument('id'));

export const COLLECTION: Fields = {
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

export const simplifiedCollection = (...always: string[]): Simplified => ({
	always,
	also: [
		'name',
		'description',
		'document_count',
		'user_count',
		'graph_sync_status',
		'graph_cluster_status',
		'created_at',
		'updated_at',
	],
});

export const CONVERSATION: Fields = {
	id: 'string',
	name: 'string|null',
	user_id: 'string',
	created_at: 'string',
};

export const GRAPH: Fields = {
	id: 'string',
	collection_id: 'string',
	name: 'string',
	status: 'string',
	created_at: 'string',
	updated_at: 'string',
};

/** Section 6 lists no field of these and of a relationship: they are those of the engine. */
export const ENTITY: Fields = {
	id: 'string',
	name: 'string',
	category: 'string',
	description: 'string|null',
};

export const RELATIONSHIP: Fields = {
	id: 'string',
	subject: 'string',
	predicate: 'string',
	object: 'string',
};

export const INDEX: Fields = { name: 'string', table_name: 'string', definition: 'string' };

export const PROMPT: Fields = {
	id: 'string',
	name: 'string',
	template: 'string',
	input_types: 'object',
	created_at: 'string',
	updated_at: 'string',
};

export const USER: Fields = {
	id: 'string',
	email: 'string',
	name: 'string',
	is_active: 'boolean',
	is_superuser: 'boolean',
};

export const LIMIT: Fields = { used: 'number', limit: 'number', remaining: 'number' };

export const ANSWER: Fields = { generated_answer: 'string', search_results: 'object' };

const SPAN: Fields = { start: 'number', end: 'number' };

/** A streamed answer cites a source once, with all of its spans. */
export const CITATIONS: Fields = {
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
export const deleted = (...ids: string[]): Output =>
	item({
		deleted: 'boolean|null',
		accepted: 'boolean',
		hint: 'string',
		...idsOf(ids),
		already_gone: 'boolean',
	});

/** A write that answers in words. */
export const said = (...ids: string[]): Output => record({ ...idsOf(ids), message: 'string' });

const idsOf = (ids: string[]): Fields => Object.fromEntries(ids.map((id) => [id, 'string']));
