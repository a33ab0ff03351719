import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { ownWords, type Problem } from '../shared/http/errors';
import { saysError } from '../shared/http/refusal';
import { parseJson } from '../shared/json';
import { numberOf } from '../shared/numbers';
import { isNothing } from './finishReasons';
import { argumentsText, isBlank, isSameArguments } from './toolArguments';

type Fields = Record<string, unknown>;

/** A call of a function, with what else the service sent of it. */
export interface ToolCall extends Fields {
	/** Never empty, and no other call of the conversation has it. */
	id: string;
	/** Its `arguments` are text, as in the format of the API. */
	function: Fields;
}

/** What a message of a model, or the delta of one, says, whatever form the service gives it. */
export interface Said {
	/** Undefined where the content is nothing, or is not only text. */
	text?: string;
	/** Undefined where there is none. */
	reasoning?: string;
}

/** The choices of a completion, or of a chunk of one. */
export function choicesOf({ choices }: Fields): Fields[] {
	return Array.isArray(choices) ? choices.filter(isRecord) : [];
}

/** The message of a choice; in the older form of completions its `text`. */
export function messageOf({ message, text }: Fields): Fields {
	if (isRecord(message)) return message;
	return typeof text === 'string' ? { role: 'assistant', content: text } : {};
}

/**
 * Text and reasoning of a message. The content is text or parts (beyond-the-spec.md section 5); reasoning comes as
 * `reasoning_content`, in newer servers as `reasoning`, in some as a part of the content.
 */
export function readMessage({ content, reasoning_content: older, reasoning }: Fields): Said {
	const inContent = readContent(content);
	const thoughts = [older, reasoning, inContent?.reasoning];
	return {
		text: inContent?.text,
		reasoning: thoughts.find((one): one is string => typeof one === 'string' && one !== ''),
	};
}

/** Undefined for a content that has other parts than text, also a number, and reasoning; null and a refusal of nothing are none. */
function readContent(content: unknown): { text: string; reasoning: string } | undefined {
	if (isWords(content)) return { text: String(content), reasoning: '' };
	const parts = partsIn(content);
	if (!parts) return undefined;
	const said = { text: '', reasoning: '' };
	for (const part of parts) {
		const text = isRecord(part) ? partText(part) : part;
		if (isWords(text))
			said[/think|reason/i.test(String(isRecord(part) && part.type)) ? 'reasoning' : 'text'] +=
				text;
		else if (isRecord(part) && part.thinking !== undefined)
			said.reasoning += readContent(part.thinking)?.text ?? '';
		else if (!isNothing(isRecord(part) && part.type === 'refusal' ? part.refusal : part))
			return undefined;
	}
	return said;
}

function isWords(content: unknown): content is string | number {
	return typeof content === 'string' || typeof content === 'number';
}

/** The parts of a content, also of lists in its list, or of a part alone; undefined for any other content. */
function partsIn(content: unknown): unknown[] | undefined {
	if (Array.isArray(content)) return content.flat();
	return isPart(content) ? [content] : undefined;
}

/** The types of parts that some services send without a list. */
const PART_ALONE = /^(?:(?:\w+_)?text|refusal|think(?:ing)?|reasoning)$/i;

/** Whether a content is a part without its list: by its type, or by its only field. Another object is a response in JSON. */
export function isPart(content: unknown): content is Fields {
	if (!isRecord(content)) return false;
	return PART_ALONE.test(String(content.type ?? Object.keys(content).join()));
}

/** The text of a part, which some services send beside its notes, under another name, or not at all with the part that begins it. */
export function partText({ type, text, value, content }: Fields): string | undefined {
	const isText = /text/i.test(String(type));
	const said = text ?? (isText ? (value ?? content ?? '') : undefined);
	const words = isRecord(said) ? said.value : said;
	return isWords(words) ? String(words) : undefined;
}

/** The text of a message beside parts of other kinds: an agent takes nothing else. */
export function textOf({ content }: Fields): string {
	return [content]
		.flat(2)
		.map((part) => readContent([part])?.text ?? '')
		.join('');
}

/** What a chunk adds to the first choice, the only one that a chat or an agent shows. */
export function firstDelta(chunk: Fields): Said {
	const first = choicesOf(chunk).find(({ index }) => (numberOf(index) ?? 0) === 0);
	if (!isRecord(first?.delta)) return {};
	return { ...readMessage(first.delta), text: textOf(first.delta) };
}

