import type { IDataObject, INodeExecutionData, NodeApiError } from 'n8n-workflow';
import { outputOf, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import { chat, chatModel, locator, subNode } from '../../engine/nodes.mts';
import { useService } from '../useService.mts';
import { IntelligenceService } from './service.mts';

/** Has what JSON, an address and a header write differently. */
export const KEY = 'sk-Tenth/Key+With"Quote\\And=Signs~0123456789';

/** How a run has ended. */
export interface Ended {
	items: IDataObject[];
	error?: NodeApiError;
	/** The message of the error; empty where there is none. */
	message: string;
	/** All that somebody may read of it. */
	shown: string;
}

export interface ChatMessage {
	role: string;
	content: Array<{ type: string; text: string }>;
}

export interface ChatMemory {
	getMessages(): Promise<ChatMessage[]>;
	addMessages(messages: ChatMessage[]): Promise<void>;
	clear(): Promise<void>;
}

interface ChatModel {
	generate(messages: ChatMessage[]): Promise<{ message: { content: IDataObject[] } }>;
	stream(messages: ChatMessage[]): AsyncGenerator<IDataObject>;
}

export class Stage {
	readonly service = new IntelligenceService();
	engine!: Engine;
	clock = 0;

	async run(node: NodeUnderTest, items: IDataObject[] = [{}]): Promise<Ended> {
		const input = items.map((json): INodeExecutionData => ({ json }));
		const run = await this.engine.runItems(node, input, {});
		const error = run.data.resultData.error as NodeApiError | undefined;
		const output = error ? [] : outputOf(run).map(({ json }) => json);
		const { message = '', description, context } = error ?? {};
		const shown = JSON.stringify([message, description, context, error?.messages, output]);
		return { items: output, error, message, shown };
	}

	/** The answer of the model for an agent, its tokens, and what went wrong. */
	async model(isStream: boolean): Promise<{ text: string; message: string; usage?: unknown }> {
		const { response } = await this.engine.supply(chatModel('m', {}));
		const model = response as unknown as ChatModel;
		const question = [said('user', 'Hello')];
		const told: { text: string; message: string; usage?: unknown } = { text: '', message: '' };
		try {
			if (isStream)
				for await (const part of model.stream(question)) {
					if (part.type === 'text-delta') told.text += String(part.delta);
					if (part.type === 'finish') told.usage = part.usage;
				}
			else {
				const { message } = await model.generate(question);
				told.text = message.content.map(({ text }) => String(text ?? '')).join('');
			}
		} catch (error) {
			told.message = (error as Error).message;
		}
		return told;
	}

	/** The memory of a session; `second` is what another process of n8n has. */
	async memory(sessionKey: string, process: 'first' | 'second' = 'first'): Promise<ChatMemory> {
		const parameters = { sessionIdType: 'customKey', sessionKey, contextWindowLength: 100 };
		const node = subNode('memoryCompute', parameters);
		const id = process === 'first' ? 'compute-intelligence' : process;
		node.credentials = { computeIntelligenceApi: { id, name: 'x' } };
		return (await this.engine.supply(node)).response as unknown as ChatMemory;
	}
}

export function useStage(): Stage {
	return useService(new Stage(), KEY);
}

let sessions = 0;

/** The key of a session that no other test has. */
export function newSession(): string {
	return `tenth-${++sessions}-${Math.random().toString(36).slice(2)}`;
}

export function said(role: string, text: string): ChatMessage {
	return { role, content: [{ type: 'text', text }] };
}

/** Messages as `user: Hello`. */
export function spoken(messages: ChatMessage[]): string[] {
	return messages.map(({ role, content }) => `${role}: ${content[0]?.text ?? ''}`);
}

export function complete(options: IDataObject = {}): NodeUnderTest {
	const model = locator('m');
	return chat('chat', 'complete', { model, input: 'prompt', prompt: 'Hello', options });
}

/** The error that some work ends with. */
export async function failureOf(work: Promise<unknown>): Promise<Error | undefined> {
	return await work.then(
		() => undefined,
		(error: Error) => error,
	);
}
