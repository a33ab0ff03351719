import type { IDataObject, INodeExecutionData, IRun, NodeApiError } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { outputOf, startEngine, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import { chat, locator, rag, subNode } from '../../engine/nodes.mts';
import { provideSdk } from './sdk.mts';
import { JumpingClock } from './clock.mts';
import { Service } from './service.mts';

/** How a run ended: its items, or its error with what it carries. */
export interface Outcome {
	items: IDataObject[];
	error?: NodeApiError;
	/** What the error knows, as text. */
	known: string;
	words: string;
}

export interface Play {
	readonly service: Service;
	readonly engine: Engine;
	run(node: NodeUnderTest, items?: IDataObject[]): Promise<Outcome>;
}

/** The service, and n8n's engine with a credential for it. */
export function usePlay(): Play {
	let service: Service;
	let engine: Engine;
	let clock: JumpingClock;
	beforeAll(async () => {
		provideSdk();
		clock = new JumpingClock();
		service = await new Service(clock).start();
		const data = {
			baseUrl: service.url,
			ragSegment: 'rag',
			apiKey: 'key-of-the-reviewer',
			header: 'bearer',
		};
		const stored = { type: 'computeIntelligenceApi', data };
		engine = await startEngine({ 'compute-intelligence': stored, restarted: stored });
	});
	beforeEach(() => service.reset());
	afterAll(async () => {
		clock.restore();
		await service.close();
	});
	return {
		get service() {
			return service;
		},
		get engine() {
			return engine;
		},
		run: async (node, items) => outcomeOf(await engine.run(node, items)),
	};
}

export function outcomeOf(run: IRun): Outcome {
	const error = run.data.resultData.error as NodeApiError | undefined;
	const items = error ? [] : outputOf(run).map((item: INodeExecutionData) => item.json);
	const known = JSON.stringify(error?.context ?? {});
	return { items, error, known, words: `${error?.message ?? ''} ${error?.description ?? ''}` };
}

/** Chat > Complete of `{{ $json.ask }}`, or of a fixed prompt. */
export function ask(
	options: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	const prompt = '={{ $json.ask ?? "Hello" }}';
	return chat(
		'chat',
		'complete',
		{ model: locator('m'), input: 'prompt', prompt, options },
		settings,
	);
}

export function embed(
	options: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return chat(
		'embedding',
		'create',
		{ model: locator('e'), input: '={{ $json.text }}', options },
		settings,
	);
}

export interface Embeddings {
	embedQuery(text: string): Promise<number[]>;
	embedDocuments(texts: string[]): Promise<number[][]>;
}

export async function embeddings(engine: Engine, options: IDataObject = {}): Promise<Embeddings> {
	const { response } = await engine.supply(
		subNode('embeddingsCompute', { model: locator('e'), options }),
	);
	return response as Embeddings;
}

/** Document > Create of `{{ $json.text }}`. */
export function upload(
	options: IDataObject = {},
	additionalFields: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	return rag(
		'document',
		'create',
		{ source: 'rawText', rawText: '={{ $json.text }}', additionalFields, options },
		settings,
	);
}

export function askDocuments(options: IDataObject = {}): NodeUnderTest {
	return rag('retrieval', 'ask', { query: 'What?', topK: 5, promptName: locator('rag'), options });
}

export function ragQuery(options: IDataObject = {}): NodeUnderTest {
	return rag('retrieval', 'rag', { query: 'What?', topK: 5, options });
}

export function agent(options: IDataObject = {}): NodeUnderTest {
	return rag('retrieval', 'agent', { message: 'What?', options });
}

/** What a promise was rejected with, or undefined. */
export async function rejected(work: Promise<unknown>): Promise<Error | undefined> {
	return await work.then(
		() => undefined,
		(error: Error) => error,
	);
}