/** What of the first choice's text was not in the deltas: all of it where the service counts its choices from 1. */
export function restOf(text: string, shown: string): string {
	return text.startsWith(shown) ? text.slice(shown.length) : '';
}

/**
 * The tool calls of a message, also the one of the older `function_call`. Arguments that came as an object become text. A call
 * without an ID, or with one that the conversation has already, gets a new one: n8n's agent ignores the result of a call whose ID
 * it knows, and the model would call again.
 * @param taken IDs of earlier calls; those of this message are added
 */
export function callsOf(message: Fields, taken = new Set<string>()): ToolCall[] {
	const { tool_calls: calls, function_call: call } = message;
	const several: unknown[] = [calls ?? []].flat();
	const sent = several.length > 0 ? several : [isRecord(call) && { function: call }];
	const once = sent.filter(isRecord).map(nested).filter(isCall).filter(isFirst);
	return once.map((one) => {
		const called = isRecord(one.function) ? one.function : {};
		const text = argumentsText(called.arguments);
		const isFree = typeof one.id === 'string' && one.id !== '' && !taken.has(one.id);
		const id = isFree ? String(one.id) : newId();
		taken.add(id);
		return {
			...one,
			id,
			...(isRecord(one.function) && {
				function: { ...called, arguments: text.trim() === '' ? '{}' : text },
			}),
		} as ToolCall;
	});
}

/** The ID of a tool call, or of the delta of one; some services send a number. */
export function idOf({ id }: Fields): string | undefined {
	return id === '' || (typeof id !== 'string' && typeof id !== 'number') ? undefined : String(id);
}

/** An entry without an ID, a name or arguments is none: some services send whitespace under an index of its own. */
function isCall({ function: called, ...call }: Fields): boolean {
	if (!isRecord(called) || idOf(call) !== undefined) return true;
	return Object.values(called).some((value) => !isBlank(value));
}

/** A call that has the ID, name and arguments of an earlier one is that call again: it must not run twice. */
function isFirst(call: Fields, position: number, calls: Fields[]): boolean {
	if (idOf(call) === undefined) return true;
	return calls.findIndex((one) => isSameCall(one, call)) === position;
}

/** Whether two calls have the same ID, or none, and say the same, however their arguments are written. */
export function isSameCall(one: Fields, other: Fields): boolean {
	const [call, same] = [saidBy(one), saidBy(other)];
	if (call.said !== same.said) return false;
	const isText = argumentsText(call.args).trim() === argumentsText(same.args).trim();
	return isText || isSameArguments(call.args, same.args);
}

/** The arguments of a call, and all else that it says but its index. */
function saidBy(call: Fields): { args: unknown; said: string } {
	const { function: called, ...fields } = nested(call);
	const { arguments: args, ...named } = isRecord(called) ? called : {};
	return { args, said: JSON.stringify({ ...fields, index: undefined, named }) };
}

/** A tool call, or the delta of one, whose name and arguments some gateways send beside the ID instead of under `function`. */
export function nested(call: Fields): Fields {
	const { id, index, type, ...called } = call;
	const isFlat = typeof call.name === 'string' || call.arguments !== undefined;
	if (isRecord(call.function) || !isFlat) return call;
	const fields = Object.entries({ id, index, type }).filter(([, value]) => value !== undefined);
	return { ...Object.fromEntries(fields), function: called };
}

/** Nine letters and digits: some models take no other ID. */
function newId(): string {
	return randomUUID().replaceAll('-', '').slice(0, 9);
}

const LIMIT_ADVICE =
	'Raise Max Completion Tokens, or ask for a shorter response. Reasoning counts too.';
const PROMPT_ADVICE = 'Change the prompt, or choose another model.';

/** Finish reasons of services, beside those of the API (intelligence-api.md "Chat completion response"). */
const FILTERED = /filter|safety|prohibited|blocklist|recitation|sensitive|guardrail|moderat|spii/i;
const STOPPED =
	/error|abort|cancel|malformed|insufficient|incomplete|interrupt|unexpected|too_many|time_?(?:out|limit)|repetition|pause/i;
const CUT_OFF = /length|max\w*tokens|limit|exceeded|truncat/i;

/** Whether the service says that a choice ended at a limit: its text is of use, but not whole. */
export function isCutOff({ finish_reason: reason }: Fields): boolean {
	return CUT_OFF.test(String(reason));
}

