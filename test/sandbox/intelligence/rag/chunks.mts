import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonBody, param } from '../../core/http.mts';
import type { Service } from '../../core/service.mts';
import { parse } from '../../core/validation.mts';
import { shownChunk } from '../documents.mts';
import { listed, ragRefusal, success } from '../rag-http.mts';
import { search, searchBody, shownHit } from '../retrieval.mts';

const updateBody = z.object({
	id: z.string().optional(),
	text: z.string().min(1),
	metadata: z.record(z.unknown()).optional(),
});

/** Single chunks (beyond-the-spec.md section 6, "Chunks"). */
export function chunkRoutes(app: FastifyInstance, { library }: Service): void {
	const all = () =>
		library
			.searchable()
			.flatMap((document) => document.chunks.map((chunk) => ({ document, chunk })));
	const chunkOf = (request: FastifyRequest) => {
		const id = param(request, 'id');
		const found = all().find(({ chunk }) => chunk.id === id);
		if (!found) throw ragRefusal(404, `Chunk ${id} not found`);
		return found;
	};

	app.get('/chunks', (request) =>
		listed(
			request,
			all().map(({ document, chunk }) => shownChunk(document, chunk)),
		),
	);

	app.post('/chunks/search', (request) => {
		const body = parse(searchBody, jsonBody(request), 'body');
		return { results: search(library, body).map(shownHit) };
	});

	app.get('/chunks/:id', (request) => {
		const { document, chunk } = chunkOf(request);
		return { results: shownChunk(document, chunk) };
	});

	app.post('/chunks/:id', (request) => {
		const { text: words, metadata } = parse(updateBody, jsonBody(request), 'body');
		const { document, chunk } = chunkOf(request);
		const changed = { ...chunk, text: words, ...(metadata && { metadata }) };
		// A new document object, so that the search index sees the change
		library.documents.set(document.id, {
			...document,
			chunks: document.chunks.map((one) => (one.id === chunk.id ? changed : one)),
		});
		return { results: shownChunk(document, changed) };
	});

	app.delete('/chunks/:id', (request) => {
		const { document, chunk } = chunkOf(request);
		library.documents.set(document.id, {
			...document,
			chunks: document.chunks.filter(({ id }) => id !== chunk.id),
		});
		return success;
	});
}
