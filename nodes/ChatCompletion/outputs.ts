import { orNull, record, type Fields, type Outputs } from '../shared/operation/output';

/** A model of the list (intelligence-api.md "List models"). */
const MODEL: Fields = {
	id: 'string',
	object: 'string',
	created: 'number',
	owned_by: 'string',
	root: 'string|null',
	parent: 'string|null',
	max_model_len: 'number|null',
	permission: [
		{
			id: 'string',
			object: 'string',
			created: 'number',
			allow_create_engine: 'boolean',
			allow_sampling: 'boolean',
			allow_logprobs: 'boolean',
			allow_search_indices: 'boolean',
			allow_view: 'boolean',
			allow_fine_tuning: 'boolean',
			organization: 'string',
			group: 'string|null',
			is_blocking: 'boolean',
		},
	],
};

export const outputs: Outputs = {
	chat: {
		complete: record({
			content: 'string|object|array|null',
			reasoning_content: 'string|null',
			tool_calls: [
				{ id: 'string', type: 'string', function: { name: 'string', arguments: 'string' } },
			],
			finish_reason: 'string|null',
			index: 'number',
			model: 'string',
			usage: orNull({
				prompt_tokens: 'number',
				completion_tokens: 'number',
				total_tokens: 'number',
				prompt_tokens_details: 'object|null',
				completion_tokens_details: 'object|null',
			}),
		}),
	},
	model: {
		getAll: record(MODEL, {
			always: ['id'],
			also: ['owned_by', 'max_model_len', 'created', 'root'],
		}),
	},
	embeddingModel: {
		getAll: record(
			{
				...MODEL,
				max_tokens: 'number',
				context_window: 'number',
				supports_images_input: 'boolean',
				supports_prompt_cache: 'boolean',
				input_token_price: 'number',
				output_token_price: 'number',
				cache_write_token_price: 'number',
				cache_read_token_price: 'number',
				precision: 'string',
			},
			{
				always: ['id'],
				also: [
					'owned_by',
					'max_tokens',
					'context_window',
					'input_token_price',
					'output_token_price',
					'cache_write_token_price',
					'cache_read_token_price',
					'precision',
					'supports_images_input',
				],
			},
		),
	},
	agent: {
		getAll: record({
			agent_key: 'string',
			name: 'string',
			description: 'string',
			persona: 'string|null',
			metadata: { image_url: 'string|null', tags: ['string'] },
		}),
		// The form of its result is unknown (beyond-the-spec.md section 5 "Run an agent")
		run: record({ task: 'string', result: 'string|object|array' }),
	},
	embedding: {
		create: record({
			embedding: 'array|string',
			index: 'number',
			model: 'string',
			object: 'string',
			text: 'string',
		}),
	},
};
