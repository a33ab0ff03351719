import type { IDataObject, NodeApiError } from 'n8n-workflow';
import { outputOf, type Engine, type NodeUnderTest } from '../../engine/engine.mts';
import { chat, chatModel, locator, subNode } from '../../engine/nodes.mts';
import { useService } from '../useService.mts';
import { Service, type Json } from './service.mts';

/** What a run has told. */
export interface Told {
	items: IDataObject[];
	message: string;
	/** All of it that somebody may read. */
	all: string;
}

export interface Message {
	role: string;
	content: Array<{ type: string; text: string }>;
}

interface Model {
	generate(messages: Message[]): Promise<{ message: { content: Json[] } }>;
	stream(messages: Message[]): AsyncGenerator<Json & { type: string }>;
}

export interface Memory {
	getMessages(): Promise<Message[]>;
	addMessages(messages: Message[]): Promise<void>;
	clear(): Promise<void>;
}

/** n8n's engine and a service; the waits of the package take no time, but move its clock. */
export class Stage {
	readonly service = new Service();
	engine!: Engine;
	/** How far the clock of the package is ahead, in milliseconds. */
	clock = 0;

	now(): number {
		return Date.now() + this.clock;
	}

	async run(node: NodeUnderTest, items: IDataObject[] = [{}]): Promise<Told> {
		const run = await this.engine.runItems(
			node,
			items.map((json) => ({ json })),
			{},
		);
		const error = run.data.resultData.error as NodeApiError | undefined;
		const output = error ? [] : outputOf(run).map(({ json }) => json);
		const { message = '', description = '' } = error ?? {};
		return {
			items: output,
			message,
			all: JSON.stringify([message, description, error?.context, output]),
		};
	}

	/** What an agent gets as the answer, and the error. */
	async asked(isStream: boolean): Promise<{ text: string; message: string }> {
		const model = (await this.engine.supply(chatModel('m', {}))).response as unknown as Model;
		let text = '';
		try {
			if (isStream) {
				for await (const part of model.stream(QUESTION))
					if (part.type === 'text-delta') text += String(part.delta);
			} else {
				const { message } = await model.generate(QUESTION);
				text = message.content.map((part) => String(part.text ?? '')).join('');
			}
		} catch (error) {
			return { text, message: (error as Error).message };
		}
		return { text, message: '' };
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

	/** What a new process finds in a session. */
	async found(sessionKey: string): Promise<string[]> {
		return texts(await (await this.memory(sessionKey, 'second')).getMessages());
	}
}

export function useStage(): Stage {
	return useService(new Stage(), 'sk-seventh');
}

const QUESTION: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];

export const complete = (options: IDataObject = {}) =>
	chat('chat', 'complete', { model: locator('m'), input: 'prompt', prompt: 'Hello', options });

/** A message as n8n gives it to a memory. */
export function say(role: string, text: string): Message {
	return { role, content: [{ type: 'text', text }] };
}

/** Messages in short: the letter of the role, and the text. */
export function texts(messages: Message[]): string[] {
	return messages.map(({ role, content }) => `${role.charAt(0)}:${content[0]?.text ?? ''}`);
}

/** Stores a question and its answer. */
export const turn = async (memory: Memory, question: string) =>
	await memory.addMessages([say('user', question), say('assistant', question.toUpperCase())]);

/** The error that some work ends with; undefined where there is none. */
export const errorOf = async (work: Promise<unknown>) =>
	await work.then(
		() => undefined,
		(error: Error & { description?: string }) => error,
	);
