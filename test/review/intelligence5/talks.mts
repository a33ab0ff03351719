import { type Asked, type Json, whole } from '../intelligence4/service.mts';
import { type Stage } from '../intelligence4/stage.mts';
import { by } from './service.mts';
import { R } from './stage.mts';

const NO = whole({ message: 'Conversation not found', error_type: 'R2RException' }, 404);

export const CONVERSATIONS = R('GET', '/conversations');
export const CONVERSATION = R('GET', '/conversations/[^/]+');
export const CREATE = R('POST', '/conversations');
export const MESSAGES = R('POST', '/conversations/[^/]+/messages');
export const DELETE = R('DELETE', '/conversations/[^/]+');

interface Stored {
	id: string;
	created_at?: string;
	message: Json;
	parent_id?: string | null;
}

interface Talk {
	id: number;
	name: string;
	at: number;
	/** When it is deleted. */
	gone: number;
	messages: Stored[];
}

let sessions = 0;

/** The key of a session that no other test has. */
export function fresh(): string {
	return `session-${++sessions}-${process.pid}`;
}

/** A message that is in a conversation. */
export function stored(id: string, role: string, content: string, parent?: string): Stored {
	return { id, message: { role, content }, parent_id: parent ?? null };
}

/** A service of conversations. */
export function talks(
	stage: Stage,
	{
		/** How far its list is behind. */
		lagMs = 0,
		/** How long its list shows a conversation that is deleted. */
		ghostMs = 0,
		newestFirst = false,
		pageCap = 100,
		ignoresOffset = false,
		/** The total that a list of so many tells. */
		total = undefined as undefined | ((count: number) => number),
		/** More fields of a list. */
		extra = {} as Json,
		firstId = 1,
		dates = true,
	} = {},
) {
	const all: Talk[] = [];
	const now = () => stage.now();
	const create = (name: string, messages: Stored[] = []) => {
		const made = { id: firstId + all.length, name, at: now(), gone: Infinity, messages };
		all.push(made);
		return made;
	};
	const find = ({ line }: Asked) => {
		const id = Number(/conversations\/(\d+)/.exec(line)?.[1]);
		return all.find((one) => one.id === id && now() < one.gone);
	};
	const view = ({ id, name, at }: Talk) => ({
		id,
		name,
		...(dates && { created_at: new Date(at).toISOString() }),
	});
	/** Writes the message of a request; `undefined` where its conversation is gone. */
	const add = (asked: Asked) => {
		const { messages } = find(asked) ?? {};
		const { role, content, parent_id } = asked.json;
		const one = {
			...stored(`m${(messages?.length ?? 0) + 1}`, role, content, parent_id),
			created_at: new Date(now() + (messages?.length ?? 0)).toISOString(),
		};
		messages?.push(one);
		return messages && one;
	};
	const { service } = stage;
	service.on(
		CREATE,
		by(({ json }) => whole({ results: view(create(json.name)) })),
	);
	service.on(
		CONVERSATIONS,
		by(({ query }) => {
			const rows = all.filter(({ at, gone }) => now() - at >= lagMs && now() < gone + ghostMs);
			const offset = ignoresOffset ? 0 : Number(query.get('offset') ?? 0);
			const size = Math.min(pageCap, Number(query.get('limit') ?? 100));
			return whole({
				results: rows.slice(offset, offset + size).map(view),
				...(total && { total_entries: total(rows.length) }),
				...extra,
			});
		}),
	);
	service.on(
		CONVERSATION,
		by((asked) => {
			const found = find(asked);
			if (!found) return NO;
			return whole({ results: newestFirst ? found.messages.toReversed() : found.messages });
		}),
	);
	service.on(
		MESSAGES,
		by((asked) => {
			const added = add(asked);
			return added ? whole({ results: added }) : NO;
		}),
	);
	service.on(
		DELETE,
		by((asked) => {
			const found = find(asked);
			if (found) found.gone = now();
			return found ? whole({ results: { success: true } }) : NO;
		}),
	);
	return { all, create, add };
}
