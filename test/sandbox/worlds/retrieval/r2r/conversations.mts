import type { FastifyInstance } from 'fastify';
import { stableUuid } from '../../../core/ids.mts';
import { param } from '../../../core/http.mts';
import { envelope, page, R2rError } from './answers.mts';
import type { Store } from './store.mts';

interface Message {
	id: string;
	role: string;
	content: string;
	at: number;
}

export interface Conversation {
	id: string;
	name: string | null;
	createdAt: number;
	messages: Message[];
}

/** The conversations of the account (`conversations_router`). */
export class Conversations {
	readonly all = new Map<string, Conversation>();
	private messages = 0;
	private lost = 0;

	constructor(private readonly store: Store) {}

	add(name: string | null): Conversation {
		const id = stableUuid(`r2r conversation ${this.all.size}`);
		const made = { id, name, createdAt: this.store.now(), messages: [] };
		this.all.set(id, made);
		return made;
	}

	append(conversation: Conversation, role: string, content: string): Message {
		const id = stableUuid(`r2r message ${++this.messages}`);
		const message = { id, role, content, at: this.store.now() };
		conversation.messages.push(message);
		return message;
	}

	/** The texts of all conversations with this name. */
	textsOf(name: string): string[] {
		return [...this.all.values()]
			.filter((one) => one.name === name)
			.flatMap(({ messages }) => messages.map(({ content }) => content));
	}

	routes(api: FastifyInstance): void {
		const { habits } = this.store;
		const isShown = (at: number) => this.store.now() - at >= habits.conversationLagMs;
		const find = (id: string) => {
			const found = this.all.get(id);
			if (!found) throw new R2rError(404, 'Conversation not found.');
			return found;
		};
		/** Done, but the connection breaks before the answer. */
		const loses = () => this.lost < habits.lostMessages && Boolean(++this.lost);

		api.get('/conversations', (request) => {
			const shown = [...this.all.values()].filter(({ createdAt }) => isShown(createdAt));
			return page(habits, request, shown.map(shownConversation));
		});
		api.post('/conversations', async (request, reply) => {
			const { name = null } = (request.body ?? {}) as { name?: string };
			const made = this.add(name);
			if (loses()) return reply.raw.destroy();
			return envelope(habits, shownConversation(made));
		});
		// The whole conversation in its order: offset and limit mean nothing here
		api.get('/conversations/:id', (request) => ({
			results: find(param(request, 'id'))
				.messages.filter(({ at }) => isShown(at))
				.map(shownMessage),
		}));
		api.post('/conversations/:id/messages', async (request, reply) => {
			const { role = '', content = '' } = request.body as { role?: string; content?: string };
			if (habits.refusesMessages) throw new R2rError(400, 'Content cannot be stored');
			if (content === '') throw new R2rError(400, 'Content cannot be empty');
			const message = this.append(find(param(request, 'id')), role, content);
			if (loses()) return reply.raw.destroy();
			return envelope(habits, shownMessage(message));
		});
	}
}

function shownConversation({ id, name, createdAt }: Conversation): object {
	return { id, name, created_at: new Date(createdAt).toISOString() };
}

function shownMessage({ id, role, content }: Message): object {
	return { id, message: { role, content }, metadata: {} };
}
