import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonBody, param } from '../../core/http.mts';
import type { Service } from '../../core/service.mts';
import { parse } from '../../core/validation.mts';
import { existing, listed, message } from '../rag-http.mts';

const createBody = z.object({
	config: z.object({
		name: z.string().optional(),
		table_name: z.string(),
		index_method: z.string(),
		index_measure: z.string(),
	}),
});

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

	app.post('/indices', (request) => {
		const { config } = parse(createBody, jsonBody(request), 'body');
		const { table_name: table, index_method: method, index_measure: measure } = config;
		const { name = `ix_${measure}_${method}` } = config;
		library.indices.set(`${table}/${name}`, {
			name,
			table_name: table,
			definition: `CREATE INDEX ${name} ON ${table} USING ${method} (vec)`,
		});
		return message('Index creation task queued successfully.');
	});

	app.delete('/indices/:table_name/:index_name', (request) => {
		const { name } = existing(library.indices, keyOf(request), 'Index');
		library.indices.delete(keyOf(request));
		return message(`Index ${name} deleted`);
	});
}
