import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { numberOf } from '../shared/numbers';
import { choicesOf, messageOf, partText, readMessage } from './choice';
import { FinishReasons, isEnd, isNothing } from './finishReasons';
import { mergeCalled, mergeToolCalls, type CallsByKey, type ToolNames } from './toolCallDeltas';

/** Fields that are concatenated, as the content is; of all others the last value counts, since some services repeat them. */
const CONCATENATED = new Set(['reasoning_content', 'reasoning', 'refusal']);

type Chunk = Record<string, unknown>;

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
	private readonly ends = new FinishReasons();

	/** @param names of the tools that the model may call */
	constructor(private readonly names: ToolNames = new Set()) {}

	/**
	 * Adds the next chunk, an object of the form `chat.completion.chunk`, or a whole completion: a service that does not stream
	 * a model sends that. Some services put the parts of a stream into messages, or all of it so far.
	 * @returns the chunk; a completion in the form of one, with the text that is new
	 */
	add(sent: Chunk): Chunk {
		const chunk = withDeltas(sent);
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
	 * choices are those of a service that does not look at `n`. A completion in one piece may be one of several that follow.
	 * A reason after which more came is an end with `[DONE]` alone.
	 * @param isBroken whether the connection was lost, so that only a reason that can be relied on counts
	 */
	isComplete(count: number, isDone = false, isBroken = false): boolean {
		if (this.whole)
			return choicesOf(this.whole).every(
				(choice) => isEnd(choice.finish_reason) || (isDone && hasEnded(choice)),
			);
		const reasons = [...this.choices.values()].map(({ finish_reason: reason }) => reason);
		const hasAll = reasons.length >= count;
		const { notEnds, goingOn } = this.ends;
		if ((isBroken && notEnds.size > 0) || (!isDone && goingOn.size > 0)) return false;
		if (reasons.length > 0 && reasons.every(isEnd)) return hasAll || isDone;
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
			// Many services send `usage: null` with every chunk but the last, others one without numbers in the last
			const isSaid = key === 'usage' ? hasNumbers(value) : !isNothing(value);
			if (isSaid || isNothing(this.fields[key])) this.fields[key] = value as IDataObject['x'];
		}
		for (const [place, choice] of choicesOf({ choices }).entries()) this.addChoice(choice, place);
		return chunk;
	}

	/** @param place in its chunk, which tells choices apart that have no index */
	private addChoice(part: Record<string, unknown>, place: number): void {
		const { index: sentIndex, delta, logprobs, finish_reason: reason, ...fields } = part;
		const index = numberOf(sentIndex) ?? place;
		const choice: IDataObject = this.choices.get(index) ?? { index, message: {} };
		this.choices.set(index, choice);
		if (isRecord(delta) && saysMore(delta)) this.ends.goOn(choice);
		if (reason !== undefined) this.ends.add(choice, reason);
		for (const [key, value] of Object.entries(fields)) {
			// Some services send the message so far beside the delta
			const isSaid = !isNothing(value) || choice[key] === undefined;
			if (key !== 'message' && isSaid) choice[key] = value as IDataObject['x'];
		}
		if (logprobs !== undefined)
			choice.logprobs = mergeLogprobs(choice.logprobs, logprobs) as IDataObject['x'];
		const calls: CallsByKey = this.calls.get(index) ?? new Map();
		this.calls.set(index, calls);
		if (isRecord(delta)) addDelta(choice.message as IDataObject, delta, calls, this.names);
	}
}

/** The older form of completions has its `text` beside the index. */
function withDeltas(chunk: Chunk): Chunk {
	const choices = choicesOf(chunk);
	const isText = choices.some(
		({ message, delta, text }) => !message && !delta && typeof text === 'string',
	);
	if (!isText) return chunk;
	return {
		...chunk,
		choices: choices.map(({ text, ...choice }) => ({ ...choice, delta: { content: text } })),
	};
}

function hasNumbers(usage: unknown): boolean {
	return isRecord(usage) && Object.values(usage).some((value) => numberOf(value));
}

