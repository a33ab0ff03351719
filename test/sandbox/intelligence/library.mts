import type { Clock } from '../core/clock.mts';
import { stableUuid } from '../core/ids.mts';

export interface Chunk {
	id: string;
	document_id: string;
	text: string;
}

export interface Document {
	id: string;
	/** File name or, for raw text, its beginning. */
	title: string;
	type: string;
	bytes: Buffer;
	metadata: Record<string, unknown>;
	collectionIds: string[];
	createdAt: number;
	/** Whether it is taken in at once, or in steps that take time. */
	isImmediate: boolean;
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

/** The user that the key belongs to. */
export const OWNER = stableUuid('retrieval user');

/** Where documents go that name no collection. */
export const DEFAULT_COLLECTION = stableUuid('default collection');

/** Some of the engine's ingestion states (beyond-the-spec.md section 6) and how long after the upload they begin. */
const ingestion = [
	{ after: 5_000, status: 'success' },
	{ after: 3_000, status: 'embedding' },
	{ after: 1_000, status: 'parsing' },
] as const;

/** What the retrieval part keeps. */
export class Library {
	readonly documents = new Map<string, Document>();
	readonly collections = new Map<string, Collection>();
	readonly prompts = new Map<string, Prompt>();

	constructor(private readonly clock: Clock) {
		this.clear();
	}

	/** Back to the start: one collection, one prompt, no document. */
	clear(): void {
		const createdAt = this.clock.now();
		this.documents.clear();
		this.collections.clear();
		this.prompts.clear();
		this.collections.set(DEFAULT_COLLECTION, { id: DEFAULT_COLLECTION, name: 'Default', description: null, createdAt });
		this.prompts.set('rag', {
			id: stableUuid('prompt rag'),
			name: 'rag',
			template: 'Answer the query {query} from this context:\n{context}',
			input_types: { query: 'str', context: 'str' },
			createdAt,
		});
	}

	/** How far a document is; it can be found from `success` on. */
	statusOf({ createdAt, isImmediate }: Document): string {
		const age = this.clock.now() - createdAt;
		if (isImmediate) return 'success';
		return ingestion.find(({ after }) => age >= after)?.status ?? 'pending';
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
		.flatMap((paragraph) => paragraph.trim().match(new RegExp(`[^]{1,${LONGEST_CHUNK}}(?=\\s|$)|[^]{1,${LONGEST_CHUNK}}`, 'g')) ?? [])
		.map((piece) => piece.trim())
		.filter((piece) => piece !== '');
}
