import type { Message } from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { textOf as partsText } from '../intelligence/choice';
import { listIn, resultsOf } from '../intelligence/retrieval/envelope';
import { isRecord } from '../shared/guards';
import { refusalIn } from '../shared/http/refusal';
import type { Reply } from '../shared/http/reply';
import { parseAnswer } from '../shared/json';
import { isConfirmed } from '../shared/operation/sendOnce';

/** The roles that the service takes (beyond-the-spec.md section 6 "Conversations"). */
const ROLES = ['user', 'assistant', 'system'] as const;
type Role = (typeof ROLES)[number];

export interface Text {
	role: Role;
	text: string;
	/** Of whoever said it. */
	name?: string;
}

/** A message of the service. */
export interface Entry extends Text {
	/** Undefined where the service shows none. */
	id?: string;
	/** What tells it from the others: its ID, or else its place. */
	key: string;
}

/** A message that was stored, whether or not a read shows it yet. */
export interface Written extends Text {
	/** Undefined where the service has said none. */
	id?: string;
	/** How many messages are known to be before it. */
	place: number;
	/** The first of these. Where a read begins with another one, it shows the last messages alone, and these have moved up. */
	first?: Text;
}

/** The text of a message in a role that the service takes; none for calls of tools and their results. */
export function textOf({ role, content, name }: Message): Text[] {
	const text = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
	const known = ROLES.find((one) => one === role);
	return known !== undefined && text.trim() !== '' ? [{ role: known, text, name }] : [];
}

/** The messages in a page; some services return the conversation itself, with its messages in it. */
export function messagesIn(page: Record<string, unknown>): unknown {
	const list = listIn(page);
	return isRecord(list) ? list.messages : list;
}

/** An entry of a conversation: the message itself, or with the message in it. */
export function entryOf(entry: IDataObject, place: number): Entry[] {
	const message = isRecord(entry.message) ? entry.message : entry;
	const known = ROLES.find((one) => one === String(message.role).toLowerCase());
	const text = textIn(message.content) ?? partsText(message);
	if (known === undefined || text === '') return [];
	const name = [message, message.metadata, entry.metadata]
		.map((one) => (isRecord(one) ? textIn(one.name) : undefined))
		.find(Boolean);
	const id = idOf(entry);
	return [{ id, key: id ?? `place ${place}`, role: known, text, name }];
}

/** The messages that are shown, and the written ones that are not shown yet, at their places. */
export function withWritten(shown: Entry[], written: Written[]): Entry[] {
	const ids = new Set(shown.map(({ id }) => id));
	const all = [...shown];
	for (const { id, place, first, role, text, name } of written) {
		const isMoved = first !== undefined && shown[0] !== undefined && !isSame(shown[0], first);
		// Not each service says the ID that it shows
		const isShown =
			(id !== undefined && ids.has(id)) ||
			shown.slice(isMoved ? 0 : place).some((one) => isSame(one, { role, text }));
		if (!isShown) all.splice(place, 0, { id, key: id ?? `written ${place}`, role, text, name });
	}
	return all;
}

/** The first message with this text that is shown now, and is none of those that were known before. */
export function newOne(shown: Entry[], known: Entry[], text: Text): Entry | undefined {
	const keys = new Set(known.map(({ key }) => key));
	const shownKeys = new Set(shown.map(({ key }) => key));
	const fresh = shown.filter((one) => isSame(one, text) && !keys.has(one.key));
	// Known without an ID, they may be among the fresh ones
	const late = known.filter((one) => isSame(one, text) && !shownKeys.has(one.key));
	return fresh[late.length];
}

/** The first of these texts, if they are those of a turn that has begun, and the last that the conversation has. */
export function startOf(texts: Text[], begun: Text[], known: Entry[]): Text[] {
	const last = known.slice(known.length - begun.length);
	const isBegun = begun.every((one, at) =>
		[texts[at], last[at]].every((other) => other !== undefined && isSame(one, other)),
	);
	return isBegun ? texts.slice(0, begun.length) : [];
}

/** Some services cut the blanks around a text. */
function isSame(one: Text, other: Text): boolean {
	return one.role === other.role && one.text.trim() === other.text.trim();
}

/** A text of the service; some store one of digits as a number. */
export function textIn(value: unknown): string | undefined {
	return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

/** What was created; undefined where the service does not say that it was. */
export function createdIn(reply: Reply): Record<string, unknown> | undefined {
	if (!isConfirmed(reply)) return undefined;
	const created = resultsOf(parseAnswer(reply.text));
	return isRecord(created) ? created : undefined;
}

/** The ID of the message that was stored; some services answer with the conversation, and its ID is none. */
export function messageIdIn(reply: Reply, conversation: string): string | undefined {
	const id = idOf(createdIn(reply));
	return id === conversation ? undefined : id;
}

/** Whether the service says that it has stored a message. Where it says no ID, a flag that is false is a no, whatever its name. */
export function saysStored(reply: Reply): boolean {
	if (!isConfirmed(reply)) return false;
	const { id, ...flags } = createdIn(reply) ?? {};
	const saysNo = refusalIn(flags) !== undefined || Object.values(flags).includes(false);
	return idOf({ id }) !== undefined || !saysNo;
}

/** The ID of an entry; some services send a number. */
export function idOf({ id }: Record<string, unknown> = {}): string | undefined {
	return textIn(id) || undefined;
}
