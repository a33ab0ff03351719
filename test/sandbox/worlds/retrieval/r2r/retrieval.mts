import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { isRecord } from '../../../core/guards.mts';
import { noteSent } from '../../../core/sent.mts';
import { R2rError } from './answers.mts';
import { meetsAsDocumented, meetsInSql, type Row } from './filters.mts';
import { DEFAULT_COLLECTION, USER, type Store } from './store.mts';

type Body = Record<string, unknown>;

/** What the model answers: two sources, the first one twice. */
export const answerOf = (cited: readonly string[]): string =>
	`The first hour is kept [${cited[0] ?? ''}], the rest is paid back [${cited[1] ?? ''}], as said [${cited[0] ?? ''}].`;

/** Search and RAG of R2R 3.6 (`retrieval_router`, `retrieval_service`). It has no `/rag/generate`. */
export function retrievalRoutes(app: FastifyInstance, store: Store): void {
	app.post('/retrieval/search', (request) => ({
		results: { chunk_search_results: search(store, request.body as Body).map(shown) },
	}));

	app.post('/retrieval/rag', (request, reply) => {
		const body = request.body as Body;
		const hits = search(store, body);
		const config = isRecord(body.rag_generation_config) ? body.rag_generation_config : {};
		const cited = hits.slice(0, 2).map(({ id }) => id.slice(0, 7));
		const answer = answerOf(cited);
		const payloads = new Map(hits.map((hit) => [hit.id.slice(0, 7), shown(hit)]));
		if (config.stream !== true)
			return reply.send({
				results: {
					generated_answer: answer,
					search_results: { chunk_search_results: hits.map(shown) },
					citations: cited.map((id) => ({ id, object: 'citation', payload: payloads.get(id) })),
					metadata: { choices: [{ finish_reason: store.habits.finishReason }] },
					completion: answer,
				},
			});
		return reply
			.type('text/event-stream')
			.send(Readable.from(events(answer, payloads, store.habits.finishReason === 'stop')));
	});
}

type Hit = ReturnType<typeof search>[number];

function shown({ id, row, text }: Hit): object {
	return { id, ...row, text, score: 0.5 };
}

/** All chunks that a filter lets through, up to the limit: what ranks them is not of interest here. */
function search(store: Store, body: Body) {
	if (typeof body.query !== 'string' || body.query === '')
		throw new R2rError(400, 'Query cannot be empty');
	const settings = isRecord(body.search_settings) ? body.search_settings : {};
	const limit = Number(settings.limit ?? 10);
	const hybrid = isRecord(settings.hybrid_settings) ? settings.hybrid_settings : {};
	if (limit < 1 || limit > 1000) throw new R2rError(422, 'limit: out of range');
	const isHybrid =
		settings.use_hybrid_search === true ||
		(body.search_mode === 'advanced' && settings.use_hybrid_search === undefined);
	if (isHybrid && Number(hybrid.full_text_limit ?? 200) < limit)
		throw new Error('The `full_text_limit` must be greater than or equal to the `limit`.');
	const given = isRecord(settings.filters) ? settings.filters : {};
	const filter = store.habits.isSuperuser ? given : forUser(given);
	const meets = store.habits.operators === 'source' ? meetsInSql : meetsAsDocumented;
	return store
		.chunks()
		.map(({ id, document, text }) => {
			const row: Row = {
				document_id: document.id,
				owner_id: document.owner,
				collection_ids: store.collectionsOf(document),
				metadata: { ...document.metadata, document_type: document.type },
			};
			return { id, row, text };
		})
		.filter(({ id, row, text }) => meets(filter, { ...row, id, text }))
		.slice(0, limit);
}

/** `select_search_filters`: an ordinary user finds own documents and those of allowed collections. */
function forUser(filters: Body): Body {
	const { collection_ids: chosen, ...others } = filters;
	const wanted = isRecord(chosen) ? (chosen.$overlap as string[]) : [DEFAULT_COLLECTION];
	const allowed = {
		$or: [{ owner_id: { $eq: USER } }, { collection_ids: { $overlap: wanted } }],
	};
	return Object.keys(others).length > 0 ? { $and: [allowed, others] } : allowed;
}

/** Words of the answer as they come; each citation once more where it is cited again, then without its source. */
function* events(
	answer: string,
	payloads: Map<string, object>,
	isStop: boolean,
): Generator<string> {
	const event = (name: string, data: object) => {
		const json = JSON.stringify(data);
		noteSent(json);
		return `event: ${name}\ndata: ${json}\n\n`;
	};
	yield event('search_results', {
		id: 'search_1',
		object: 'rag.search_results',
		data: { chunk_search_results: [...payloads.values()] },
	});
	const seen = new Map<string, object[]>();
	let at = 0;
	for (const piece of answer.match(/\s*\S+/g) ?? []) {
		at += piece.length;
		yield event('message', {
			id: 'msg_1',
			object: 'agent.message.delta',
			delta: { content: [{ type: 'text', payload: { value: piece, annotations: [] } }] },
		});
		const id = /\[(\w{7})\]/.exec(piece)?.[1];
		if (id === undefined) continue;
		const isNew = !seen.has(id);
		const span = { start: at - piece.length, end: at };
		seen.set(id, [...(seen.get(id) ?? []), span]);
		yield event('citation', {
			id,
			object: 'citation',
			is_new: isNew,
			span,
			payload: isNew ? payloads.get(id) : null,
		});
	}
	if (!isStop) return;
	yield event('final_answer', {
		id: 'msg_final',
		object: 'rag.final_answer',
		generated_answer: answer,
		citations: [...seen].map(([id, spans]) => ({
			id,
			object: 'citation',
			spans,
			payload: payloads.get(id),
		})),
	});
	yield 'event: done\ndata: [DONE]\n\n';
}
