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
import { complete, streamed } from '../intelligence/completion';
import type { RequestContext } from '../shared/http/request';
import { fromApi, toApi } from './convert';
import { isRecord } from '../shared/guards';

/** What a model needs besides the conversation. */
export interface Settings {
	context: RequestContext;
	/** Fields of the request that the node's options set. */
	body: IDataObject;
	/** The JSON schema of a tool's arguments: only n8n's SDK can read it out of the schema objects that n8n uses. */
	schemaOf(tool: FunctionTool): unknown;
}

/** LangChain hands its own options on under its own names. */
type Config = ChatModelConfig & { signal?: AbortSignal; stop?: string[] };

/**
 * The service's chat models for AI agents and chains. It sends through the same code as the Chat Completion node: n8n's
 * own HTTP helper with credential, OAuth2 refresh and allowed domains, our retry table and our errors.
 */
export class ComputeChatModel implements ChatModel {
	readonly provider = 'compute';

	constructor(
		readonly modelId: string,
		private readonly settings: Settings,
		private readonly tools: FunctionTool[] = [],
	) {}

	withTools(tools: Tool[]): ChatModel {
		return new ComputeChatModel(
			this.modelId,
			this.settings,
			tools.filter((tool) => tool.type === 'function'),
		);
	}

	async generate(messages: Message[], config?: Config): Promise<GenerateResult> {
		return fromApi(await complete(this.contextOf(config), this.body(messages, config))).result;
	}

	async *stream(messages: Message[], config?: Config): AsyncGenerator<StreamChunk> {
		const chunks = streamed(this.contextOf(config), this.body(messages, config));
		try {
			let next = await chunks.next();
			for (; !next.done; next = await chunks.next()) yield* deltas(next.value);
			const { calls, result } = fromApi(next.value);
			// Each call in one piece: the SDK gives all of them the same place, and pieces of two would be mixed
			for (const { toolCallId, toolName, input } of calls)
				yield { type: 'tool-call-delta', id: toolCallId, name: toolName, argumentsDelta: input };
			yield { type: 'finish', finishReason: result.finishReason ?? 'other', usage: result.usage };
		} finally {
			// An agent may stop reading, and the service would go on
			await chunks.return(undefined as never);
		}
	}

	private contextOf(config: Config = {}): RequestContext {
		const { context } = this.settings;
		return { ...context, signal: config.abortSignal ?? config.signal ?? context.signal };
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
			messages: messages.map(toApi),
			...(stop && { stop }),
			// The service's own default is none
			...(tools.length > 0 && { tools, tool_choice: 'auto' }),
			...this.settings.body,
		};
	}
}

function* deltas({ choices }: Record<string, unknown>): Generator<StreamChunk> {
	const first = Array.isArray(choices)
		? choices.filter(isRecord).find(({ index }) => index === 0 || index === undefined)
		: undefined;
	const delta = isRecord(first?.delta) ? first.delta : {};
	if (typeof delta.reasoning_content === 'string' && delta.reasoning_content !== '')
		yield { type: 'reasoning-delta', delta: delta.reasoning_content };
	if (typeof delta.content === 'string' && delta.content !== '')
		yield { type: 'text-delta', delta: delta.content };
}
