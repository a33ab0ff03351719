/**
 * The types that this node uses of n8n's SDK for AI nodes (version 0.31), which n8n includes from 2.16. The package itself cannot
 * be installed everywhere, so its types are declared here.
 */
declare module '@n8n/ai-node-sdk' {
	import type { ISupplyDataFunctions, SupplyData } from 'n8n-workflow';

	export interface ChatModelConfig {
		maxTokens?: number;
		temperature?: number;
		topP?: number;
		stopSequences?: string[];
		abortSignal?: AbortSignal;
	}

	export type MessageContent =
		| { type: 'text'; text: string }
		| { type: 'reasoning'; text: string }
		| {
				type: 'file';
				mediaType?: string;
				data?: string | Uint8Array;
				providerMetadata?: Record<string, unknown>;
		  }
		| { type: 'tool-call'; toolCallId?: string; toolName: string; input: string }
		| { type: 'tool-result'; toolCallId: string; result: unknown; isError?: boolean }
		| { type: 'invalid-tool-call' | 'citation' | 'provider' };

	export interface Message {
		role: 'system' | 'user' | 'assistant' | 'tool';
		content: MessageContent[];
		name?: string;
		id?: string;
	}

	export type FinishReason =
		'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other';

	export interface TokenUsage {
		promptTokens: number;
		completionTokens: number;
		totalTokens: number;
		inputTokenDetails?: { cacheRead?: number };
		outputTokenDetails?: { reasoning?: number };
	}

	export interface GenerateResult {
		id?: string;
		finishReason?: FinishReason;
		usage?: TokenUsage;
		message: Message;
		providerMetadata?: Record<string, unknown>;
	}

	export type StreamChunk =
		| { type: 'text-delta'; delta: string }
		| { type: 'reasoning-delta'; delta: string }
		| { type: 'tool-call-delta'; id?: string; name?: string; argumentsDelta?: string }
		| { type: 'finish'; finishReason: FinishReason; usage?: TokenUsage };

	export interface FunctionTool {
		type: 'function';
		name: string;
		description?: string;
		/** JSON schema or a zod schema: see {@link getParametersJsonSchema}. */
		inputSchema: unknown;
		strict?: boolean;
	}

	export interface ProviderTool {
		type: 'provider';
		name: string;
		args?: Record<string, unknown>;
	}

	export type Tool = FunctionTool | ProviderTool;

	export interface ChatModel {
		provider: string;
		modelId: string;
		generate(messages: Message[], config?: ChatModelConfig): Promise<GenerateResult>;
		stream(messages: Message[], config?: ChatModelConfig): AsyncIterable<StreamChunk>;
		withTools(tools: Tool[]): ChatModel;
	}

	export interface ChatHistory {
		getMessages(): Promise<Message[]>;
		addMessage(message: Message): Promise<void>;
		addMessages(messages: Message[]): Promise<void>;
		clear(): Promise<void>;
	}

	/** The last turns of a history: a turn is a message of the user and the answer. */
	export class WindowedChatMemory {
		constructor(chatHistory: ChatHistory, config?: { windowSize?: number });
	}

	export function supplyMemory(
		functions: ISupplyDataFunctions,
		memory: WindowedChatMemory,
	): SupplyData;
	export function supplyModel(functions: ISupplyDataFunctions, model: ChatModel): SupplyData;
	export function getParametersJsonSchema(tool: FunctionTool): Record<string, unknown>;
}
