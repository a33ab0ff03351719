import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';

/** Fields of a delta that are concatenated; of all others the last value counts, since some services repeat them. */
const CONCATENATED = new Set(['content', 'reasoning_content', 'reasoning', 'refusal']);

/** The tool calls of a choice by the index and by the ID of their deltas. */
type CallsByKey = Map<unknown, IDataObject>;

/**
 * Merges the chunks of a streamed completion into what the same request would have returned without a stream
 * (beyond-the-spec.md section 5 "Streaming"): all choices, reasoning, tool calls, and the usage of the last chunk.
 */
export class CompletionAccumulator {
	private readonly fields: IDataObject = {};
	private readonly choices = new Map<number, IDataObject>();
	private readonly calls = new Map<number, CallsByKey>();

	/** Adds the next chunk, an object of the form `chat.completion.chunk`. */
	add(chunk: Record<string, unknown>): void {
		const { choices, ...fields } = chunk;
		for (const [key, value] of Object.entries(fields)) {
			// Many services send `usage: null` with every chunk but the last
			if (value !== null || this.fields[key] === undefined)
				this.fields[key] = value as IDataObject['x'];
		}
		for (const choice of Array.isArray(choices) ? choices : [])
			if (isRecord(choice)) this.addChoice(choice);
	}

	/**
	 * Whether each of the `count` choices has its finish_reason. How a stream ends is not specified, so the stream of a
	 * service that never sends this field is complete with `[DONE]`; one that sends it empty is not.
	 */
	isComplete(count: number, isDone = false): boolean {
		const reasons = [...this.choices.values()].map(({ finish_reason: reason }) => reason);
		const hasNoReasons = reasons.every((reason) => reason === undefined);
		return reasons.length >= count && ((isDone && hasNoReasons) || reasons.every(Boolean));
	}

	/** The completion so far, its choices in the order of their index. */
	completion(): IDataObject {
		const choices = [...this.choices.entries()]
			.sort(([a], [b]) => a - b)
			.map(([, choice]) => choice);
		return { ...this.fields, object: 'chat.completion', choices };
	}

	private addChoice(part: Record<string, unknown>): void {
		const { index: sentIndex, delta, logprobs, ...fields } = part;
		const index = typeof sentIndex === 'number' ? sentIndex : 0;
		const choice: IDataObject = this.choices.get(index) ?? { index, message: {} };
		this.choices.set(index, choice);
		for (const [key, value] of Object.entries(fields)) {
			// Some services send an empty finish_reason, also after the one that counts
			if ((value !== null && value !== '') || choice[key] === undefined)
				choice[key] = value as IDataObject['x'];
		}
		if (logprobs !== undefined)
			choice.logprobs = mergeLogprobs(choice.logprobs, logprobs) as IDataObject['x'];
		const calls: CallsByKey = this.calls.get(index) ?? new Map();
		this.calls.set(index, calls);
		if (isRecord(delta)) addDelta(choice.message as IDataObject, delta, calls);
	}
}

function addDelta(message: IDataObject, delta: Record<string, unknown>, known: CallsByKey): void {
	for (const [key, value] of Object.entries(delta)) {
		const before = message[key];
		if (key === 'tool_calls') {
			if (Array.isArray(value))
				message.tool_calls = mergeToolCalls(
					Array.isArray(before) ? (before as IDataObject[]) : [],
					value,
					known,
				);
		} else if (CONCATENATED.has(key) && typeof value === 'string') {
			message[key] = typeof before === 'string' ? before + value : value;
		} else if (value !== null || before === undefined) {
			message[key] = value as IDataObject['x'];
		}
	}
}

/** The first delta of a call has its ID and name, the others have parts of its arguments. */
function mergeToolCalls(calls: IDataObject[], deltas: unknown[], known: CallsByKey): IDataObject[] {
	for (const delta of deltas.filter(isRecord)) {
		const { index, function: part, ...fields } = delta;
		const id = typeof delta.id === 'string' && delta.id !== '' ? delta.id : undefined;
		const name = isRecord(part) && typeof part.name === 'string' ? part.name : '';
		const call = callOf(calls, known, { index, id, isNamed: name !== '' });
		for (const key of [index, id]) if (key !== undefined) known.set(key, call);
		for (const [key, value] of Object.entries(fields))
			if (value !== null && value !== '' && (key !== 'id' || call.id === undefined))
				call[key] = value as IDataObject['x'];
		if (!isRecord(part)) continue;
		const called = (isRecord(call.function) ? call.function : (call.function = {})) as IDataObject;
		if (name !== '') called.name = name;
		if (typeof part.arguments === 'string')
			called.arguments = String(called.arguments ?? '') + part.arguments;
	}
	return calls;
}

/**
 * The call that a delta belongs to, added at the end if it is new: found by its index, or by its ID if it has no index or
 * if several calls share one; a delta with neither continues the last call. A new ID without a name is no new call: some
 * services make one up for each delta.
 */
function callOf(
	calls: IDataObject[],
	known: CallsByKey,
	{ index, id, isNamed }: { index: unknown; id: string | undefined; isNamed: boolean },
): IDataObject {
	const hasIndex = typeof index === 'number';
	let call = hasIndex ? known.get(index) : id === undefined ? calls.at(-1) : known.get(id);
	if (!call && !hasIndex && !isNamed) call = calls.at(-1);
	if (id !== undefined && (call?.id ?? id) !== id)
		call = known.get(id) ?? (isNamed ? undefined : call);
	if (!call) calls.push((call = {}));
	return call;
}

/** Concatenates the lists of `{content: [...], refusal: [...]}`. */
function mergeLogprobs(before: unknown, added: unknown): unknown {
	if (!isRecord(before) || !isRecord(added)) return added ?? before ?? null;
	const merged = Object.entries(added).map(([key, value]) => [
		key,
		Array.isArray(before[key]) && Array.isArray(value)
			? [...before[key], ...value]
			: (value ?? before[key]),
	]);
	return { ...before, ...Object.fromEntries(merged) };
}
