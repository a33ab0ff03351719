import { z } from 'zod';
import { integer, oneOf } from '../core/validation.mts';

/** Unknown keys are allowed everywhere in the body, and kept (beyond-the-spec.md section 5). */
const open = <T extends z.ZodRawShape>(shape: T) => z.object(shape).passthrough();

const part = open({
	type: z.enum(['text', 'image_url']),
	text: z.string().optional(),
	image_url: open({ url: z.string().min(1) }).optional(),
});

const toolCall = open({
	id: z.string().min(1),
	type: z.enum(['function']),
	function: open({ name: z.string().min(1), arguments: z.string() }),
});

const message = open({
	role: z.enum(['developer', 'system', 'user', 'assistant', 'tool']),
	/** A message that calls tools may say nothing. */
	content: oneOf('must be a string or a list of parts', z.string(), z.array(part))
		.nullable()
		.optional(),
	tool_calls: z.array(toolCall).optional(),
	tool_call_id: z.string().min(1).optional(),
});

const tool = open({
	type: z.enum(['function']),
	function: open({
		name: z.string().min(1),
		description: z.string().optional(),
		parameters: z.unknown(),
	}),
});

const toolChoice = oneOf(
	"must be 'none', 'auto', 'required' or a function",
	z.enum(['none', 'auto', 'required']),
	open({ type: z.enum(['function']), function: open({ name: z.string().min(1) }) }),
);

/** Body of a chat completion (intelligence-api.md, "Chat completions"). */
export const chatBody = open({
	model: z.string().min(1),
	messages: z.array(message).min(1),
	temperature: z.number().min(0).optional(),
	top_p: z.number().min(0).max(1).optional(),
	min_p: z.number().min(0).max(1).optional(),
	top_k: integer().min(-1).optional(),
	frequency_penalty: z.number().min(-2).max(2).optional(),
	presence_penalty: z.number().min(-2).max(2).optional(),
	repetition_penalty: z.number().min(0).optional(),
	stop: oneOf(
		'must be a string or a list of strings',
		z.string().min(1),
		z.array(z.string().min(1)),
	).optional(),
	stream: z.boolean().optional(),
	stream_options: open({ include_usage: z.boolean().optional() }).optional(),
	max_completion_tokens: integer().min(1).optional(),
	max_tokens: integer().min(1).optional(),
	logprobs: z.boolean().optional(),
	top_logprobs: integer().min(0).max(20).optional(),
	reasoning_content: z.boolean().optional(),
	reasoning: open({ effort: z.enum(['none', 'low', 'medium', 'high']) }).optional(),
	response_format: open({
		type: z.enum(['text', 'json_object', 'json_schema']),
		json_schema: open({ name: z.string().min(1), schema: z.unknown() }).optional(),
	}).optional(),
	guided_choice: z.array(z.string()).optional(),
	guided_json: z.unknown().optional(),
	n: integer().min(1).max(20).optional(),
	seed: integer().optional(),
	tools: z.array(tool).optional(),
	tool_choice: toolChoice.optional(),
	parallel_tool_calls: z.boolean().optional(),
});

export type ChatBody = z.infer<typeof chatBody>;
type ChatMessage = ChatBody['messages'][number];

/** The text of a message, whatever form it has. */
export const contentOf = ({ content }: ChatMessage): string =>
	typeof content === 'string'
		? content
		: (content ?? []).map((piece) => piece.text ?? '').join(' ');
