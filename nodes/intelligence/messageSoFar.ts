import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { nested, readMessage, textOf } from './choice';
import { isNothing } from './finishReasons';
import { addDelta, CONCATENATED, joinContent, plainOf } from './messageDeltas';
import { argumentsText, isSameArguments } from './toolArguments';
import type { CallsByKey, ToolNames } from './toolCallDeltas';

type Fields = Record<string, unknown>;

/** What a text is that does not go on with what has come: the next part, all of it in other words, or nothing to rely on. */
export type Other = 'part' | 'all' | 'nothing';

/**
 * Adds a message that says again all the text that has come of it, and maybe more. What it says takes the place of what came;
 * what it does not say stays: a call or a refusal that came before is one all the same.
 * @param message what has come so far
 * @param other what a text is that does not go on with it: thoughts or a stop word may be left out of the whole
 * @returns the delta that it adds; undefined where its text is a part, and nothing is added
 */
export function addAgain(
	message: IDataObject,
	sent: Fields,
	known: CallsByKey,
	names: ToolNames,
	other: Other,
): Fields | undefined {
	const said = plainOf(sent);
	const rest = isNothing(said.content) ? '' : restOf(textOf(said), textOf(message));
	if (rest === undefined && other === 'part') return undefined;
	const { reasoning } = readMessage(message);
	const added: Fields = {};
	for (const [key, value] of Object.entries(said)) {
		const before = message[key];
		if (isNothing(value) && before !== undefined) continue;
		if (key === 'content') {
			added.content = rest ?? '';
			if (rest !== undefined || (other === 'all' && textOf(said).trim() !== ''))
				message.content = contentOf(message, said, rest ?? '') as IDataObject['x'];
			else if (other === 'all') addDelta(message, { content: value }, known, names);
		} else if (CONCATENATED.has(key) && typeof value === 'string') {
			const earlier = key === 'refusal' ? String(before ?? '') : (reasoning ?? '');
			const more = restOf(value, earlier);
			const instead = { part: `${earlier}${value}`, all: value, nothing: earlier }[other];
			message[key] = more === undefined ? instead : value;
			added[key] = more ?? (other === 'part' ? value : '');
		} else if (key === 'tool_calls' || key === 'function_call') {
			const isAgain = haveAll(callsIn(value), callsIn(before));
			if (!isAgain && other === 'nothing') continue;
			if (isAgain) delete message[key];
			if (isAgain && key === 'tool_calls') known.clear();
			addDelta(message, { [key]: value }, known, names);
			if (!isAgain || before === undefined) added[key] = value;
		} else if (before === undefined || other !== 'nothing') {
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
