import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { type Parameters } from '../shared/operation/parameters';
import type { Picture } from './images';
import { isRecord, show } from '../shared/guards';

const ROLES = ['assistant', 'developer', 'system', 'tool', 'user'] as const;
const INPUTS = ['messages', 'prompt', 'json'] as const;

/** A message whose pictures are still where they come from. */
export interface Message {
	body: IDataObject;
	pictures: Picture[];
}

/** The conversation: as a form, as one prompt, or as JSON (intelligence-api.md "Chat completions"; parts and roles: beyond-the-spec.md section 5). */
export const messageFields: INodeProperties[] = [
	{
		displayName: 'Input',
		name: 'input',
		type: 'options',
		options: [
			{ name: 'Messages', value: 'messages', description: 'A conversation, message by message' },
			{
				name: 'Messages as JSON',
				value: 'json',
				description: 'A conversation from an earlier node',
			},
			{ name: 'Prompt', value: 'prompt', description: 'One text, with instructions beside it' },
		],
		default: 'messages',
		description: 'How the conversation is given',
	},
	{
		displayName: 'Messages',
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		displayOptions: { show: { input: ['messages'] } },
		placeholder: 'Add Message',
		default: { values: [{ role: 'user', content: '' }] },
		options: [
			{
				displayName: 'Message',
				name: 'values',
				values: [
					{
						displayName: 'Role',
						name: 'role',
						type: 'options',
						options: [
							{ name: 'Assistant', value: 'assistant', description: 'What the model said earlier' },
							{
								name: 'Developer',
								value: 'developer',
								description: 'Instructions, for models that know this role',
							},
							{
								name: 'System',
								value: 'system',
								description: 'Instructions for the whole conversation',
							},
							{ name: 'Tool', value: 'tool', description: 'What a tool returned' },
							{ name: 'User', value: 'user', description: 'What the model is to answer' },
						],
						default: 'user',
						description: 'Who says it',
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. Which of these machines is the cheapest?',
						description: 'The text of the message',
					},
					{
						displayName: 'Images',
						name: 'images',
						type: 'string',
						typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Image' },
						displayOptions: { show: { role: ['user'] } },
						default: [],
						placeholder: 'e.g. https://example.com/machine.png or data',
						description:
							'A URL, or the name of an input binary field. JPEG, PNG, WEBP or GIF of up to 20 MB, at most 10 in a request.',
					},
					{
						displayName: 'Tool Call ID',
						name: 'toolCallId',
						type: 'string',
						displayOptions: { show: { role: ['tool'] } },
						default: '',
						placeholder: 'e.g. call_1',
						description: 'The ID of the tool call that this is the result of',
					},
				],
			},
		],
	},
	{
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		displayOptions: { show: { input: ['prompt'] } },
		required: true,
		default: '',
		placeholder: 'e.g. Write a haiku about idle machines',
		description: 'The text that the model answers',
	},
	{
		displayName: 'System Prompt',
		name: 'systemPrompt',
		type: 'string',
		typeOptions: { rows: 2 },
		displayOptions: { show: { input: ['prompt'] } },
		default: '',
		placeholder: 'e.g. You answer in one sentence.',
		description: 'Instructions for the model; may be empty',
	},
	{
		displayName: 'Messages (JSON)',
		name: 'messagesJson',
		type: 'json',
		typeOptions: { rows: 6 },
		displayOptions: { show: { input: ['json'] } },
		required: true,
		default: '[\n  { "role": "user", "content": "" }\n]',
		description: 'A list of messages with role and content, as the API takes them',
	},
];

/** The messages of one item, each checked; at least one. */
export function readMessages(parameters: Parameters): Message[] {
	switch (parameters.choice('input', INPUTS)) {
		case 'prompt':
			return promptMessages(parameters);
		case 'json':
			return jsonMessages(parameters);
		case 'messages': {
			const rows = parameters.rows('messages', 'values');
			if (rows.length === 0) parameters.fail('messages', 'is required: add at least one message');
			return rows.map(formMessage);
		}
	}
}

function promptMessages(parameters: Parameters): Message[] {
	const message = (role: string, content: string): Message => ({
		body: { role, content },
		pictures: [],
	});
	const prompt = message('user', parameters.verbatim('prompt'));
	return parameters.optionalText('systemPrompt') === undefined
		? [prompt]
		: [message('system', parameters.verbatim('systemPrompt')), prompt];
}

function formMessage(row: Parameters): Message {
	const role = row.has('role') ? row.choice('role', ROLES) : 'user';
	const images = role === 'user' ? row.optionalTexts('images').map((image) => image.trim()) : [];
	const pictures = images.map((image): Picture =>
		/^(https?:|data:)/i.test(image) ? { url: image } : { field: image },
	);
	// A picture may say it all
	const content = pictures.length > 0 && !row.has('content') ? '' : row.verbatim('content');
	return {
		body: { role, content, ...(role === 'tool' && { tool_call_id: row.text('toolCallId') }) },
		pictures,
	};
}

/** Messages in the form of the API, unknown keys and all. */
function jsonMessages(parameters: Parameters): Message[] {
	const messages = parameters.list('messagesJson');
	if (messages.length === 0) parameters.fail('messagesJson', 'must hold at least one message');
	return messages.map((message, index) => {
		const at = `at position ${index + 1}`;
		if (!isRecord(message))
			return parameters.fail(
				'messagesJson',
				`must hold objects such as {"role": "user", "content": "..."}, got ${show(message)} ${at}`,
			);
		const { role, content } = message;
		if (!ROLES.some((known) => known === role))
			parameters.fail(
				'messagesJson',
				`must have a role of ${ROLES.join(', ')}, got ${show(role)} ${at}`,
			);
		const mayBeSilent = Array.isArray(message.tool_calls) || isRecord(message.function_call);
		const isContent =
			typeof content === 'string' || (Array.isArray(content) && content.every(isRecord));
		if (!isContent && !(mayBeSilent && (content === null || content === undefined))) {
			parameters.fail(
				'messagesJson',
				`must have a content that is text or a list of parts, got ${show(content)} ${at}`,
			);
		}
		return { body: message as IDataObject, pictures: [] };
	});
}
