import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { partText, readMessage } from './choice';
import { isNothing } from './finishReasons';
import { mergeCalled, mergeToolCalls, type CallsByKey, type ToolNames } from './toolCallDeltas';

/** Fields that are concatenated, as the content is; of all others the last value counts, since some services repeat them. */
export const CONCATENATED = new Set(['reasoning_content', 'reasoning', 'refusal']);

type Chunk = Record<string, unknown>;

/** A message, or the delta of one, whose content is text where it is parts of text and reasoning. */
export function plainOf(said: Chunk): Chunk {
	const { text, reasoning } = readMessage(said);
	if (typeof said.content !== 'object' || text === undefined) return said;
	return {
		...said,
		content: text,
		...(reasoning !== undefined && { reasoning_content: reasoning }),
	};
}

/** Adds the next piece of a message to what has come of it. */
export function addDelta(
	message: IDataObject,
	delta: Chunk,
	known: CallsByKey,
	names: ToolNames,
): void {
	for (const [key, value] of Object.entries(plainOf(delta))) {
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
export function joinContent(before: unknown, added: unknown): unknown {
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
	return [content].flat(2).flatMap((part): IDataObject[] => {
		if (isNothing(part)) return [];
		if (typeof part === 'string' || typeof part === 'number')
			return [{ type: 'text', text: String(part) }];
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
