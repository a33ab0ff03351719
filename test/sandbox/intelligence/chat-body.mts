import {
	anything,
	choice,
	decimal,
	flag,
	integer,
	issue,
	list,
	object,
	oneOf,
	optional,
	text,
} from '../core/schema.mts';
import type { Check, Parsed } from '../core/schema.mts';

const part = object(
	{
		type: choice(['text', 'image_url']),
		text: optional(text()),
		image_url: optional(object({ url: text({ min: 1 }) }, 'allow')),
	},
	'allow',
);

const toolCall = object(
	{
		id: text({ min: 1 }),
		type: choice(['function']),
		function: object({ name: text({ min: 1 }), arguments: text() }, 'allow'),
	},
	'allow',
);

/** A message that calls tools may say nothing. */
const nullOnly: Check<null> = (value, loc, issues) =>
	value === null ? null : issue(issues, loc, 'none_required', 'must be null');

const message = object(
	{
		role: choice(['developer', 'system', 'user', 'assistant', 'tool']),
		content: optional(
			oneOf<[string, { text?: string; image_url?: { url: string } }[], null]>(
				'must be a string or a list of parts',
				text(),
				list(part),
				nullOnly,
			),
		),
		tool_calls: optional(list(toolCall)),
		tool_call_id: optional(text({ min: 1 })),
	},
	'allow',
);

const tool = object(
	{
		type: choice(['function']),
		function: object(
			{ name: text({ min: 1 }), description: optional(text()), parameters: optional(anything) },
			'allow',
		),
	},
	'allow',
);

const toolChoice = oneOf<['none' | 'auto' | 'required', { function: { name: string } }]>(
	"must be 'none', 'auto', 'required' or a function",
	choice(['none', 'auto', 'required']),
	object(
		{ type: choice(['function']), function: object({ name: text({ min: 1 }) }, 'allow') },
		'allow',
	),
);

/** Body of a chat completion (intelligence-api.md, "Chat completions"); unknown keys are allowed (beyond-the-spec.md section 5). */
const chatFields = {
	model: text({ min: 1 }),
	messages: list(message, { min: 1 }),
	temperature: optional(decimal({ min: 0 })),
	top_p: optional(decimal({ min: 0, max: 1 })),
	min_p: optional(decimal({ min: 0, max: 1 })),
	top_k: optional(integer({ min: -1 })),
	frequency_penalty: optional(decimal({ min: -2, max: 2 })),
	presence_penalty: optional(decimal({ min: -2, max: 2 })),
	repetition_penalty: optional(decimal({ min: 0 })),
	stop: optional(
		oneOf<[string, string[]]>(
			'must be a string or a list of strings',
			text({ min: 1 }),
			list(text({ min: 1 })),
		),
	),
	stream: optional(flag),
	stream_options: optional(object({ include_usage: optional(flag) }, 'allow')),
	max_completion_tokens: optional(integer({ min: 1 })),
	max_tokens: optional(integer({ min: 1 })),
	logprobs: optional(flag),
	top_logprobs: optional(integer({ min: 0, max: 20 })),
	reasoning_content: optional(flag),
	reasoning: optional(object({ effort: choice(['none', 'low', 'medium', 'high']) }, 'allow')),
	response_format: optional(
		object(
			{
				type: choice(['text', 'json_object', 'json_schema']),
				json_schema: optional(
					object({ name: text({ min: 1 }), schema: optional(anything) }, 'allow'),
				),
			},
			'allow',
		),
	),
	n: optional(integer({ min: 1, max: 20 })),
	seed: optional(integer()),
	tools: optional(list(tool)),
	tool_choice: optional(toolChoice),
	parallel_tool_calls: optional(flag),
};

export const chatBody = object(chatFields, 'allow');

export type ChatBody = Parsed<typeof chatFields>;
type ChatMessage = ChatBody['messages'][number];

/** The text of a message, whatever form it has. */
export const contentOf = ({ content }: ChatMessage): string =>
	typeof content === 'string'
		? content
		: (content ?? []).map((piece) => piece.text ?? '').join(' ');
