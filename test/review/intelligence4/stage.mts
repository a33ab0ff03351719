import type { IDataObject, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import {
	outputOf,
	type Engine,
	type NodeUnderTest,
	type RunOptions,
} from '../../engine/engine.mts';
import { chat, chatModel, locator, rag, subNode } from '../../engine/nodes.mts';
import { useService } from '../useService.mts';
import { Service, type Json } from './service.mts';

export const KEY = 'sk-fourth-review-0123456789';

export interface Ended {
	items: IDataObject[];
	error?: NodeApiError;
	message: string;
	description: string;
	/** What an error carries. */
	known: IDataObject;
	/** What n8n's chat was shown. */
	shown: string;
	/** All of it that somebody may read. */
	all: string;
}

interface Embeddings {
	embedDocuments(texts: string[]): Promise<number[][]>;
	embedQuery(text: string): Promise<number[]>;
}

interface Retriever {
	invoke(query: string): Promise<Array<{ pageContent: string; metadata: IDataObject }>>;
}

export interface Message {
	role: string;
	content: Array<{ type: string; text: string }>;
}

/** A part of a streamed answer. */
interface Part extends Json {
	type: string;
	name?: string;
	argumentsDelta?: string;
}

/** What n8n's SDK gets from the chat model. */
interface Model {
	withTools(tools: Json[]): Model;
	generate(messages: Message[]): Promise<{ message: { content: Json[] }; finishReason: string }>;
	stream(messages: Message[]): AsyncGenerator<Part>;
}

export interface Memory {
	getMessages(): Promise<Message[]>;
	addMessages(messages: Message[]): Promise<void>;
	clear(): Promise<void>;
}

/** n8n's engine and a service; the waits of the package take no time. */
export class Stage {
	readonly service = new Service();
	engine!: Engine;
	/** How far the time of the package is ahead, in ms: what it has waited, and what a test adds. */
	clock = 0;

	now(): number {
		return Date.now() + this.clock;
	}

	async run(
		node: NodeUnderTest,
		items: Array<INodeExecutionData | IDataObject> = [{}],
		options: RunOptions = {},
	): Promise<Ended> {
		let shown = '';
		const given = items.map((one) =>
			'json' in one ? (one as INodeExecutionData) : { json: one as IDataObject },
		);
		const run = await this.engine.runItems(node, given, {
			...options,
			...(options.onChunk && {
				onChunk: (one) => {
					if (one.type === 'item') shown += one.content ?? '';
				},
			}),
		});
		const error = run.data.resultData.error as NodeApiError | undefined;
		const output = error ? [] : outputOf(run).map(({ json }) => json);
		return {
			items: output,
			error,
			message: error?.message ?? '',
			description: error?.description ?? '',
			known: (error?.context.known ?? {}) as IDataObject,
			shown,
			all: JSON.stringify([error?.message, error?.description, error?.context, output]),
		};
	}

	async model(names: string[] = [], options: IDataObject = {}): Promise<Model> {
		const { response } = await this.engine.supply(chatModel('m', options));
		const tools = names.map((name) => ({
			type: 'function',
			name,
			inputSchema: { type: 'object' },
		}));
		return (response as unknown as Model).withTools(tools);
	}

	/** The memory of a session; with the credential `second` as another process of n8n has it. */
	async memory(sessionKey: string, credential = 'compute-intelligence'): Promise<Memory> {
		const node = subNode('memoryCompute', {
			sessionIdType: 'customKey',
			sessionKey,
			contextWindowLength: 5,
		});
		node.credentials = { computeIntelligenceApi: { id: credential, name: 'x' } };
		return (await this.engine.supply(node)).response as unknown as Memory;
	}

	async embeddings(options: IDataObject = {}): Promise<Embeddings> {
		const node = subNode('embeddingsCompute', { model: locator('e'), options });
		return (await this.engine.supply(node)).response as unknown as Embeddings;
	}

	async retriever(): Promise<Retriever> {
		const node = subNode('retrieverCompute', { topK: 3, options: {} });
		return (await this.engine.supply(node)).response as unknown as Retriever;
	}
}

export function useStage(apiKey = KEY): Stage {
	return useService(new Stage(), apiKey);
}

export const QUESTION: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];

export const RAG_QUERY = /^POST \/api\/rag\/v3\/retrieval\/rag$/;
export const AGENT = /^POST \/api\/rag\/v3\/retrieval\/agent$/;
export const GENERATE = /^POST \/api\/rag\/v3\/rag\/generate$/;
export const SEARCH = /^POST \/api\/rag\/v3\/retrieval\/search$/;
export const CHAT = /^POST \/api\/v1\/chat\/completions$/;
export const DOCUMENTS = /^GET \/api\/rag\/v3\/documents$/;
export const DOCUMENT = /^GET \/api\/rag\/v3\/documents\/[^/]+$/;

export const query = (options: IDataObject = {}) =>
	rag('retrieval', 'rag', { query: 'What?', topK: 5, options });
export const agent = (options: IDataObject = {}) =>
	rag('retrieval', 'agent', { message: 'What?', options });
export const generate = () =>
	rag('retrieval', 'generate', { promptName: locator('p'), query: 'What?', context: 'c' });
export const askDocuments = (options: IDataObject = {}) =>
	rag('retrieval', 'ask', { query: 'What?', topK: 5, promptName: locator('p'), options });
export const complete = (options: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	chat(
		'chat',
		'complete',
		{ model: locator('m'), input: 'prompt', prompt: '={{ $json.ask ?? "Hello" }}', options },
		settings,
	);
