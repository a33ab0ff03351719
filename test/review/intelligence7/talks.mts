import { NOT_FOUND, type Call, type Json, type Said } from './service.mts';
import type { Stage } from './stage.mts';

interface Stored {
	at: number;
	value: Json;
}

/** A conversation, with the times of what was written. */
export interface Talk {
	id: string;
	name: string;
	at: number;
	/** When it is deleted. */
	gone: number;
	messages: Stored[];
}

let sessions = 0;

/** The key of a session that no other test has. */
export function fresh(): string {
	return `seventh-${++sessions}-${process.pid}`;
}

/** The conversations of a retrieval service (beyond-the-spec.md section 6), by offset and limit. */
export class Talks {
	readonly all: Talk[] = [];
	/** How far its reads are behind its writes. */
	lagMs = 0;
	/** Entries in a page. */
	pageSize = 100;
	/** The body of a message that is taken. */
	said: (value: Json) => Said = (value) => ({ body: { results: value } });

	constructor(private readonly stage: Stage) {
		stage.service.answer = (call) => this.answer(call);
	}

	/** Puts answers of a gateway before those of the service; undefined lets a request through. */
	gateway(answer: (call: Call) => Said | undefined): void {
		this.stage.service.answer = (call) => answer(call) ?? this.answer(call);
	}

	create(name: string, messages: Json[] = []): Talk {
		const at = this.stage.now();
		const stored = messages.map((value) => ({ at, value }));
		const made = { id: `c${this.all.length + 1}`, name, at, gone: Infinity, messages: stored };
		this.all.push(made);
		return made;
	}

	/** The texts that a conversation holds in truth. */
	texts(talk: Talk): unknown[] {
		return talk.messages.map(({ value }) => (value.message as Json).content);
	}

	answer(call: Call): Said {
		const [method, path = ''] = call.line.split(' ');
		const [, , id, below] = path.split('/');
		if (id === undefined) return method === 'POST' ? this.made(call) : this.list(call);
		const now = this.stage.now();
		const talk = this.all.find((one) => one.id === id);
		if (!talk) return NOT_FOUND;
		if (method === 'GET') return this.read(call, talk);
		if (now >= talk.gone) return NOT_FOUND;
		if (below === 'messages') return this.add(call, talk);
		if (method !== 'DELETE') return { body: { results: view(talk) } };
		talk.gone = now;
		return { body: { results: { success: true } } };
	}

	private made({ body }: Call): Said {
		return { body: { results: view(this.create(String(body.name))) } };
	}

	private list(call: Call): Said {
		const at = this.stage.now() - this.lagMs;
		const rows = this.all.filter((one) => one.at <= at && at < one.gone).map(view);
		return page(call, rows, this.pageSize, rows.length);
	}

	private read(call: Call, talk: Talk): Said {
		const at = this.stage.now() - this.lagMs;
		if (talk.at > at || at >= talk.gone) return NOT_FOUND;
		const rows = talk.messages.filter((one) => one.at <= at).map(({ value }) => value);
		return page(call, rows, this.pageSize, rows.length);
	}

	private add({ body }: Call, talk: Talk): Said {
		const { role, content, parent_id: parent } = body;
		const id = `m${talk.messages.length + 1}`;
		const value = { id, message: { role, content }, parent_id: parent ?? null, metadata: {} };
		talk.messages.push({ at: this.stage.now(), value });
		return this.said(value);
	}
}

function view({ id, name, at }: Talk): Json {
	return { id, name, created_at: new Date(at).toISOString() };
}

function page({ query }: Call, rows: Json[], most: number, total: number): Said {
	const offset = Number(query.get('offset') ?? 0);
	const size = Math.min(most, Number(query.get('limit') ?? 100));
	return { body: { results: rows.slice(offset, offset + size), total_entries: total } };
}

/** A message that is in a conversation. */
export function stored(id: string, role: string, content: unknown): Json {
	return { id, message: { role, content }, metadata: {} };
}

/** A turn that a session begins with. */
export const HISTORY = [stored('h1', 'user', 'old'), stored('h2', 'assistant', 'OLD')];
