import type { IDataObject } from 'n8n-workflow';
import type { NodeUnderTest } from '../../engine/engine.mts';
import { chat, locator } from '../../engine/nodes.mts';
import type { Message } from '../intelligence4/stage.mts';

export const KEY = 'sk-fifth-Review+zz/9876543210=';

/** A request to the retrieval service. */
export function R(method: string, path: string): RegExp {
	return new RegExp(`^${method} /api/rag/v3${path}$`);
}

export const EMBED = /^POST \/api\/v1\/embeddings$/;
export const UPLOAD = R('POST', '/documents');

export const embed = (options: IDataObject = {}, settings: Partial<NodeUnderTest> = {}) =>
	chat('embedding', 'create', { model: locator('e'), input: '={{ $json.t }}', options }, settings);
export const agents = () => chat('agent', 'getAll', { returnAll: true });

/** A message as n8n gives it to a memory or a model. */
export function say(role: string, text: string): Message {
	return { role, content: [{ type: 'text', text }] };
}

/** Messages in short: the letter of the role, and the text. */
export function texts(messages: Message[]): string[] {
	return messages.map(({ role, content }) => `${role.charAt(0)}:${content[0]?.text ?? ''}`);
}
