import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, fileItem, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const COMPLETIONS = { path: /chat\/completions$/ };

const complete = (parameters: IDataObject = {}, settings = {}) =>
	chat(
		'chat',
		'complete',
		{
			model: locator(MODEL),
			input: 'prompt',
			prompt: 'Why is the sky blue?',
			options: {},
			simplify: true,
			...parameters,
		},
		settings,
	);
const sentBody = (index = 0) => fixture.sent('POST', COMPLETIONS.path)[index]?.body as IDataObject;

describe('the conversation', () => {
	it('a prompt, with and without a system text', async () => {
		await fixture.run(complete());
		await fixture.run(complete({ systemPrompt: ' Be brief. ' }));
		expect(sentBody(0)).toEqual({
			model: MODEL,
			messages: [{ role: 'user', content: 'Why is the sky blue?' }],
		});
		expect(sentBody(1).messages).toEqual([
			{ role: 'system', content: ' Be brief. ' },
			{ role: 'user', content: 'Why is the sky blue?' },
		]);
	});

	it('messages as a form', async () => {
		const values = [
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: 'One' },
			{ role: 'assistant', content: 'Two' },
			{ role: 'tool', content: '{"a": 1}', toolCallId: 'call_1' },
			{ role: 'user', content: 'Look', images: ['https://images.example/a,b.png', 'data'] },
		];
		const run = await fixture.engine.runItems(
			complete({ input: 'messages', messages: { values }, options: { imageDetail: 'low' } }),
			[fileItem('a.png', 'png', 'image/png')],
		);
		expect(onlyJson(run)).toHaveProperty('content');
		expect(sentBody().messages).toEqual([
			{ role: 'system', content: 'Be brief.' },
			{ role: 'user', content: 'One' },
			{ role: 'assistant', content: 'Two' },
			{ role: 'tool', content: '{"a": 1}', tool_call_id: 'call_1' },
			{
				role: 'user',
				content: [
					{ type: 'text', text: 'Look' },
					{
						type: 'image_url',
						image_url: { url: 'https://images.example/a,b.png', detail: 'low' },
					},
					{
						type: 'image_url',
						image_url: {
							url: `data:image/png;base64,${Buffer.from('png').toString('base64')}`,
							detail: 'low',
						},
					},
				],
			},
		]);
	});

	it('messages as JSON, unknown keys and tool calls and all', async () => {
		const messages = [
			{ role: 'user', content: [{ type: 'text', text: 'Hi' }], name: 'Ann' },
			{
				role: 'assistant',
				content: null,
				tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
			},
			{ role: 'tool', content: 'x', tool_call_id: 'c' },
		];
		await fixture.run(complete({ input: 'json', messagesJson: JSON.stringify(messages) }));
		await fixture.run(complete({ input: 'json', messagesJson: '={{ $json.messages }}' }), [
			{ messages },
		]);
		expect([sentBody(0).messages, sentBody(1).messages]).toEqual([messages, messages]);
	});

	const png = (bytes: number) => `data:image/png;base64,${'A'.repeat(Math.ceil((bytes * 4) / 3))}`;
	it.each<[string, IDataObject, string]>([
		[
			'no message',
			{ input: 'messages', messages: {} },
			'Messages is required: add at least one message',
		],
		[
			'an empty message',
			{ input: 'messages', messages: { values: [{ role: 'user', content: ' ' }] } },
			'Messages 1: Content is required and must not be empty',
		],
		[
			'an unknown role',
			{ input: 'messages', messages: { values: [{ role: 'robot', content: 'x' }] } },
			'Messages 1: Role must be one of assistant, developer, system, tool, user, got "robot"',
		],
		[
			'a tool result without its call',
			{ input: 'messages', messages: { values: [{ role: 'tool', content: 'x' }] } },
			'Messages 1: Tool Call ID is required and must not be empty',
		],
		['a blank prompt', { prompt: '  ' }, 'Prompt is required and must not be empty'],
		[
			'an empty list',
			{ input: 'json', messagesJson: '[]' },
			'Messages (JSON) must contain at least one message',
		],
		[
			'no list',
			{ input: 'json', messagesJson: '{"role": "user"}' },
			'Messages (JSON) must be a JSON list such as ["a", "b"], got {"role":"user"}',
		],
		[
			'no JSON',
			{ input: 'json', messagesJson: '[{' },
			'Messages (JSON) must be valid JSON, got "[{"',
		],
		[
			'a wrong role in JSON',
			{ input: 'json', messagesJson: [{ role: 'x', content: 'y' }] },
			'Messages (JSON) must have one of the roles assistant, developer, system, tool, user, got "x" at position 1',
		],
		[
			'no content in JSON',
			{ input: 'json', messagesJson: [{ role: 'user' }] },
			'Messages (JSON) must have a content that is text or an array of parts, got nothing at position 1',
		],
		[
			'an unknown input',
			{ input: 'telepathy' },
			'Input must be one of messages, prompt, json, got "telepathy"',
		],
		[
			'no model',
			{ model: locator('={{ "" }}') },
			'Model is required: choose one from the list or enter its ID',
		],
		[
			'eleven images',
			{
				input: 'messages',
				messages: {
					values: [
						{
							role: 'user',
							content: 'x',
							images: Array.from({ length: 11 }, () => 'https://a.example/b.png'),
						},
					],
				},
			},
			'A request may contain at most 10 images, got 11',
		],
		[
			'a wrong type',
			{
				input: 'messages',
				messages: {
					values: [{ role: 'user', content: 'x', images: ['data:image/bmp;base64,AAAA'] }],
				},
			},
			'An image must be JPEG, PNG, WEBP or GIF, got "image/bmp"',
		],
		[
			'too large an image',
			{
				input: 'json',
				messagesJson: [
					{
						role: 'user',
						content: [{ type: 'image_url', image_url: { url: png(21 * 1024 * 1024) } }],
					},
				],
			},
			'An image may have at most 20 MB, got 21.0 MB',
		],
		[
			'a strange address',
			{
				input: 'json',
				messagesJson: [
					{
						role: 'user',
						content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }],
					},
				],
			},
			'An image URL must start with https://, http:// or data:, got "file:///etc/passwd"',
		],
	])('refuses %s before anything is sent', async (_, parameters, message) => {
		expect(errorOf(await fixture.run(complete(parameters))).message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('takes an image of exactly 20 MB, and none that is a byte larger', async () => {
		const image = (bytes: number) => fileItem('a.png', Buffer.alloc(bytes), 'image/png');
		const node = complete({
			input: 'messages',
			messages: { values: [{ role: 'user', content: 'x', images: ['data'] }] },
		});
		const limit = 20 * 1024 * 1024;
		fixture.sandbox.faults.add({ match: COMPLETIONS, drop: 'before' });
		expect(errorOf(await fixture.engine.runItems(node, [image(limit)])).message).not.toContain(
			'at most 20 MB',
		);
		expect(errorOf(await fixture.engine.runItems(node, [image(limit + 1)])).message).toContain(
			'at most 20 MB',
		);
	});

	it.each(['image/jpg', 'IMAGE/JPEG; charset=binary', ' image/jpeg '])(
		'a picture of the type "%s" is sent as JPEG',
		async (mimeType) => {
			const node = complete({
				input: 'messages',
				messages: {
					values: [
						{ role: 'user', content: 'x', images: ['data', `data:${mimeType.trim()};base64,AAAA`] },
					],
				},
			});
			onlyJson(await fixture.engine.runItems(node, [fileItem('a.jpg', 'jpg', mimeType)]));
			const parts = (index = 0) =>
				(sentBody(index).messages as Array<{ content: unknown[] }>)[0]?.content;
			const [file, typed] = [Buffer.from('jpg').toString('base64'), 'AAAA'].map((data) => ({
				type: 'image_url',
				image_url: { url: `data:image/jpeg;base64,${data}` },
			}));
			expect(parts()).toEqual([{ type: 'text', text: 'x' }, file, typed]);
			const url = `data:${mimeType.trim()};base64,AAAA`;
			for (const [index, image] of [{ url, detail: 'low' }, url].entries()) {
				const messagesJson = [{ role: 'user', content: [{ type: 'image_url', image_url: image }] }];
				await fixture.run(complete({ input: 'json', messagesJson }));
				expect(parts(index + 1)).toEqual([
					{
						type: 'image_url',
						image_url:
							image === url ? typed?.image_url.url : { ...typed?.image_url, detail: 'low' },
					},
				]);
			}
		},
	);

	it('refuses binary data that is no picture, and a binary field that is not there', async () => {
		const withImage = (field: string) =>
			complete({
				input: 'messages',
				messages: { values: [{ role: 'user', content: 'x', images: [field] }] },
			});
		const text = await fixture.engine.runItems(withImage('data'), [fileItem('a.txt', 'text')]);
		expect(errorOf(text).message).toBe(
			'The image in the binary field data must be JPEG, PNG, WEBP or GIF, got "text/plain"',
		);
		const untyped = {
			json: {},
			binary: { data: { data: 'AAAA', fileName: 'a.png' } },
		} as unknown as INodeExecutionData;
		expect(errorOf(await fixture.engine.runItems(withImage('data'), [untyped])).message).toBe(
			'The image in the binary field data must be JPEG, PNG, WEBP or GIF, got nothing',
		);
		expect(errorOf(await fixture.run(withImage('photo'))).message).toContain('photo');
		expect(fixture.sandbox.requests).toEqual([]);
	});
});

describe('the answer', () => {
	it('simplified: one item a choice', async () => {
		const items = jsonOf(
			await fixture.run(complete({ options: { n: 3, reasoningContent: true } })),
		);
		expect(items).toHaveLength(3);
		expect(items[1]).toEqual({
			content: expect.stringMatching(/^Answer 2: /),
			reasoning_content: 'The question has 6 tokens.',
			finish_reason: 'stop',
			index: 1,
			model: MODEL,
			usage: expect.objectContaining({ prompt_tokens: 6, total_tokens: expect.any(Number) }),
		});
	});

	it('raw: the whole response, nulls and logprobs too', async () => {
		const [raw, again] = [
			onlyJson(await fixture.run(complete({ simplify: false }))),
			onlyJson(await fixture.run(complete({ simplify: false, options: { logprobs: true } }))),
		];
		expect(raw).toMatchObject({
			object: 'chat.completion',
			prompt_logprobs: null,
			usage: { prompt_tokens_details: null },
			choices: [{ logprobs: null, stop_reason: null }],
		});
		expect(again.choices).toEqual([
			expect.objectContaining({
				logprobs: {
					content: expect.arrayContaining([expect.objectContaining({ token: 'Answer' })]),
				},
			}),
		]);
	});

	it('tokens of all items are summed in a hint', async () => {
		const run = await fixture.run(complete({ prompt: '={{ $json.q }}' }), [
			{ q: 'One?' },
			{ q: 'Two?' },
			{ q: 'Three more?' },
		]);
		const total = jsonOf(run).reduce(
			(sum, { usage }) => sum + Number((usage as IDataObject).total_tokens),
			0,
		);
		const { hints } = run.data.resultData.runData.Node?.[0] ?? {};
		expect(hints).toEqual([
			{
				message: expect.stringMatching(
					new RegExp(`^${total} tokens \\(7 prompt, \\d+ completion\\) in 3 requests$`),
				),
				type: 'info',
				location: 'outputPane',
			},
		]);
	});

	it('keeps the order of the items, at most five at once', async () => {
		const questions = Array.from({ length: 12 }, (_, index) => ({ q: `Question ${index}?` }));
		fixture.sandbox.faults.add({ match: COMPLETIONS, delayMs: 1_000, times: 5 });
		const running = fixture.run(complete({ prompt: '={{ $json.q }}' }), questions);
		while (fixture.sandbox.requests.length < 5) await new Promise(setImmediate);
		expect(fixture.sandbox.requests).toHaveLength(5);
		fixture.sandbox.clock.advance(1_000);
		const items = jsonOf(await running);
		expect(items.map(({ content }) => /Question \d+/.exec(String(content))?.[0])).toEqual(
			questions.map(({ q }) => q.replace('?', '')),
		);
	});

	it('JSON is parsed', async () => {
		expect(
			onlyJson(await fixture.run(complete({ options: { responseFormat: 'json_object' } }))).content,
		).toEqual({ answer: expect.stringContaining('Answer 1') });
		fixture.sandbox.faults.add({
			match: COMPLETIONS,
			status: 200,
			body: {
				model: MODEL,
				choices: [
					{
						index: 0,
						message: { role: 'assistant', content: '```json\n{"a": 1}\n```' },
						finish_reason: 'stop',
					},
				],
			},
		});
		expect(
			onlyJson(await fixture.run(complete({ options: { responseFormat: 'json_object' } }))).content,
		).toEqual({ a: 1 });
	});

	const schema = {
		type: 'object',
		required: ['machine', 'price'],
		additionalProperties: false,
		properties: {
			machine: { enum: ['A100', 'H100'] },
			price: { type: 'number', minimum: 0.5, maximum: 40 },
		},
	};
	it('a JSON schema is sent and kept', async () => {
		const options = {
			jsonSchema: JSON.stringify(schema),
			jsonSchemaName: 'offer',
			jsonSchemaStrict: true,
			jsonSchemaDescription: 'An offer',
		};
		expect(onlyJson(await fixture.run(complete({ options }))).content).toEqual({
			machine: expect.stringMatching(/^[AH]100$/),
			price: 1,
		});
		expect(sentBody().response_format).toEqual({
			type: 'json_schema',
			json_schema: { name: 'offer', description: 'An offer', schema, strict: true },
		});
	});

	it.each<[string, string, string, string]>([
		[
			'breaks it',
			'{"machine": "T4", "price": -1, "colour": "red"}',
			'stop',
			'The response does not match the JSON schema: machine: must be one of "A100", "H100", got "T4"; price: must be at least 0.5, got -1; colour: is not allowed',
		],
		['is text', 'I think an A100.', 'stop', 'The response is not valid JSON'],
		[
			'is cut off',
			'{"machine": "A1',
			'length',
			'The response is not valid JSON: it was cut off at the token limit',
		],
	])('an answer that %s is an error with the answer in it', async (_, content, reason, message) => {
		fixture.sandbox.faults.add({
			match: COMPLETIONS,
			status: 200,
			body: {
				choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
				usage: { total_tokens: 9 },
			},
		});
		const run = await fixture.run(
			complete({ options: { jsonSchema: schema } }, { onError: 'continueRegularOutput' }),
		);
		expect(onlyJson(run)).toMatchObject({
			error: message,
			details: {
				partial: { usage: { total_tokens: 9 } },
				description: expect.stringContaining(content),
			},
		});
	});

	it('tool calls: asked for with auto, in the simplified item', async () => {
		const tools = [
			{
				type: 'function',
				function: {
					name: 'list_machines',
					description: 'List machines',
					parameters: {
						type: 'object',
						properties: { gpu: { type: 'string' } },
						required: ['gpu'],
					},
				},
			},
		];
		const item = onlyJson(
			await fixture.run(
				complete({
					prompt: 'Which machines are there?',
					options: { tools: JSON.stringify(tools) },
				}),
			),
		);
		expect(item).toMatchObject({
			content: null,
			finish_reason: 'tool_calls',
			tool_calls: [
				{
					id: expect.any(String),
					function: { name: 'list_machines', arguments: '{"gpu":"Which machines are there?"}' },
				},
			],
		});
		expect(sentBody()).toMatchObject({ tools, tool_choice: 'auto' });
	});

	const asJson = async (
		message: IDataObject,
		options: IDataObject = { responseFormat: 'json_object' },
	) => {
		fixture.sandbox.faults.add({
			match: COMPLETIONS,
			status: 200,
			body: { choices: [{ index: 0, message, finish_reason: 'stop' }] },
		});
		return onlyJson(await fixture.run(complete({ options }, { onError: 'continueRegularOutput' })));
	};
	it('beside a tool call text is no JSON answer; without one it has to be', async () => {
		const calls = [{ id: 'a', function: { name: 'f', arguments: '{}' } }];
		expect(await asJson({ content: 'Let me look.', tool_calls: calls })).toMatchObject({
			content: 'Let me look.',
			tool_calls: calls,
		});
		expect((await asJson({ content: '', tool_calls: [] })).error).toBe(
			'The response is not valid JSON',
		);
		expect(await asJson({ content: '{"a":1}', tool_calls: [] })).toEqual({
			content: { a: 1 },
			finish_reason: 'stop',
			index: 0,
			usage: null,
		});
	});

	it('JSON that is null is null', async () => {
		expect((await asJson({ content: 'null' })).content).toBeNull();
	});

	it('an answer without choices is an error', async () => {
		fixture.sandbox.faults.add({
			match: COMPLETIONS,
			status: 200,
			body: { detail: 'maintenance' },
		});
		expect(errorOf(await fixture.run(complete())).message).toBe(
			'The response contains no choices: maintenance',
		);
	});
});

describe('credits and plans', () => {
	it('402 says what the plan has to do with it', async () => {
		const error = errorOf(await fixture.run(complete({ model: locator('premium/Frontier-1T') })));
		expect(error.message).toBe(
			'The plan does not cover this request (402): This model needs the Professional plan',
		);
		expect(error.description).toMatch(
			/each model has its own rate, the quota is daily or hourly, and all models of a paid plan draw from one pool\. Choose a model that the plan covers/,
		);
	});

	it.each([
		['in 7200 seconds', { 'retry-after': '7200' }, / It opens again in 2 hours\.$/],
		['without a time', {}, /Wait until the hour or the day is over/],
	])('429 %s gives up at once and says when to try again', async (_, headers, when) => {
		fixture.sandbox.faults.add({
			match: COMPLETIONS,
			...errorForms.errorObject(429, 'credits used up'),
			headers,
			times: 9,
		});
		const error = errorOf(await fixture.run(complete()));
		expect(error.message).toBe(
			'The limit of requests or credits is used up (429): credits used up',
		);
		expect(error.description).toMatch(when);
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it('a short Retry-After is waited for; a lost answer is not asked for again', async () => {
		fixture.sandbox.faults.add({ match: COMPLETIONS, ...errorForms.tooManyRequests(7) });
		expect(onlyJson(await fixture.run(complete()))).toHaveProperty('content');
		expect(fixture.time.waits).toEqual([7_000]);
		fixture.sandbox.faults.add({ match: COMPLETIONS, drop: 'after' });
		expect(errorOf(await fixture.run(complete())).message).toMatch(/broke before an answer came/);
		expect(fixture.sandbox.requests).toHaveLength(3);
	});

	it('a model may take ten minutes', async () => {
		fixture.sandbox.faults.add({ match: COMPLETIONS, delayMs: 599_000 });
		const running = fixture.run(complete());
		while (fixture.sandbox.requests.length === 0) await new Promise(setImmediate);
		await new Promise(setImmediate);
		fixture.sandbox.clock.advance(599_000);
		expect(onlyJson(await running)).toHaveProperty('content');
		fixture.sandbox.faults.add({ match: COMPLETIONS, hang: true });
		const late = fixture.run(complete());
		while (fixture.sandbox.requests.length < 2) await new Promise(setImmediate);
		fixture.sandbox.clock.advance(600_000);
		expect(errorOf(await late).message).toBe('No answer came within 600 seconds');
	});
});
