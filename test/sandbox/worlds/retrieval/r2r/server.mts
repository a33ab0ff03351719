import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { Clock } from '../../../core/clock.mts';
import { stableUuid } from '../../../core/ids.mts';
import { param } from '../../../core/http.mts';
import { noteSent } from '../../../core/sent.mts';
import { envelope, errorAnswer, page, R2rError } from './answers.mts';
import { Conversations } from './conversations.mts';
import { documentRoutes } from './documents.mts';
import { retrievalRoutes } from './retrieval.mts';
import { DEFAULT_COLLECTION, Store, type R2rHabits } from './store.mts';

export interface R2rServer {
	url: string;
	store: Store;
	/** Method and path of each request, below the prefix. */
	requests: Array<{ method: string; path: string }>;
	/** A collection of the account. */
	collection(name: string): string;
	conversations: Conversations;
	/** A conversation with so many messages: `message 1`, `message 2`, … */
	conversation(messages: number): string;
	close(): Promise<void>;
}

/**
 * A retrieval engine written from the source of R2R 3.6 (routers, `filters.py`, `retrieval_service`, `ingestion_service`), not
 * from this package or its sandbox. The caller closes it.
 */
export async function startR2r(clock: Clock, habits: R2rHabits): Promise<R2rServer> {
	const store = new Store(clock, { ...habits });
	const requests: R2rServer['requests'] = [];
	const collections = new Map([[DEFAULT_COLLECTION, 'Default']]);
	const conversations = new Conversations(store);
	const app = fastify({ bodyLimit: 200 * 1024 * 1024, forceCloseConnections: true });
	app.addContentTypeParser(/^multipart/, { parseAs: 'buffer' }, (_request, body, done) =>
		done(null, body),
	);
	app.addHook('onRequest', (request, _reply, done) => {
		requests.push({ method: request.method, path: request.url.replace('/api/rag/v3', '') });
		done();
	});
	app.addHook('onSend', (_request, _reply, body, done) => {
		noteSent(body);
		done();
	});
	app.setErrorHandler(async (error, _request, reply) => {
		const [status, body] = errorAnswer(error);
		return await reply.code(status).send(body);
	});
	app.setNotFoundHandler(
		async (_request, reply) => await reply.code(404).send({ detail: 'Not Found' }),
	);
	const ids = new Set(collections.keys());
	await app.register(
		async (api) => {
			documentRoutes(api, store, ids);
			retrievalRoutes(api, store);
			api.get('/collections', (request) =>
				page(
					store.habits,
					request,
					[...collections].map(([id, name]) => ({ id, name })),
				),
			);
			api.get('/prompts', (request) => {
				if (!habits.isSuperuser) throw new R2rError(403, 'Only a superuser can list prompts.');
				return page(store.habits, request, [
					{ id: stableUuid('prompt'), name: 'rag', template: '{query}', input_types: {} },
				]);
			});
			conversations.routes(api);
			api.get('/indices/:table/:name', (request) =>
				envelope(habits, {
					index: { name: param(request, 'name'), table_name: param(request, 'table') },
				}),
			);
		},
		{ prefix: '/api/rag/v3' },
	);
	await app.listen({ host: '127.0.0.1', port: 0 });
	return {
		url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
		store,
		requests,
		conversations,
		collection(name) {
			const id = stableUuid(`r2r collection ${name}`);
			collections.set(id, name);
			ids.add(id);
			return id;
		},
		conversation(messages) {
			const made = conversations.add(null);
			for (let number = 1; number <= messages; number++)
				conversations.append(made, 'user', `message ${number}`);
			return made.id;
		},
		close: async () => await app.close(),
	};
}
