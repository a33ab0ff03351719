import type { FastifyInstance, FastifyRequest } from 'fastify';
import { param } from '../../core/http.mts';
import type { Service } from '../../core/service.mts';
import { OWNER } from '../library.mts';
import { iso, ragRefusal } from '../rag-http.mts';

/** The user of the key by id, the user's limits, and the system status (beyond-the-spec.md section 6, "Users", "System"). */
export function userRoutes(app: FastifyInstance, { clock, library }: Service): void {
	const startedAt = clock.now();
	const checkUser = (request: FastifyRequest) => {
		if (param(request, 'id') !== OWNER) throw ragRefusal(404, 'User not found');
	};

	app.get('/users/:id', (request) => {
		checkUser(request);
		return {
			results: {
				id: OWNER,
				email: 'sandbox@example.com',
				is_active: true,
				is_superuser: false,
				name: 'Sandbox User',
			},
		};
	});

	app.get('/users/:id/limits', (request) => {
		checkUser(request);
		const chunks = [...library.documents.values()].reduce(
			(sum, document) => sum + document.chunks.length,
			0,
		);
		const used = (count: number, limit: number) => ({
			used: count,
			limit,
			remaining: limit - count,
		});
		return {
			results: {
				storage_limits: {
					chunks: used(chunks, 100_000),
					documents: used(library.documents.size, 10_000),
					collections: used(library.collections.size, 100),
				},
				usage: {},
			},
		};
	});

	app.get('/system/status', () => ({
		results: {
			start_time: iso(startedAt),
			uptime_seconds: (clock.now() - startedAt) / 1000,
			cpu_usage: 1.5,
			memory_usage: 12.5,
		},
	}));
}
