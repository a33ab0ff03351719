import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isRecord } from '../../shared/guards';
import type { NodeError } from '../../shared/http/errors';
import { saysError } from '../../shared/http/refusal';
import type { Operation, Resource } from '../../shared/operation/operation';
import {
	callsOf,
	choicesOf,
	firstDelta,
	isCutOff,
	messageOf,
	readMessage,
	restOf,
	textOf,
} from '../../intelligence/choice';
import { CUT_OFF_NOTE, isChat, readAnswer } from '../../intelligence/chatStream';
import { createCompletion, requireUsable, streamCompletion } from '../../intelligence/completion';
import type { Chunk } from '../../intelligence/completionReader';
import { chatModelField } from '../../intelligence/fields';
import { chatOptionsField, readChatOptions, type ChatOptions } from '../chatOptions';
import { parseResponse } from '../responseJson';
import { withEarlier } from '../earlierTries';
import { guidedProblem } from '../guided';
import { withImages } from '../images';
import { messageFields, readMessages, type Message } from '../messages';
import { countTokens } from '../../intelligence/tokens';
import { contextError, knownOf, type OperationContext } from '../../shared/operation/context';

interface Input {
	model: string;
	messages: Message[];
	options: ChatOptions;
	simplify: boolean;
}

/** A choice of a completion. */
type Choice = Record<string, unknown>;

const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** Characters of a response in the description of an error, whose details contain all of it. */
const MAX_SHOWN_CHARACTERS = 1_000;

/** `POST /api/v1/chat/completions` (intelligence-api.md "Chat completions"). */
const complete: Operation<Input> = {
	value: 'complete',
	name: 'Complete',
	action: 'Complete chat',
	description: 'Let a language model respond to a prompt or continue a conversation',
	effect: 'generate',
	requestsAtOnce: ([first]) => first?.options.requestsAtOnce,
	fields: [chatModelField, ...messageFields, chatOptionsField, simplifyField],
	input: (parameters) => ({
		model: String(parameters.id('model')),
		messages: readMessages(parameters),
		options: readChatOptions(parameters),
		simplify: parameters.flag('simplify'),
	}),
	run: async (context, input) => await withEarlier(context, async () => await ask(context, input)),
};

async function ask(
	context: OperationContext,
	{ model, messages, options, simplify }: Input,
): Promise<IDataObject[]> {
	const body = {
		model,
		messages: await withImages(context, messages, options.imageDetail),
		...options.body,
	};
	const completion = await requestCompletion(context, body, options).catch((error: NodeError) => {
		const { partial } = (error.context && knownOf(error)) ?? {};
		if (isRecord(partial)) countTokens(context.functions, partial.usage);
		throw error;
	});
	countTokens(context.functions, completion.usage);
	requireUsable(context, completion, body);
	const contents = choicesOf(completion).map((choice) =>
		readContent(context, completion, choice, options),
	);
	if (!simplify) return [completion];
	return choicesOf(completion).map((choice, index) =>
		simplified(completion, choice, contents[index]),
	);
}

/** Streams if the execution streams to a chat, or if the option says so. */
async function requestCompletion(
	context: OperationContext,
	body: IDataObject,
	{ stream, limits }: ChatOptions,
): Promise<IDataObject> {
	const isShown = stream !== false && isChat(context);
	if (!isShown && !stream) return await createCompletion(context, body, limits);
	const chunks = streamCompletion(context, body, limits);
	let shown = '';
	const show = (chunk: Chunk) => {
		const { text = '' } = firstDelta(chunk);
		shown += text;
		return text;
	};
	const ending = (completion: IDataObject) => {
		const [first = {}] = choicesOf(completion);
		const rest = restOf(textOf(messageOf(first)), shown);
		return `${rest}${isCutOff(first) ? CUT_OFF_NOTE : ''}`;
	};
	return await readAnswer(context, chunks, show, ending, isShown);
}

/**
 * The JSON of a choice if JSON is asked for, parsed and validated; otherwise the text is checked against what guides it. The
 * content beside tool calls is not the response yet.
 */
function readContent(
	context: OperationContext,
	completion: IDataObject,
	choice: Choice,
	{ schema, isJson, body }: ChatOptions,
): unknown {
	const message = messageOf(choice);
	if (callsOf(message).length > 0) return undefined;
	const json = JSON.stringify(message.content);
	const { text = json } = readMessage(message);
	const { value, problem } = isJson
		? parseResponse(text, schema)
		: { value: undefined, problem: guidedProblem(text, body) };
	if (problem === undefined) return value;
	// Some services parse it themselves, and what they found may look like a part
	const parsed = isJson && isRecord(message.content) && parseResponse(json, schema);
	if (parsed && parsed.problem === undefined) return parsed.value;
	throw contextError(
		context,
		{
			message: `The response ${problem}`,
			description: `Make the instructions or the schema clearer, or choose another model. The response: ${text.slice(0, MAX_SHOWN_CHARACTERS)}`,
		},
		{ partial: completion },
	);
}

/** The main fields of a choice; reasoning and tool calls only if there are any. */
function simplified(completion: IDataObject, choice: Choice, parsed: unknown): IDataObject {
	const message = messageOf(choice);
	const { text = message.content, reasoning } = readMessage(message);
	const calls = callsOf(message);
	return {
		content: (parsed === undefined ? text : parsed) ?? null,
		...((reasoning !== undefined || 'reasoning_content' in message) && {
			reasoning_content: reasoning ?? message.reasoning_content,
		}),
		...(calls.length > 0 && { tool_calls: calls }),
		finish_reason: choice.finish_reason ?? null,
		index: choice.index,
		model: completion.model,
		usage: completion.usage ?? null,
		...(saysError(completion.error) && { error: completion.error }),
	} as IDataObject;
}

export const chat: Resource = { value: 'chat', name: 'Chat', operations: [complete] };
