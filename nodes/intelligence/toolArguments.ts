import { isRecord } from '../shared/guards';
import { parseAnswer } from '../shared/json';

/** The arguments of a tool call as text, whatever form they were sent in; nothing is an empty text. */
export function argumentsText(args: unknown): string {
	if (typeof args === 'string') return args;
	return args === undefined || args === null ? '' : JSON.stringify(args);
}

/** Whether arguments, or a piece of them, say nothing: whitespace alone is between or after JSON values. */
export function isBlank(args: unknown): boolean {
	return argumentsText(args).trim() === '';
}

/** The arguments where they are whole, as text or as an object; undefined where they are not, or are no JSON object. */
export function wholeArguments(args: unknown): Record<string, unknown> | undefined {
	// Long arguments in small pieces are not read again with each piece
	if (typeof args === 'string' && !args.trimEnd().endsWith('}')) return undefined;
	// Numbers keep all their digits: those of two IDs may differ in the last one
	const value = typeof args === 'string' ? parseAnswer(args) : args;
	return isRecord(value) ? value : undefined;
}

/**
 * Whether two arguments are whole and the same JSON value, however each of them is written.
 * @param piece is read first, and the others only where it is whole
 */
export function isSameArguments(piece: unknown, others: unknown): boolean {
	const value = wholeArguments(piece);
	return value !== undefined && inOrder(value) === inOrder(wholeArguments(others));
}

/** JSON text with the keys of each object in one order. */
function inOrder(value: unknown): string | undefined {
	return JSON.stringify(value, (_, part: unknown) =>
		isRecord(part)
			? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
			: part,
	);
}

/**
 * The arguments of a call come in pieces, or all at once as an object. Some services begin with `{}` in place of nothing, send
 * all of them again at the end, or whitespace after them. Two different whole ones are not those of one call: their texts follow
 * each other, which no tool is called with.
 */
export function joinArguments(before: unknown, piece: unknown): unknown {
	if (isBlank(piece) && (typeof piece !== 'string' || isRecord(before))) return before;
	if (isSameArguments(piece, before)) return before;
	const isPlaceholder = !isBlank(piece) && isEmptyObject(argumentsText(before));
	if (isPlaceholder || (isRecord(piece) && !wholeArguments(before))) return piece;
	return `${argumentsText(before)}${argumentsText(piece)}`;
}

/** Long arguments are not read with each piece. */
function isEmptyObject(args: string): boolean {
	return args.length < LONGEST_EMPTY && /^\s*\{\s*\}\s*$/.test(args);
}

const LONGEST_EMPTY = 100;
