import { describe, expect, it } from 'vitest';
import { manualClock, startSandbox } from '../sandbox/index.mts';
import { Client, at, listAt, violations } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, api] = await useSandbox(
	(service) =>
		new Client(`${service.intelligenceUrl}/api/v1`, {
			authorization: `Bearer ${service.keys.intelligenceKey}`,
		}),
);

const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';
const ask = (content: unknown, more: object = {}) =>
	api.post('/chat/completions', { model: MODEL, messages: [{ role: 'user', content }], ...more });
const contents = (json: unknown) =>
	listAt(json, 'choices').map((choice) => String(at(choice, 'message', 'content')));

describe('the key', () => {
	it.each(['authorization', 'x-api-key', 'token'])(
		'may come in %s, but in one header only',
		async (name) => {
			const plain = new Client(`${sandbox.intelligenceUrl}/api/v1`);
			const key = sandbox.keys.intelligenceKey;
			const all: Record<string, string> = {
				authorization: `Bearer ${key}`,
				'x-api-key': key,
				token: key,
			};
			expect((await plain.call('/models', { headers: { [name]: all[name] ?? '' } })).status).toBe(
				200,
			);
			const { [name]: _own, ...others } = all;
			for (const [other, value] of Object.entries(others)) {
				expect(
					(await plain.call('/models', { headers: { [name]: all[name] ?? '', [other]: value } }))
						.status,
				).toBe(400);
			}
			await plain.close();
		},
	);
});

describe('models', () => {
	it('come in the list of the specification', async () => {
		const { json } = await api.get('/models');
		expect(at(json, 'object')).toBe('list');
		const model = listAt(json, 'data').find((entry) => at(entry, 'id') === MODEL);
		expect(model).toMatchObject({
			object: 'model',
			owned_by: 'svc-intelligence',
			root: null,
			parent: null,
			max_model_len: 131_072,
		});
		expect(at(model, 'permission', 0)).toMatchObject({
			object: 'model_permission',
			organization: '*',
			group: null,
			is_blocking: false,
		});
		expect(listAt(json, 'data').some((entry) => at(entry, 'max_model_len') === null)).toBe(true);
	});

	it('for embeddings carry more fields', async () => {
		const { json } = await api.get('/embedding-models');
		expect(at(json, 'data', 0)).toMatchObject({
			max_tokens: 8192,
			context_window: 8192,
			supports_images_input: false,
			supports_prompt_cache: false,
			input_token_price: expect.any(Number),
			output_token_price: 0,
			cache_write_token_price: 0,
			cache_read_token_price: 0,
			precision: 'fp16',
		});
	});

	it('come in pages by choice', async () => {
		const other = await startSandbox({ clock: manualClock(), modelsShape: 'paged' });
		const client = new Client(`${other.intelligenceUrl}/api/v1`, {
			token: other.keys.intelligenceKey,
		});
		const { json } = await client.get('/models?page=2&page_size=1&q=a');
		expect(at(json, 'pagination')).toMatchObject({ page: 2, page_size: 1, has_previous: true });
		expect(listAt(json, 'data')).toEqual([
			expect.objectContaining({ model_id: expect.any(String), name: expect.any(String) }),
		]);
		expect((await client.get('/models?page_size=101')).status).toBe(422);
		expect((await client.get('/models?page=0')).status).toBe(422);
		await client.close();
		await other.close();
	});
});

