import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { parseJson } from '../shared/json';
import { choicesOf, messageOf, nested, readMessage } from './choice';

/** Fields of a delta that are concatenated; of all others the last value counts, since some services repeat them. */
const CONCATENATED = new Set(['content', 'reasoning_content', 'reasoning', 'refusal']);

type Chunk = Record<string, unknown>;

/** The tool calls of a choice by the index and by the ID of their deltas. Where several share one, it is that of the last. */
type CallsByKey = Map<unknown, IDataObject>;

/**
 * Merges the chunks of a streamed completion into what the same request would have returned without a stream
 * (beyond-the-spec.md section 5 "Streaming"): all choices, reasoning, tool calls, and the usage of the last chunk.
 */
export class CompletionAccumulator {
	/** The completion, where it came in one piece, or the last of several that each continue the one before. */
	private whole?: IDataObject;
	/** These, in the form of chunks. */
	private readonly wholes: Chunk[] = [];
	/** Whether messages are parts of a stream. */
	private isInParts = false;
	private readonly fields: IDataObject = {};
	private readonly choices = new Map<number, IDataObject>();
	private readonly calls = new Map<number, CallsByKey>();

	/**
	 * Adds the next chunk, an object of the form `chat.completion.chunk`, or a whole completion: a service that does not stream
	 * a model sends that. Some services put the parts of a stream into messages, or all of it so far.
	 * @returns the chunk; a completion in the form of one, with the text that is new
	 */
	add(chunk: Chunk): Chunk {
		const messages = choicesOf(chunk);
		if (messages.length === 0 || !messages.every(({ message, delta }) => message && !delta))
			return this.addChunk(chunk);
		const choices = messages.map(({ message, ...choice }) => ({ ...choice, delta: message }));
		const part = { ...chunk, choices };
		if (this.isInParts) return this.addChunk(part);
		const before = this.completion();
		const text = textOf(chunk);
		// After deltas, a message is the final one, unless it is empty
		const isFinal = this.choices.size > 0 && text.trim() !== '';
		if (isFinal || (this.choices.size === 0 && isContinued(before, chunk))) {
			this.whole = chunk as IDataObject;
			this.wholes.push(part);
			return withoutText(part, textOf(before));
		}
		this.isInParts = true;
		this.whole = undefined;
		for (const one of this.wholes.splice(0)) this.addChunk(one);
		return this.addChunk(part);
	}

	/**
	 * Whether each of the `count` choices has its finish_reason. How a stream ends is not specified, so the stream of a
	 * service that never sends this field is complete with `[DONE]`; one that sends it empty is not. With `[DONE]`, fewer
	 * choices are those of a service that does not look at `n`.
	 */
	isComplete(count: number, isDone = false): boolean {
		if (this.whole) return choicesOf(this.whole).every(hasEnded);
		const reasons = [...this.choices.values()].map(({ finish_reason: reason }) => reason);
		const hasAll = reasons.length >= count;
		if (reasons.length > 0 && reasons.every(Boolean)) return hasAll || isDone;
		return hasAll && isDone && reasons.every((reason) => reason === undefined);
	}

	/** The completion so far, its choices in the order of their index. */
	completion(): IDataObject {
		if (this.whole) return this.whole;
		const choices = [...this.choices.entries()]
			.sort(([a], [b]) => a - b)
			.map(([, choice]) => choice);
		return { ...this.fields, object: 'chat.completion', choices };
	}

	private addChunk(chunk: Chunk): Chunk {
		const { choices, ...fields } = chunk;
		for (const [key, value] of Object.entries(fields)) {
			// Many services send `usage: null` with every chunk but the last
			if (value !== null || this.fields[key] === undefined)
				this.fields[key] = value as IDataObject['x'];
		}
		for (const choice of choicesOf({ choices })) this.addChoice(choice);
		return chunk;
	}

	private addChoice(part: Record<string, unknown>): void {
		const { index: sentIndex, delta, logprobs, ...fields } = part;
		const index = typeof sentIndex === 'number' ? sentIndex : 0;
		const choice: IDataObject = this.choices.get(index) ?? { index, message: {} };
		this.choices.set(index, choice);
		for (const [key, value] of Object.entries(fields)) {
			// Some services send an empty finish_reason, also after the one that counts; some the message so far beside the delta
			const isSaid = (value !== null && value !== '') || choice[key] === undefined;
			// `stop` at the end of the stream does not say that what was cut off is complete
			const isEnd = key === 'finish_reason' && value === 'stop' && Boolean(choice[key]);
			if (key !== 'message' && isSaid && !isEnd) choice[key] = value as IDataObject['x'];
		}
		if (logprobs !== undefined)
			choice.logprobs = mergeLogprobs(choice.logprobs, logprobs) as IDataObject['x'];
		const calls: CallsByKey = this.calls.get(index) ?? new Map();
		this.calls.set(index, calls);
		if (isRecord(delta)) addDelta(choice.message as IDataObject, delta, calls);
	}
}

/** Whether a choice does not say that more of it follows. */
function hasEnded({ finish_reason: reason }: Chunk): boolean {
	return reason !== null && reason !== '';
}

/** The text of all choices of a completion. */
function textOf(completion: Chunk): string {
	return choicesOf(completion)
		.map((choice) => readMessage(messageOf(choice)).text ?? '')
		.join('');
}

