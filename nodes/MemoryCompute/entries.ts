import type { Message } from '@n8n/ai-node-sdk';
import type { IDataObject } from 'n8n-workflow';
import { textOf as partsText } from '../intelligence/choice';
import { listIn, resultsOf } from '../intelligence/retrieval/envelope';
import { isRecord } from '../shared/guards';
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
	const known = ROLES.find((one) => one === message.role);
	const text = textIn(message.content) ?? partsText(message);
	if (known === undefined || text === '') return [];
	const name = [message, message.metadata, entry.metadata]
		.map((one) => (isRecord(one) ? textIn(one.name) : undefined))
		.find(Boolean);
	const id = idOf(entry);
	return [{ id, key: id ?? `place ${place}`, role: known, text, name }];
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

/** The ID of an entry; some services send a number. */
export function idOf({ id }: Record<string, unknown> = {}): string | undefined {
	return textIn(id) || undefined;
}
