import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { jsonBody, param } from '../../core/http.mts';
import { stableUuid } from '../../core/ids.mts';
import type { Service } from '../../core/service.mts';
import { parse } from '../../core/validation.mts';
import { OWNER } from '../library.mts';
import type { Conversation } from '../library.mts';
import { existing, iso, listed, success } from '../rag-http.mts';

const createBody = z.object({ name: z.string().optional() });
const updateBody = z.object({ name: z.string().min(1) });
const messageBody = z.object({
	content: z.string().min(1),
	role: z.enum(['user', 'assistant', 'system']),
	parent_id: z.string().optional(),
	metadata: z.record(z.unknown()).optional(),
});

const shown = ({ id, name, createdAt }: Conversation) => ({
	id,
	created_at: iso(createdAt),
	user_id: OWNER,
	name,
});

/** Conversations with the agent (beyond-the-spec.md section 6, "Conversations"); one is read as the list of its messages. */
export function conversationRoutes(app: FastifyInstance, { clock, library }: Service): void {
	const conversationOf = (request: FastifyRequest) =>
		existing(library.conversations, param(request, 'id'), 'Conversation');

	app.get('/conversations', (request) =>
		listed(request, [...library.conversations.values()].map(shown)),
	);

	app.post('/conversations', (request) => ({
		results: shown(
			library.newConversation(parse(createBody, jsonBody(request), 'body').name ?? null),
		),
	}));

	app.get('/conversations/:id', (request) => ({ results: conversationOf(request).messages }));

	app.post('/conversations/:id', (request) => {
		const { name } = parse(updateBody, jsonBody(request), 'body');
		const conversation = conversationOf(request);
		conversation.name = name;
		return { results: shown(conversation) };
	});

	app.delete('/conversations/:id', (request) => {
		library.conversations.delete(conversationOf(request).id);
		return success;
	});

	app.post('/conversations/:id/messages', (request) => {
		const {
			role,
			content,
			metadata = {},
			parent_id: parent,
		} = parse(messageBody, jsonBody(request), 'body');
		const { id, messages } = conversationOf(request);
		const message = {
			id: stableUuid(`message ${id} ${messages.length}`),
			role,
			content,
			metadata,
			created_at: iso(clock.now()),
			...(parent !== undefined && { parent_id: parent }),
		};
		messages.push(message);
		return { results: { id: message.id, message: { role, content }, metadata } };
	});
}