/** Whether a completion has all that an earlier one has, and maybe more. */
function isContinued(before: Chunk, completion: Chunk): boolean {
	const choices = choicesOf(completion);
	return choicesOf(before).every((choice, position) => {
		const { index, ...next } = choices[position] ?? {};
		const message = messageOf(next);
		const isKept = Object.entries(messageOf(choice)).every(
			([key, value]) => !value || message[key],
		);
		const text = textOf({ choices: [choice] }).trim();
		return (
			index === choice.index &&
			isKept &&
			textOf({ choices: [next] })
				.trim()
				.startsWith(text)
		);
	});
}

/** A chunk without the text that arrived before it, which must not be shown twice. */
function withoutText(chunk: Chunk, before: string): Chunk {
	const [first, ...others] = choicesOf(chunk);
	const delta = isRecord(first?.delta) ? first.delta : {};
	const { text = '' } = readMessage(delta);
	if (before === '' || !text.startsWith(before)) return chunk;
	return {
		...chunk,
		choices: [{ ...first, delta: { ...delta, content: text.slice(before.length) } }, ...others],
	};
}

function addDelta(message: IDataObject, delta: Record<string, unknown>, known: CallsByKey): void {
	const { text, reasoning } = readMessage(delta);
	const isParts = Array.isArray(delta.content) && text !== undefined;
	const plain = isParts
		? { ...delta, content: text, ...(reasoning !== undefined && { reasoning_content: reasoning }) }
		: delta;
	for (const [key, value] of Object.entries(plain)) {
		const before = message[key];
		if (key === 'tool_calls') {
			if (Array.isArray(value))
				message.tool_calls = mergeToolCalls(
					Array.isArray(before) ? (before as IDataObject[]) : [],
					value,
					known,
				);
		} else if (key === 'function_call' && isRecord(value)) {
			message.function_call = mergeCalled(isRecord(before) ? before : {}, value) as IDataObject;
		} else if (CONCATENATED.has(key) && typeof value === 'string') {
			message[key] = typeof before === 'string' ? before + value : value;
		} else if (Array.isArray(before) && Array.isArray(value)) {
			message[key] = [...before, ...value] as IDataObject[];
		} else if (value !== null || before === undefined) {
			message[key] = value as IDataObject['x'];
		}
	}
}

/** The first delta of a call has its ID and name, the others have parts of its arguments. */
function mergeToolCalls(calls: IDataObject[], deltas: unknown[], known: CallsByKey): IDataObject[] {
	for (const delta of deltas.filter(isRecord).map(nested)) {
		const { index, function: part, ...fields } = delta;
		const id = typeof delta.id === 'string' && delta.id !== '' ? delta.id : undefined;
		const called = isRecord(part) ? part : {};
		const call = callOf(calls, known, { index, id, called });
		for (const key of [index, id]) if (key !== undefined) known.set(key, call);
		for (const [key, value] of Object.entries(fields))
			if (value !== null && value !== '' && (key !== 'id' || call.id === undefined))
				call[key] = value as IDataObject['x'];
		if (part !== undefined) call.function = mergeCalled(functionOf(call), called) as IDataObject;
	}
	return calls;
}

function functionOf({ function: called }: IDataObject): Record<string, unknown> {
	return isRecord(called) ? called : {};
}

/**
 * The arguments of a call come in pieces, or all at once as an object. Some services begin with `{}` in place of nothing, or
 * send all of them again at the end.
 */
function mergeCalled(
	{ arguments: before, ...called }: Record<string, unknown>,
	{ name, arguments: piece, ...others }: Record<string, unknown>,
): Record<string, unknown> {
	if (typeof name === 'string' && name !== '') called.name = name;
	for (const [key, value] of Object.entries(others)) if (value !== null) called[key] = value;
	const start = typeof before === 'string' && before !== '{}' ? before : '';
	const isAgain = piece === before && isWhole({ arguments: before });
	if (typeof piece !== 'string') return { ...called, arguments: piece ?? before };
	return { ...called, arguments: isAgain || piece === '' ? (before ?? '') : start + piece };
}

/** Whether the arguments are complete: what follows belongs to another call. */
function isWhole({ arguments: args }: Record<string, unknown>): boolean {
	return isRecord(args) || (typeof args === 'string' && isRecord(parseJson(args)));
}

/** In {@link CallsByKey}: the call after whose arguments its name came again. */
const NAMED_AGAIN = Symbol('named again');

/**
 * The call that a delta belongs to, added at the end if it is new: found by its index, or by its ID if it has no index or
 * if several calls share one; a delta with neither continues the last call. A new ID without a name is no new call: some
 * services make one up for each delta. Without an ID, another name is a new call, and so are arguments after complete ones if
 * the name came again.
 */
function callOf(
	calls: IDataObject[],
	known: CallsByKey,
	{
		index,
		id,
		called,
	}: { index: unknown; id: string | undefined; called: Record<string, unknown> },
): IDataObject {
	const hasIndex = typeof index === 'number';
	const isNamed = typeof called.name === 'string' && called.name !== '';
	let call = hasIndex ? known.get(index) : id === undefined ? calls.at(-1) : known.get(id);
	if (!call && !hasIndex && !isNamed) call = calls.at(-1);
	if (id !== undefined && (call?.id ?? id) !== id)
		call = known.get(id) ?? (isNamed ? undefined : call);
	const before = call && id === undefined ? functionOf(call) : {};
	const isOther = isNamed && before.name !== undefined && before.name !== called.name;
	const mayRepeat = !isOther && isWhole(before) && (isNamed || known.get(NAMED_AGAIN) === call);
	if (mayRepeat && call) known.set(NAMED_AGAIN, call);
	if (isOther || (mayRepeat && called.arguments)) call = undefined;
	if (!call)
		calls.push((call = mayRepeat ? { function: { name: before.name } } : {}) as IDataObject);
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
