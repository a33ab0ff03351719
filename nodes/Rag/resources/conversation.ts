import type { INodeProperties } from 'n8n-workflow';
import type { Resource } from '../../shared/operation/operation';
import { listIn } from '../../intelligence/retrieval/envelope';
import { conversationIdField, textField, UUID } from '../../intelligence/retrieval/fields';
import { metadataFields, readMetadata } from '../metadata';
import { getMany, remove, write } from '../crud';
import { isRecord } from '../../shared/guards';

const ids = [conversationIdField];
const ROLES = ['user', 'assistant', 'system'] as const;
const roleField: INodeProperties = {
	displayName: 'Role',
	name: 'role',
	type: 'options',
	options: [
		{ name: 'Assistant', value: 'assistant' },
		{ name: 'System', value: 'system' },
		{ name: 'User', value: 'user' },
	],
	default: 'user',
	description: 'Author of the message',
};
const nameField = textField('Name', 'name', 'Name of the conversation', {
	placeholder: 'e.g. Questions about billing',
});

/** Conversations with the retrieval agent (beyond-the-spec.md section 6 "Conversations"). */
export const conversation: Resource = {
	value: 'conversation',
	name: 'Conversation',
	operations: [
		getMany('conversations', { path: '/conversations' }),
		write({
			value: 'create',
			name: 'Create',
			action: 'Create conversation',
			description: 'Create an empty conversation for the agent',
			path: '/conversations',
			fields: [nameField],
			body: (parameters) => ({ name: parameters.text('name', { optional: true }) }),
		}),
		getMany('messages of a conversation', {
			path: '/conversations/{conversationId}',
			ids,
			value: 'get',
			name: 'Get',
			action: 'Get conversation',
			description: 'Retrieve the newest messages of one conversation, oldest first',
			isNewestLast: true,
			// Some services return the conversation itself, with its messages in it
			entries(page) {
				const list = listIn(page);
				return isRecord(list) ? [list] : list;
			},
		}),
		remove('conversation', { path: '/conversations/{conversationId}', ids, hasDetails: true }),
		write({
			value: 'update',
			name: 'Update',
			action: 'Update conversation',
			description: 'Change the name of one conversation',
			path: '/conversations/{conversationId}',
			ids,
			fields: [{ ...nameField, required: true }],
			body: (parameters) => ({ name: parameters.text('name') }),
		}),
		write({
			value: 'addMessage',
			name: 'Add Message',
			action: 'Add message to conversation',
			description: 'Add one message to a conversation, without a reply of the agent',
			path: '/conversations/{conversationId}/messages',
			ids,
			fields: [
				roleField,
				textField('Content', 'content', 'Text of the message', {
					required: true,
					placeholder: 'e.g. Is the first hour refunded?',
					typeOptions: { rows: 3 },
				}),
				textField('Parent ID', 'parentId', 'ID of the message that this one replies to', {
					placeholder: UUID,
				}),
				...metadataFields,
			],
			body: (parameters) => ({
				role: parameters.choice('role', ROLES),
				content: parameters.text('content', { trim: false }),
				parent_id: parameters.text('parentId', { optional: true }),
				metadata: readMetadata(parameters),
			}),
		}),
	],
};
