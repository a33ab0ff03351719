import { createHash } from 'node:crypto';
import type { IDataObject } from 'n8n-workflow';
import { idOf, textIn } from './entries';

const inOrder = new Intl.Collator('en', { numeric: true });

/** The name of a session's conversation where the service changes others: what is left of it, in whatever case, is still nobody else's. */
export function safeName(session: string): string {
	return `n8n${createHash('sha256').update(session).digest('hex').slice(0, 24)}`;
}

/** Whether a conversation with this name is that of a session. */
export function isNameOf(session: string, name: unknown): boolean {
	// Conversations of others may have none, and a session is called null where an expression found nothing
	const text = textIn(name) ?? '';
	return text === session || text.toLowerCase().includes(safeName(session));
}

/** The IDs of the conversations that have the name of a session, the oldest first. */
export function idsOf(session: string, conversations: IDataObject[]): string[] {
	return conversations
		.filter(({ name }) => isNameOf(session, name))
		.map((one) => ({ id: idOf(one) ?? '', at: String(one.created_at ?? '') }))
		.filter(({ id }) => id !== '')
		.sort((one, other) => one.at.localeCompare(other.at) || inOrder.compare(one.id, other.id))
		.map(({ id }) => id);
}
