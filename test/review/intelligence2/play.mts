import { setImmediate } from 'node:timers/promises';
import type { IDataObject, INodeExecutionData, IRun, NodeApiError } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
	outputOf,
	startEngine,
	type Engine,
	type NodeUnderTest,
	type RunOptions,
} from '../../engine/engine.mts';
import { chat, chatModel, locator } from '../../engine/nodes.mts';
import { packageTime } from '../../engine/time.mts';
import { provideSdk } from '../intelligence/sdk.mts';
import { Scripted, type Fields } from './service.mts';

export const KEY = 'sk-secret-of-the-second-review';

/** How a run ended: its items, or its error with what it carries as text. */
export interface Ended {
	items: IDataObject[];
	error?: NodeApiError;
	details: IDataObject;
	words: string;
	/** What n8n's chat was shown. */
	shown: string;
}

export interface Stage {
	readonly service: Scripted;
	readonly engine: Engine;
	/** The waits of the package in milliseconds, which take no time. */
	readonly waits: number[];
	run(
		node: NodeUnderTest,
		items?: INodeExecutionData[] | IDataObject[],
		options?: RunOptions,
	): Promise<Ended>;
	/** The same in an execution that streams to n8n's chat. */
	talk(node: NodeUnderTest, items?: IDataObject[]): Promise<Ended>;
	model(options?: IDataObject): Promise<Model>;
}

/** What n8n's SDK gets from the chat model. */
export interface Model {
	withTools(tools: Fields[]): Model;
	generate(messages: Fields[]): Promise<Fields>;
	stream(messages: Fields[]): AsyncGenerator<Fields>;
}

/** The service, and n8n's engine with a credential for it, on a clock that only the package's waits move. */
export function useStage(): Stage {
	const waits: number[] = [];
	let ahead = 0;
	const service = new Scripted();
	let engine: Engine;
	let restore = (): void => undefined;
	beforeAll(async () => {
		provideSdk();
		await service.open();
		const data = { baseUrl: service.url, ragSegment: 'rag', apiKey: KEY, header: 'bearer' };
		engine = await startEngine({
			'compute-intelligence': { type: 'computeIntelligenceApi', data },
		});
		const time = packageTime();
		const real = { ...time };
		restore = () => Object.assign(time, real);
		time.now = () => Date.now() + ahead;
		time.elapsed = () => time.now();
		time.delay = async (ms) => {
			if (ms > 0) waits.push(ms);
			ahead += ms;
			await setImmediate();
		};
	});
	beforeEach(() => {
		service.reset();
		waits.length = 0;
	});
	afterAll(async () => {
		restore();
		await service.close();
	});
	const run: Stage['run'] = async (node, items = [{}], options = {}) => {
		let shown = '';
		const { onChunk } = options;
		const given = items.map((item) =>
			'json' in item ? (item as INodeExecutionData) : { json: item as IDataObject },
		);
		const hear = onChunk && {
			onChunk: (one: Parameters<typeof onChunk>[0]) => {
				if (one.type === 'item') shown += one.content ?? '';
				onChunk(one);
			},
		};
		const ended = endOf(await engine.runItems(node, given, { ...options, ...hear }));
		return { ...ended, shown };
	};
	return {
		service,
		get engine() {
			return engine;
		},
		waits,
		run,
		talk: async (node, items) =>
			await run(node, items, { mode: 'webhook', onChunk: () => undefined }),
		model: async (options) =>
			(await engine.supply(chatModel('m', options))).response as unknown as Model,
	};
}

function endOf(run: IRun): Omit<Ended, 'shown'> {
	const error = run.data.resultData.error as NodeApiError | undefined;
	const items = error ? [] : outputOf(run).map(({ json }) => json);
	const { known, done, others } = (error?.context ?? {}) as IDataObject;
	const details = {
		...(known as IDataObject | undefined),
		...(done !== undefined && { done, others }),
	};
	return { items, error, details, words: `${error?.message ?? ''} ${error?.description ?? ''}` };
}

/** Chat > Complete of one prompt. */
export function ask(
	options: IDataObject = {},
	parameters: IDataObject = {},
	settings: Partial<NodeUnderTest> = {},
): NodeUnderTest {
	const prompt = '={{ $json.ask ?? "Hello" }}';
	return chat(
		'chat',
		'complete',
		{ model: locator('m'), input: 'prompt', prompt, options, ...parameters },
		settings,
	);
}

export const COMPLETIONS = /^POST \/api\/v1\/chat\/completions$/;

/** A question as n8n's SDK puts it. */
export const QUESTION: Fields[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];

/** What a stream of the chat model says in all. */
export async function heardOf(
	parts: AsyncGenerator<Fields>,
): Promise<{ text: string; calls: Fields[] }> {
	const heard = { text: '', calls: [] as Fields[] };
	for await (const part of parts) {
		if (part.type === 'text-delta') heard.text += String(part.delta);
		if (part.type === 'tool-call-delta') heard.calls.push(part);
	}
	return heard;
}

/** What a promise was rejected with. */
export async function rejection(work: Promise<unknown>): Promise<Error | undefined> {
	return await work.then(
		() => undefined,
		(error: Error) => error,
	);
}
