import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { outputOf, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import { chat, chatModel, locator, subNode } from '../../engine/nodes.mts';
import { useService } from '../useService.mts';
import { Service, type Json } from './service.mts';

export const KEY = 'sk-sixth/Review+0=1234567890';

/** What a run has told. */
export interface Told {
	items: IDataObject[];
	message: string;
	description: string;
	/** What an error carries. */
	known: IDataObject;
	/** What n8n's chat was shown. */
	shown: string;
	/** All of it that somebody may read. */
	all: string;
}

interface Message {
	role: string;
	content: Array<{ type: string; text: string }>;
}

interface Model {
	generate(messages: Message[]): Promise<{ message: { content: Json[] }; finishReason: string }>;
	stream(messages: Message[]): AsyncGenerator<Json & { type: string }>;
}

interface Embeddings {
	embedDocuments(texts: string[]): Promise<number[][]>;
}

/** n8n's engine and a service; the waits of the package take no time, but are counted. */
export class Stage {
	readonly service = new Service();
	engine!: Engine;
	/** What the package has waited, in milliseconds. */
	clock = 0;

	async run(node: NodeUnderTest, items: IDataObject[] = [{}], streams = false): Promise<Told> {
		let shown = '';
		const run = await this.engine.runItems(
			node,
			items.map((json) => ({ json })),
			streams
				? {
						mode: 'webhook' as const,
						onChunk: (one) => {
							if (one.type === 'item') shown += one.content ?? '';
						},
					}
				: {},
		);
		const error = run.data.resultData.error as NodeApiError | undefined;
		const output = error ? [] : outputOf(run).map(({ json }) => json);
		const { message = '', description = '' } = error ?? {};
		const known = (error?.context?.known ?? {}) as IDataObject;
		const all = JSON.stringify([message, description, error?.context, output]);
		return { items: output, message, description: description ?? '', known, shown, all };
	}

	async model(options: IDataObject = {}): Promise<Model> {
		return (await this.engine.supply(chatModel('m', options))).response as unknown as Model;
	}

	async embeddings(options: IDataObject = {}): Promise<Embeddings> {
		const node = subNode('embeddingsCompute', { model: locator('e'), options });
		return (await this.engine.supply(node)).response as unknown as Embeddings;
	}
}

export function useStage(): Stage {
	return useService(new Stage(), KEY);
}

export const QUESTION: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];

export const complete = (options: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	chat(
		'chat',
		'complete',
		{ model: locator('m'), input: 'prompt', prompt: 'Hello', options },
		settings,
	);

export const embed = (options: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	chat('embedding', 'create', { model: locator('e'), input: '={{ $json.t }}', options }, settings);
