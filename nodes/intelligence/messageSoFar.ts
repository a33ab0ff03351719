import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { nested, readMessage, textOf } from './choice';
import { isNothing } from './finishReasons';
import { addDelta, CONCATENATED, joinContent, plainOf } from './messageDeltas';
import { argumentsText, isSameArguments } from './toolArguments';
import type { CallsByKey, ToolNames } from './toolCallDeltas';

type Fields = Record<string, unknown>;

/**
 * Adds a message that says again all the text that has come of it, and maybe more. What it says takes the place of what came;
 * what it does not say stays: a call or a refusal that came before is one all the same.
 * @param message what has come so far
 * @returns the delta that it adds; undefined where it does not begin with that text, and nothing is added
 */
export function addAgain(
	message: IDataObject,
	sent: Fields,
	known: CallsByKey,
	names: ToolNames,
): Fields | undefined {
	const said = plainOf(sent);
	const rest = isNothing(said.content) ? '' : restOf(textOf(said), textOf(message));
	if (rest === undefined) return undefined;
	const added: Fields = {};
	for (const [key, value] of Object.entries(said)) {
		const before = message[key];
		if (isNothing(value) && before !== undefined) continue;
		if (key === 'content') {
			message.content = contentOf(message, said, rest) as IDataObject['x'];
			added.content = rest;
		} else if (CONCATENATED.has(key) && typeof value === 'string') {
			const more = restOf(value, String(before ?? ''));
			message[key] = more === undefined ? `${String(before)}${value}` : value;
			added[key] = more ?? value;
		} else if (key === 'tool_calls' || key === 'function_call') {
			const isAgain = haveAll(callsIn(value), callsIn(before));
			if (isAgain) delete message[key];
			if (isAgain && key === 'tool_calls') known.clear();
			addDelta(message, { [key]: value }, known, names);
			if (!isAgain || before === undefined) added[key] = value;
		} else {
			message[key] = value as IDataObject['x'];
			added[key] = value;
		}
	}
	return added;
}

/** What a text adds to one that came before, whose blanks at the ends some services leave out; undefined where it is another one. */
function restOf(text: string, before: string): string | undefined {
	const start = [before, before.trimEnd(), before.trim()].find((one) => text.startsWith(one));
	return start === undefined ? undefined : text.slice(start.length);
}

/** The content as it was sent last, unless parts of other kinds than text came before and are not in it. */
function contentOf({ content: before }: IDataObject, said: Fields, rest: string): unknown {
	const isKept = isNothing(before) || readMessage({ content: before }).text !== undefined;
	const hasText = readMessage(said).text !== undefined;
	return isKept || !hasText ? said.content : joinContent(before, rest);
}

/** Tool calls, or the older `function_call`, in one form. */
function callsIn(value: unknown): Fields[] {
	return [value].flat().filter(isRecord).map(nested);
}

/** Whether calls are the earlier ones again, and maybe more. Their IDs do not count: some services make up one for each event. */
function haveAll(calls: Fields[], earlier: Fields[]): boolean {
	return earlier.every((before, at) => {
		const [call, same] = [calls[at], before].map((one) =>
			isRecord(one?.function) ? one.function : {},
		) as [Fields, Fields];
		const isLonger = argumentsText(call.arguments).startsWith(argumentsText(same.arguments).trim());
		return (
			calls[at] !== undefined &&
			String(call.name ?? '').startsWith(String(same.name ?? '')) &&
			(isLonger || isSameArguments(call.arguments, same.arguments))
		);
	});
}