describe('chat completions', () => {
	it('answer the same question the same way, another one differently', async () => {
		const [first, again, other] = [await ask('Why?'), await ask('Why?'), await ask('How?')];
		expect(first.json).toEqual(again.json);
		expect(contents(first.json)).not.toEqual(contents(other.json));
		expect(first.json).toMatchObject({
			object: 'chat.completion',
			created: sandbox.clock.now() / 1000,
			model: MODEL,
			choices: [
				{
					index: 0,
					message: { role: 'assistant' },
					logprobs: null,
					finish_reason: 'stop',
					stop_reason: null,
				},
			],
			prompt_logprobs: null,
		});
	});

	it('count the tokens', async () => {
		const { json } = await ask('one two three');
		expect(at(json, 'usage', 'prompt_tokens')).toBe(3);
		expect(at(json, 'usage', 'total_tokens')).toBe(
			3 + Number(at(json, 'usage', 'completion_tokens')),
		);
		const short = await ask('one two three', { max_completion_tokens: 4 });
		expect(at(short.json, 'usage', 'completion_tokens')).toBe(4);
		expect(at(short.json, 'choices', 0, 'finish_reason')).toBe('length');
	});

	it('give n choices', async () => {
		const { json } = await ask('Why?', { n: 3 });
		expect(new Set(contents(json)).size).toBe(3);
		expect(listAt(json, 'choices').map((choice) => at(choice, 'index'))).toEqual([0, 1, 2]);
	});

	it('reason and write JSON when asked to', async () => {
		const reasoned = await ask('Why?', { reasoning_content: true });
		expect(at(reasoned.json, 'choices', 0, 'message', 'reasoning_content')).toBe(
			'The question has 2 tokens.',
		);
		expect(at(reasoned.json, 'usage', 'completion_tokens_details', 'reasoning_tokens')).toBe(6);
		const [json = ''] = contents(
			(await ask('Why?', { response_format: { type: 'json_object' } })).json,
		);
		expect(JSON.parse(json)).toHaveProperty('answer');
	});

	it('take parts and unknown keys', async () => {
		const parts = [
			{ type: 'text', text: 'Why?' },
			{ type: 'image_url', image_url: { url: 'https://images.example/a.png' } },
		];
		expect((await ask(parts, { some_new_option: 1 })).status).toBe(200);
	});

	it('stream the same words as events', async () => {
		const whole = await ask('Why is it so?', { n: 2 });
		const { type, text } = await ask('Why is it so?', { n: 2, stream: true });
		expect(type).toBe('text/event-stream');
		const events = text
			.trimEnd()
			.split('\n\n')
			.map((event) => event.replace(/^data: /, ''));
		expect(events.pop()).toBe('[DONE]');
		const chunks = events.map((event): unknown => JSON.parse(event));
		const spoken = ['', ''];
		for (const chunk of chunks) {
			for (const choice of listAt(chunk, 'choices'))
				spoken[Number(at(choice, 'index'))] += String(at(choice, 'delta', 'content') ?? '');
		}
		expect(spoken).toEqual(contents(whole.json));
		expect(chunks.at(-1)).toMatchObject({
			object: 'chat.completion.chunk',
			choices: [],
			usage: at(whole.json, 'usage'),
		});
		const bare = await ask('Why is it so?', {
			stream: true,
			stream_options: { include_usage: false },
		});
		expect(bare.text).not.toContain('usage');
	});

	it.each([
		[{ n: 0 }, 'body.n: greater_than_equal'],
		[{ n: 21 }, 'body.n: less_than_equal'],
		[{ messages: [] }, 'body.messages: too_short'],
		[{ messages: [{ role: 'robot', content: 'x' }] }, 'body.messages.0.role: enum'],
		[{ max_completion_tokens: 0 }, 'body.max_completion_tokens: greater_than_equal'],
		[{ stream: 'yes' }, 'body.stream: bool_type'],
		[{ temperature: 'hot' }, 'body.temperature: float_type'],
		[{ response_format: { type: 'xml' } }, 'body.response_format.type: enum'],
	])('refuse %j', async (changes, violation) => {
		const answer = await ask('Why?', changes);
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
	});

	it('accept n up to 20, and do not know every model', async () => {
		expect(contents((await ask('Why?', { n: 20 })).json)).toHaveLength(20);
		const unknown = await ask('Why?', { model: 'nobody/nothing' });
		expect([unknown.status, at(unknown.json, 'error', 'code')]).toEqual([404, 'model_not_found']);
	});
});

describe('embeddings', () => {
	const model = 'BAAI/bge-multilingual-gemma2';
	const vector = (json: unknown, index: number) =>
		listAt(json, 'data', index, 'embedding').map(Number);
	const near = (a: number[], b: number[]) =>
		a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);

	it('are near for texts that share words', async () => {
		const { json } = await api.post('/embeddings', {
			model,
			input: ['a red house', 'the red house', 'something else'],
		});
		expect(json).toMatchObject({
			object: 'list',
			model,
			usage: { prompt_tokens: 8, total_tokens: 8 },
		});
		expect(vector(json, 0)).toHaveLength(256);
		expect(near(vector(json, 0), vector(json, 0))).toBeCloseTo(1, 6);
		expect(near(vector(json, 0), vector(json, 1))).toBeGreaterThan(
			near(vector(json, 0), vector(json, 2)),
		);
	});

	it('come as base64, in other sizes, for one text', async () => {
		const { json } = await api.post('/embeddings', {
			model,
			input: 'a',
			dimensions: 8,
			encoding_format: 'base64',
		});
		expect(Buffer.from(String(at(json, 'data', 0, 'embedding')), 'base64')).toHaveLength(32);
	});

	it('refuse bad input', async () => {
		expect(
			violations(await api.post('/embeddings', { input: [], encoding_format: 'hex' })).sort(),
		).toEqual(['body.encoding_format: enum', 'body.input: too_short', 'body.model: missing']);
		expect((await api.post('/embeddings', { model: MODEL, input: 'a' })).status).toBe(404);
	});
});

describe('agents', () => {
	it('are listed by key', async () => {
		const { json } = await api.get('/agents');
		expect(Object.keys(Object(at(json, 'agents')))).toHaveLength(8);
		expect(at(json, 'agents', 'summary_agent')).toEqual({
			name: 'Summary Agent',
			description: expect.any(String),
			persona: null,
			metadata: { image_url: null, tags: ['text'] },
		});
	});

	it('run', async () => {
		const run = (body: object) =>
			api.post('/workflows/run', { agent_names: ['summary_agent'], ...body });
		expect(
			(await run({ objective: 'a text', args: { type: 'summarize_text', max_words: 3 } })).json,
		).toMatchObject({ result: 'summarize_text: a text' });
		expect((await run({ text: 'a text', args: { type: 'sentiment' } })).json).toMatchObject({
			result: { sentiment: expect.any(Number) },
		});
		expect(violations(await run({}))).toEqual(['body.objective: missing']);
		expect(violations(await run({ objective: 'x', args: { type: 'dance' } }))).toEqual([
			'body.args.type: enum',
		]);
		expect(violations(await run({ objective: 'x', agent_names: [] }))).toEqual([
			'body.agent_names: too_short',
		]);
		expect((await run({ objective: 'x', agent_names: ['nobody'] })).status).toBe(404);
	});
});
