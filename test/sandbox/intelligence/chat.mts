import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { jsonBody, Refusal } from '../core/http.mts';
import { stableUuid } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { parse } from '../core/validation.mts';
import { answer, logprobOf, piecesOf, type Choice } from './chat-answer.mts';
import { chatBody, contentOf } from './chat-body.mts';
import type { ChatBody } from './chat-body.mts';
import { chunks, encoded } from './chat-stream.mts';
import { chunksOf, sse, type ChatHabits, type Completion } from './chat-habits.mts';
import { chatModels, noSuchModel } from './models.mts';
import { PREMIUM_MODEL } from './quota.mts';
import { tokensOf } from './words.mts';

/** `POST /chat/completions`: the same conversation always gets the same answer, streamed or not. */
export function chatRoutes(app: FastifyInstance, service: Service): void {
	app.post('/chat/completions', (request, reply) => {
		const { habits } = service.settings;
		const sent = parse(chatBody, jsonBody(request), 'body');
		const body = accepted(sent, habits);
		if (!Object.hasOwn(chatModels, body.model) && body.model !== PREMIUM_MODEL)
			throw noSuchModel(body.model);
		service.quota.admit(body.model);
		const { stream: _stream, stream_options: _options, ...asked } = body;
		const head = {
			id: `chatcmpl-${stableUuid(JSON.stringify(asked)).replaceAll('-', '')}`,
			created: Math.floor(service.clock.now() / 1000),
			model: body.model,
		};
		const choices = Array.from({ length: body.n ?? 1 }, (_, index) =>
			(habits.model ?? answer)(body, index),
		);
		const counted = usage(body, choices);
		service.quota.charge(body.model, counted.total_tokens);
		const whole = completion(head, body, choices);
		habits.reshape?.(whole);
		service.answers.push({ body: sent, response: whole });
		if (!body.stream && habits.whole)
			return reply.type('application/json').send(habits.whole(whole));
		if (!body.stream) return reply.send(whole);
		if (Object.keys(habits).length > 0) return streamed(whole, body, habits, reply);
		const shown = body.stream_options?.include_usage === false ? undefined : counted;
		const encoding = { seed: JSON.stringify(body), isNoisy: service.settings.streamNoise };
		return reply
			.type('text/event-stream')
			.send(
				Readable.from(
					encoded(
						chunks(head, choices, { usage: shown, logprobs: body.logprobs === true }),
						encoding,
					),
					{ objectMode: false },
				),
			);
	});
}

/** The body without what the service does not look at. */
function accepted(body: ChatBody, { ignores = [], refuses = [] }: ChatHabits): ChatBody {
	const refused = refuses.find((key) => key in body);
	if (refused !== undefined)
		throw new Refusal(422, {
			detail: [
				{ loc: ['body', refused], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
			],
		});
	return Object.fromEntries(
		Object.entries(body).filter(([key]) => !ignores.includes(key)),
	) as ChatBody;
}

/** A stream as the habits of the service say. */
function streamed(
	whole: Completion,
	body: ChatBody,
	{ chunk, encode = sse, contentType = 'text/event-stream', countsIfAsked }: ChatHabits,
	reply: FastifyReply,
): FastifyReply {
	const asked = body.stream_options?.include_usage;
	const all = [...chunksOf(whole, countsIfAsked ? asked === true : asked !== false)];
	for (const one of all) chunk?.(one);
	return reply.type(contentType).send(encode(all));
}

interface Usage {
	prompt_tokens: number;
	total_tokens: number;
	completion_tokens: number;
	prompt_tokens_details: null;
	completion_tokens_details?: { reasoning_tokens: number };
}

function usage(body: ChatBody, choices: readonly Choice[]): Usage {
	const count = (texts: readonly string[]) =>
		texts.reduce((sum, content) => sum + tokensOf(content).length, 0);
	const prompt = count(body.messages.map(contentOf));
	const reasoning = count(choices.map((one) => one.reasoning ?? ''));
	const called = count(
		choices.flatMap(({ calls = [] }) =>
			calls.map((call) => `${call.function.name} ${call.function.arguments}`),
		),
	);
	const completion = count(choices.map(({ content }) => content ?? '')) + called + reasoning;
	return {
		prompt_tokens: prompt,
		total_tokens: prompt + completion,
		completion_tokens: completion,
		prompt_tokens_details: null,
		...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
	};
}

function completion(head: object, body: ChatBody, choices: readonly Choice[]): Completion {
	return {
		...head,
		object: 'chat.completion',
		choices: choices.map(({ content, reasoning, calls, finish }, index) => ({
			index,
			message: {
				role: 'assistant',
				content,
				...(reasoning !== undefined && { reasoning_content: reasoning }),
				...(calls && { tool_calls: calls }),
			},
			logprobs: body.logprobs ? { content: piecesOf(content ?? '').map(logprobOf) } : null,
			finish_reason: finish,
			stop_reason: null,
		})),
		usage: usage(body, choices),
		prompt_logprobs: null,
	};
}
