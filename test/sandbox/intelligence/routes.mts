import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../core/http.mts';
import { group } from '../core/scopes.mts';
import { admit, bearerOf } from '../core/service.mts';
import type { Service } from '../core/service.mts';
import { agentRoutes } from './agents.mts';
import { chatRoutes } from './chat.mts';
import { collectionRoutes } from './collections.mts';
import { documentRoutes } from './documents.mts';
import { embeddingRoutes } from './embeddings.mts';
import { modelRoutes } from './models.mts';
import { promptRoutes } from './prompts.mts';
import { chunkRoutes } from './rag/chunks.mts';
import { conversationRoutes } from './rag/conversations.mts';
import { engineRoutes } from './rag/engine.mts';
import { graphRoutes } from './rag/graphs.mts';
import { indexRoutes } from './rag/indices.mts';
import { userRoutes } from './rag/users.mts';
import { retrievalRoutes } from './retrieval.mts';
import { systemRoutes } from './system.mts';

/** The key comes in exactly one of three headers; two at once are refused (beyond-the-spec.md section 4). */
function checkKey(service: Service, request: FastifyRequest): void {
	const given = [bearerOf(request), request.headers['x-api-key'], request.headers.token].filter(
		(value) => value !== undefined,
	);
	if (given.length > 1)
		throw new Refusal(400, {
			message: 'Only one way to authenticate may be used at a time',
			error_type: 'BadRequest',
		});
	admit(
		service,
		request,
		given[0] === service.keys.intelligenceKey,
		given.length === 0 ? 'Not authenticated' : 'Invalid API key',
	);
}

/** All paths of the intelligence service (intelligence-api.md, beyond-the-spec.md sections 5 and 6), one file per group. */
export function intelligenceRoutes(app: FastifyInstance, service: Service): void {
	app.addHook('preValidation', async (request) => checkKey(service, request));
	group(app, '/api/v1', (scope) => {
		for (const routes of [modelRoutes, chatRoutes, embeddingRoutes, agentRoutes])
			routes(scope, service);
	});
	group(app, `/api/${service.settings.ragSegment}/v3`, (scope) => {
		for (const routes of [
			retrievalRoutes,
			documentRoutes,
			collectionRoutes,
			promptRoutes,
			systemRoutes,
		])
			routes(scope, service);
		for (const routes of [
			engineRoutes,
			chunkRoutes,
			conversationRoutes,
			graphRoutes,
			indexRoutes,
			userRoutes,
		])
			routes(scope, service);
	});
}
