import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, Client, violations } from '../sandbox/testing/client.mts';

/** intelligence-api.md: What the service does, Chat completion response, Chat completions, Errors, Limits. */
const fixture = useFixture();
const PATH = '/intelligence/api/v1/chat/completions';
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';

const messages = [
	{ role: 'system', content: 'Be brief.' },
	{ role: 'user', content: 'Why?' },
];
const complete = (options: IDataObject = {}, more: IDataObject = {}) =>
	chat('chat', 'complete', {
		model: locator(MODEL),
		input: 'messages',
		messages: { values: messages },
		options,
		simplify: false,
		...more,
	});
const raw = async (options: IDataObject = {}, more: IDataObject = {}) =>
	onlyJson(await fixture.run(complete(options, more)));
const sentBody = () => fixture.sandbox.requests[0]?.body as IDataObject;

async function api<T>(
	use: (client: Client) => Promise<T>,
	headers: Record<string, string> = {
		authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}`,
	},
): Promise<T> {
	const client = new Client(fixture.sandbox.url, headers);
	try {
		return await use(client);
	} finally {
		await client.close();
	}
}

describe('chat completions: the endpoint', () => {
	it('[chat.path] POST /api/v1/chat/completions, relative to the intelligence URL', async () => {
		await raw();
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'POST', path: PATH, query: {}, status: 200 },
		]);
		expect((await api((client) => client.get(PATH))).status).toBe(404);
	});

	it('[chat.auth] header Authorization: Bearer, and no other key header', async () => {
		await raw();
		const { headers } = fixture.sandbox.requests[0] ?? {};
		expect(headers?.authorization).toBe(`Bearer ${fixture.sandbox.keys.intelligenceKey}`);
		expect([headers?.['x-api-key'], headers?.token]).toEqual([undefined, undefined]);
		expect((await api((client) => client.post(PATH, { model: MODEL, messages }), {})).status).toBe(
			401,
		);
	});

	it('[chat.contentType] header Content-Type: application/json', async () => {
		await raw();
		expect(fixture.sandbox.requests[0]?.headers['content-type']).toBe('application/json');
		const plain = await api((client) =>
			client.call(PATH, { method: 'POST', raw: JSON.stringify({ model: MODEL, messages }) }),
		);
		expect(violations(plain)).toEqual(['body: dict_type']);
	});

	it('[chat.keySecret] the key is in no output, error or log', async () => {
		const output = JSON.stringify(await raw());
		fixture.sandbox.faults.add({
			status: 400,
			body: { detail: `the key ${fixture.sandbox.keys.intelligenceKey} is odd` },
		});
		const error = errorOf(await fixture.run(complete()));
		expect(output + JSON.stringify(error) + String(error.stack)).not.toContain(
			fixture.sandbox.keys.intelligenceKey,
		);
		expect(error.message).toBe('Request rejected (400): the key *** is odd');
	});
});

describe('chat completions: body fields', () => {
	it('[chat.model] string, required, a model id from the model list', async () => {
		await raw();
		expect(sentBody().model).toBe(MODEL);
		expect(violations(await api((client) => client.post(PATH, { messages })))).toEqual([
			'body.model: missing',
		]);
		expect(
			errorOf(await fixture.run(complete({}, { model: locator('={{ null }}') }))).message,
		).toMatch(/^Model (is required|must be)/);
	});

	it('[chat.messages] array, required, items with role and content', async () => {
		await raw();
		expect(sentBody().messages).toEqual(messages);
		expect(
			violations(await api((client) => client.post(PATH, { model: MODEL, messages: [] }))),
		).toEqual(['body.messages: too_short']);
		expect(errorOf(await fixture.run(complete({}, { messages: { values: [] } }))).message).toBe(
			'Messages is required: add at least one message',
		);
	});

	it('[chat.messages.role] string, for example system, user', async () => {
		const values = ['system', 'user', 'assistant', 'developer'].map((role) => ({
			role,
			content: 'x',
		}));
		await raw({}, { messages: { values } });
		expect(sentBody().messages).toEqual(values);
	});

	it('[chat.messages.content] string, sent as it is', async () => {
		await raw({}, { messages: { values: [{ role: 'user', content: '  two\n\nlines  ' }] } });
		expect(sentBody().messages).toEqual([{ role: 'user', content: '  two\n\nlines  ' }]);
	});

	const fields: Array<[name: string, option: IDataObject, sent: IDataObject]> = [
		['temperature', { temperature: 0.2 }, { temperature: 0.2 }],
		['stream', { stream: true }, { stream: true, stream_options: { include_usage: true } }],
		['max_completion_tokens', { maxCompletionTokens: 4 }, { max_completion_tokens: 4 }],
		['reasoning_content', { reasoningContent: true }, { reasoning_content: true }],
		['n', { n: 3 }, { n: 3 }],
	];
	it.each(fields)(
		'[chat.%s] is sent where it was set, and nothing is sent where it was not',
		async (_, option, sent) => {
			await raw(option);
			expect(sentBody()).toEqual({ model: MODEL, messages, ...sent });
			fixture.sandbox.reset();
			await raw();
			expect(sentBody()).toEqual({ model: MODEL, messages });
		},
	);

	it('[chat.temperature.effect] a number; text is an error, and nothing is sent', async () => {
		expect(errorOf(await fixture.run(complete({ temperature: '={{ "hot" }}' }))).message).toBe(
			'Options: Temperature must be a number, got "hot"',
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('[chat.stream.effect] on: the answer comes as events; off: as one document', async () => {
		const [streamed, whole] = [await raw({ stream: true }), await raw({ stream: false })];
		expect(fixture.sandbox.requests.map(({ body }) => at(body, 'stream'))).toEqual([
			true,
			undefined,
		]);
		expect(at(streamed, 'choices', 0, 'message', 'content')).toBe(
			at(whole, 'choices', 0, 'message', 'content'),
		);
	});

	it('[chat.max_completion_tokens.effect] upper bound of generated tokens', async () => {
		expect(await raw({ maxCompletionTokens: 4 })).toMatchObject({
			usage: { completion_tokens: 4 },
			choices: [{ finish_reason: 'length' }],
		});
		expect(errorOf(await fixture.run(complete({ maxCompletionTokens: 0 }))).message).toBe(
			'Options: Max Completion Tokens must be a whole number of at least 1, got 0',
		);
	});

	it('[chat.reasoning_content.effect] requests reasoning content', async () => {
		expect(
			at(await raw({ reasoningContent: true }), 'choices', 0, 'message', 'reasoning_content'),
		).toEqual(expect.any(String));
		expect(at(await raw(), 'choices', 0, 'message')).not.toHaveProperty('reasoning_content');
	});

	it.each([1, 20])(
		'[chat.n.effect] [chat.n.max] the number of choices is set by n, 1 to 20: %i',
		async (n) => {
			expect(((await raw({ n })).choices as unknown[]).length).toBe(n);
			expect(errorOf(await fixture.run(complete({ n: n === 1 ? 0 : 21 }))).message).toMatch(
				/^Options: Number of Choices must be a whole number from 1 to 20, got (0|21)$/,
			);
			const wrong = await Promise.all(
				[0, 21].map(async (count) =>
					violations(
						await api((client) => client.post(PATH, { model: MODEL, messages, n: count })),
					),
				),
			);
			expect(wrong).toEqual([['body.n: greater_than_equal'], ['body.n: less_than_equal']]);
		},
	);
});

describe('chat completion response: fields', () => {
	it.each<[path: string, value: unknown]>([
		['id', expect.stringMatching(/^chatcmpl-/)],
		['object', 'chat.completion'],
		['created', expect.any(Number)],
		['model', MODEL],
		['choices', [expect.any(Object)]],
		['choices.0.index', 0],
		['choices.0.message.role', 'assistant'],
		['choices.0.message.content', expect.any(String)],
		['choices.0.logprobs', null],
		['choices.0.finish_reason', 'stop'],
		['choices.0.stop_reason', null],
		['usage.prompt_tokens', expect.any(Number)],
		['usage.total_tokens', expect.any(Number)],
		['usage.completion_tokens', expect.any(Number)],
		['usage.prompt_tokens_details', null],
		['prompt_logprobs', null],
	])('[chat.response.%s] from the service to the raw item, nulls too', async (path, value) => {
		const item = await raw();
		const keys = path.split('.').map((key) => (key === '0' ? 0 : key));
		expect(at(item, ...keys)).toEqual(value);
		const { json } = await api((client) => client.post(PATH, { model: MODEL, messages }));
		expect(at(item, ...keys)).toEqual(at(json, ...keys));
	});

	it('[chat.response.logprobs] null when not requested, values when requested', async () => {
		expect(at(await raw({ logprobs: true }), 'choices', 0, 'logprobs', 'content', 0)).toMatchObject(
			{ token: 'Answer', logprob: expect.any(Number) },
		);
	});

	it('[chat.response.simplified] content, finish reason, index, model and usage of each choice', async () => {
		const items = jsonOf(await fixture.run(complete({ n: 2 }, { simplify: true })));
		expect(items.map((item) => Object.keys(item))).toEqual(
			[1, 2].map(() => ['content', 'finish_reason', 'index', 'model', 'usage']),
		);
	});
});

describe('errors and limits', () => {
	it('[intelligence.422] the validation error body: detail of loc, msg, type', async () => {
		expect(
			violations(await api((client) => client.post(PATH, { model: MODEL, messages, n: 21 }))),
		).toEqual(['body.n: less_than_equal']);
		fixture.sandbox.faults.add({
			status: 422,
			body: {
				detail: [
					{ loc: ['body', 'n'], msg: 'must be at most 20', type: 'less_than_equal' },
					{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' },
				],
			},
		});
		expect(errorOf(await fixture.run(complete())).message).toBe(
			'n: must be at most 20; model: Field required',
		);
	});

	it.each([
		['quota', /the quota is daily or hourly/],
		['rate', /each model has its own rate/],
		['pool', /all models of a paid plan draw from one pool/],
	])('[intelligence.limits.%s] is in the error of a limit', async (_, words) => {
		fixture.sandbox.faults.add({ status: 429, body: { detail: 'quota exceeded' }, times: 3 });
		expect(errorOf(await fixture.run(complete())).description).toMatch(words);
		fixture.sandbox.faults.clear();
		fixture.sandbox.faults.add({ status: 402, body: { detail: 'plan' } });
		expect(errorOf(await fixture.run(complete())).description).toMatch(words);
	});
});
