import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { jsonBody } from '../core/http.mts';
import { stableNumber, stableUuid } from '../core/ids.mts';
import { anything, choice, decimal, flag, integer, list, object, oneOf, optional, parse, text } from '../core/schema.mts';
import type { Parsed } from '../core/schema.mts';
import type { Service } from '../core/service.mts';
import { chatModels, noSuchModel } from './models.mts';
import { tokensOf } from './words.mts';

const part = object({ type: choice(['text', 'image_url']), text: optional(text()), image_url: optional(object({ url: text({ min: 1 }) }, 'allow')) }, 'allow');

const message = object(
	{
		role: choice(['developer', 'system', 'user', 'assistant', 'tool']),
		content: optional(oneOf<[string, { text?: string }[]]>('must be a string or a list of parts', text(), list(part))),
	},
	'allow',
);

/** Body of a chat completion (intelligence-api.md, "Chat completions"); unknown keys are allowed (beyond-the-spec.md section 5). */
const fields = {
	model: text({ min: 1 }),
	messages: list(message, { min: 1 }),
	temperature: optional(decimal({ min: 0 })),
	stream: optional(flag),
	stream_options: optional(object({ include_usage: optional(flag) }, 'allow')),
	max_completion_tokens: optional(integer({ min: 1 })),
	max_tokens: optional(integer({ min: 1 })),
	reasoning_content: optional(flag),
	reasoning: optional(object({ effort: choice(['none', 'low', 'medium', 'high']) }, 'allow')),
	response_format: optional(object({ type: choice(['text', 'json_object', 'json_schema']), json_schema: optional(anything) }, 'allow')),
	n: optional(integer({ min: 1, max: 20 })),
	seed: optional(integer()),
};

type Body = Parsed<typeof fields>;

interface Choice {
	content: string;
	reasoning?: string;
	finish: 'stop' | 'length';
}

/** `POST /chat/completions`: the same question is always answered the same way. */
export function chatRoutes(app: FastifyInstance, service: Service): void {
	app.post('/chat/completions', (request, reply) => {
		const body = parse(object(fields, 'allow'), jsonBody(request), 'body');
		if (!Object.hasOwn(chatModels, body.model)) throw noSuchModel(body.model);
		const head = {
			id: `chatcmpl-${stableUuid(JSON.stringify(body)).replaceAll('-', '')}`,
			created: Math.floor(service.clock.now() / 1000),
			model: body.model,
		};
		const choices = Array.from({ length: body.n ?? 1 }, (_, index) => answer(body, index));
		if (!body.stream) return reply.send(completion(head, body, choices));
		return reply.type('text/event-stream').send(Readable.from(chunks(head, body, choices), { objectMode: false }));
	});
}

const contentOf = ({ content }: Body['messages'][number]): string =>
	typeof content === 'string' ? content : (content ?? []).map((piece) => piece.text ?? '').join(' ');

function answer(body: Body, index: number): Choice {
	const question = contentOf(body.messages.findLast(({ role }) => role === 'user') ?? { role: 'user' });
	const mark = stableNumber(JSON.stringify([body.messages, body.model, body.seed, index]), 10_000);
	const full = `Answer ${index + 1}: you asked "${question}" and the number that belongs to it is ${mark}.`;
	const pieces = piecesOf(body.response_format && body.response_format.type !== 'text' ? JSON.stringify({ answer: full }) : full);
	const limit = body.max_completion_tokens ?? body.max_tokens ?? Infinity;
	const wantsReasoning = body.reasoning_content === true || (body.reasoning !== undefined && body.reasoning.effort !== 'none');
	return {
		content: pieces.slice(0, limit).join(''),
		reasoning: wantsReasoning ? `The question has ${tokensOf(question).length} tokens.` : undefined,
		finish: pieces.length > limit ? 'length' : 'stop',
	};
}

/** A text in pieces of one token each, spaces kept: joined they are the text. */
const piecesOf = (content: string): string[] => content.match(/\s*(?:[\p{L}\p{N}]+|[^\s\p{L}\p{N}])\s*$|\s*(?:[\p{L}\p{N}]+|[^\s\p{L}\p{N}])/gu) ?? [];

function usage(body: Body, choices: readonly Choice[]): Record<string, unknown> {
	const count = (texts: readonly string[]) => texts.reduce((sum, content) => sum + tokensOf(content).length, 0);
	const prompt = count(body.messages.map(contentOf));
	const reasoning = count(choices.map((one) => one.reasoning ?? ''));
	const completion = count(choices.map(({ content }) => content)) + reasoning;
	return {
		prompt_tokens: prompt,
		total_tokens: prompt + completion,
		completion_tokens: completion,
		prompt_tokens_details: null,
		...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
	};
}

const spoken = ({ content, reasoning }: Choice) => ({ content, ...(reasoning !== undefined && { reasoning_content: reasoning }) });

function completion(head: object, body: Body, choices: readonly Choice[]): object {
	return {
		...head,
		object: 'chat.completion',
		choices: choices.map((one, index) => ({
			index,
			message: { role: 'assistant', ...spoken(one) },
			logprobs: null,
			finish_reason: one.finish,
			stop_reason: null,
		})),
		usage: usage(body, choices),
		prompt_logprobs: null,
	};
}

/** The streamed form (beyond-the-spec.md section 5): a chunk a token, then the usage, then `[DONE]`. */
function* chunks(head: object, body: Body, choices: readonly Choice[]): Generator<string> {
	const event = (content: object) => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...content })}\n\n`;
	const delta = (index: number, change: object, finish: string | null = null) => event({ choices: [{ index, delta: change, finish_reason: finish }] });
	for (const [index, { content, reasoning, finish }] of choices.entries()) {
		yield delta(index, { role: 'assistant', content: '' });
		if (reasoning !== undefined) yield delta(index, { reasoning_content: reasoning });
		for (const piece of piecesOf(content)) yield delta(index, { content: piece });
		yield delta(index, {}, finish);
	}
	if (body.stream_options?.include_usage !== false) yield event({ choices: [], usage: usage(body, choices) });
	yield 'data: [DONE]\n\n';
}
