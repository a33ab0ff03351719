import { randomUUID } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { ownWords, type Problem } from '../shared/http/errors';
import { parseJson } from '../shared/json';

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
 * Text and reasoning of a message. The content is text or a list of parts (beyond-the-spec.md section 5); reasoning comes as
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

/** Undefined for a content that has other parts than text and reasoning. */
function readContent(content: unknown): { text: string; reasoning: string } | undefined {
	if (typeof content === 'string') return { text: content, reasoning: '' };
	if (!Array.isArray(content)) return undefined;
	const said = { text: '', reasoning: '' };
	for (const part of content as unknown[]) {
		if (typeof part === 'string') said.text += part;
		else if (isRecord(part) && typeof part.text === 'string')
			said[/think|reason/i.test(String(part.type)) ? 'reasoning' : 'text'] += part.text;
		else if (isRecord(part) && part.thinking !== undefined)
			said.reasoning += readContent(part.thinking)?.text ?? '';
		else return undefined;
	}
	return said;
}

/** What a chunk adds to the first choice, the only one that a chat or an agent shows. */
export function firstDelta(chunk: Fields): Said {
	const first = choicesOf(chunk).find(({ index }) => index === 0 || index === undefined);
	return isRecord(first?.delta) ? readMessage(first.delta) : {};
}

/**
 * The tool calls of a message, also the one of the older `function_call`. Arguments that came as an object become text. A call
 * without an ID, or with one that the conversation has already, gets a new one: n8n's agent ignores the result of a call whose ID
 * it knows, and the model would call again.
 * @param taken IDs of earlier calls; those of this message are added
 */
export function callsOf(message: Fields, taken = new Set<string>()): ToolCall[] {
	const { tool_calls: calls, function_call: call } = message;
	const isList = Array.isArray(calls) && calls.length > 0;
	const sent = isList ? (calls as unknown[]) : [isRecord(call) && { function: call }];
	return sent.filter(isRecord).map((flat) => {
		const one = nested(flat);
		const called = isRecord(one.function) ? one.function : {};
		const args = called.arguments ?? '';
		const text = typeof args === 'string' ? args : JSON.stringify(args);
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

/**
 * Why a choice must not be used: it is not what the model meant to say, or nothing.
 * @param body fields of the request: a cut-off text is of use, but not where a format or tools were asked for
 */
export function faultOf(choice: Fields, body: IDataObject): Problem | undefined {
	const message = messageOf(choice);
	const { refusal, content } = message;
	const calls = callsOf(message);
	const end = String(choice.finish_reason ?? '');
	const { text = content ? 'parts' : '' } = readMessage(message);
	const hasCalls = calls.some(({ function: called }) => !isRecord(called) || called.name);
	const isEmpty = text.trim() === '' && !hasCalls && !isRecord(message.audio) && !message.images;
	if (typeof refusal === 'string' && refusal.trim() !== '')
		return { message: `The model refuses: ${refusal}`, description: PROMPT_ADVICE };
	if (/filter|safety|prohibited|blocklist|recitation|sensitive/i.test(end))
		return { message: 'The response was stopped by a content filter', description: PROMPT_ADVICE };
	const words = choice.error ? ownWords('', JSON.stringify(choice.error)) : '';
	if (choice.error || /error|abort|cancel|malformed|insufficient|incomplete|interrupt/i.test(end))
		return {
			message: `The service stopped the response: ${words || end || 'error'}`,
			description: 'Run the item again for a complete response. This one may be billed.',
		};
	if (/length|max_?tokens/i.test(end) && (isEmpty || calls.length > 0 || isStructured(body)))
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

/** Whether the arguments are a JSON object. Nothing is one too, unless they are under a name of another format. */
function hasArguments({ function: called }: ToolCall): boolean {
	const { arguments: args, parameters, input } = called;
	const isElsewhere = args === '{}' && isRecord(parameters ?? input ?? called.args);
	return !isElsewhere && isRecord(parseJson(String(args)));
}

/** Whether only a complete response is of use. */
function isStructured(body: IDataObject): boolean {
	const { response_format: format, tools } = body;
	const isFormatted = isRecord(format) && /^json/.test(String(format.type));
	const hasTools = Array.isArray(tools) && tools.length > 0;
	return isFormatted || hasTools || Object.keys(body).some((key) => key.startsWith('guided_'));
}
