import { type Asked, type Json, lost, whole } from '../intelligence4/service.mts';
import { DOCUMENTS, type Stage } from '../intelligence4/stage.mts';
import { by } from './service.mts';
import { R, UPLOAD } from './stage.mts';

const NO = whole({ message: 'Document not found', error_type: 'R2RException' }, 404);
const ONE = '/documents/[^/]+';

interface Book {
	id: string | number;
	/** When it was written. */
	from: number;
	/** When it was deleted. */
	to: number;
	raw: string;
	metadata: Json;
	ingestion_status: string;
}

/** What a request for one document is about. */
function idIn({ line }: Asked): string {
	return /\/documents\/([^/]+)/.exec(line)?.[1] ?? '';
}

/** A field of an upload. */
function field(text: string, name: string): string | undefined {
	return new RegExp(`name="${name}"\\r\\n(?:[^\\r]+\\r\\n)*\\r\\n([^\\r]*)`).exec(text)?.[1];
}

function view({ id, raw, from, metadata, ingestion_status }: Book): Json {
	return {
		id,
		title: 'N/A',
		metadata,
		ingestion_status,
		size_in_bytes: Buffer.byteLength(raw),
		created_at: new Date(from).toISOString(),
		collection_ids: [],
	};
}

/** Reads of the documents that `visible` gives; deletions are of what is there. */
function shelf(
	stage: Stage,
	rows: Book[],
	visible: () => Book[],
	shown = (id: string) => id,
): () => Book[] {
	const { service } = stage;
	const alive = () => rows.filter(({ to }) => to === Infinity);
	const is = (one: Book, id: string) => String(one.id).toLowerCase() === id.toLowerCase();
	const seen = (book: Book) => ({
		...view(book),
		id: typeof book.id === 'string' ? shown(book.id) : book.id,
	});
	service.on(
		DOCUMENTS,
		by(({ query }) => {
			const ids = query.getAll('ids');
			const all = visible().filter((one) => ids.length === 0 || ids.some((id) => is(one, id)));
			const results = all.slice(Number(query.get('offset') ?? 0)).map(seen);
			return whole({ results, total_entries: all.length });
		}),
	);
	service.on(
		R('GET', ONE),
		by((asked) => {
			const found = visible().find((one) => is(one, idIn(asked)));
			return found ? whole({ results: seen(found) }) : NO;
		}),
	);
	service.on(
		R('GET', `${ONE}/download`),
		by((asked) => {
			const found = visible().find((one) => is(one, idIn(asked)));
			return found ? whole(found.raw, 200, 'text/plain') : NO;
		}),
	);
	service.on(
		R('DELETE', ONE),
		by((asked) => {
			const found = alive().find((one) => is(one, idIn(asked)));
			if (found) found.to = stage.now();
			return found ? whole({ results: { success: true } }) : NO;
		}),
	);
	return alive;
}

/** A retrieval service that refuses no upload. */
export function books(
	stage: Stage,
	{
		/** How far its reads are behind its writes. */
		lagMs = 0,
		/** It chooses IDs by itself. */
		ownIds = false,
		/** What becomes of the answer to an upload; with `202` it does not name the document. */
		answer = 'ok' as 'ok' | 'lost' | '202',
		status = 'success',
		/** An ID as its answers have it. */
		shown = (id: string) => id,
	} = {},
) {
	const rows: Book[] = [];
	const now = () => stage.now();
	const alive: () => Book[] = shelf(
		stage,
		rows,
		() => alive().filter(({ from }) => now() - from >= lagMs),
		shown,
	);
	/** Writes a document that is not uploaded. */
	const put = (id: string, fields: Partial<Book> = {}) =>
		void rows.push({
			id,
			from: now(),
			to: Infinity,
			raw: '',
			metadata: {},
			ingestion_status: status,
			...fields,
		});
	const upload = by(({ text }) => {
		const id = ownIds ? `own-${rows.length + 1}` : (field(text, 'id') ?? '');
		const metadata = JSON.parse(field(text, 'metadata') ?? '{}') as Json;
		put(id, { raw: field(text, 'raw_text'), metadata });
		if (answer === 'lost') return lost;
		const results =
			answer === '202'
				? { message: 'queued', task_id: 't1', document_id: null }
				: { message: 'ok', task_id: null, document_id: shown(id) };
		return whole({ results }, 202);
	});
	stage.service.on(UPLOAD, upload);
	return { alive, put, upload };
}

/** How far the stale one of two copies is behind. */
const BEHIND_MS = 20_000;

/**
 * A retrieval service of which two copies answer reads, one up to date, the other behind.
 *
 * @param first which copy answers the first read, the other one the next, and so on; with a number either one by chance
 * @param ingest what becomes of a document with this text
 */
export function copies(
	stage: Stage,
	first: 'fresh' | 'stale' | number,
	ingest: (raw: string) => string = () => 'success',
	numericIds = false,
) {
	const rows: Book[] = [];
	const now = () => stage.now();
	let reads = first === 'stale' ? 1 : 0;
	let seed = typeof first === 'number' ? first * 7919 + 1 : 0;
	const chance = () => {
		seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
		return (seed >> 16) & 1;
	};
	const isStale = () => (typeof first === 'number' ? chance() === 1 : reads++ % 2 === 1);
	const alive = shelf(stage, rows, () => {
		const at = isStale() ? now() - BEHIND_MS : now();
		return rows.filter(({ from, to }) => from <= at && at < to);
	});
	const state = {
		alive,
		uploads: 0,
		/** The next upload does not arrive. */
		losesNext: false,
		/** Whether a document is there that can be searched. */
		hasGood: () => alive().some(({ ingestion_status }) => ingestion_status === 'success'),
	};
	stage.service.on(
		UPLOAD,
		by(({ text }) => {
			state.uploads++;
			if (state.losesNext) {
				state.losesNext = false;
				return lost;
			}
			const raw = field(text, 'raw_text') ?? '';
			const id = numericIds ? rows.length + 1 : (field(text, 'id') ?? '');
			if (alive().some((one) => one.id === id))
				return whole({ message: `Document ${id} already exists`, error_type: 'R2RException' }, 409);
			const metadata = JSON.parse(field(text, 'metadata') ?? '{}') as Json;
			rows.push({ id, raw, from: now(), to: Infinity, metadata, ingestion_status: ingest(raw) });
			return whole({ results: { message: 'queued', task_id: 't', document_id: id } }, 202);
		}),
	);
	return state;
}
