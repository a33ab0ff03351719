import type { Clock } from '../../../core/clock.mts';
import { stableUuid } from '../../../core/ids.mts';
import { pieces } from '../../../intelligence/library.mts';

/** How the engine behaves where versions, settings and deployments of it differ. */
export interface R2rHabits {
	/** Operators of a filter: those of R2R 3.6's source, or those that its documentation lists. */
	operators: 'source' | 'documented';
	/** Prompts are for superusers alone, who also see the documents of others. */
	isSuperuser: boolean;
	/** Milliseconds from an upload to the end of its ingestion. */
	ingestionMs: number;
	/** Milliseconds for which documents and lists do not show what is new. */
	lagMs: number;
	/** The finish reason of the model's answer. */
	finishReason: 'stop' | 'length';
	/** Creates whose answer is lost, though they were done. */
	lostCreates: number;
	/** The engine makes the ID of a document from its name or text, or a new one each time, whatever the client asks for. */
	ownIds: false | 'derived' | 'new';
	/** A conflict does not say what it is about. */
	isTerse: boolean;
	/** A second document of the same name is refused, whatever its ID is. */
	uniqueNames: boolean;
	/** Without `results` around an object; lists keep it, since it holds their total. */
	isPlain: boolean;
	/** Lists are arrays, without a total. */
	isBare: boolean;
	/** Lists have at most so many entries, the first ones, whatever the offset is. */
	pageLimit?: number;
	/** Statuses in capitals. */
	isLoud: boolean;
	/** Milliseconds for which conversations do not show what is new. */
	conversationLagMs: number;
	/** Conversations and messages whose answer is lost, though they were created. */
	lostMessages: number;
	/** No message is taken. */
	refusesMessages: boolean;
	/** After ingestion, a document is in the default collection alone. */
	losesCollections: boolean;
}

/** R2R 3.6 for an ordinary account, as its source has it. */
export const R2R_HABITS: R2rHabits = {
	operators: 'source',
	isSuperuser: true,
	ingestionMs: 3_000,
	lagMs: 0,
	finishReason: 'stop',
	lostCreates: 0,
	ownIds: false,
	isTerse: false,
	uniqueNames: false,
	isPlain: false,
	isBare: false,
	isLoud: false,
	conversationLagMs: 0,
	lostMessages: 0,
	refusesMessages: false,
	losesCollections: false,
};

export const USER = stableUuid('r2r user');
export const STRANGER = stableUuid('r2r stranger');
export const DEFAULT_COLLECTION = stableUuid('r2r default collection');

/** What makes an ingestion fail. */
export const UNREADABLE = '\u0000unreadable';

export interface StoredDocument {
	id: string;
	owner: string;
	title: string;
	type: string;
	bytes: Buffer;
	/** What a download brings, if an upload that was refused has replaced it. */
	file?: Buffer;
	metadata: Record<string, unknown>;
	collectionIds: string[];
	createdAt: number;
	readyAt: number;
}

/** What was done to the documents: every upload that was accepted, and every deletion. */
export interface Change {
	kind: 'created' | 'deleted';
	document: StoredDocument;
	/** Of a deletion: whether another document of the user could be searched. */
	at: number;
}

/** The documents of the engine. */
export class Store {
	readonly documents = new Map<string, StoredDocument>();
	readonly changes: Change[] = [];
	/** Uploads that were refused with a conflict. */
	conflicts = 0;

	constructor(
		private readonly clock: Clock,
		readonly habits: R2rHabits,
	) {}

	now(): number {
		return this.clock.now();
	}

	statusOf({ readyAt, bytes }: StoredDocument): string {
		if (this.now() < readyAt) return 'parsing';
		return bytes.includes(UNREADABLE) ? 'failed' : 'success';
	}

	add(document: StoredDocument): void {
		this.documents.set(document.id, document);
		this.changes.push({ kind: 'created', document, at: this.now() });
	}

	remove(id: string): boolean {
		const document = this.documents.get(id);
		if (!document) return false;
		this.documents.delete(id);
		this.changes.push({ kind: 'deleted', document, at: this.now() });
		return true;
	}

	/** The documents that the API shows by now, the newest first. */
	shown(): StoredDocument[] {
		return [...this.documents.values()]
			.filter(({ createdAt }) => this.now() >= createdAt + this.habits.lagMs)
			.filter(({ owner }) => this.habits.isSuperuser || owner === USER)
			.sort((a, b) => b.createdAt - a.createdAt);
	}

	collectionsOf(document: StoredDocument): string[] {
		return this.habits.losesCollections && this.now() >= document.readyAt
			? document.collectionIds.filter(
					(id) => id === DEFAULT_COLLECTION || this.assigned.has(`${document.id} ${id}`),
				)
			: document.collectionIds;
	}

	/** Documents that were added to a collection by their own request. */
	readonly assigned = new Set<string>();

	/** The chunks of everything that is ingested. */
	chunks(): Array<{ id: string; document: StoredDocument; text: string }> {
		return [...this.documents.values()]
			.filter((document) => this.statusOf(document) === 'success')
			.flatMap((document) =>
				pieces(document.bytes.toString('utf8')).map((text, index) => ({
					id: stableUuid(`${document.id} ${index}`),
					document,
					text,
				})),
			);
	}
}
