import type { FastifyInstance } from 'fastify';
import { stableUuid } from '../../../core/ids.mts';
import { isRecord } from '../../../core/guards.mts';
import { param } from '../../../core/http.mts';
import { fieldOf, formOf } from '../../../intelligence/multipart.mts';
import { envelope, page, R2rError } from './answers.mts';
import { DEFAULT_COLLECTION, UNREADABLE, USER, type Store, type StoredDocument } from './store.mts';

const TYPES = ['txt', 'md', 'pdf', 'html', 'docx', 'csv', 'json', 'png', 'mp3', 'pptx', 'xlsx'];

/** Documents, as R2R 3.6's `documents_router` and `ingestion_service` treat them. */
export function documentRoutes(app: FastifyInstance, store: Store, collections: Set<string>): void {
	const { habits } = store;
	const found = (id: string) => {
		const document = store.shown().find((one) => one.id === id);
		if (!document) throw new R2rError(404, 'Document not found.');
		return document;
	};

	app.post('/documents', async (request, reply) => {
		const form = await formOf(request);
		const json = (name: string): unknown => {
			const text = fieldOf(form, name);
			try {
				return text === undefined ? undefined : JSON.parse(text);
			} catch {
				throw new R2rError(422, `${name}: JSON decode error`);
			}
		};
		const metadata = json('metadata') ?? {};
		if (!isRecord(metadata))
			throw new R2rError(422, 'metadata: Input should be a valid dictionary');
		const config = json('ingestion_config') ?? {};
		if (!isRecord(config))
			throw new R2rError(422, 'ingestion_config: Input should be a valid dictionary');
		const [name, bytes] = await contentOf(form, metadata, json('chunks'));
		const asked = fieldOf(form, 'id');
		const derived = habits.ownIds === 'derived' || asked === undefined;
		const id =
			habits.ownIds === 'new'
				? stableUuid(`r2r document ${store.changes.length}`)
				: derived
					? stableUuid(`r2r ${name} ${name === 'N/A' ? bytes.toString() : ''}`)
					: asked;
		const type = name === 'N/A' ? 'txt' : (name.split('.').at(-1) ?? '').toLowerCase();
		if (!TYPES.includes(type)) throw new R2rError(415, `'${type}' is not a valid DocumentType.`);
		const existing = store.documents.get(id);
		// The file is stored before the document is looked for
		if (existing) existing.file = bytes;
		if (existing && store.statusOf(existing) !== 'failed') store.conflicts++;
		if (existing && store.statusOf(existing) !== 'failed' && habits.isTerse)
			throw new R2rError(409, 'Conflict');
		if (existing && store.statusOf(existing) !== 'failed')
			throw new R2rError(
				409,
				store.statusOf(existing) === 'success'
					? `Document ${id} already exists. Submit a DELETE request to \`/documents/{document_id}\` to delete this document and allow for re-ingestion.`
					: `Document ${id} is currently ingesting with status ${store.statusOf(existing)}.`,
			);
		const namesake = [...store.documents.values()].find(
			(one) => one.id !== id && one.title === name,
		);
		if (habits.uniqueNames && namesake && name !== 'N/A') {
			store.conflicts++;
			throw new R2rError(
				409,
				habits.isTerse ? 'Conflict' : `Document ${namesake.id} already exists.`,
			);
		}
		const isSync = fieldOf(form, 'run_with_orchestration') === 'false';
		const chosen = (json('collection_ids') as string[] | undefined) ?? [];
		const overlap = Number(config.chunk_overlap ?? 512);
		const isBroken = config.chunk_size !== undefined && overlap >= Number(config.chunk_size);
		const document: StoredDocument = {
			id,
			owner: USER,
			title: typeof metadata.title === 'string' ? metadata.title : name,
			type,
			bytes: isBroken ? Buffer.from(UNREADABLE) : bytes,
			metadata: { ...metadata, version: 'v0' },
			collectionIds:
				chosen.length > 0
					? habits.losesCollections
						? [DEFAULT_COLLECTION, ...chosen]
						: chosen
					: [DEFAULT_COLLECTION],
			createdAt: store.now(),
			readyAt: store.now() + (isSync ? 0 : habits.ingestionMs),
		};
		store.add(document);
		if (habits.lostCreates > 0) {
			habits.lostCreates--;
			reply.hijack();
			request.raw.socket.destroy();
			return reply;
		}
		if (isSync && store.statusOf(document) === 'failed')
			throw new R2rError(500, 'Error parsing document', true);
		return await reply.code(202).send(
			envelope(habits, {
				message: isSync
					? 'Document created and ingested successfully.'
					: 'Ingest files task queued successfully.',
				task_id: isSync ? null : stableUuid(`task ${id}`),
				document_id: id,
			}),
		);
	});

	app.get('/documents', (request) => page(habits, request, store.shown().map(shown)));
	app.get('/documents/:id', (request) => envelope(habits, shown(found(param(request, 'id')))));
	app.get(
		'/documents/:id/download',
		async (request, reply) =>
			await reply
				.type('application/octet-stream')
				.header('content-disposition', "inline; filename*=UTF-8''file")
				.send(downloadOf(found(param(request, 'id')))),
	);

	app.delete('/documents/:id', (request) => {
		const id = param(request, 'id');
		const document = store.documents.get(id);
		if (!document || (document.owner !== USER && !habits.isSuperuser))
			throw new R2rError(404, 'Document not found');
		store.remove(id);
		return envelope(habits, { success: true });
	});

	app.post('/collections/:id/documents/:document', (request) => {
		const id = param(request, 'id');
		const document = found(param(request, 'document'));
		if (!collections.has(id)) throw new R2rError(404, 'The specified collection was not found.');
		if (store.collectionsOf(document).includes(id))
			throw new R2rError(409, 'Document is already assigned to the collection');
		document.collectionIds.push(id);
		store.assigned.add(`${document.id} ${id}`);
		return envelope(habits, { message: 'Document assigned to collection successfully' });
	});

	const shown = (document: StoredDocument) => ({
		id: document.id,
		collection_ids: store.collectionsOf(document),
		owner_id: document.owner,
		document_type: document.type,
		metadata: document.metadata,
		title: document.title,
		version: 'v0',
		size_in_bytes: document.bytes.length,
		ingestion_status: habits.isLoud
			? store.statusOf(document).toUpperCase()
			: store.statusOf(document),
		extraction_status: 'pending',
		created_at: new Date(document.createdAt).toISOString(),
		updated_at: new Date(document.createdAt).toISOString(),
		summary: null,
		total_tokens: null,
	});
}

function downloadOf({ file, bytes }: StoredDocument): Buffer {
	return file ?? bytes;
}

/** The file name that decides the type, and the content. A `title` in the metadata takes the place of a file's name. */
async function contentOf(
	form: FormData,
	metadata: Record<string, unknown>,
	chunks: unknown,
): Promise<[name: string, bytes: Buffer]> {
	const file = form.get('file');
	const raw = fieldOf(form, 'raw_text');
	if (file !== null && typeof file !== 'string')
		return [
			typeof metadata.title === 'string' && metadata.title !== '' ? metadata.title : file.name,
			Buffer.from(await file.arrayBuffer()),
		];
	if (raw !== undefined)
		return [metadata.title ? `${String(metadata.title)}.txt` : 'N/A', Buffer.from(raw)];
	if (Array.isArray(chunks)) return ['N/A', Buffer.from(chunks.join('\n\n'))];
	throw new R2rError(422, 'Either a `file`, `raw_text`, or `chunks` must be provided.');
}
