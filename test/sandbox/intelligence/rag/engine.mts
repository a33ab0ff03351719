import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { jsonBody } from '../../core/http.mts';
import { stableUuid } from '../../core/ids.mts';
import type { Service } from '../../core/service.mts';
import { parse } from '../../core/validation.mts';
import { existing, iso } from '../rag-http.mts';
import { search, searchBody, shownHit } from '../retrieval.mts';
import { answerFrom, bestSentence } from './answers.mts';

const generation = z.object({ stream: z.boolean(), model: z.string() }).partial();

const ragBody = searchBody.extend({
	rag_generation_config: generation.optional(),
	task_prompt: z.string().optional(),
});

const agentBody = z.object({
	message: z.object({
		role: z.enum(['user', 'system', 'assistant']),
		content: z.string().min(1),
	}),
	conversation_id: z.string().uuid().optional(),
	mode: z.enum(['rag', 'research']).optional(),
	rag_generation_config: generation.optional(),
	search_mode: searchBody.shape.search_mode,
	search_settings: searchBody.shape.search_settings,
});

type Hits = ReturnType<typeof search>;

interface Citation {
	id: string;
	object: 'citation';
	span: { start: number; end: number };
	source_type: 'chunk';
	payload: object;
}

/** The engine's own answer and its agent (beyond-the-spec.md section 6, "RAG query", "Agent"). */
export function engineRoutes(app: FastifyInstance, service: Service): void {
	const { library, clock } = service;

	app.post('/retrieval/rag', (request, reply) => {
		const body = parse(ragBody, jsonBody(request), 'body');
		const hits = search(library, body);
		const results = answered(body.query, hits);
		if (!body.rag_generation_config?.stream) return reply.send({ results });
		return reply
			.type('text/event-stream')
			.send(Readable.from(events(results), { objectMode: false }));
	});

	app.post('/retrieval/agent', (request, reply) => {
		const body = parse(agentBody, jsonBody(request), 'body');
		const conversation =
			body.conversation_id === undefined
				? library.newConversation(null)
				: existing(library.conversations, body.conversation_id, 'Conversation');
		const { content } = body.message;
		const results = answered(content, search(library, { ...body, query: content }));
		const { generated_answer: answer, citations } = results;
		const says = (role: string, words: string, metadata: object) => {
			const message = {
				id: stableUuid(`message ${conversation.id} ${conversation.messages.length}`),
				role,
				content: words,
				metadata,
				created_at: iso(clock.now()),
			};
			conversation.messages.push(message);
			return message;
		};
		says('user', content, {});
		const { role, content: words, metadata } = says('assistant', answer, { citations });
		if (body.rag_generation_config?.stream)
			return reply
				.type('text/event-stream')
				.send(Readable.from([...steps(content), ...events(results)], { objectMode: false }));
		return reply.send({
			results: { messages: [{ role, content: words, metadata }], conversation_id: conversation.id },
		});
	});
}

/** What the agent says before its answer: its thoughts, and the search that it calls. */
function* steps(query: string): Generator<string> {
	const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
	const value = 'I look into the documents.';
	const delta = { content: [{ type: 'text', payload: { value } }] };
	yield event('thinking', { id: 'msg_0', object: 'agent.thinking.delta', delta });
	yield event('tool_call', {
		tool_call_id: 'call_1',
		name: 'search_file_knowledge',
		arguments: { query },
	});
	yield event('tool_result', { tool_call_id: 'call_1', role: 'function', content: 'found' });
}

function answered(query: string, hits: Hits) {
	const sources = hits.map(({ chunk }) => chunk.text);
	const answer = answerFrom(query, sources);
	const cited = hits[(bestSentence(query, sources)?.source ?? 0) - 1];
	const citations: Citation[] = cited
		? [
				{
					id: cited.chunk.id.slice(0, 7),
					object: 'citation',
					span: { start: answer.lastIndexOf('['), end: answer.length },
					source_type: 'chunk',
					payload: shownHit(cited),
				},
			]
		: [];
	return {
		generated_answer: answer,
		search_results: { chunk_search_results: hits.map(shownHit) },
		citations,
		metadata: {},
		completion: answer,
	};
}

/** The streamed form: the search results, the answer word by word, its citations, the full answer, `[DONE]`. */
function* events({
	generated_answer: answer,
	search_results: found,
	citations,
}: ReturnType<typeof answered>): Generator<string> {
	const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
	yield event('search_results', { id: 'run_1', object: 'rag.search_results', data: found });
	for (const piece of answer.match(/\s*\S+/g) ?? []) {
		yield event('message', {
			id: 'msg_1',
			object: 'agent.message.delta',
			delta: { content: [{ type: 'text', payload: { value: piece, annotations: [] } }] },
		});
	}
	for (const citation of citations) yield event('citation', citation);
	yield event('final_answer', {
		id: 'msg_final',
		object: 'rag.final_answer',
		generated_answer: answer,
		citations,
	});
	yield 'data: [DONE]\n\n';
}
