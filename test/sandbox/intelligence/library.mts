import type { Clock } from '../core/clock.mts';
import { stableUuid } from '../core/ids.mts';
import { Ranking } from './rag/ranking.mts';

export interface Chunk {
	id: string;
	document_id: string;
	text: string;
	/** Set for this chunk alone; otherwise the document's metadata applies. */
	metadata?: Record<string, unknown>;
}

export interface Document {
	id: string;
	/** Two documents with the same key are the same: the file name, or the whole text. */
	key: string;
	/** File name or, for raw text, its beginning. */
	title: string;
	type: string;
	bytes: Buffer;
	metadata: Record<string, unknown>;
	collectionIds: string[];
	createdAt: number;
	/** Whether it is ingested at once, or in steps that take time. */
	isImmediate: boolean;
	/** It is unreadable, so its ingestion fails. */
	isBroken: boolean;
	chunks: Chunk[];
}

export interface Collection {
	id: string;
	name: string;
	description: string | null;
	createdAt: number;
}

export interface Prompt {
	id: string;
	name: string;
	template: string;
	input_types: Record<string, string>;
	createdAt: number;
}

export interface Message {
	id: string;
	role: string;
	content: string;
	metadata: object;
	created_at: string;
}

export interface Conversation {
	id: string;
	name: string | null;
	createdAt: number;
	messages: Message[];
}

export interface Index {
	name: string;
	table_name: string;
	definition: string;
}

/** The user that the key belongs to. */
export const OWNER = stableUuid('retrieval user');

/** The collection of documents that name none. */
export const DEFAULT_COLLECTION = stableUuid('default collection');

/** The engine's ingestion states (beyond-the-spec.md section 6) and how long after the upload each begins. */
const ingestion = [
	{ after: 5_000, status: 'success' },
	{ after: 4_600, status: 'enriching' },
	{ after: 4_200, status: 'storing' },
	{ after: 3_800, status: 'augmenting' },
	{ after: 3_000, status: 'embedding' },
	{ after: 2_500, status: 'chunking' },
	{ after: 2_000, status: 'extracting' },
	{ after: 1_000, status: 'parsing' },
] as const;

/** An unreadable document fails after this time. */
const BREAKS_AFTER = 2_000;

/** Everything that the retrieval engine stores. */
export class Library {
	readonly documents = new Map<string, Document>();
	readonly collections = new Map<string, Collection>();
	readonly prompts = new Map<string, Prompt>();
	readonly conversations = new Map<string, Conversation>();
	readonly indices = new Map<string, Index>();
	/** Collections whose documents were pulled into their graph, and those whose graph has communities. */
	readonly pulled = new Set<string>();
	readonly communities = new Set<string>();
	readonly ranking = new Ranking();
	/** Since the start: no ID comes twice. */
	private conversationsMade = 0;

	constructor(private readonly clock: Clock) {
		this.clear();
	}

	/** Back to the start: one collection, one prompt, no document. */
	clear(): void {
		const createdAt = this.clock.now();
		for (const store of [
			this.documents,
			this.collections,
			this.prompts,
			this.conversations,
			this.indices,
			this.pulled,
			this.communities,
		])
			store.clear();
		for (const name of ['ix_vector_cosine_ops_hnsw', 'ix_vector_l2_ops_ivfflat']) {
			this.indices.set(`chunks/${name}`, {
				name,
				table_name: 'chunks',
				definition: `CREATE INDEX ${name} ON chunks USING hnsw (vec)`,
			});
		}
		this.collections.set(DEFAULT_COLLECTION, {
			id: DEFAULT_COLLECTION,
			name: 'Default',
			description: null,
			createdAt,
		});
		this.prompts.set('rag', {
			id: stableUuid('prompt rag'),
			name: 'rag',
			template: 'Answer the query {query} from this context:\n{context}',
			input_types: { query: 'str', context: 'str' },
			createdAt,
		});
	}

	/** The ingestion state of a document; a search finds it from `success` on. */
	statusOf({ createdAt, isImmediate, isBroken }: Document): string {
		const age = this.clock.now() - createdAt;
		if (isBroken && (isImmediate || age >= BREAKS_AFTER)) return 'failed';
		if (isImmediate) return 'success';
		return ingestion.find(({ after }) => age >= after)?.status ?? 'pending';
	}

	newConversation(name: string | null): Conversation {
		const conversation = {
			id: stableUuid(`conversation ${++this.conversationsMade}`),
			name,
			createdAt: this.clock.now(),
			messages: [],
		};
		this.conversations.set(conversation.id, conversation);
		return conversation;
	}

	/** The documents that can be found, with their chunks. */
	searchable(): Document[] {
		return [...this.documents.values()].filter((document) => this.statusOf(document) === 'success');
	}
}

const LONGEST_CHUNK = 500;

/** Cuts a text into pieces at the ends of paragraphs, longer paragraphs at words. */
export function pieces(content: string): string[] {
	return content
		.split(/\n\s*\n/)
		.flatMap(
			(paragraph) =>
				paragraph
					.trim()
					.match(new RegExp(`[^]{1,${LONGEST_CHUNK}}(?=\\s|$)|[^]{1,${LONGEST_CHUNK}}`, 'g')) ?? [],
		)
		.map((piece) => piece.trim())
		.filter((piece) => piece !== '');
}
