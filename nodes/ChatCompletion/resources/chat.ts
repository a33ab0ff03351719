import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { parseJson } from '../../shared/json';
import type { Operation, Resource } from '../../shared/operation/operation';
import { createCompletion, streamCompletion } from '../../intelligence/completion';
import { chatModelField } from '../../intelligence/fields';
import { chatOptionsField, readChatOptions, type ChatOptions } from '../chatOptions';
import { withImages } from '../images';
import { messageFields, readMessages, type Message } from '../messages';
import { violations } from '../schema';
import { countTokens } from '../tokens';
import { isRecord } from '../../shared/guards';
import { type OperationContext, isTool, contextError } from '../../shared/operation/context';

interface Input {
	model: string;
	messages: Message[];
	options: ChatOptions;
	simplify: boolean;
}

/** A choice of a completion, or of a chunk of one. */
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
	action: 'Complete a chat',
	description: 'Let a language model respond to a prompt or continue a conversation',
	effect: 'generate',
	fields: [chatModelField, ...messageFields, chatOptionsField, simplifyField],
	input: (parameters) => ({
		model: String(parameters.id('model')),
		messages: readMessages(parameters),
		options: readChatOptions(parameters),
		simplify: parameters.flag('simplify'),
	}),
	async run(context, { model, messages, options, simplify }) {
		const body = {
			model,
			messages: await withImages(context, messages, options.imageDetail),
			...options.body,
		};
		const completion = await requestCompletion(context, body, options.stream);
		countTokens(context.functions, completion.usage);
		const contents = options.isJson
			? choicesOf(completion).map((choice) => parseContent(context, completion, choice, options))
			: undefined;
		if (!simplify) return [completion];
		return choicesOf(completion).map((choice, index) =>
			simplified(completion, choice, contents?.[index]),
		);
	},
};

/** Streams if the execution streams to a chat, or if the option says so. */
async function requestCompletion(
	context: OperationContext,
	body: IDataObject,
	stream: boolean | undefined,
): Promise<IDataObject> {
	const { functions, itemIndex } = context;
	// The response to a tool call is for the agent, not for the chat
	const isChat = stream !== false && functions.isStreaming() && !isTool(functions);
	if (!isChat && !stream) return await createCompletion(context, body);
	const chunks = streamCompletion(context, body);
	let isComplete = false;
	try {
		// The type says void; awaiting the promise slows the stream down to the speed of the chat
		if (isChat) await functions.sendChunk('begin', itemIndex);
		let next = await chunks.next();
		for (; !next.done; next = await chunks.next()) {
			const text = isChat ? firstDelta(next.value) : '';
			if (text !== '') await functions.sendChunk('item', itemIndex, text);
		}
		isComplete = true;
		return next.value;
	} finally {
		// If the chat has failed, the service must stop generating
		await chunks.return(undefined as never);
		if (isChat && isComplete) await functions.sendChunk('end', itemIndex);
		// n8n tells the chat of an error that ends the execution, but not of one that becomes an item
		if (isChat && !isComplete && functions.continueOnFail())
			await functions.sendChunk('error', itemIndex, 'The response ended early');
	}
}

/** The text that a chunk adds to the first choice, the only one that a chat shows. */
function firstDelta(chunk: Record<string, unknown>): string {
	const first = choicesOf(chunk).find(({ index }) => index === 0 || index === undefined);
	const delta = first?.delta;
	return isRecord(delta) && typeof delta.content === 'string' ? delta.content : '';
}

function choicesOf({ choices }: Record<string, unknown>): Choice[] {
	return Array.isArray(choices) ? choices.filter(isRecord) : [];
}

function messageOf({ message }: Choice): Record<string, unknown> {
	return isRecord(message) ? message : {};
}

function hasToolCalls({ tool_calls: calls }: Record<string, unknown>): boolean {
	return Array.isArray(calls) && calls.length > 0;
}

/**
 * The content of a choice, parsed and validated against the schema. The content beside tool calls stays text: it is not the
 * response yet.
 */
function parseContent(
	context: OperationContext,
	completion: IDataObject,
	choice: Choice,
	{ schema }: ChatOptions,
): unknown {
	const message = messageOf(choice);
	const { content } = message;
	if (typeof content !== 'string' || hasToolCalls(message)) return content;
	const value = parseJson(withoutFence(content));
	const wrong = value !== undefined && schema ? violations(value, schema) : [];
	if (value !== undefined && wrong.length === 0) return value;
	const problem =
		value === undefined
			? `is not valid JSON${choice.finish_reason === 'length' ? ': it was cut off at the token limit' : ''}`
			: `does not match the JSON schema: ${wrong.join('; ')}`;
	throw contextError(
		context,
		{
			message: `The response ${problem}`,
			description: `Make the instructions or the schema clearer, or choose another model. The response: ${content.slice(0, MAX_SHOWN_CHARACTERS)}`,
		},
		{ partial: completion },
	);
}

/** Some models put JSON into a Markdown code block. */
function withoutFence(content: string): string {
	return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(content)?.[1] ?? content;
}

/** The main fields of a choice; reasoning and tool calls only if there are any. */
function simplified(completion: IDataObject, choice: Choice, parsed: unknown): IDataObject {
	const message = messageOf(choice);
	return {
		content: (parsed === undefined ? message.content : parsed) ?? null,
		...('reasoning_content' in message && { reasoning_content: message.reasoning_content }),
		...(hasToolCalls(message) && { tool_calls: message.tool_calls }),
		finish_reason: choice.finish_reason ?? null,
		index: choice.index,
		model: completion.model,
		usage: completion.usage ?? null,
	} as IDataObject;
}

export const chat: Resource = { value: 'chat', name: 'Chat', operations: [complete] };
