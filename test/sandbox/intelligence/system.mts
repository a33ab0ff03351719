import type { FastifyInstance } from 'fastify';
import type { Service } from '../core/service.mts';
import { OWNER } from './library.mts';
import { iso, message } from './rag-http.mts';

/** Health and the user of the key (beyond-the-spec.md section 6, "System" and "Users"). */
export function systemRoutes(app: FastifyInstance, { clock, library }: Service): void {
	const startedAt = clock.now();

	app.get('/health', () => message('ok'));

	app.get('/users/me', () => ({
		results: {
			id: OWNER,
			email: 'sandbox@example.com',
			is_active: true,
			is_superuser: false,
			is_verified: true,
			created_at: iso(startedAt),
			updated_at: iso(startedAt),
			collection_ids: [...library.collections.keys()],
			name: 'Sandbox User',
		},
	}));
}
