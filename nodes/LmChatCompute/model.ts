import type {
	ChatModel,
	ChatModelConfig,
	FunctionTool,
	GenerateResult,
	Message,
	StreamChunk,
	Tool,
} from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { firstDelta, restOf } from '../intelligence/choice';
import {
	createCompletion,
	requireUsable,
	streamCompletion,
	unreadable,
} from '../intelligence/completion';
import type { RequestLimits } from '../intelligence/requestLimits';
import type { RequestContext } from '../shared/http/request';
import { callIds, fromCompletion, toApiMessage } from './sdkMessages';

/** What a model needs beside the conversation. */
export interface Settings {
	context: RequestContext;
	/** Fields of the request that the options of the node set. */
	body: IDataObject;
	limits?: RequestLimits;
	/** Lets a request begin; call what it returns when it has ended. */
	begin?(signal?: AbortSignal): Promise<() => void>;
	/** The JSON Schema of a tool's arguments. Only n8n's SDK can read it from the schema objects that n8n uses. */
	schemaOf(tool: FunctionTool): unknown;
}

/** LangChain passes its own options with its own names. */
type Config = ChatModelConfig & { signal?: AbortSignal; stop?: string[] };

/**
 * The chat models of the service for AI agents and chains. Requests go the same way as those of the Chat Completion node:
 * n8n's HTTP helper with credential, OAuth2 refresh and allowed domains, our retry policy and our errors.
 */
export class ComputeChatModel implements ChatModel {
	readonly provider = 'compute';

	constructor(
		readonly modelId: string,
		private readonly settings: Settings,
		private readonly tools: FunctionTool[] = [],
	) {}

	/** The same model with these tools; tools of a provider are left out, since the service has none. */
	withTools(tools: Tool[]): ChatModel {
		return new ComputeChatModel(
			this.modelId,
			this.settings,
			tools.filter((tool) => tool.type === 'function'),
		);
	}

	/** The response as a whole; throws the errors of {@link createCompletion} and {@link requireUsable}. */
	async generate(messages: Message[], config?: Config): Promise<GenerateResult> {
		const [context, body] = [this.contextOf(config), this.body(messages, config)];
		const end = await this.settings.begin?.(context.signal);
		try {
			const completion = await createCompletion(context, body, this.settings.limits);
			return this.read(context, requireUsable(context, completion, body), messages).result;
		} finally {
			end?.();
		}
	}

	/** The response as a stream of text, reasoning and tool calls; throws the errors of {@link streamCompletion} and {@link requireUsable}. */
	async *stream(messages: Message[], config?: Config): AsyncGenerator<StreamChunk> {
		const [context, body] = [this.contextOf(config), this.body(messages, config)];
		const end = await this.settings.begin?.(context.signal);
		const chunks = streamCompletion(context, body, this.settings.limits);
		try {
			let next = await chunks.next();
			let shown = '';
			for (; !next.done; next = await chunks.next()) {
				const { text = '', reasoning = '' } = firstDelta(next.value);
				shown += text;
				if (reasoning !== '') yield { type: 'reasoning-delta', delta: reasoning };
				if (text !== '') yield { type: 'text-delta', delta: text };
			}
			const completion = requireUsable(context, next.value, body);
			const { calls, result, text } = this.read(context, completion, messages);
			const rest = restOf(text, shown);
			if (rest !== '') yield { type: 'text-delta', delta: rest };
			// Each call as a whole: the SDK gives all of them the same index, and would mix the deltas of two
			for (const { toolCallId, toolName, input } of calls)
				yield { type: 'tool-call-delta', id: toolCallId, name: toolName, argumentsDelta: input };
			yield { type: 'finish', finishReason: result.finishReason ?? 'other', usage: result.usage };
		} finally {
			end?.();
			// If the agent stops reading, the service must stop generating
			await chunks.return(undefined as never);
		}
	}

	/** What an agent gets of a completion; throws where that would be nothing. */
	private read(
		context: RequestContext,
		completion: IDataObject,
		messages: Message[],
	): ReturnType<typeof fromCompletion> {
		const read = fromCompletion(completion, callIds(messages));
		if (read.text.trim() === '' && read.calls.length === 0) throw unreadable(context, completion);
		return read;
	}

	private contextOf(config: Config = {}): RequestContext {
		const { context } = this.settings;
		const signals = [config.abortSignal, config.signal, context.signal];
		const given = signals.filter((signal) => signal !== undefined);
		return { ...context, signal: given.length > 1 ? AbortSignal.any(given) : given[0] };
	}

	private body(messages: Message[], config: Config = {}): IDataObject {
		const stop = config.stopSequences ?? config.stop;
		const tools = this.tools.map((tool) => ({
			type: 'function',
			function: {
				name: tool.name,
				description: tool.description,
				parameters: this.settings.schemaOf(tool) as IDataObject,
			},
		}));
		return {
			model: this.modelId,
			messages: messages.map(toApiMessage),
			...(stop && { stop }),
			// The default of the service is none (beyond-the-spec.md section 5)
			...(tools.length > 0 && { tools, tool_choice: 'auto' }),
			...this.settings.body,
		};
	}
}
