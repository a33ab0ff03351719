import type {
	FinishReason,
	GenerateResult,
	Message,
	MessageContent,
	TokenUsage,
} from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { numberOf } from '../shared/numbers';

type Content<T extends MessageContent['type']> = Extract<MessageContent, { type: T }>;

/** A message of an AI agent in the format of the API (intelligence-api.md "Chat completions"; parts and tool calls: beyond-the-spec.md section 5). */
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
	const images = ofType(content, 'file').map(({ mediaType, data, providerMetadata }) => ({
		type: 'image_url',
		image_url: {
			url:
				typeof providerMetadata?.url === 'string'
					? providerMetadata.url
					: `data:${mediaType ?? 'image/png'};base64,${base64(data)}`,
		},
	}));
	return {
		role,
		content:
			images.length > 0 ? [...(text === '' ? [] : [{ type: 'text', text }]), ...images] : text,
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
 * The first choice of a completion as a result for an AI agent, and its tool calls. A call without a name is left out: the agent
 * could not run it.
 */
export function fromCompletion(completion: IDataObject): {
	result: GenerateResult;
	calls: Array<Content<'tool-call'>>;
} {
	const [choice] = Array.isArray(completion.choices) ? completion.choices.filter(isRecord) : [];
	const message = isRecord(choice?.message) ? choice.message : {};
	const sent: unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
	const calls = sent.filter(isRecord).flatMap((call, index): Array<Content<'tool-call'>> => {
		const called = isRecord(call.function) ? call.function : {};
		if (typeof called.name !== 'string' || called.name === '') return [];
		const toolCallId = typeof call.id === 'string' ? call.id : `call_${index}`;
		return [
			{
				type: 'tool-call',
				toolCallId,
				toolName: called.name,
				input: String(called.arguments ?? '{}'),
			},
		];
	});
	const text = typeof message.content === 'string' ? message.content : '';
	const result: GenerateResult = {
		id: typeof completion.id === 'string' ? completion.id : undefined,
		finishReason: finishReason(choice?.finish_reason),
		usage: usageOf(completion.usage),
		message: { role: 'assistant', content: [{ type: 'text', text }, ...calls] },
		// Not in the message: agents treat every block as a part of the response
		providerMetadata:
			typeof message.reasoning_content === 'string'
				? { reasoning_content: message.reasoning_content }
				: {},
	};
	return { result, calls };
}

const FINISH_REASONS: Record<string, FinishReason> = {
	content_filter: 'content-filter',
	function_call: 'tool-calls',
	length: 'length',
	stop: 'stop',
	tool_calls: 'tool-calls',
};

function finishReason(reason: unknown): FinishReason {
	return (typeof reason === 'string' ? FINISH_REASONS[reason] : undefined) ?? 'other';
}

function usageOf(usage: unknown): TokenUsage | undefined {
	if (!isRecord(usage)) return undefined;
	const [prompt, completion] = [usage.prompt_tokens_details, usage.completion_tokens_details].map(
		(details) => (isRecord(details) ? details : {}),
	);
	return {
		promptTokens: numberOf(usage.prompt_tokens) ?? 0,
		completionTokens: numberOf(usage.completion_tokens) ?? 0,
		totalTokens: numberOf(usage.total_tokens) ?? 0,
		...(typeof prompt?.cached_tokens === 'number' && {
			inputTokenDetails: { cacheRead: prompt.cached_tokens },
		}),
		...(typeof completion?.reasoning_tokens === 'number' && {
			outputTokenDetails: { reasoning: completion.reasoning_tokens },
		}),
	};
}
