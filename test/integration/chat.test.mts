import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
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

describe('output', () => {
	it('simplified: one item per choice', async () => {
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

	it('a hint with the tokens of all items', async () => {
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

	it('in the order of the items, with at most five requests at once', async () => {
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

	it('JSON mode: parsed', async () => {
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
	it('JSON schema: sent, and the answer parsed', async () => {
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
		['is cut off', '{"machine": "A1', 'length', 'The response was cut off at the token limit'],
	])('an answer that %s is an error that holds it', async (_, content, reason, message) => {
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

	it('tool calls, in the simplified item', async () => {
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
	it('text beside a tool call need not be JSON; without one it has to be', async () => {
		const calls = [{ id: 'a', function: { name: 'f', arguments: '{}' } }];
		expect(await asJson({ content: 'Let me look.', tool_calls: calls })).toMatchObject({
			content: 'Let me look.',
			tool_calls: calls,
		});
		expect((await asJson({ content: '', tool_calls: [] })).error).toBe('The response is empty');
		expect(await asJson({ content: '{"a":1}', tool_calls: [] })).toEqual({
			content: { a: 1 },
			finish_reason: 'stop',
			index: 0,
			usage: null,
		});
	});

	it('Response Format Text leaves JSON as the model wrote it', async () => {
		const item = await asJson({ content: '{"a": 1}' }, { responseFormat: 'text' });
		expect(item.content).toBe('{"a": 1}');
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

describe('quotas, retries and deadlines', () => {
	it('402 explains the plan', async () => {
		const error = errorOf(await fixture.run(complete({ model: locator('premium/Frontier-1T') })));
		expect(error.message).toBe('Payment required (402): This model needs the Professional plan');
		expect(error.description).toMatch(
			/each model has its own rate, the quota is daily or hourly, and all models of a paid plan draw from one pool\. Choose a model that the plan covers/,
		);
	});

	it.each([['in 7200 seconds', { 'retry-after': '7200' }, / Retry after 2 hours\.$/]])(
		'429 %s: no retry, and when to try again',
		async (_, headers, when) => {
			fixture.sandbox.faults.add({
				match: COMPLETIONS,
				...errorForms.errorObject(429, 'credits used up'),
				headers,
				times: 9,
			});
			const error = errorOf(await fixture.run(complete()));
			expect(error.message).toBe('Rate limit or quota exceeded (429): credits used up');
			expect(error.description).toMatch(when);
			expect(fixture.sandbox.requests).toHaveLength(1);
		},
	);

	it('a short Retry-After is waited for; a lost answer is not requested again', async () => {
		fixture.sandbox.faults.add({ match: COMPLETIONS, ...errorForms.tooManyRequests(7) });
		expect(onlyJson(await fixture.run(complete()))).toHaveProperty('content');
		expect(fixture.time.waits).toEqual([7_000]);
		fixture.sandbox.faults.add({ match: COMPLETIONS, drop: 'after' });
		expect(errorOf(await fixture.run(complete())).message).toMatch(
			/was lost before a response arrived/,
		);
		expect(fixture.sandbox.requests).toHaveLength(3);
	});

	it('a model has ten minutes', async () => {
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
		expect(errorOf(await late).message).toBe('No response within 600 seconds');
	});
});
