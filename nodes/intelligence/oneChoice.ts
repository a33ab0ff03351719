import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { choicesOf, isSameCall, messageOf, readMessage } from './choice';

type Fields = Record<string, unknown>;

/** Reasons that do not say that something is wrong. */
const GOOD_ENDS = /^(?:stop|end|end_turn|eos|tool_calls?|tool_use|function_call)?$/i;

/**
 * The completion of a request for one choice. Some services put the text and each tool call into choices of their own: these are
 * parts of one message. Several texts without a call are alternatives, and stay.
 */
export function withOneChoice(completion: IDataObject): IDataObject {
	const choices = choicesOf(completion);
	const calls = choices.map((choice) => sentCalls(messageOf(choice)));
	const [first] = choices;
	if (choices.length === 1 || calls.flat().length === 0) return completion;
	const said = choices.map((choice) => readMessage(messageOf(choice)));
	const ends = choices.map(({ finish_reason: reason }) => reason);
	const called = choices[calls.findIndex((some) => some.length > 0)]!;
	const merged = {
		...first,
		message: {
			...Object.fromEntries(choices.map(messageOf).map(otherFields).flatMap(Object.entries)),
			content: contentOf(choices.map((choice) => messageOf(choice).content)),
			...(said.some(({ reasoning }) => reasoning) && {
				reasoning_content: joined(said.map(({ reasoning }) => reasoning)),
			}),
			tool_calls: calls.reduce(withOthers, []) as IDataObject[],
		},
		finish_reason: ends.find((end) => !GOOD_ENDS.test(String(end ?? ''))) ?? called.finish_reason,
	};
	return { ...completion, choices: [merged as IDataObject] };
}

/** What a message says beside the older form of its call, which is one of the tool calls. */
function otherFields(message: Fields): Fields {
	const isSaid = ([key, value]: [string, unknown]) => key !== 'function_call' && (value ?? false);
	return Object.fromEntries(Object.entries(message).filter(isSaid));
}

/** The texts of several contents; all parts where one of them is not only text, such as a refusal. */
function contentOf(contents: unknown[]): unknown {
	const texts = contents.map((content) => readMessage({ content }).text);
	const isText = contents.every((content, at) => !content || texts[at] !== undefined);
	return isText ? joined(texts) : contents.flat().filter(Boolean);
}

/** The texts, each of them once; null where there is none. */
function joined(texts: Array<string | undefined>): string | null {
	return [...new Set(texts.filter(Boolean))].join('\n') || null;
}

/** The calls of a message as they were sent, but for their index. */
function sentCalls({ tool_calls: calls, function_call: call }: Fields): Fields[] {
	const several: unknown[] = [calls ?? []].flat();
	const sent = several.length > 0 ? several : [isRecord(call) && { function: call }];
	return sent
		.filter(isRecord)
		.map((one) => Object.fromEntries(Object.entries(one).filter(([key]) => key !== 'index')));
}

/** A call that two choices have is one call: it must not run twice. */
function withOthers(calls: Fields[], others: Fields[]): Fields[] {
	return [...calls, ...others.filter((other) => !calls.some((call) => isSameCall(call, other)))];
}
