import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 5: Models in pages, Chat completions. */
const fixture = useFixture({ part: 'intelligence' });
const PATH = '/intelligence/api/v1/chat/completions';
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const messages = [{ role: 'user', content: 'Why?' }];

const complete = (options: IDataObject = {}, more: IDataObject = {}) =>
	chat('chat', 'complete', {
		model: locator(MODEL),
		input: 'messages',
		messages: { values: messages },
		options,
		simplify: false,
		...more,
	});
const bodyOf = async (options: IDataObject, more: IDataObject = {}) => {
	await fixture.run(complete(options, more));
	return fixture.sandbox.requests.at(-1)?.body as IDataObject;
};
const refused = async (options: IDataObject) => {
	fixture.sandbox.requests.length = 0;
	const { message } = errorOf(await fixture.run(complete(options)));
	expect(fixture.sandbox.requests).toEqual([]);
	return message;
};
const post = async (changes: object) =>
	await fixture.client.post(PATH, { model: MODEL, messages, ...changes });

const TOOLS = [
	{
		type: 'function',
		function: { name: 'machine_list', parameters: { type: 'object', properties: {} } },
	},
];
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };

describe('parameters', () => {
	const rows: Array<[id: string, option: IDataObject, sent: IDataObject]> = [
		['frequency_penalty', { frequencyPenalty: -2 }, { frequency_penalty: -2 }],
		['presence_penalty', { presencePenalty: 1.5 }, { presence_penalty: 1.5 }],
		['logit_bias', { logitBias: '{"50256": -100}' }, { logit_bias: { 50256: -100 } }],
		['logprobs', { logprobs: true }, { logprobs: true }],
		['top_logprobs', { logprobs: true, topLogprobs: 20 }, { logprobs: true, top_logprobs: 20 }],
		['max_tokens', { maxTokens: 5 }, { max_tokens: 5 }],
		['response_format.text', { responseFormat: 'text' }, { response_format: { type: 'text' } }],
		[
			'response_format.json_object',
			{ responseFormat: 'json_object' },
			{ response_format: { type: 'json_object' } },
		],
		['seed', { seed: -7 }, { seed: -7 }],
		['user', { user: 'me' }, { user: 'me' }],
		['stop', { stop: '={{ "\\n" }}' }, { stop: ['\n'] }],
		['stop', { stop: ['.', '\n'] }, { stop: ['.', '\n'] }],
		['top_p', { topP: 0.5 }, { top_p: 0.5 }],
		['top_k', { topK: -1 }, { top_k: -1 }],
		['min_p', { minP: 0.25 }, { min_p: 0.25 }],
		['repetition_penalty', { repetitionPenalty: 1.1 }, { repetition_penalty: 1.1 }],
		['tools', { tools: JSON.stringify(TOOLS) }, { tools: TOOLS, tool_choice: 'auto' }],
		['tools', { tools: '[]' }, { tools: [] }],
		[
			'tool_choice.none',
			{ tools: TOOLS, toolChoice: 'none' },
			{ tools: TOOLS, tool_choice: 'none' },
		],
		[
			'tool_choice.auto',
			{ tools: TOOLS, toolChoice: 'auto' },
			{ tools: TOOLS, tool_choice: 'auto' },
		],
		[
			'tool_choice.required',
			{ tools: TOOLS, toolChoice: 'required' },
			{ tools: TOOLS, tool_choice: 'required' },
		],
		[
			'tool_choice.function',
			{ tools: TOOLS, toolChoice: 'function', toolName: 'machine_list' },
			{ tools: TOOLS, tool_choice: { type: 'function', function: { name: 'machine_list' } } },
		],
		['parallel_tool_calls', { parallelToolCalls: false }, { parallel_tool_calls: false }],
		['guided_json', { guidedJson: JSON.stringify(SCHEMA) }, { guided_json: SCHEMA }],
		['guided_regex', { guidedRegex: '\\d+' }, { guided_regex: '\\d+' }],
		['guided_choice', { guidedChoice: ['a', 'b, c'] }, { guided_choice: ['a', 'b, c'] }],
		['guided_grammar', { guidedGrammar: 'root ::= "a"' }, { guided_grammar: 'root ::= "a"' }],
	];
	it.each(rows)('[chat.option.%s] is sent under its own key, alone', async (_, option, sent) => {
		expect(await bodyOf(option)).toEqual({ model: MODEL, messages, ...sent });
		expect((await post(sent)).status).toBe(200);
	});

	it('[chat.option.response_format.json_schema] with name, description, schema and strict', async () => {
		const wanted = {
			type: 'json_schema',
			json_schema: { name: 'answer_1', description: 'why', schema: SCHEMA, strict: true },
		};
		expect(
			await bodyOf({
				jsonSchema: JSON.stringify(SCHEMA),
				jsonSchemaName: 'answer_1',
				jsonSchemaDescription: 'why',
				jsonSchemaStrict: true,
			}),
		).toMatchObject({ response_format: wanted });
		expect(
			at((await post({ response_format: wanted })).json, 'choices', 0, 'message', 'content'),
		).toMatch(/^\{/);
		expect(violations(await post({ response_format: { type: 'xml' } }))).toEqual([
			'body.response_format.type: enum',
		]);
	});

	it('[chat.option.stream_options] include_usage, true by default', async () => {
		const usageOf = async (options: IDataObject) =>
			onlyJson(await fixture.run(complete({ stream: true, ...options }))).usage;
		expect(await usageOf({})).toMatchObject({ total_tokens: expect.any(Number) });
		expect(await usageOf({ includeUsage: false })).toBeUndefined();
		expect(fixture.sandbox.requests.map(({ body }) => at(body, 'stream_options'))).toEqual([
			{ include_usage: true },
			{ include_usage: false },
		]);
	});

	it.each(['none', 'low', 'medium', 'high'])(
		'[chat.option.reasoning] effort %s',
		async (effort) => {
			expect(await bodyOf({ reasoningEffort: effort })).toMatchObject({ reasoning: { effort } });
			expect((await post({ reasoning: { effort } })).status).toBe(200);
			expect(violations(await post({ reasoning: { effort: 'extreme' } }))).toEqual([
				'body.reasoning.effort: enum',
			]);
		},
	);

	it('[chat.option.temperature.default] what is not set is not sent: the service has defaults of its own', async () => {
		expect(await bodyOf({})).toEqual({ model: MODEL, messages });
	});

	it.each<[IDataObject, string]>([
		[{ topP: 1.5 }, 'Options: Sampling: Top P must be a number from 0 to 1, got 1.5'],
		[{ topK: -2 }, 'Options: Sampling: Top K must be a whole number of at least -1, got -2'],
		[
			{ maxTokens: 0 },
			'Options: Max Tokens (Deprecated) must be a whole number of at least 1, got 0',
		],
		[
			{ logprobs: true, topLogprobs: 21 },
			'Options: Output: Top Log Probabilities must be a whole number from 0 to 20, got 21',
		],
		[
			{ topLogprobs: 2 },
			'Options: Output: Top Log Probabilities requires the option Log Probabilities',
		],
		[
			{ responseFormat: 'xml' },
			'Options: Response Format must be one of json_object, json_schema, text, got "xml"',
		],
		[
			{ responseFormat: 'json_schema' },
			'Options: JSON: Schema is required: add it, or set Response Format to JSON Object',
		],
		[
			{ responseFormat: 'text', jsonSchema: SCHEMA },
			'Options: Response Format must be JSON Schema or JSON Object if there is a JSON Schema, got "text"',
		],
		...['an offer', 'a'.repeat(65)].map((name): [IDataObject, string] => [
			{ jsonSchema: SCHEMA, jsonSchemaName: name },
			`Options: JSON: Schema Name must consist of up to 64 letters, digits, hyphens and underscores, got "${name}"`,
		]),
		[
			{ toolChoice: 'maybe' },
			'Options: Tools: Choice must be one of auto, function, none, required, got "maybe"',
		],
	])('a value out of range is an error, and nothing is sent: %j', async (option, message) => {
		expect(await refused(option)).toBe(message);
	});

	it('[chat.tool_choice.default] none by default in the service, so the node sends auto with tools', async () => {
		expect((await bodyOf({ tools: TOOLS })).tool_choice).toBe('auto');
		expect(at((await post({ tools: TOOLS })).json, 'choices', 0, 'message')).not.toHaveProperty(
			'tool_calls',
		);
	});

	it('[chat.open] any other parameter can be sent beside them', async () => {
		expect(await bodyOf({ extraBody: '{"of_tomorrow": {"a": [null]}}' })).toMatchObject({
			of_tomorrow: { a: [null] },
		});
		expect((await post({ of_tomorrow: 1 })).status).toBe(200);
	});
});
