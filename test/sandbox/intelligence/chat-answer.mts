import { isRecord } from '../core/guards.mts';
import { stableNumber } from '../core/ids.mts';
import { contentOf } from './chat-body.mts';
import type { ChatBody } from './chat-body.mts';
import { callsFor, type ToolCall } from './chat-tools.mts';
import { instanceOf } from './chat-json.mts';
import { tokensOf } from './words.mts';

/** One choice as the model says it. */
export interface Choice {
	content: string | null;
	reasoning?: string;
	calls?: ToolCall[];
	finish: 'stop' | 'length' | 'tool_calls';
}

/** What the model says. It is found in the conversation, so that the same conversation always gets the same answer. */
export function answer(body: ChatBody, index: number): Choice {
	const question = contentOf(
		body.messages.findLast(({ role }) => role === 'user') ?? { role: 'user' },
	);
	const wantsReasoning =
		body.reasoning_content === true ||
		(body.reasoning !== undefined && body.reasoning.effort !== 'none');
	const reasoning = wantsReasoning
		? `The question has ${tokensOf(question).length} tokens.`
		: undefined;
	const calls = callsFor(body, question);
	if (calls.length > 0) return { content: null, reasoning, calls, finish: 'tool_calls' };
	const full = `Answer ${index + 1}: ${finding(body, question) ?? invention(body, question, index)}`;
	return { ...limited(body, written(body, full, index)), reasoning };
}

/** Truncated at a stop sequence and at the maximum number of tokens. */
function limited(body: ChatBody, full: string): Pick<Choice, 'content' | 'finish'> {
	const stops = body.stop === undefined ? [] : [body.stop].flat();
	const ends = stops.map((stop) => full.indexOf(stop)).filter((at) => at >= 0);
	const pieces = piecesOf(ends.length > 0 ? full.slice(0, Math.min(...ends)) : full);
	const limit = body.max_completion_tokens ?? body.max_tokens ?? Infinity;
	return {
		content: pieces.slice(0, limit).join(''),
		finish: pieces.length > limit ? 'length' : 'stop',
	};
}

/** A text split into tokens, spaces kept: joined they give the text again. */
export const piecesOf = (content: string): string[] =>
	content.match(
		/\s*(?:[\p{L}\p{N}]+|[^\s\p{L}\p{N}])\s*$|\s*(?:[\p{L}\p{N}]+|[^\s\p{L}\p{N}])/gu,
	) ?? [];

/** In this model a longer token is less likely. */
export const logprobOf = (token: string): object => ({
	token,
	logprob: -token.length / 10,
	bytes: [...Buffer.from(token)],
	top_logprobs: [],
});

function written(body: ChatBody, full: string, index: number): string {
	const { response_format: format, seed, guided_choice: choices, guided_json: guide } = body;
	if (choices?.[0] !== undefined) return choices.find((one) => full.includes(one)) ?? choices[0];
	if (isRecord(guide)) return JSON.stringify(instanceOf(guide, full, `${seed ?? 0} ${index}`));
	if (!format || format.type === 'text') return full;
	const schema = format.type === 'json_schema' ? format.json_schema?.schema : undefined;
	return JSON.stringify(
		isRecord(schema) ? instanceOf(schema, full, `${seed ?? 0} ${index}`) : { answer: full },
	);
}

function invention(body: ChatBody, question: string, index: number): string {
	const mark = stableNumber(JSON.stringify([body.messages, body.model, body.seed, index]), 10_000);
	return `you asked "${question}" and the number that belongs to it is ${mark}.`;
}

const wordsOf = (text: string): Set<string> =>
	new Set(text.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) ?? []);

/** The sentence of the conversation, or the entry of a tool's result, that shares most words with the question. */
function finding(body: ChatBody, question: string): string | undefined {
	const asked = wordsOf(question);
	const since = body.messages.findLastIndex(({ role }) => role === 'user');
	const results = body.messages
		.slice(since + 1)
		.filter(({ role }) => role === 'tool')
		.map(contentOf);
	const entries = results.flatMap(entriesOf);
	if (entries.length > 0) return `the tool says ${JSON.stringify(chosen(entries, question))}`;
	if (results.length > 0) return `the tool says ${results.join(' ')}`;
	const told = body.messages.slice(0, since).map(contentOf).join('\n');
	const sentences = `${told}\n${question}`
		.split(/(?<=[.!?])\s+|\n+/)
		.filter((sentence) => sentence.trim() !== '' && !sentence.trim().endsWith('?'));
	const best = sentences
		.map((sentence) => ({
			sentence,
			shared: [...wordsOf(sentence)].filter((word) => asked.has(word)).length,
		}))
		.filter(({ sentence, shared }) => shared > 0 && sentence !== question)
		.sort((a, b) => b.shared - a.shared)[0];
	return best && `you told me "${best.sentence.trim()}"`;
}

/** The objects in a tool's result, nested ones too. */
function entriesOf(result: string): Record<string, unknown>[] {
	try {
		return objectsIn(JSON.parse(result));
	} catch {
		return [];
	}
}

function objectsIn(value: unknown): Record<string, unknown>[] {
	if (Array.isArray(value)) return value.flatMap(objectsIn);
	if (typeof value === 'string' && /^\s*[[{]/.test(value)) return entriesOf(value);
	if (!isRecord(value)) return [];
	const inner = Object.values(value).filter((part) => typeof part === 'object' && part !== null);
	const nested = inner.flatMap(objectsIn);
	return nested.length > 0 ? nested : [value];
}

/** The cheapest entry if the question asks for it, else the one that shares most words with it. */
function chosen(entries: Record<string, unknown>[], question: string): unknown {
	const priced = entries.filter(({ price }) => typeof price === 'number' && price > 0);
	if (/cheap|lowest price/i.test(question) && priced.length > 0)
		return priced.reduce((a, b) => (Number(b.price) < Number(a.price) ? b : a));
	const asked = wordsOf(question);
	const shared = (entry: unknown) =>
		[...wordsOf(JSON.stringify(entry))].filter((word) => asked.has(word)).length;
	return entries.reduce((a, b) => (shared(b) > shared(a) ? b : a));
}
