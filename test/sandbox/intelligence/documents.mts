import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { jsonBody, param, queryList, queryOf } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { Invalid, jsonText, parse } from '../core/validation.mts';
import { DEFAULT_COLLECTION, OWNER, pieces } from './library.mts';
import type { Chunk, Document, Library } from './library.mts';
import { fieldOf, formOf } from './multipart.mts';
import { textOf } from './rag/content.mts';
import { search, searchBody } from './retrieval.mts';
import { existing, iso, listed, message, ragRefusal, success } from './rag-http.mts';

/** The fields of a new document besides its content (beyond-the-spec.md section 6, "Documents"). */
const fields = z
	.object({
		id: z.string().uuid(),
		collection_ids: jsonText(z.array(z.string().uuid())),
		metadata: jsonText(z.record(z.unknown())),
		chunks: jsonText(z.array(z.string().min(1)).min(1)),
		ingestion_mode: z.enum(['hi-res', 'ocr', 'fast', 'custom']),
		ingestion_config: jsonText(z.record(z.unknown())),
		run_with_orchestration: z.enum(['true', 'false']),
	})
	.partial();

/** What is set in the metadata of a document (beyond-the-spec.md section 9). */
const metadataBody = z.array(z.record(z.unknown()));

/** Documents: create (multipart), change metadata, list, get, delete, chunks and download. */
export function documentRoutes(app: FastifyInstance, { clock, library }: Service): void {
	app.post('/documents', async (request, reply) => {
		const form = await formOf(request);
		const document = await ingest(form, library, clock.now());
		reply.code(document.isImmediate ? 200 : 202);
		return {
			results: {
				message: document.isImmediate
					? 'Document created and ingested successfully.'
					: 'Document ingestion task queued successfully.',
				task_id: document.isImmediate ? null : stableUuid(`task ${document.id}`),
				document_id: document.id,
			},
		};
	});

	app.get('/documents', (request) => {
		const { ids } = queryOf(request, z.object({ ids: queryList().optional() }));
		const all = [...library.documents.values()].filter(
			({ id }) => ids === undefined || ids.includes(id),
		);
		return listed(
			request,
			all.map((document) => shown(library, document)),
		);
	});

	app.get('/documents/:id', (request) => ({
		results: shown(library, existing(library.documents, param(request, 'id'), 'Document')),
	}));

	app.delete('/documents/:id', (request) => {
		const { id } = existing(library.documents, param(request, 'id'), 'Document');
		library.documents.delete(id);
		return success;
	});

	app.patch('/documents/:id/metadata', (request) => {
		const entries = parse(metadataBody, jsonBody(request), 'body');
		const document = existing(library.documents, param(request, 'id'), 'Document');
		Object.assign(document.metadata, ...entries);
		return { results: shown(library, document) };
	});

	app.post('/documents/:id/extract', (request) => {
		existing(library.documents, param(request, 'id'), 'Document');
		return message('Graph extraction task queued successfully.');
	});

	app.get('/documents/:id/entities', (request) => {
		const { id, title } = existing(library.documents, param(request, 'id'), 'Document');
		const entity = { name: title, category: 'document', description: null };
		return listed(request, [{ id: stableUuid(`entities ${id}`), ...entity }]);
	});
	app.get('/documents/:id/relationships', (request) => {
		const { id, title } = existing(library.documents, param(request, 'id'), 'Document');
		const triple = { subject: title, predicate: 'is part of', object: 'the documents' };
		return listed(request, [{ id: stableUuid(`relationships ${id}`), ...triple }]);
	});

	app.post('/documents/search', (request) => {
		const body = parse(searchBody, jsonBody(request), 'body');
		const found = new Set(search(library, body).map(({ document }) => document));
		return { results: [...found].map((document) => shown(library, document)) };
	});

	app.get('/documents/:id/chunks', (request) => {
		const document = existing(library.documents, param(request, 'id'), 'Document');
		const ready = library.statusOf(document) === 'success' ? document.chunks : [];
		return listed(
			request,
			ready.map((chunk) => shownChunk(document, chunk)),
		);
	});

	app.get('/documents/:id/download', (request, reply) => {
		const document = existing(library.documents, param(request, 'id'), 'Document');
		return reply
			.type('application/octet-stream')
			.header(
				'content-disposition',
				`attachment; filename*=UTF-8''${encodeURIComponent(document.title)}`,
			)
			.send(document.bytes);
	});
}

/** A chunk as the engine shows it. */
export function shownChunk({ collectionIds, metadata }: Document, chunk: Chunk): object {
	return { metadata, ...chunk, owner_id: OWNER, collection_ids: collectionIds };
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

/** The specification names no limit; a service has one, and a client must handle it. */
const LARGEST_UPLOAD = 16 * 1024 * 1024;

interface Content {
	key: string;
	title: string;
	bytes: Buffer;
	/** Undefined when the file is unreadable. */
	chunks?: string[];
	type: string;
}

/** Stores a new document from its multipart body. The same ID again is a 409; the engine derives one that is not given from the file name or the text. */
async function ingest(form: FormData, library: Library, now: number): Promise<Document> {
	const given = Object.fromEntries(
		Object.keys(fields.shape).map((key) => [key, fieldOf(form, key)]),
	);
	const wanted = parse(fields, given, 'body');
	const content = await contentOf(form, wanted);
	const id = wanted.id ?? stableUuid(`document ${content.key}`);
	const same = library.documents.get(id);
	if (same) throw ragRefusal(409, `Document ${same.id} already exists`);
	for (const collectionId of wanted.collection_ids ?? [])
		existing(library.collections, collectionId, 'Collection');
	const document: Document = {
		id,
		key: content.key,
		title: content.title,
		type: content.type,
		bytes: content.bytes,
		metadata: wanted.metadata ?? {},
		collectionIds: wanted.collection_ids ?? [DEFAULT_COLLECTION],
		createdAt: now,
		isImmediate: wanted.run_with_orchestration === 'false',
		isBroken: content.chunks === undefined,
		chunks: (content.chunks ?? []).map((piece, index) => ({
			id: stableUuid(`chunk ${id} ${index}`),
			document_id: id,
			text: piece,
		})),
	};
	library.documents.set(id, document);
	return document;
}

/** Exactly one of file, raw text and chunks. */
async function contentOf(form: FormData, { chunks }: z.infer<typeof fields>): Promise<Content> {
	const sources = ['file', 'raw_text', 'chunks'].filter((name) => form.has(name));
	if (sources.length !== 1)
		throw ragRefusal(422, 'Exactly one of file, raw_text and chunks must be given');
	const file = form.get('file');
	if (file !== null && typeof file !== 'string') {
		const bytes = Buffer.from(await file.arrayBuffer());
		if (bytes.length === 0) throw ragRefusal(400, 'The file is empty');
		if (bytes.length > LARGEST_UPLOAD)
			throw ragRefusal(413, `The file is larger than ${LARGEST_UPLOAD} bytes`);
		const type = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? 'txt';
		const found = await textOf(bytes, type);
		return {
			key: `file ${file.name}`,
			title: file.name,
			bytes,
			chunks: found === undefined ? undefined : pieces(found),
			type,
		};
	}
	const raw = fieldOf(form, 'raw_text') ?? chunks?.join('\n\n') ?? '';
	if (raw === '')
		throw new Invalid([
			{ loc: ['body', sources[0] ?? 'file'], msg: 'must not be empty', type: 'value_error' },
		]);
	return {
		key: raw,
		title: raw.slice(0, LONGEST_TITLE),
		bytes: Buffer.from(raw),
		chunks: chunks ?? pieces(raw),
		type: 'txt',
	};
}