/** Whether a delta adds to its message. */
function saysMore(delta: Chunk): boolean {
	const { content, tool_calls: calls, function_call: call, refusal } = delta;
	const { reasoning } = readMessage(delta);
	return ![content, reasoning, calls, call, refusal].every(isNothing);
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
	const [first = {}, ...others] = choicesOf(chunk);
	const delta = isRecord(first.delta) ? first.delta : {};
	const { text } = readMessage(delta);
	if (before === '' || !text?.startsWith(before)) return chunk;
	return {
		...chunk,
		choices: [{ ...first, delta: { ...delta, content: text.slice(before.length) } }, ...others],
	};
}

function addDelta(
	message: IDataObject,
	delta: Record<string, unknown>,
	known: CallsByKey,
	names: ToolNames,
): void {
	const { text, reasoning } = readMessage(delta);
	const isText = typeof delta.content === 'object' && text !== undefined;
	const plain = isText
		? { ...delta, content: text, ...(reasoning !== undefined && { reasoning_content: reasoning }) }
		: delta;
	for (const [key, value] of Object.entries(plain)) {
		const before = message[key];
		if (key === 'tool_calls') {
			if (Array.isArray(value) || isRecord(value))
				message.tool_calls = mergeToolCalls(
					Array.isArray(before) ? (before as IDataObject[]) : [],
					[value].flat(),
					known,
					names,
				);
		} else if (key === 'function_call' && isRecord(value)) {
			message.function_call = mergeCalled(
				isRecord(before) ? before : {},
				value,
				names,
			) as IDataObject;
		} else if (key === 'content') {
			message.content = joinContent(before, value) as IDataObject['x'];
		} else if (key === 'audio' && isRecord(before) && isRecord(value)) {
			message.audio = joinAudio(before, value) as IDataObject;
		} else if (CONCATENATED.has(key) && ['string', 'number'].includes(typeof value)) {
			message[key] = `${typeof before === 'string' ? before : ''}${String(value)}`;
		} else if (Array.isArray(before) && Array.isArray(value)) {
			message[key] = [...before, ...value] as IDataObject[];
		} else if (value !== null || before === undefined) {
			message[key] = value as IDataObject['x'];
		}
	}
}

/** Sound and its words come in pieces, the other fields once. */
function joinAudio(before: Chunk, added: Chunk): Chunk {
	const joined = Object.entries(added).map(([key, value]) => {
		const isPiece = key === 'data' || key === 'transcript';
		return [key, isPiece ? `${String(before[key] ?? '')}${String(value ?? '')}` : value];
	});
	return { ...before, ...Object.fromEntries(joined) };
}

/** The content with what a delta adds: text, or an object, until something else comes. What says nothing takes nothing away. */
function joinContent(before: unknown, added: unknown): unknown {
	const [earlier, later] = [partsOf(before), partsOf(added)];
	if (later.length === 0) return before ?? added;
	const isPlain = typeof added !== 'object';
	if (earlier.length === 0 && !Array.isArray(added)) return isPlain ? String(added) : added;
	return isPlain && typeof before === 'string'
		? `${before}${String(added)}`
		: joinParts([...earlier, ...later]);
}

/** What a content has in it, as parts. */
function partsOf(content: unknown): IDataObject[] {
	const text = typeof content === 'number' ? String(content) : content;
	return [text].flat(2).flatMap((part): IDataObject[] => {
		if (isNothing(part)) return [];
		if (typeof part === 'string') return [{ type: 'text', text: part }];
		return isRecord(part) ? [part as IDataObject] : [];
	});
}

/** Texts that follow each other are one part. */
function joinParts(parts: IDataObject[]): IDataObject[] {
	const joined: IDataObject[] = [];
	for (const part of parts) {
		const last = joined.at(-1);
		const texts = [last, part].flatMap((one) =>
			one?.type === 'text' ? (partText(one) ?? []) : [],
		);
		if (texts.length === 2) joined[joined.length - 1] = { ...last, text: texts.join('') };
		else joined.push(part);
	}
	return joined;
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