/** Whether the service says that a choice ended before its end, for whatever reason: at a limit, by a filter or an error. */
export function isIncomplete(choice: Fields): boolean {
	const end = String(choice.finish_reason);
	return isCutOff(choice) || FILTERED.test(end) || STOPPED.test(end) || saysError(choice.error);
}

/**
 * Why a choice must not be used: it is not what the model meant to say, or nothing.
 * @param body fields of the request: a cut-off text is of use, but not where a format or tools were asked for
 * @param beside the error beside the choices, if there is one: an answer that is whole is one all the same
 */
export function faultOf(choice: Fields, body: IDataObject, beside?: unknown): Problem | undefined {
	const message = messageOf(choice);
	const { content } = message;
	const refusal = refusalOf(message);
	const calls = callsOf(message);
	const end = String(choice.finish_reason);
	const { text } = readMessage(message);
	const hasCalls = calls.some(({ function: called }) => !isRecord(called) || called.name);
	// The JSON `false`, which some services parse, is an answer where JSON was asked for
	const isSilent =
		text === undefined ? !content && !(content === false && asksJson(body)) : text.trim() === '';
	const isEmpty = isSilent && !hasCalls && !isRecord(message.audio) && !message.images;
	if (refusal !== '')
		return { message: `The model refuses: ${refusal}`, description: PROMPT_ADVICE };
	if (/^refus/i.test(end))
		return { message: `The model refuses: ${text || end}`, description: PROMPT_ADVICE };
	if (FILTERED.test(end))
		return { message: 'The response was stopped by a content filter', description: PROMPT_ADVICE };
	const words = errorWords(choice.error) || errorWords(beside);
	if (saysError(choice.error) || STOPPED.test(end) || (isEmpty && saysError(beside)))
		return {
			message: `The service stopped the response: ${words || (STOPPED.test(end) ? end : 'error')}`,
			description: 'Run the item again for a complete response. This one may be billed.',
		};
	if (isCutOff(choice) && (isEmpty || calls.length > 0 || isStructured(body)))
		return {
			message: 'The response was cut off at the token limit',
			description: LIMIT_ADVICE,
		};
	if (/^(?:tool_(?:calls?|use)|function_call)$/i.test(end) && !hasCalls)
		return {
			message: `The response has no tool call, although it ended for one (${end})`,
			description: 'Run the item again, or choose another model.',
		};
	const wrong = calls.find((call) => isRecord(call.function) && !hasArguments(call));
	if (wrong)
		return {
			message: `The arguments of the tool call ${String(wrong.function.name)} are not a JSON object: ${String(wrong.function.arguments).slice(0, 200)}`,
			description: 'The call was not run. Run the item again, or choose another model.',
		};
	return isEmpty ? { message: 'The response is empty', description: PROMPT_ADVICE } : undefined;
}

/** What an error says; empty where it says nothing. */
export function errorWords(error: unknown): string {
	return saysError(error) ? ownWords('', JSON.stringify(error)) : '';
}

/** Whether the arguments are a JSON object. Nothing is one too, unless something is in another place or under another name. */
function hasArguments(call: ToolCall): boolean {
	const { function: called } = call;
	const places = [call, called].flatMap((at) => [at.parameters, at.input, at.args]);
	const isElsewhere = [call.arguments, ...places].some((one) => (one ?? '') !== '');
	return (
		!(isElsewhere && called.arguments === '{}') && isRecord(parseJson(String(called.arguments)))
	);
}

/** Why the model refuses; some services say it in a part of the content. */
function refusalOf({ refusal, content }: Fields): string {
	const parts = (partsIn(content) ?? []).filter(isRecord);
	const said = [
		refusal,
		...parts.map((part) => (part.type ?? 'refusal') === 'refusal' && part.refusal),
	];
	return said
		.filter((one) => typeof one === 'string')
		.join('')
		.trim();
}

function asksJson({ response_format: format }: IDataObject): boolean {
	return isRecord(format) && /json/.test(String(format.type));
}

/** Whether only a complete response is of use. */
function isStructured(body: IDataObject): boolean {
	const { tools } = body;
	const hasTools = Array.isArray(tools) && tools.length > 0;
	return asksJson(body) || hasTools || Object.keys(body).some((key) => key.startsWith('guided_'));
}
