import type { IDataObject } from 'n8n-workflow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, fileItem, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { at, Client, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 5: Models in pages, Chat completions. */
const fixture = useFixture();
const PATH = '/intelligence/api/v1/chat/completions';
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const messages = [{ role: 'user', content: 'Why?' }];

let direct: Client;
beforeAll(() => {
	direct = new Client(fixture.sandbox.url, {
		authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
	});
});
afterAll(async () => await direct.close());

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
	await direct.post(PATH, { model: MODEL, messages, ...changes });

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
	it.each(rows)(
		'[chat.option.%s] is sent in its own form, and nothing beside it',
		async (_, option, sent) => {
			expect(await bodyOf(option)).toEqual({ model: MODEL, messages, ...sent });
			expect((await post(sent)).status).toBe(200);
		},
	);

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

	it('[chat.option.stream_options] include_usage, true unless it is said', async () => {
		const usageOf = async (options: IDataObject) =>
			onlyJson(await fixture.run(complete({ stream: true, ...options }))).usage;
		expect(await usageOf({})).toMatchObject({ total_tokens: expect.any(Number) });
		expect(await usageOf({ includeUsage: false })).toBeUndefined();
		expect(fixture.sandbox.requests.map(({ body }) => at(body, 'stream_options'))).toEqual([
			undefined,
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
		[{ topP: 1.5 }, 'Options: Top P must be a number from 0 to 1, got 1.5'],
		[{ topK: -2 }, 'Options: Top K must be a whole number of at least -1, got -2'],
		[
			{ maxTokens: 0 },
			'Options: Max Tokens (Deprecated) must be a whole number of at least 1, got 0',
		],
		[
			{ logprobs: true, topLogprobs: 21 },
			'Options: Top Log Probabilities must be a whole number from 0 to 20, got 21',
		],
		[
			{ responseFormat: 'xml' },
			'Options: Response Format must be one of json_object, json_schema, text, got "xml"',
		],
		[
			{ toolChoice: 'maybe' },
			'Options: Tool Choice must be one of auto, function, none, required, got "maybe"',
		],
	])('what is out of range is refused before anything is sent: %j', async (option, message) => {
		expect(await refused(option)).toBe(message);
	});

	it('[chat.tool_choice.default] none in the service unless it is said, so with tools the node says auto', async () => {
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

describe('messages', () => {
	it('[chat.roles] [chat.tool_call_id] developer, system, user, assistant, tool, the last with its call', async () => {
		const values = ['developer', 'system', 'user', 'assistant'].map((role) => ({
			role,
			content: 'x',
		}));
		const body = await bodyOf(
			{},
			{ messages: { values: [...values, { role: 'tool', content: '{}', toolCallId: 'call_1' }] } },
		);
		expect(body.messages).toEqual([
			...values,
			{ role: 'tool', content: '{}', tool_call_id: 'call_1' },
		]);
		expect(violations(await post({ messages: [{ role: 'robot', content: 'x' }] }))).toEqual([
			'body.messages.0.role: enum',
		]);
	});

	it('[chat.content.parts] text, and image_url with url and detail', async () => {
		const values = [{ role: 'user', content: 'Look', images: ['https://images.example/a.png'] }];
		const parts = [
			{ type: 'text', text: 'Look' },
			{ type: 'image_url', image_url: { url: 'https://images.example/a.png', detail: 'low' } },
		];
		expect((await bodyOf({ imageDetail: 'low' }, { messages: { values } })).messages).toEqual([
			{ role: 'user', content: parts },
		]);
		expect((await post({ messages: [{ role: 'user', content: parts }] })).status).toBe(200);
	});

	it('[chat.images.count] at most 10 in a request', async () => {
		const images = (count: number) => ({
			messages: {
				values: [
					{
						role: 'user',
						content: 'x',
						images: Array.from({ length: count }, () => 'https://a.example/b.png'),
					},
				],
			},
		});
		expect(at(await bodyOf({}, images(10)), 'messages', 0, 'content')).toHaveLength(11);
		expect(errorOf(await fixture.run(complete({}, images(11)))).message).toBe(
			'A request may contain at most 10 images, got 11',
		);
	});

	it.each([
		['jpeg', true],
		['png', true],
		['webp', true],
		['gif', true],
		['bmp', false],
	])('[chat.images.kind] JPEG, PNG, WEBP or GIF: %s', async (kind, isTaken) => {
		const node = complete(
			{},
			{ messages: { values: [{ role: 'user', content: 'x', images: ['data'] }] } },
		);
		const run = await fixture.engine.runItems(node, [
			fileItem(`a.${kind}`, 'bytes', `image/${kind}`),
		]);
		if (isTaken) expect(onlyJson(run)).toHaveProperty('choices');
		else expect(errorOf(run).message).toContain('must be JPEG, PNG, WEBP or GIF, got "image/bmp"');
	});
});

describe('reasoning, errors, pages', () => {
	it('[chat.reasoning_tokens] reasoning_content and usage.completion_tokens_details.reasoning_tokens', async () => {
		const item = onlyJson(await fixture.run(complete({ reasoningContent: true })));
		expect(at(item, 'choices', 0, 'message', 'reasoning_content')).toEqual(expect.any(String));
		expect(at(item, 'usage', 'completion_tokens_details', 'reasoning_tokens')).toBeGreaterThan(0);
	});

	it.each([
		[400, 'The service refused the request (400): no'],
		[402, 'The plan does not cover this request (402): no'],
		[403, 'The account may not do this (403): no'],
		[429, 'The limit of requests or credits is used up (429): no'],
	])('[chat.errors.%d] is told in the words of the service', async (status, message) => {
		fixture.sandbox.faults.add({ times: Infinity, ...errorForms.detailString(status, 'no') });
		expect(errorOf(await fixture.run(complete())).message).toBe(message);
	});

	it('[model.paged] [model.paged.name] a list in pages is read to its end, and its name is what a request takes', async () => {
		const page = (number: number, more: boolean) => ({
			data: [{ model_id: `id-${number}`, name: `model-${number}` }],
			pagination: {
				total: 2,
				page: number,
				page_size: 1,
				total_pages: 2,
				has_next: more,
				has_previous: number > 1,
			},
		});
		const post = () =>
			[page(1, true), page(2, false)].forEach((body) =>
				fixture.sandbox.faults.add({ match: { path: /models$/ }, status: 200, body }),
			);
		post();
		expect(
			jsonOf(await fixture.run(chat('model', 'getAll', { returnAll: true }))).map(
				({ name }) => name,
			),
		).toEqual(['model-1', 'model-2']);
		expect(fixture.sandbox.requests.map(({ query }) => query)).toEqual([
			{},
			{ page: ['2'], page_size: ['1'] },
		]);
		post();
		expect(
			(await fixture.engine.search(complete(), 'searchModels')).results.map(({ value }) => value),
		).toEqual(['model-1', 'model-2']);
	});
});
