import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startEngine, type Engine } from '../engine/engine.mts';
import { subNode } from '../engine/nodes.mts';
import type { Supplied, SupplyOptions } from '../engine/supply.mts';
import { useHastyTime } from '../engine/time.mts';
import { provideSdk } from '../review/intelligence/sdk.mts';
import { json, Scripted, type Answer, type Fields } from '../review/intelligence2/service.mts';

export const LIST = /^GET \/api\/rag\/v3\/conversations$/;
export const CREATE = /^POST \/api\/rag\/v3\/conversations$/;
export const READ = /^GET \/api\/rag\/v3\/conversations\/[^/]+$/;
export const RENAME = /^POST \/api\/rag\/v3\/conversations\/[^/]+$/;
export const ADD = /^POST \/api\/rag\/v3\/conversations\/[^/]+\/messages$/;
export const DELETE = /^DELETE \/api\/rag\/v3\/conversations\/[^/]+$/;

/** What n8n's SDK is given as a chat history. */
export interface History {
	getMessages(): Promise<Fields[]>;
	addMessage(message: Fields): Promise<void>;
	addMessages(messages: Fields[]): Promise<void>;
	clear(): Promise<void>;
}

/** What the stand-in for n8n's SDK hands out. */
export interface SuppliedMemory extends Supplied {
	response: History;
	memory: { config: IDataObject };
}

/** A conversation at the service. */
interface Stored {
	id: string;
	name: unknown;
	/** Whose key has created it. */
	owner?: string;
	created_at?: string;
	messages: Fields[];
}

export const say = (role: string, text: string): Fields => ({
	role,
	content: [{ type: 'text', text }],
});
/** A question with its answer. */
export const turn = (number: number) => [say('user', `Q${number}`), say('assistant', `A${number}`)];
export const stored = (id: string, role: unknown, content: unknown): Fields => ({
	id,
	message: { role, content },
});
export const unavailable = json({ detail: 'Try later' }, 503);

/** Conversations over HTTP, each seen by the key that has created it, and n8n's engine with two credentials for them. */
export class Memories {
	readonly service = new Scripted();
	engine!: Engine;
	conversations: Stored[] = [];
	/** How often n8n was started: a new process knows no conversation. */
	starts = 0;

	/** A memory for agents, of the session with this key. */
	async of(
		sessionKey: unknown,
		credential = 'anna',
		options: SupplyOptions = {},
	): Promise<History> {
		const form = { sessionIdType: 'customKey', sessionKey: sessionKey as string };
		return (await this.supply(form, {}, { credential, ...options })).response;
	}

	async supply(
		form: IDataObject,
		item: IDataObject = {},
		{ credential = 'anna', ...options }: SupplyOptions & { credential?: string } = {},
	): Promise<SuppliedMemory> {
		const node = subNode('memoryCompute', form);
		node.credentials = { computeIntelligenceApi: { id: credential, name: credential } };
		return (await this.engine.supply(node, item, options)) as unknown as SuppliedMemory;
	}

	/** A conversation that is there already. */
	add(id: string, name: unknown, more: Partial<Stored> = {}): Stored {
		const one = { id, name, messages: [], ...more };
		this.conversations.push(one);
		return one;
	}

	/** Answers to the next requests of a line, in turn; then the service does what it is asked. */
	next(line: RegExp, ...answers: Answer[]): void {
		const usual = this.usualOf(line);
		this.service.when(line, (response, heard, nth) =>
			(answers.shift() ?? usual)(response, heard, nth),
		);
	}

	/** The service does what it is asked, and the connection ends before it has said so. */
	readonly doneUnsaid = (line: RegExp): Answer => {
		const usual = this.usualOf(line);
		return (response, heard, nth) => {
			const unheard = { writeHead: () => undefined, end: () => response.socket?.destroy() };
			return usual(unheard as unknown as typeof response, heard, nth);
		};
	};

	/** Messages as the service has them: the roles and the texts. */
	kept(index = 0): string[] {
		const messages = this.conversations[index]?.messages ?? [];
		return messages.map(({ message }) => {
			const { role, content } = message as Fields;
			return `${String(role)}: ${String(content)}`;
		});
	}

	asked(line: RegExp): number {
		return this.service.asked(line).length;
	}

	begin(): void {
		this.starts++;
		this.conversations = [];
		this.service.reset();
		for (const [line, answer] of this.usual) this.service.when(line, answer);
	}

	private readonly usual: Array<[line: RegExp, answer: Answer]> = [
		[
			LIST,
			(response, heard, nth) => {
				const own = this.conversations.filter(
					({ owner }) => owner === undefined || owner === heard.headers.authorization,
				);
				const results = own.map(({ id, name, created_at }) => ({ id, name, created_at }));
				return json({ results, total_entries: own.length })(response, heard, nth);
			},
		],
		[
			CREATE,
			(response, heard, nth) => {
				const { name } = heard.body ?? {};
				const id = `c${this.conversations.length}`;
				this.add(id, name, { owner: heard.headers.authorization });
				return json({ results: { id, name } })(response, heard, nth);
			},
		],
		[
			RENAME,
			this.inOne((one, body) => {
				one.name = body.name;
				return { results: { id: one.id, name: one.name } };
			}),
		],
		[READ, this.inOne(({ messages }) => ({ results: messages, total_entries: messages.length }))],
		[
			ADD,
			this.inOne((one, { role, content, metadata }) => {
				const entry = { ...stored(`m${one.messages.length}`, role, content), metadata };
				one.messages.push(entry);
				return { results: entry };
			}),
		],
		[
			DELETE,
			this.inOne((one) => {
				this.conversations = this.conversations.filter((other) => other !== one);
				return { results: { success: true } };
			}),
		],
	];

	usualOf(line: RegExp): Answer {
		return this.usual.find(([one]) => String(one) === String(line))?.[1] ?? json({}, 404);
	}

	private inOne(work: (one: Stored, body: Fields) => Fields): Answer {
		return (response, heard, nth) => {
			const [, id] = /conversations\/([^/]+)/.exec(heard.line) ?? [];
			const one = this.conversations.find((other) => other.id === id);
			const answer = one ? json(work(one, heard.body ?? {})) : json({ detail: 'Not found' }, 404);
			return answer(response, heard, nth);
		};
	}
}

export function useMemories(): Memories {
	const memories = new Memories();
	let restore = (): void => undefined;
	beforeAll(async () => {
		provideSdk();
		await memories.service.open();
		const account = () => memories.starts;
		const data = { baseUrl: memories.service.url, ragSegment: 'rag', header: 'bearer' };
		const type = 'computeIntelligenceApi';
		memories.engine = await startEngine({
			anna: { type, data: { ...data, apiKey: 'sk-secret-of-anna-1' }, account },
			bert: { type, data: { ...data, apiKey: 'sk-secret-of-bert-2' }, account },
		});
		({ restore } = useHastyTime());
	});
	beforeEach(() => memories.begin());
	afterAll(async () => {
		restore();
		await memories.service.close();
	});
	return memories;
}
