import type { FastifyInstance } from 'fastify';
import { param, queryList, queryOf } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import { Invalid, anything, choice, list, mapOf, object, optional, parse, text, uuid } from '../core/schema.mts';
import type { Check, Parsed } from '../core/schema.mts';
import type { Service } from '../core/service.mts';
import { DEFAULT_COLLECTION, OWNER, pieces } from './library.mts';
import type { Document, Library } from './library.mts';
import { fieldOf, formOf } from './multipart.mts';
import { existing, iso, listed, ragRefusal, success } from './rag-http.mts';

/** The fields of a new document beside its content (beyond-the-spec.md section 6, "Documents"). */
const fields = {
	id: optional(uuid),
	collection_ids: optional(json(list(uuid))),
	metadata: optional(json(mapOf(anything))),
	chunks: optional(json(list(text({ min: 1 }), { min: 1 }))),
	ingestion_mode: optional(choice(['hi-res', 'ocr', 'fast', 'custom'])),
	run_with_orchestration: optional(choice(['true', 'false'])),
};

/** A form field that holds JSON. */
function json<T>(check: Check<T>): Check<T> {
	return (value, loc, issues) => {
		try {
			return check(JSON.parse(String(value)), loc, issues);
		} catch {
			issues.push({ loc, msg: 'must be valid JSON', type: 'json_invalid' });
			return undefined;
		}
	};
}

/** Documents: create by form, list, get, delete, chunks and download. */
export function documentRoutes(app: FastifyInstance, { clock, library }: Service): void {
	app.post('/documents', async (request, reply) => {
		const form = await formOf(request);
		const document = await read(form, library, clock.now());
		library.documents.set(document.id, document);
		reply.code(document.isImmediate ? 200 : 202);
		return {
			results: {
				message: document.isImmediate ? 'Document created and ingested successfully.' : 'Document ingestion task queued successfully.',
				task_id: document.isImmediate ? null : stableUuid(`task ${document.id}`),
				document_id: document.id,
			},
		};
	});

	app.get('/documents', (request) => {
		const { ids } = queryOf(request, object({ ids: optional(queryList()) }, 'allow'));
		const all = [...library.documents.values()].filter(({ id }) => ids === undefined || ids.includes(id));
		return listed(request, all.map((document) => shown(library, document)));
	});

	app.get('/documents/:id', (request) => ({ results: shown(library, existing(library.documents, param(request, 'id'), 'Document')) }));

	app.delete('/documents/:id', (request) => {
		const { id } = existing(library.documents, param(request, 'id'), 'Document');
		library.documents.delete(id);
		return success;
	});

	app.get('/documents/:id/chunks', (request) => {
		const document = existing(library.documents, param(request, 'id'), 'Document');
		const ready = library.statusOf(document) === 'success' ? document.chunks : [];
		return listed(request, ready.map((chunk) => ({ ...chunk, owner_id: OWNER, collection_ids: document.collectionIds, metadata: document.metadata })));
	});

	app.get('/documents/:id/download', (request, reply) => {
		const document = existing(library.documents, param(request, 'id'), 'Document');
		return reply.type('application/octet-stream').send(document.bytes);
	});
}

/** A document as the engine shows it. */
export function shown(library: Library, document: Document): Record<string, unknown> {
	const created = iso(document.createdAt);
	return {
		id: document.id,
		collection_ids: document.collectionIds,
		owner_id: OWNER,
		document_type: document.type,
		metadata: document.metadata,
		title: document.title,
		version: 'v0',
		size_in_bytes: document.bytes.length,
		ingestion_status: library.statusOf(document),
		extraction_status: 'pending',
		created_at: created,
		updated_at: created,
		summary: null,
	};
}

const LONGEST_TITLE = 60;

interface Content {
	/** What makes two documents the same one: the file's name, or the whole text. */
	key: string;
	title: string;
	bytes: Buffer;
	chunks: string[];
	type: string;
}

/** A new document from its form. The same file name, text or id again is a 409: the engine derives the id from the others. */
async function read(form: FormData, library: Library, now: number): Promise<Document> {
	const given = Object.fromEntries(Object.keys(fields).flatMap((key) => (form.has(key) ? [[key, fieldOf(form, key)]] : [])));
	const wanted = parse(object(fields), given, 'body');
	const content = await contentOf(form, wanted);
	const id = wanted.id ?? stableUuid(`document ${content.key}`);
	if (library.documents.has(id)) throw ragRefusal(409, `Document ${id} already exists`);
	for (const collectionId of wanted.collection_ids ?? []) existing(library.collections, collectionId, 'Collection');
	return {
		id,
		title: content.title,
		type: content.type,
		bytes: content.bytes,
		metadata: wanted.metadata ?? {},
		collectionIds: wanted.collection_ids ?? [DEFAULT_COLLECTION],
		createdAt: now,
		isImmediate: wanted.run_with_orchestration === 'false',
		chunks: content.chunks.map((piece, index) => ({ id: stableUuid(`chunk ${id} ${index}`), document_id: id, text: piece })),
	};
}

/** Exactly one of file, raw text and chunks. */
async function contentOf(form: FormData, { chunks }: Parsed<typeof fields>): Promise<Content> {
	const sources = ['file', 'raw_text', 'chunks'].filter((name) => form.has(name));
	if (sources.length !== 1) throw ragRefusal(422, 'Exactly one of file, raw_text and chunks must be given');
	const file = form.get('file');
	if (file !== null && typeof file !== 'string') {
		const bytes = Buffer.from(await file.arrayBuffer());
		return { key: file.name, title: file.name, bytes, chunks: pieces(bytes.toString('utf8')), type: /\.([^.]+)$/.exec(file.name)?.[1] ?? 'txt' };
	}
	const raw = fieldOf(form, 'raw_text') ?? chunks?.join('\n\n') ?? '';
	if (raw === '') throw new Invalid([{ loc: ['body', sources[0] ?? 'file'], msg: 'must not be empty', type: 'value_error' }]);
	return { key: raw, title: raw.slice(0, LONGEST_TITLE), bytes: Buffer.from(raw), chunks: chunks ?? pieces(raw), type: 'txt' };
}
