import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { isTool, knownError, type Call } from '../shared/execute';
import { parseJson } from '../shared/json';
import type { Operation, Resource } from '../shared/operation';
import { isRecord } from '../shared/validate';
import { complete as completeWhole, streamed } from './completion';
import { chatModelField } from './fields';
import { withPictures } from './images';
import { messageFields, readMessages, type Message } from './messages';
import { optionsField, readChatOptions, type ChatOptions } from './options';
import { violations } from './jsonSchema';
import { countTokens } from './tokens';

interface Input {
	model: string;
	messages: Message[];
	options: ChatOptions;
	simplify: boolean;
}

const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** `POST /api/v1/chat/completions` (intelligence-api.md "Chat completions"). */
const complete: Operation<Input> = {
	value: 'complete',
	name: 'Complete',
	action: 'Complete a chat',
	description: 'Let a language model answer a prompt or go on with a conversation',
	effect: 'generate',
	fields: [chatModelField, ...messageFields, optionsField, simplifyField],
	input: (form) => ({
		model: String(form.id('model')),
		messages: readMessages(form),
		options: readChatOptions(form),
		simplify: form.flag('simplify'),
	}),
	async run(call, { model, messages, options, simplify }) {
		const body = {
			model,
			messages: await withPictures(call, messages, options.imageDetail),
			...options.body,
		};
		const completion = await answer(call, body, options.stream);
		countTokens(call.ctx, completion.usage);
		const contents = options.isJson
			? choicesOf(completion).map((choice) => jsonOf(call, completion, choice, options))
			: undefined;
		if (!simplify) return [completion];
		return choicesOf(completion).map((choice, place) =>
			simplified(completion, choice, contents?.[place]),
		);
	},
};

/** Streams where the execution streams to a chat, or where the option says so. */
async function answer(
	call: Call,
	body: IDataObject,
	stream: boolean | undefined,
): Promise<IDataObject> {
	const { ctx, itemIndex } = call;
	// What a tool finds out is for its agent, not for the chat
	const isHeard = stream !== false && ctx.isStreaming() && !isTool(ctx);
	if (!isHeard && !stream) return await completeWhole(call, body);
	const chunks = streamed(call, body);
	let isWhole = false;
	try {
		// The type says void; the promise holds the stream back where the chat is slow
		if (isHeard) await ctx.sendChunk('begin', itemIndex);
		let next = await chunks.next();
		for (; !next.done; next = await chunks.next()) {
			const text = isHeard ? firstDelta(next.value) : '';
			if (text !== '') await ctx.sendChunk('item', itemIndex, text);
		}
		isWhole = true;
		return next.value;
	} finally {
		// Where the chat is gone, the service must not go on
		await chunks.return(undefined as never);
		if (isHeard && isWhole) await ctx.sendChunk('end', itemIndex);
		// n8n itself tells the chat of an error that ends the run, but not of one that becomes an item
		if (isHeard && !isWhole && ctx.continueOnFail())
			await ctx.sendChunk('error', itemIndex, 'The answer broke off');
	}
}

/** What a chunk adds to the text of the first choice: a chat has one voice. */
function firstDelta({ choices }: Record<string, unknown>): string {
	const first = Array.isArray(choices)
		? choices.filter(isRecord).find(({ index }) => index === 0 || index === undefined)
		: undefined;
	const delta = first?.delta;
	return isRecord(delta) && typeof delta.content === 'string' ? delta.content : '';
}

function choicesOf(completion: IDataObject): Array<Record<string, unknown>> {
	return Array.isArray(completion.choices) ? completion.choices.filter(isRecord) : [];
}

function messageOf(choice: Record<string, unknown>): Record<string, unknown> {
	return isRecord(choice.message) ? choice.message : {};
}

function hasCalled({ tool_calls: calls }: Record<string, unknown>): boolean {
	return Array.isArray(calls) && calls.length > 0;
}

/** The parsed answer, checked against the schema; where the model called a tool instead its text is no answer yet. */
function jsonOf(
	call: Call,
	completion: IDataObject,
	choice: Record<string, unknown>,
	{ schema }: ChatOptions,
): unknown {
	const message = messageOf(choice);
	const { content } = message;
	if (typeof content !== 'string' || hasCalled(message)) return content;
	const value = parseJson(unfenced(content));
	const wrong = value === undefined ? [notJson(choice)] : schema ? violations(value, schema) : [];
	if (wrong.length === 0) return value;
	throw knownError(
		call,
		{
			message:
				value === undefined
					? `The answer is no JSON: ${notJson(choice)}`
					: `The answer does not fit the JSON schema: ${wrong.join('; ')}`,
			description: `Make the instructions or the schema clearer, or choose another model. The answer was: ${content.slice(0, 1_000)}`,
		},
		{ partial: completion },
	);
}

function notJson({ finish_reason: reason }: Record<string, unknown>): string {
	return reason === 'length' ? 'it was cut off at the limit of tokens' : 'it is other text';
}

/** Some models put a fence around JSON, as in a chat. */
function unfenced(content: string): string {
	return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(content)?.[1] ?? content;
}

/** One choice in the fields that matter; reasoning and tool calls only where there are some. */
function simplified(
	completion: IDataObject,
	choice: Record<string, unknown>,
	parsed: unknown,
): IDataObject {
	const message = messageOf(choice);
	return {
		content: (parsed === undefined ? message.content : parsed) ?? null,
		...('reasoning_content' in message && { reasoning_content: message.reasoning_content }),
		...(hasCalled(message) && { tool_calls: message.tool_calls }),
		finish_reason: choice.finish_reason ?? null,
		index: choice.index,
		model: completion.model,
		usage: completion.usage ?? null,
	} as IDataObject;
}

export const chat: Resource = { value: 'chat', name: 'Chat', operations: [complete] };
