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
import { World } from './service.mts';

export const KEY = 'sk-fifth-Review+zz/9876543210=';

interface Ended {
	items: IDataObject[];
	message: string;
	description: string;
	/** What an error carries. */
	known: IDataObject;
	/** All of it that somebody may read. */
	all: string;
}

interface Message {
	role: string;
	content: Array<{ type: string; text: string }>;
}

/** What n8n's SDK gets from the chat model. */
interface Model {
	withTools(tools: IDataObject[]): Model;
	stream(
		messages: Message[],
	): AsyncGenerator<{ type: string; name?: string; argumentsDelta?: string }>;
}

interface Memory {
	getMessages(): Promise<Message[]>;
	addMessages(messages: Message[]): Promise<void>;
	clear(): Promise<void>;
}

interface Embeddings {
	embedDocuments(texts: string[]): Promise<number[][]>;
	embedQuery(text: string): Promise<number[]>;
}

interface Retriever {
	invoke(query: string): Promise<Array<{ pageContent: string; metadata: IDataObject }>>;
}

/** n8n's engine and a service; the waits of the package take no time. */
export class Stage {
	readonly world = new World();
	engine!: Engine;
	/** How far the time of the package is ahead, in ms. */
	clock = 0;

	now(): number {
		return Date.now() + this.clock;
	}

	async run(
		node: NodeUnderTest,
		items: Array<INodeExecutionData | IDataObject> = [{}],
		options: RunOptions = {},
	): Promise<Ended> {
		const given = items.map((one) =>
			'json' in one ? (one as INodeExecutionData) : { json: one as IDataObject },
		);
		const run = await this.engine.runItems(node, given, options);
		const error = run.data.resultData.error as NodeApiError | undefined;
		const output = error ? [] : outputOf(run).map(({ json }) => json);
		return {
			items: output,
			message: error?.message ?? '',
			description: error?.description ?? '',
			known: (error?.context.known ?? {}) as IDataObject,
			all: JSON.stringify([error?.message, error?.description, error?.context, output]),
		};
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

	async model(names: string[]): Promise<Model> {
		const { response } = await this.engine.supply(chatModel('m'));
		const tools = names.map((name) => ({
			type: 'function',
			name,
			inputSchema: { type: 'object' },
		}));
		return (response as unknown as Model).withTools(tools);
	}
}

export function useStage(): Stage {
	const stage = new Stage();
	let restore = (): void => undefined;
	beforeAll(async () => {
		provideSdk();
		await stage.world.open();
		const data = { baseUrl: stage.world.url, ragSegment: 'rag', apiKey: KEY, header: 'bearer' };
		stage.engine = await startEngine({
			'compute-intelligence': { type: 'computeIntelligenceApi', data },
			// As another process of n8n sees it: what the first one remembers is not known to it
			second: { type: 'computeIntelligenceApi', data: { ...data } },
		});
		const time = packageTime();
		const real = { ...time };
		restore = () => Object.assign(time, real);
		time.now = () => stage.now();
		time.delay = async (ms) => {
			stage.clock += Math.max(0, ms);
			await setImmediate();
		};
	});
	beforeEach(() => {
		stage.world.reset();
		stage.clock = 0;
	});
	afterAll(async () => {
		restore();
		await stage.world.close();
	});
	return stage;
}

/** A request to the retrieval service. */
export function R(method: string, path: string): RegExp {
	return new RegExp(`^${method} /api/rag/v3${path}$`);
}

export const CHAT = /^POST \/api\/v1\/chat\/completions$/;
export const EMBED = /^POST \/api\/v1\/embeddings$/;
export const SEARCH = R('POST', '/retrieval/search');
export const GENERATE = R('POST', '/rag/generate');
export const DOCUMENTS = R('GET', '/documents');
export const UPLOAD = R('POST', '/documents');

export const complete = (options: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	chat(
		'chat',
		'complete',
		{ model: locator('m'), input: 'prompt', prompt: '={{ $json.ask ?? "Hello" }}', options },
		settings,
	);
export const embed = (options: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	chat('embedding', 'create', { model: locator('e'), input: '={{ $json.t }}', options }, settings);
export const askDocuments = () =>
	rag('retrieval', 'ask', { query: 'q', topK: 2, promptName: locator('p'), options: {} });
export const agents = () => chat('agent', 'getAll', { returnAll: true });

/** A message as n8n gives it to a memory or a model. */
export function say(role: string, text: string): Message {
	return { role, content: [{ type: 'text', text }] };
}

/** Messages in short: the letter of the role, and the text. */
export function texts(messages: Message[]): string[] {
	return messages.map(({ role, content }) => `${role.charAt(0)}:${content[0]?.text ?? ''}`);
}
