import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonBody, param, refusal } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { parse } from '../core/validation.mts';
import { environmentNames, imageOf } from './containers.mts';
import type { Deployment } from './deployment.mts';
import { PUBLIC_PATH, workerId } from './views.mts';

const chatBody = z.object({
	model: z.string().optional(),
	messages: z.array(z.object({ role: z.string(), content: z.unknown() })).min(1),
});

/** One container of a deployment that runs. */
interface Container {
	id: string;
	deployment: Deployment;
	/** Its number in the deployment. */
	replica: number;
}

/**
 * What the containers of CaaS serve at their public URLs, without a key: any GET tells what runs there, and a chat
 * completion has a fixed form, so that a deployment can play an inference endpoint.
 */
export function publicRoutes(app: FastifyInstance, service: Service): void {
	const { clock } = service;
	const what = (request: FastifyRequest) => {
		const { deployment, replica } = containerOf(service, request);
		return { image: imageOf(deployment), environment: environmentNames(deployment), replica };
	};
	app.get(`${PUBLIC_PATH}/:container_id`, what);
	app.get(`${PUBLIC_PATH}/:container_id/*`, what);

	app.post(`${PUBLIC_PATH}/:container_id/v1/chat/completions`, (request) => {
		const { id, deployment } = containerOf(service, request);
		const { model = imageOf(deployment), messages } = parse(chatBody, jsonBody(request), 'body');
		const content = `An answer to ${messages.length} messages from ${imageOf(deployment)}`;
		return {
			id: `chatcmpl-${stableUuid(`${id} ${clock.now()}`)}`,
			object: 'chat.completion',
			created: Math.floor(clock.now() / 1_000),
			model,
			choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
			usage: {
				prompt_tokens: messages.length,
				completion_tokens: 8,
				total_tokens: messages.length + 8,
			},
		};
	});
}

/**
 * The container that a request is for; the request is in its log. 404 where there is none that runs, 503 until it has
 * been up for some seconds, also after an update.
 */
function containerOf(
	{ clock, logs, purchases, settings }: Service,
	request: FastifyRequest,
): Container {
	const id = param(request, 'container_id');
	for (const deployment of purchases.ofKind('caas')) {
		const { state, startedAt = 0, updates, order } = deployment;
		const replica = Array.from({ length: order.workers }).findIndex(
			(_, index) => workerId(deployment.id, index) === id,
		);
		if (replica < 0) continue;
		const readyAt = Math.max(startedAt, updates.at(-1)?.at ?? 0) + settings.warmUpMs;
		if (state === 'deployment requested' || (state === 'running' && clock.now() < readyAt))
			throw refusal(503, 'The container is starting');
		if (state !== 'running') break;
		const path = request.url.slice(`${PUBLIC_PATH}/${id}`.length).split('?', 1).join('');
		logs.find(deployment.id, id)?.append('stdout', `${request.method} ${path || '/'} 200`);
		return { id, deployment, replica };
	}
	throw refusal(404, 'No such container');
}
