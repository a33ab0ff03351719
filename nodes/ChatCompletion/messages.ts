import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { type Parameters } from '../shared/operation/parameters';
import { isRecord, show } from '../shared/guards';

const ROLES = ['assistant', 'developer', 'system', 'tool', 'user'] as const;
const INPUTS = ['messages', 'prompt', 'json'] as const;

/** An image of a message: an HTTP or data URL, or a binary field of the input item. */
export type Image = { url: string } | { binaryField: string };

/** A message and the images that become parts of its content. */
export interface Message {
	/** The message as the API takes it, with text or parts as its content. */
	body: IDataObject;
	images: Image[];
}

/** The conversation, message by message, as one prompt, or as JSON (intelligence-api.md "Chat completions"; parts and roles: beyond-the-spec.md section 5). */
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
				description: 'A conversation as a JSON array, such as the output of another node',
			},
			{
				name: 'Prompt',
				value: 'prompt',
				description: 'A single user message, optionally with a system message',
			},
		],
		default: 'messages',
		description: 'How to enter the conversation',
	},
	{
		displayName: 'Messages',
		name: 'messages',
		type: 'fixedCollection',
		typeOptions: {
			multipleValues: true,
			sortable: true,
			fixedCollection: { itemTitle: '={{ $collection.item.value.role }}' },
		},
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
							{
								name: 'Assistant',
								value: 'assistant',
								description: 'An earlier response of the model',
							},
							{
								name: 'Developer',
								value: 'developer',
								description: 'Instructions, for models that support this role',
							},
							{
								name: 'System',
								value: 'system',
								description: 'Instructions for the whole conversation',
							},
							{ name: 'Tool', value: 'tool', description: 'The result of a tool call' },
							{ name: 'User', value: 'user', description: 'A message that the model responds to' },
						],
						default: 'user',
						description: 'Author of the message',
					},
					{
						displayName: 'Content',
						name: 'content',
						type: 'string',
						typeOptions: { rows: 3 },
						default: '',
						placeholder: 'e.g. Which of these GPUs is the cheapest?',
						description:
							'Text of the message. Of an assistant, an expression may return an earlier output with tool_calls.',
					},
					{
						displayName: 'Images',
						name: 'images',
						type: 'string',
						typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Image' },
						displayOptions: { show: { role: ['user'] } },
						default: [],
						placeholder: 'e.g. https://example.com/photo.png or data',
						description:
							'URL of an image, or name of an input binary field. JPEG, PNG, WEBP or GIF up to 20 MB, at most 10 in a request.',
					},
					{
						displayName: 'Tool Call ID',
						name: 'toolCallId',
						type: 'string',
						displayOptions: { show: { role: ['tool'] } },
						default: '',
						placeholder: 'e.g. call_1',
						description: 'ID of the tool call that returned this result',
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
		placeholder: 'e.g. Write a haiku about idle GPUs',
		description: 'The message that the model responds to',
	},
	{
		displayName: 'System Prompt',
		name: 'systemPrompt',
		type: 'string',
		typeOptions: { rows: 2 },
		displayOptions: { show: { input: ['prompt'] } },
		default: '',
		placeholder: 'e.g. You answer in one sentence.',
		description: 'Instructions for the whole conversation. May be empty.',
	},
	{
		displayName: 'Messages (JSON)',
		name: 'messagesJson',
		type: 'json',
		typeOptions: { rows: 6 },
		displayOptions: { show: { input: ['json'] } },
		required: true,
		default: '[\n  { "role": "user", "content": "" }\n]',
		description: 'Array of messages with role and content, in the format of the API',
	},
];

/**
 * The messages of one item, at least one.
 * @throws the error of a message that is not valid
 */
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
		images: [],
	});
	const prompt = message('user', parameters.text('prompt', { trim: false }));
	return parameters.text('systemPrompt', { optional: true }) === undefined
		? [prompt]
		: [message('system', parameters.text('systemPrompt', { trim: false })), prompt];
}

function formMessage(row: Parameters): Message {
	const role = row.has('role') ? row.choice('role', ROLES) : 'user';
	const given = row.value('images');
	const hasImages =
		role === 'user' && row.has('images') && !(Array.isArray(given) && given.length === 0);
	const images = hasImages ? row.texts('images', { split: false }).map(readImage) : [];
	const earlier = row.value('content');
	if (role === 'assistant' && isRecord(earlier) && Array.isArray(earlier.tool_calls)) {
		const { content = null, tool_calls: calls } = earlier as IDataObject;
		return { body: { role, content, tool_calls: calls }, images };
	}
	// A message may consist of images alone
	const content =
		images.length > 0 && !row.has('content') ? '' : row.text('content', { trim: false });
	return {
		body: { role, content, ...(role === 'tool' && { tool_call_id: row.text('toolCallId') }) },
		images,
	};
}

function readImage(text: string): Image {
	const image = text.trim();
	return /^(https?:|data:)/i.test(image) ? { url: image } : { binaryField: image };
}

/** Messages in the format of the API; keys that this node does not know are sent as they are. */
function jsonMessages(parameters: Parameters): Message[] {
	const messages = parameters.json('messagesJson', 'list');
	if (messages.length === 0) parameters.fail('messagesJson', 'must contain at least one message');
	return messages.map((message, index) => {
		const at = `at position ${index + 1}`;
		if (!isRecord(message))
			return parameters.fail(
				'messagesJson',
				`must contain objects such as {"role": "user", "content": "..."}, got ${show(message)} ${at}`,
			);
		const { role, content } = message;
		if (!ROLES.some((known) => known === role))
			parameters.fail(
				'messagesJson',
				`must have one of the roles ${ROLES.join(', ')}, got ${show(role)} ${at}`,
			);
		const isCall = Array.isArray(message.tool_calls) || isRecord(message.function_call);
		const isContent =
			typeof content === 'string' || (Array.isArray(content) && content.every(isRecord));
		if (!isContent && !(isCall && (content === null || content === undefined))) {
			parameters.fail(
				'messagesJson',
				`must have a content that is text or an array of parts, got ${show(content)} ${at}`,
			);
		}
		return { body: message as IDataObject, images: [] };
	});
}
