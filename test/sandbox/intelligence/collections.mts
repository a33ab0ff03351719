import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonBody, param } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { parse } from '../core/validation.mts';
import { shown as shownDocument } from './documents.mts';
import { OWNER } from './library.mts';
import type { Collection, Document } from './library.mts';
import { existing, iso, listed, message, ragRefusal, success } from './rag-http.mts';

const createBody = z.object({ name: z.string().min(1), description: z.string().optional() });
const updateBody = createBody.partial();

/** Collections and what is in them (beyond-the-spec.md section 6, "Collections"). */
export function collectionRoutes(app: FastifyInstance, { clock, library }: Service): void {
	const collectionOf = (request: FastifyRequest) =>
		existing(library.collections, param(request, 'id'), 'Collection');
	const documentOf = (request: FastifyRequest) =>
		existing(library.documents, param(request, 'document_id'), 'Document');
	const documentsIn = ({ id }: Collection) =>
		[...library.documents.values()].filter(({ collectionIds }) => collectionIds.includes(id));
	const leave = (document: Document, id: string) => {
		document.collectionIds = document.collectionIds.filter((collectionId) => collectionId !== id);
	};
	const shown = (collection: Collection) => ({
		id: collection.id,
		owner_id: OWNER,
		name: collection.name,
		description: collection.description,
		graph_cluster_status: 'pending',
		graph_sync_status: 'pending',
		created_at: iso(collection.createdAt),
		updated_at: iso(collection.createdAt),
		user_count: 1,
		document_count: documentsIn(collection).length,
	});

	app.get('/collections', (request) =>
		listed(request, [...library.collections.values()].map(shown)),
	);

	app.post('/collections', (request) => {
		const { name, description = null } = parse(createBody, jsonBody(request), 'body');
		if ([...library.collections.values()].some((collection) => collection.name === name))
			throw ragRefusal(409, `Collection ${name} already exists`);
		const collection: Collection = {
			id: stableUuid(`collection ${name}`),
			name,
			description,
			createdAt: clock.now(),
		};
		library.collections.set(collection.id, collection);
		return { results: shown(collection) };
	});

	app.get('/collections/:id', (request) => ({ results: shown(collectionOf(request)) }));

	app.post('/collections/:id', (request) => {
		const { name, description } = parse(updateBody, jsonBody(request), 'body');
		const collection = collectionOf(request);
		if (name !== undefined) collection.name = name;
		if (description !== undefined) collection.description = description;
		return { results: shown(collection) };
	});

	app.delete('/collections/:id', (request) => {
		const collection = collectionOf(request);
		for (const document of documentsIn(collection)) leave(document, collection.id);
		library.collections.delete(collection.id);
		return success;
	});

	app.get('/collections/:id/documents', (request) =>
		listed(
			request,
			documentsIn(collectionOf(request)).map((document) => shownDocument(library, document)),
		),
	);

	app.post('/collections/:id/extract', (request) => {
		collectionOf(request);
		return message('Graph extraction task queued successfully.');
	});

	app.post('/collections/:id/documents/:document_id', (request) => {
		const { id } = collectionOf(request);
		const document = documentOf(request);
		if (document.collectionIds.includes(id))
			throw ragRefusal(409, 'Document is already in the collection');
		document.collectionIds.push(id);
		return message('Document assigned to collection successfully');
	});

	app.delete('/collections/:id/documents/:document_id', (request) => {
		const { id } = collectionOf(request);
		const document = documentOf(request);
		if (!document.collectionIds.includes(id))
			throw ragRefusal(404, 'Document not found in the collection');
		leave(document, id);
		return success;
	});
}
