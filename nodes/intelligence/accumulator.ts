import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';

/** Fields of a delta that come in pieces; of all others the last value counts, since some services repeat them. */
const PIECEWISE = new Set(['content', 'reasoning_content', 'reasoning', 'refusal']);

/** The tool calls of a choice by the index and by the id that their pieces bring. */
type Places = Map<unknown, IDataObject>;

/**
 * Adds the chunks of a streamed completion up to what the same request would have answered whole
 * (beyond-the-spec.md section 5 "Streaming"): all choices, reasoning, tool calls, usage of the last chunk.
 */
export class Assembly {
	private readonly head: IDataObject = {};
	private readonly choices = new Map<number, IDataObject>();
	private readonly places = new Map<number, Places>();

	add(chunk: Record<string, unknown>): void {
		const { choices, ...rest } = chunk;
		for (const [key, value] of Object.entries(rest)) {
			// Many services send `usage: null` with every chunk but the last
			if (value !== null || this.head[key] === undefined)
				this.head[key] = value as IDataObject['x'];
		}
		for (const choice of Array.isArray(choices) ? choices : [])
			if (isRecord(choice)) this.addChoice(choice);
	}

	/**
	 * Whether every one of the `count` choices has come to its end: its finish_reason. How a stream ends is not specified, so that of
	 * a service which sends no such field at all ends with `[DONE]`; where the field stands empty, the end was still to come.
	 */
	isWhole(count: number, isDone = false): boolean {
		const reasons = [...this.choices.values()].map(({ finish_reason: reason }) => reason);
		const isEnded =
			isDone && reasons.every((reason) => reason === undefined) ? () => true : Boolean;
		return reasons.length >= count && reasons.every(isEnded);
	}

	/** The completion as far as it has come. */
	completion(): IDataObject {
		const choices = [...this.choices.entries()]
			.sort(([a], [b]) => a - b)
			.map(([, choice]) => choice);
		return { ...this.head, object: 'chat.completion', choices };
	}

	private addChoice(piece: Record<string, unknown>): void {
		const { index, delta, logprobs, ...rest } = piece;
		const at = typeof index === 'number' ? index : 0;
		const choice: IDataObject = this.choices.get(at) ?? { index: at, message: {} };
		this.choices.set(at, choice);
		for (const [key, value] of Object.entries(rest)) {
			// Some services send an empty finish_reason, also after the one that counts
			if ((value !== null && value !== '') || choice[key] === undefined)
				choice[key] = value as IDataObject['x'];
		}
		if (logprobs !== undefined)
			choice.logprobs = joinedLogprobs(choice.logprobs, logprobs) as IDataObject['x'];
		const places: Places = this.places.get(at) ?? new Map();
		this.places.set(at, places);
		if (isRecord(delta)) addDelta(choice.message as IDataObject, delta, places);
	}
}

function addDelta(message: IDataObject, delta: Record<string, unknown>, places: Places): void {
	for (const [key, value] of Object.entries(delta)) {
		const before = message[key];
		if (key === 'tool_calls') {
			if (Array.isArray(value))
				message.tool_calls = joinedToolCalls(
					Array.isArray(before) ? (before as IDataObject[]) : [],
					value,
					places,
				);
		} else if (PIECEWISE.has(key) && typeof value === 'string') {
			message[key] = typeof before === 'string' ? before + value : value;
		} else if (value !== null || before === undefined) {
			message[key] = value as IDataObject['x'];
		}
	}
}

/** The first piece of a call brings its id and name, the others bring pieces of its arguments. */
function joinedToolCalls(calls: IDataObject[], pieces: unknown[], places: Places): IDataObject[] {
	for (const piece of pieces.filter(isRecord)) {
		const { index, function: called, ...rest } = piece;
		const id = typeof piece.id === 'string' && piece.id !== '' ? piece.id : undefined;
		const context = callOf(
			calls,
			places,
			index,
			id,
			isRecord(called) && typeof called.name === 'string' && called.name !== '',
		);
		for (const key of [index, id]) if (key !== undefined) places.set(key, context);
		for (const [key, value] of Object.entries(rest))
			if (value !== null && value !== '' && (key !== 'id' || context.id === undefined))
				context[key] = value as IDataObject['x'];
		if (!isRecord(called)) continue;
		const known = (
			isRecord(context.function) ? context.function : (context.function = {})
		) as IDataObject;
		if (typeof called.name === 'string' && called.name !== '') known.name = called.name;
		if (typeof called.arguments === 'string')
			known.arguments = String(known.arguments ?? '') + called.arguments;
	}
	return calls;
}

/**
 * The call that a piece belongs to, a new one at the end where there is none yet: by its index, or by its id where it has no
 * index or where several calls come under one; with neither the last one goes on. A new id without a name is no new call: some
 * services make one up for each piece.
 */
function callOf(
	calls: IDataObject[],
	places: Places,
	index: unknown,
	id: string | undefined,
	isNamed: boolean,
): IDataObject {
	let context =
		typeof index === 'number'
			? places.get(index)
			: id === undefined
				? calls.at(-1)
				: places.get(id);
	if (!context && typeof index !== 'number' && !isNamed) context = calls.at(-1);
	if (id !== undefined && (context?.id ?? id) !== id)
		context = places.get(id) ?? (isNamed ? undefined : context);
	if (!context) calls.push((context = {}));
	return context;
}

/** `{content: [...], refusal: [...]}` of every chunk, one after the other. */
function joinedLogprobs(before: unknown, piece: unknown): unknown {
	if (!isRecord(before) || !isRecord(piece)) return piece ?? before ?? null;
	const joined = Object.entries(piece).map(([key, value]) => [
		key,
		Array.isArray(before[key]) && Array.isArray(value)
			? [...before[key], ...value]
			: (value ?? before[key]),
	]);
	return { ...before, ...Object.fromEntries(joined) };
}
