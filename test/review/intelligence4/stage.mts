import { setImmediate } from 'node:timers/promises';
import type { IDataObject, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
	outputOf,
	startEngine,
	type Engine,
	type NodeUnderTest,
	type RunOptions,
} from '../../engine/engine.mts';
import { chat, chatModel, locator, rag, subNode } from '../../engine/nodes.mts';
import { packageTime } from '../../engine/time.mts';
import { provideSdk } from '../intelligence/sdk.mts';
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
}

/** What n8n's SDK gets from the chat model. */
interface Model {
	withTools(tools: Json[]): Model;
	generate(messages: Json[]): Promise<{ message: { content: Json[] }; finishReason: string }>;
	stream(messages: Json[]): AsyncGenerator<Json>;
}

export interface Memory {
	getMessages(): Promise<Json[]>;
	addMessages(messages: Json[]): Promise<void>;
	clear(): Promise<void>;
}

/** n8n's engine and a service; the waits of the package take no time. */
export class Stage {
	readonly service = new Service();
	engine!: Engine;
	waited = 0;

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
		return {
			items: error ? [] : outputOf(run).map(({ json }) => json),
			error,
			message: error?.message ?? '',
			description: error?.description ?? '',
			known: (error?.context.known ?? {}) as IDataObject,
			shown,
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

	async memory(sessionKey: string): Promise<Memory> {
		const node = subNode('memoryCompute', {
			sessionIdType: 'customKey',
			sessionKey,
			contextWindowLength: 5,
		});
		return (await this.engine.supply(node)).response as unknown as Memory;
	}
}

export function useStage(): Stage {
	const stage = new Stage();
	let ahead = 0;
	let restore = (): void => undefined;
	beforeAll(async () => {
		provideSdk();
		await stage.service.open();
		const data = { baseUrl: stage.service.url, ragSegment: 'rag', apiKey: KEY, header: 'bearer' };
		stage.engine = await startEngine({
			'compute-intelligence': { type: 'computeIntelligenceApi', data },
		});
		const time = packageTime();
		const real = { ...time };
		restore = () => Object.assign(time, real);
		time.now = () => Date.now() + ahead;
		time.delay = async (ms) => {
			ahead += Math.max(0, ms);
			stage.waited += Math.max(0, ms);
			await setImmediate();
		};
	});
	beforeEach(() => {
		stage.service.begin();
		stage.waited = 0;
	});
	afterAll(async () => {
		restore();
		await stage.service.close();
	});
	return stage;
}

export const QUESTION: Json[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];

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
