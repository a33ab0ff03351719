import { ABSENT, page, type Fields, type Received, type Response } from './service.mts';

export interface Conversation {
	id: string;
	name: string;
	created_at: string;
	messages: Fields[];
}

/** The conversations of a service, each message with its ID. */
export class Conversations {
	readonly all: Conversation[] = [];
	private last = 0;

	/** What comes in place of an answer; undefined for the usual one. */
	instead: (request: Received) => Response | undefined = () => undefined;
	/** How a message is shown. */
	show: (message: Fields, place: number) => Fields = (message) => message;
	/** The messages that a read shows. */
	window: (messages: Fields[]) => Fields[] = (messages) => messages;

	constructor(service: { respond: (request: Received) => Response }) {
		service.respond = (request) => this.instead(request) ?? this.answer(request);
	}

	begin(name: string, messages: Array<[role: string, content: string]> = []): Conversation {
		const id = `c${++this.last}`;
		const createdAt = new Date(Date.UTC(2026, 0, 1, 0, 0, this.last)).toISOString();
		const conversation = { id, name, created_at: createdAt, messages: [] };
		this.all.push(conversation);
		for (const [role, content] of messages) this.add(conversation, role, content);
		return conversation;
	}

	add({ messages }: Conversation, role: unknown, content: unknown): Fields {
		const message = { id: `m${++this.last}`, message: { role, content }, metadata: {} };
		messages.push(message);
		return message;
	}

	/** What the service has, as `user: Hello`. */
	has({ messages }: Conversation): string[] {
		return messages.map(({ message }) => {
			const { role, content } = message as Fields;
			return `${String(role)}: ${String(content)}`;
		});
	}

	answer(request: Received): Response {
		const { method, path, json } = request;
		const [, , id, part] = path.split('/');
		if (id === undefined) {
			if (method === 'GET') return page(this.all.map(viewOf), request);
			return { json: { results: viewOf(this.begin(String(json.name))) } };
		}
		const found = this.all.find((one) => one.id === id);
		if (!found) return ABSENT;
		if (part === 'messages')
			return { json: { results: this.show(this.add(found, json.role, json.content), 0) } };
		if (method === 'GET')
			return { json: { results: this.window(found.messages).map(this.show), total_entries: 0 } };
		if (method === 'DELETE') {
			this.all.splice(this.all.indexOf(found), 1);
			return { json: { results: { success: true } } };
		}
		return { json: { results: viewOf(found) } };
	}
}

function viewOf({ id, name, created_at: createdAt }: Conversation): Fields {
	return { id, name, created_at: createdAt };
}
