import MiniSearch from 'minisearch';
import type { Chunk, Document } from '../library.mts';

interface Entry {
	id: string;
	text: string;
}

export interface Hit {
	document: Document;
	chunk: Chunk;
	/** 0 to 1: the BM25 score, relative to a chunk that is the query itself. */
	score: number;
}

const QUERY = 'query';

/** A word without its most common endings, so that questions match answers. */
const stem = (word: string): string => {
	const lower = word.toLowerCase();
	return lower.length > 4 ? lower.replace(/(?:ies|ing|ed|es|s)$/, '') : lower;
};

/** Full-text ranking by BM25 over all chunks; the index is kept in step with the library. */
export class Ranking {
	private readonly index = new MiniSearch<Entry>({
		fields: ['text'],
		processTerm: stem,
		autoVacuum: false,
	});
	private readonly known = new Map<string, Document>();

	/** The chunks that share a word with the query, best first. */
	search(documents: readonly Document[], query: string): Hit[] {
		this.follow(documents);
		const best = this.best(query);
		const wanted = new Map(
			documents.flatMap((document) =>
				document.chunks.map((chunk) => [chunk.id, { document, chunk }] as const),
			),
		);
		return this.index.search(query).flatMap(({ id, score }) => {
			const found = wanted.get(String(id));
			return found ? [{ ...found, score: Math.min(1, score / best) }] : [];
		});
	}

	/** The score of a chunk that is the query itself. */
	private best(query: string): number {
		this.index.add({ id: QUERY, text: query });
		const own = this.index.search(query).find(({ id }) => id === QUERY);
		this.index.remove({ id: QUERY, text: query });
		return own?.score ?? 1;
	}

	private follow(documents: readonly Document[]): void {
		const current = new Set(documents);
		for (const [id, document] of this.known) {
			if (current.has(document)) continue;
			this.index.removeAll(
				entriesOf(document).filter(({ id: chunkId }) => this.index.has(chunkId)),
			);
			this.known.delete(id);
		}
		for (const document of documents) {
			if (this.known.has(document.id)) continue;
			this.index.addAll(entriesOf(document));
			this.known.set(document.id, document);
		}
	}
}

const entriesOf = (document: Document): Entry[] =>
	document.chunks.map(({ id, text }) => ({ id, text }));
