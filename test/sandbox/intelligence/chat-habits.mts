import type { Choice } from './chat-answer.mts';
import type { ChatBody } from './chat-body.mts';
import { piecesOf } from './chat-answer.mts';

type Fields = Record<string, unknown>;

/** A completion as it is sent in one piece. */
export interface Completion extends Fields {
	choices: Array<Fields & { index: number; message: Fields; finish_reason: unknown }>;
}

/** How a service answers where the contract leaves it open; each default is the documented one. */
export interface ChatHabits {
	/** What the model says, in place of the model of the sandbox. */
	model?(body: ChatBody, index: number): Choice;
	/** Changes an answer before it is sent, in one piece or as a stream. */
	reshape?(completion: Completion): void;
	/** Fields of the body that the service does not look at. */
	ignores?: ReadonlyArray<keyof ChatBody>;
	/** Fields of the body that the service refuses with 422. */
	refuses?: ReadonlyArray<keyof ChatBody>;
	/** Whether a stream has its usage only where `stream_options` asks for it. */
	countsIfAsked?: boolean;
	/** The body of an answer that is no stream; default: its JSON. */
	whole?(completion: Completion): string;
	/** Changes a chunk of a stream. */
	chunk?(chunk: Fields): void;
	/** The body of a stream; default: the events of its chunks, then `[DONE]`. */
	encode?(chunks: readonly object[]): string;
	/** Of a stream. */
	contentType?: string;
	/** Changes the response with the vectors. */
	vectors?(response: Fields & { data: Fields[] }): void;
	/** Changes a list of models. */
	models?(list: Fields): unknown;
}

/** An answer that was billed. */
export interface BilledAnswer {
	body: Fields;
	/** As it was sent. */
	response: Fields;
}

/** A stream of events, one for each chunk. */
export const sse = (chunks: readonly object[]): string =>
	`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;

/** The chunks of a completion: a token, a part or a piece of arguments each; the choices one after the other, then the usage. */
export function* chunksOf(completion: Completion, showsUsage: boolean): Generator<Fields> {
	const { choices, usage, object: _object, ...head } = completion;
	const chunk = (content: Fields): Fields =>
		structuredClone({ ...head, object: 'chat.completion.chunk', ...content });
	for (const { index, message, finish_reason: reason } of choices) {
		const { role, tool_calls: calls, ...texts } = message;
		const delta = (change: Fields, finish: unknown = null) =>
			chunk({ choices: [{ index, delta: change, finish_reason: finish }] });
		yield delta({ role });
		for (const [key, value] of Object.entries(texts))
			for (const piece of typeof value === 'string' ? piecesOf(value) : [value].flat())
				yield delta({
					[key]: typeof value === 'string' || !Array.isArray(value) ? piece : [piece],
				});
		for (const [at, call] of (Array.isArray(calls) ? (calls as Fields[]) : []).entries())
			for (const piece of callPieces(call)) yield delta({ tool_calls: [{ index: at, ...piece }] });
		yield delta({}, reason);
	}
	if (showsUsage && usage !== undefined) yield chunk({ choices: [], usage });
}

/** ID and name first, then the arguments, five characters each. */
function* callPieces(call: Fields): Generator<Fields> {
	const { function: called, ...head } = call as { function: Fields };
	const { arguments: args, ...named } = called;
	if (typeof args !== 'string') return yield { ...head, function: { ...named, arguments: args } };
	yield { ...head, function: { ...named, arguments: '' } };
	for (const piece of args.match(/.{1,5}/gs) ?? []) yield { function: { arguments: piece } };
}
