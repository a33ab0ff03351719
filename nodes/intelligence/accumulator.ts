import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { numberOf } from '../shared/numbers';
import { choicesOf, readMessage, textOf } from './choice';
import { FinishReasons, isEnd, isNothing } from './finishReasons';
import { addDelta } from './messageDeltas';
import { addAgain } from './messageSoFar';
import type { CallsByKey, ToolNames } from './toolCallDeltas';

type Chunk = Record<string, unknown>;

/** What has come of a choice. */
interface Progress {
	choice: IDataObject;
	message: IDataObject;
	calls: CallsByKey;
	/** The messages of it, while each has said again what came before: `1` after `1` may be that, or the next part. */
	wholes: Chunk[];
	/** Whether its messages are parts; undefined until that is clear. Where deltas are the parts of it, a message is all of it. */
	isInParts?: boolean;
}

/**
 * Merges the chunks of a streamed completion into what the same request would have returned without a stream
 * (beyond-the-spec.md section 5 "Streaming"): all choices, reasoning, tool calls, and the usage of the last chunk.
 */
export class CompletionAccumulator {
	/** The completion, where nothing else has come: it stays as it was sent. */
	private whole?: IDataObject;
	private isEmpty = true;
	private readonly fields: IDataObject = {};
	private readonly choices = new Map<number, Progress>();
	private readonly ends = new FinishReasons();

	/** @param names of the tools that the model may call */
	constructor(private readonly names: ToolNames = new Set()) {}

	/**
	 * Adds the next chunk, an object of the form `chat.completion.chunk`, or a whole completion: a service that does not stream
	 * a model sends that. Some services put the parts of a stream into messages, or all of it so far.
	 * @param isCut whether the body ends within it
	 * @returns the chunk; a message in it is a delta, of what is new in it
	 */
	add(sent: Chunk, isCut = false): Chunk {
		const choices = choicesOf(sent).map(withDelta);
		const isWhole = this.isEmpty && choices.length > 0 && choices.every(hasMessage);
		this.whole = isWhole ? (sent as IDataObject) : undefined;
		this.isEmpty = false;
		for (const [key, value] of Object.entries(sent)) {
			// Many services send `usage: null` with every chunk but the last, others one without numbers in the last
			const isSaid = key === 'usage' ? hasNumbers(value) : !isNothing(value);
			if (isSaid || isNothing(this.fields[key])) this.fields[key] = value as IDataObject['x'];
		}
		const added = choices.map((choice, place) => this.addChoice(choice, place, isCut));
		return choices.length === 0 ? sent : { ...sent, choices: added };
	}

	/**
	 * Whether each of the `count` choices has its finish_reason. How a stream ends is not specified, so the stream of a
	 * service that never sends this field is complete with `[DONE]`; one that sends it empty is not. With `[DONE]`, fewer
	 * choices are those of a service that does not look at `n`. A completion in one piece may be one of several that follow.
	 * A reason after which more came is an end with `[DONE]` alone.
	 * @param isBroken whether the connection was lost, so that only a reason that can be relied on counts
	 */
	isComplete(count: number, isDone = false, isBroken = false): boolean {
		if (this.whole) {
			const choices = choicesOf(this.whole);
			const mayGoOn = isBroken && choices.length < count;
			return (
				!mayGoOn &&
				choices.every((choice) => isEnd(choice.finish_reason) || (isDone && hasEnded(choice)))
			);
		}
		const reasons = [...this.choices.values()].map(({ choice }) => choice.finish_reason);
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
			.map(([, { choice, message }]) => ({ ...choice, message }));
		return { ...this.fields, object: 'chat.completion', choices };
	}

	/** @param place in its chunk, which tells choices apart that have no index */
	private addChoice(part: Chunk, place: number, isCut: boolean): Chunk {
		const { index: sentIndex, delta, message, logprobs, finish_reason: reason, ...fields } = part;
		const index = numberOf(sentIndex) ?? place;
		const progress = this.choices.get(index) ?? startOf(index);
		this.choices.set(index, progress);
		const { choice } = progress;
		const isWhole = hasMessage(part);
		const said = isWhole ? this.addMessage(progress, message as Chunk, isCut) : delta;
		if (isRecord(said)) {
			if (!isWhole) this.addDelta(progress, said);
			if (saysMore(said)) this.ends.goOn(choice);
		}
		if (reason !== undefined) this.ends.add(choice, reason);
		for (const [key, value] of Object.entries(fields))
			if (!isNothing(value) || choice[key] === undefined) choice[key] = value as IDataObject['x'];
		const isAgain = isWhole && !progress.isInParts && !isNothing(logprobs);
		const before = isAgain ? undefined : choice.logprobs;
		if (logprobs !== undefined)
			choice.logprobs = mergeLogprobs(before, logprobs) as IDataObject['x'];
		return isWhole ? { ...part, message: undefined, delta: said } : part;
	}

	private addDelta(progress: Progress, delta: Chunk): void {
		if (saysMore(delta)) {
			progress.isInParts ??= false;
			progress.wholes.length = 0;
		}
		addDelta(progress.message, delta, progress.calls, this.names);
	}

	/** Adds what a message says beside what has come of it: it says that again, or is a part. Returns it as a delta. */
	private addMessage(progress: Progress, sent: Chunk, isCut: boolean): Chunk {
		const { message, calls, wholes, isInParts } = progress;
		const isUnclear = isInParts === undefined;
		if (isUnclear && (wholes.length > 0 || isNothing(message))) wholes.push(sent);
		const other = isCut ? 'nothing' : isUnclear ? 'part' : 'all';
		const added = isInParts ? undefined : addAgain(message, sent, calls, this.names, other);
		if (added) return added;
		// Blanks alone do not say which of the two it is
		if (isUnclear && textOf(sent).trim() !== '') progress.isInParts = true;
		const parts = progress.isInParts ? wholes.splice(0) : [];
		if (parts.length > 0) {
			progress.message = {};
			calls.clear();
		}
		for (const one of parts.length > 0 ? parts : [sent])
			addDelta(progress.message, one, calls, this.names);
		return sent;
	}
}

function startOf(index: number): Progress {
	return { choice: { index }, message: {}, calls: new Map(), wholes: [] };
}

/** Whether a choice has a message and no delta; some services send the message so far beside each delta. */
function hasMessage({ message, delta }: Chunk): boolean {
	return isRecord(message) && isNothing(delta);
}

/** The older form of completions has its `text` beside the index; a delta may be a text. */
function withDelta(choice: Chunk): Chunk {
	const { message, delta, text } = choice;
	const content = typeof delta === 'string' ? delta : !message && !delta ? text : undefined;
	return typeof content === 'string' ? { ...choice, text: undefined, delta: { content } } : choice;
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
