import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { numberOf } from '../shared/numbers';
import { idOf, nested } from './choice';
import { isBlank, isSameArguments, joinArguments, wholeArguments } from './toolArguments';

/** The names of the tools that a request offers. */
export type ToolNames = ReadonlySet<string>;

/** The tool calls of a choice by the index and by the ID of their deltas. Where several share one, it is that of the last. */
export type CallsByKey = Map<unknown, IDataObject>;

/** The first delta of a call has its ID and name, the others have parts of its arguments. */
export function mergeToolCalls(
	calls: IDataObject[],
	deltas: unknown[],
	known: CallsByKey,
	names: ToolNames,
): IDataObject[] {
	const inChunk = new Set<IDataObject>();
	for (const delta of deltas.filter(isRecord).map(nested)) {
		const { index: sentIndex, function: part, ...fields } = delta;
		const index = numberOf(sentIndex);
		const id = idOf(delta);
		const called = isRecord(part) ? part : {};
		const call = callOf(calls, known, { index, id, called, inChunk }, names);
		inChunk.add(call);
		for (const key of [index, id]) if (key !== undefined) known.set(key, call);
		for (const [key, value] of Object.entries(fields))
			if (value !== null && value !== '' && (key !== 'id' || call.id === undefined))
				call[key] = value as IDataObject['x'];
		if (part !== undefined)
			call.function = mergeCalled(functionOf(call), called, names) as IDataObject;
	}
	return calls;
}

function functionOf({ function: called }: IDataObject): Record<string, unknown> {
	return isRecord(called) ? called : {};
}

/** Adds a piece to the function of a call. */
export function mergeCalled(
	{ arguments: before, ...called }: Record<string, unknown>,
	{ name, arguments: piece, ...others }: Record<string, unknown>,
	names: ToolNames,
): Record<string, unknown> {
	if (typeof name === 'string' && name !== '') called.name = joinName(called.name, name, names);
	for (const [key, value] of Object.entries(others)) if (value !== null) called[key] = value;
	return { ...called, arguments: joinArguments(before, piece) };
}

/** A name comes at once, in pieces, or again with each delta: as it is, or all of it so far. */
function joinName(before: unknown, piece: string, names: ToolNames): string {
	if (typeof before !== 'string') return piece;
	if (begins(names, before + piece) && !names.has(piece)) return before + piece;
	return piece.startsWith(before) ? piece : before + piece;
}

function begins(names: ToolNames, start: string): boolean {
	return [...names].some((name) => name.startsWith(start));
}

/**
 * Whether a delta with a name is of another call than the one that its index or ID says. Without an ID it is, unless the name is the
 * next piece of that of the call, which has an ID or is the beginning of a tool's name.
 */
function isOtherName(
	call: IDataObject,
	{ id, called }: { id: string | undefined; called: Record<string, unknown> },
	names: ToolNames,
): boolean {
	const { name: before, arguments: args } = functionOf(call);
	const name = String(called.name);
	if (typeof before !== 'string' || before === name) return false;
	const areTools = names.has(before) && names.has(name);
	if (areTools || id !== undefined) return areTools;
	const isLonger = name.startsWith(before) && begins(names, name);
	const continues = call.id !== undefined || isLonger || begins(names, before + name);
	return !continues || !isBlank(args);
}

function isSameFunction(one: Record<string, unknown>, other: Record<string, unknown>): boolean {
	return one.name === other.name && isSameArguments(other.arguments, one.arguments);
}

/**
 * Whether a call of the same name has no arguments yet, or the same: some services make up an ID for each delta. Two deltas of
 * one chunk are of two calls.
 */
function isStart(
	call: IDataObject,
	called: Record<string, unknown>,
	inChunk: ReadonlySet<IDataObject>,
): boolean {
	if (inChunk.has(call)) return false;
	const { name, arguments: args } = functionOf(call);
	return (name === called.name && isBlank(args)) || isSameFunction(functionOf(call), called);
}

/** Whether a piece says something else than the arguments before it. */
function isMore(piece: unknown, before: unknown): boolean {
	return !isBlank(piece) && !isSameArguments(piece, before);
}

/** What a delta says of its call. */
interface Delta {
	index: number | undefined;
	id: string | undefined;
	called: Record<string, unknown>;
	/** The calls of the deltas before it in its chunk. */
	inChunk: ReadonlySet<IDataObject>;
}

/** In {@link CallsByKey}: the call after whose arguments its name came again. */
const NAMED_AGAIN = Symbol('named again');

/**
 * The call that a delta belongs to, added at the end if it is new: found by its index, or by its ID if it has no index or
 * if several calls share one; a delta with neither continues the last call. A new ID without a name is no new call, unless the
 * last one is of the same chunk: some services make one up for each delta. Without an ID, another name is a new call, and so are
 * arguments after complete ones if the name came again.
 */
function callOf(
	calls: IDataObject[],
	known: CallsByKey,
	{ index, id, called, inChunk }: Delta,
	names: ToolNames,
): IDataObject {
	const hasIndex = index !== undefined;
	const isNamed = typeof called.name === 'string' && called.name !== '';
	// At the end, some services send each call again as a whole: it must not run twice
	const isKnown = id === undefined && isNamed && (!hasIndex || known.has(index));
	const again = isKnown && calls.find((one) => isSameFunction(functionOf(one), called));
	if (again) return again;
	let call = hasIndex ? known.get(index) : id === undefined ? calls.at(-1) : known.get(id);
	const last = calls.at(-1);
	if (!call && !hasIndex && !isNamed && last && !inChunk.has(last)) call = last;
	if (id !== undefined && (call?.id ?? id) !== id)
		call =
			known.get(id) ?? (isNamed && !(call && isStart(call, called, inChunk)) ? undefined : call);
	const before = call && id === undefined ? functionOf(call) : {};
	const isOther = isNamed && call !== undefined && isOtherName(call, { id, called }, names);
	const isAgain = !isOther && (isNamed || known.get(NAMED_AGAIN) === call);
	const mayRepeat = isAgain && wholeArguments(before.arguments) !== undefined;
	if (mayRepeat && call) known.set(NAMED_AGAIN, call);
	if (isOther || (mayRepeat && isMore(called.arguments, before.arguments))) call = undefined;
	if (!call)
		calls.push((call = mayRepeat ? { function: { name: before.name } } : {}) as IDataObject);
	return call;
}
