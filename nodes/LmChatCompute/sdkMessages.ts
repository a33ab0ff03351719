import type {
	FinishReason,
	GenerateResult,
	Message,
	MessageContent,
	TokenUsage,
} from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { callsOf, choicesOf, messageOf, readMessage, textOf } from '../intelligence/choice';
import { totalOf } from '../intelligence/tokens';
import { isRecord } from '../shared/guards';
import { keepingDigits } from '../shared/json';
import { numberOf } from '../shared/numbers';

type Content<T extends MessageContent['type']> = Extract<MessageContent, { type: T }>;

/** The images that a request takes (beyond-the-spec.md section 5). */
const IMAGE_TYPES = /^image\/(?:jpeg|png|webp|gif)$/;

/**
 * A message of an AI agent in the format of the API (intelligence-api.md "Chat completions"; parts and tool calls:
 * beyond-the-spec.md section 5).
 * @throws for a file that is no image: the models take no other
 */
export function toApiMessage({ role, content }: Message): IDataObject {
	const text = ofType(content, 'text')
		.map((part) => part.text)
		.join('');
	if (role === 'tool') {
		const [part] = ofType(content, 'tool-result');
		return {
			role,
			tool_call_id: part?.toolCallId ?? '',
			content: part ? asText(part.result) : text,
		};
	}
	if (role === 'assistant') {
		const calls = ofType(content, 'tool-call').map(({ toolCallId, toolName, input }, index) => ({
			id: toolCallId ?? `call_${index}`,
			type: 'function',
			function: { name: toolName, arguments: input },
		}));
		return calls.length > 0
			? { role, content: text === '' ? null : text, tool_calls: calls }
			: { role, content: text };
	}
	const images = ofType(content, 'file').map(toImage);
	return {
		role,
		content:
			images.length > 0 ? [...(text === '' ? [] : [{ type: 'text', text }]), ...images] : text,
	};
}

function toImage({ mediaType, data, providerMetadata = {} }: Content<'file'>): IDataObject {
	const { url, detail } = providerMetadata;
	const type = mediaType?.toLowerCase().replace('image/jpg', 'image/jpeg');
	const isLink = typeof url === 'string' && (type === undefined || type.startsWith('image/'));
	if (!isLink && !(data && IMAGE_TYPES.test(type ?? '')))
		throw new Error(
			`The model takes text and images (JPEG, PNG, WEBP, GIF), not ${type ?? 'a file without a type'}`,
		);
	return {
		type: 'image_url',
		image_url: {
			url: isLink ? url : `data:${type};base64,${base64(data)}`,
			...(typeof detail === 'string' && { detail }),
		},
	};
}

function ofType<T extends MessageContent['type']>(
	content: MessageContent[],
	type: T,
): Array<Content<T>> {
	return content.filter((part): part is Content<T> => part.type === type);
}

function base64(data: string | Uint8Array | undefined): string {
	return typeof data === 'string' ? data : Buffer.from(data ?? []).toString('base64');
}

/** A tool's result as text for the model; blocks of text are concatenated. */
function asText(result: unknown): string {
	if (typeof result === 'string') return result;
	if (Array.isArray(result) && result.every((part) => isRecord(part) && part.type === 'text')) {
		return result.map((part: { text?: unknown }) => String(part.text)).join('');
	}
	return JSON.stringify(result) ?? '';
}

/**
 * The first choice of a completion as a result for an AI agent, its tool calls and its text. A call without a name is left out: the agent
 * could not run it.
 * @param taken IDs of the calls of the conversation
 */
export function fromCompletion(
	completion: IDataObject,
	taken?: Set<string>,
): {
	result: GenerateResult;
	calls: Array<Content<'tool-call'>>;
	text: string;
} {
	const [choice = {}] = choicesOf(completion);
	const { reasoning } = readMessage(messageOf(choice));
	const text = textOf(messageOf(choice));
	const calls = callsOf(messageOf(choice), taken)
		.filter(({ function: called }) => Boolean(called?.name))
		.map(({ id, function: called }): Content<'tool-call'> => ({
			type: 'tool-call',
			toolCallId: id,
			toolName: String(called.name),
			// The agent parses them, and a rounded ID may be that of another thing
			input: keepingDigits(String(called.arguments)),
		}));
	const reason = choice.finish_reason;
	const result: GenerateResult = {
		id: typeof completion.id === 'string' ? completion.id : undefined,
		finishReason: (typeof reason === 'string' ? FINISH_REASONS[reason] : undefined) ?? 'other',
		usage: usageOf(completion.usage),
		message: { role: 'assistant', content: [{ type: 'text', text }, ...calls] },
		// Not in the message: agents treat every block as a part of the response
		providerMetadata: {
			...(reasoning !== undefined && { reasoning_content: reasoning }),
			finish_reason: reason ?? null,
		},
	};
	return { result, calls, text };
}

/** The IDs of the tool calls of a conversation. */
export function callIds(messages: Message[]): Set<string> {
	const calls = messages.flatMap(({ content }) => ofType(content, 'tool-call'));
	return new Set(calls.map(({ toolCallId }) => String(toolCallId)));
}

const FINISH_REASONS: Record<string, FinishReason> = {
	content_filter: 'content-filter',
	function_call: 'tool-calls',
	length: 'length',
	stop: 'stop',
	tool_calls: 'tool-calls',
};

/** Undefined where the service says no number: that is not none. */
function usageOf(usage: unknown): TokenUsage | undefined {
	if (!isRecord(usage)) return undefined;
	const { prompt_tokens: asked, completion_tokens: said, total_tokens: all } = usage;
	if ([asked, said, all].every((count) => numberOf(count) === undefined)) return undefined;
	const [prompt, completion] = [usage.prompt_tokens_details, usage.completion_tokens_details].map(
		(details) => (isRecord(details) ? details : {}),
	);
	return {
		promptTokens: numberOf(asked) ?? 0,
		completionTokens: numberOf(said) ?? 0,
		totalTokens: totalOf(usage),
		...(typeof prompt?.cached_tokens === 'number' && {
			inputTokenDetails: { cacheRead: prompt.cached_tokens },
		}),
		...(typeof completion?.reasoning_tokens === 'number' && {
			outputTokenDetails: { reasoning: completion.reasoning_tokens },
		}),
	};
}
