import type { FastifyInstance, FastifyRequest } from 'fastify';
import { param } from '../../core/http.mts';
import type { Service } from '../../core/service.mts';
import { existing, listed, message } from '../rag-http.mts';

/** Indices of chunk embeddings; the list is one level deeper than others (beyond-the-spec.md section 6, "Indices"). */
export function indexRoutes(app: FastifyInstance, { library }: Service): void {
	const keyOf = (request: FastifyRequest) =>
		`${param(request, 'table_name')}/${param(request, 'index_name')}`;

	app.get('/indices', (request) => {
		const { results, total_entries } = listed(
			request,
			[...library.indices.values()].map((index) => ({ index, progress: null })),
		);
		return { results: { indices: results }, total_entries };
	});

	app.get('/indices/:table_name/:index_name', (request) => ({
		results: { index: existing(library.indices, keyOf(request), 'Index') },
	}));

	app.delete('/indices/:table_name/:index_name', (request) => {
		const { name } = existing(library.indices, keyOf(request), 'Index');
		library.indices.delete(keyOf(request));
		return message(`Index ${name} deleted`);
	});
}
