import type { IDataObject, StructuredChunk } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answersOf, runAsTool } from '../engine/agent.mts';
import { useFixture } from '../engine/fixture.mts';
import { chat, CONTINUE, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';

const fixture = useFixture({ streamNoise: true });
const COMPLETIONS = { path: /chat\/completions$/ };

const complete = (options: IDataObject = {}, parameters: IDataObject = {}, settings = {}) =>
	chat(
		'chat',
		'complete',
		{
			model: locator('meta-llama/Llama-3.3-70B-Instruct'),
			input: 'prompt',
			prompt: 'Which machine is cheap – and größer?',
			simplify: false,
			options,
			...parameters,
		},
		settings,
	);

const TOOLS = [
	{
		type: 'function',
		function: {
			name: 'machine_list',
			description: 'Every machine',
			parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
		},
	},
	{
		type: 'function',
		function: {
			name: 'machine_price',
			description: 'Price of a machine',
			parameters: {
				type: 'object',
				properties: { hours: { type: 'integer' } },
				required: ['hours'],
			},
		},
	},
];

const event = (chunk: unknown) => `data: ${JSON.stringify(chunk)}\n\n`;
const piece = (content: string, finish: string | null = null) =>
	event({
		id: 'x',
		model: 'm',
		choices: [{ index: 0, delta: { content }, finish_reason: finish }],
	});
const DONE = 'data: [DONE]\n\n';
const answerWith = (rawBody: string, contentType = 'text/event-stream') =>
	fixture.sandbox.faults.add({ match: COMPLETIONS, status: 200, rawBody, contentType });

describe('a streamed answer equals the whole one', () => {
	const kinds: IDataObject[] = [
		{ n: 2, reasoningContent: true },
		{ tools: JSON.stringify(TOOLS), reasoningEffort: 'low' },
		{ logprobs: true },
		{ responseFormat: 'json_object' },
	];
	it.each(kinds)(
		'over real sockets, through the engine: 50 seeds, each with chunks of its own, %j',
		async (kind) => {
			const items = Array.from({ length: 50 }, (_, index) => ({
				seed: index,
				q: `Which machine for "${'größe 🚀 '.repeat(index % 4)}"? ${index}`,
			}));
			const options = { seed: '={{ $json.seed }}', ...kind };
			const whole = jsonOf(
				await fixture.run(complete(options, { prompt: '={{ $json.q }}' }), items),
			);
			const streamed = jsonOf(
				await fixture.run(
					complete({ ...options, stream: true }, { prompt: '={{ $json.q }}' }),
					items,
				),
			);
			expect(streamed).toHaveLength(50);
			// What only an answer in one piece has
			expect(streamed).toEqual(whole.map(({ prompt_logprobs: _, ...rest }) => rest));
			const bodies = fixture.sandbox.requests.map(({ body }) => body as IDataObject);
			expect(bodies.filter(({ stream }) => stream === true)).toHaveLength(50);
		},
	);

	it('without usage where Include Usage is off', async () => {
		expect(
			onlyJson(await fixture.run(complete({ stream: true, includeUsage: false }))),
		).not.toHaveProperty('usage');
		expect(fixture.sandbox.requests[0]?.body).toMatchObject({
			stream: true,
			stream_options: { include_usage: false },
		});
	});

	it('stream_options are sent with a stream alone', async () => {
		for (const options of [
			{},
			{ stream: false },
			{ extraBody: '{"stream_options": {"include_usage": true}}' },
		]) {
			onlyJson(await fixture.run(complete({ includeUsage: true, ...options })));
			expect(fixture.sandbox.requests.at(-1)?.body).not.toHaveProperty('stream_options');
		}
	});

	it('from a service that answers with plain JSON', async () => {
		answerWith(
			JSON.stringify({ choices: [{ index: 0, message: { content: 'plain' } }] }),
			'application/json',
		);
		expect(onlyJson(await fixture.run(complete({ stream: true })))).toEqual({
			choices: [{ index: 0, message: { content: 'plain' } }],
		});
	});

	it('without [DONE], where each choice has a finish_reason', async () => {
		answerWith(piece('a') + piece('b', 'stop'));
		expect(
			onlyJson(await fixture.run(complete({ stream: true }, { simplify: true }))),
		).toMatchObject({ content: 'ab', finish_reason: 'stop' });
	});

	it('with [DONE], where no choice has a finish_reason', async () => {
		const pieces = [0, 1].map((index) =>
			event({ choices: [{ index, delta: { content: `Answer ${index}` } }] }),
		);
		const answered = async (n: number, ...events: string[]) => {
			answerWith(events.join(''));
			return await fixture.run(complete({ stream: true, n }, { simplify: true }));
		};
		expect(jsonOf(await answered(2, ...pieces, DONE)).map(({ content }) => content)).toEqual([
			'Answer 0',
			'Answer 1',
		]);
		for (const half of [pieces, [pieces[0] ?? '', DONE], [DONE]])
			expect(errorOf(await answered(2, ...half)).message).toBe(
				'The response ended early: the stream ended without a finish reason',
			);
	});
});

describe('in a chat', () => {
	const heard = async (node: ReturnType<typeof complete>) => {
		const chunks: StructuredChunk[] = [];
		const run = await fixture.run(node, [{}], {
			mode: 'webhook',
			onChunk: (chunk) => chunks.push(chunk),
		});
		return {
			run,
			types: chunks.map(({ type }) => type),
			errors: chunks.flatMap(({ type, content }) => (type === 'error' ? [content] : [])),
			text: chunks.map(({ type, content }) => (type === 'item' ? content : '')).join(''),
		};
	};

	it('the first choice is forwarded as it comes', async () => {
		const { run, types, text } = await heard(
			complete({ n: 2, reasoningContent: true }, { simplify: true }),
		);
		expect(text).toBe(jsonOf(run)[0]?.content);
		expect(types.length).toBeGreaterThan(10);
		expect([types[0], types.at(-1), new Set(types.slice(1, -1))]).toEqual([
			'begin',
			'end',
			new Set(['item']),
		]);
	});

	it('a text that ended at the token limit was cut off, which the chat shows', async () => {
		answerWith(piece('Half') + piece('', 'length') + DONE);
		const { run, types, text } = await heard(complete({}, { simplify: true }));
		expect(onlyJson(run)).toMatchObject({ content: 'Half', finish_reason: 'length' });
		expect([types.at(-1), text]).toEqual(['end', 'Half\n\n(The answer was cut off.)']);
	});

	it('an answer that ended well brings no error, also where the node continues on one', async () => {
		answerWith(piece('Whole', 'stop'));
		const { types } = await heard(complete({}, {}, CONTINUE));
		expect(types).toEqual(['begin', 'item', 'end']);
	});

	it('an answer in one piece is forwarded too', async () => {
		answerWith(
			JSON.stringify({
				choices: [{ index: 0, message: { content: 'plain' }, finish_reason: 'stop' }],
			}),
			'application/json',
		);
		const { types, text } = await heard(complete());
		expect([types, text]).toEqual([['begin', 'item', 'end'], 'plain']);
	});

	it('nothing is forwarded where the option is off, or no chat listens', async () => {
		expect((await heard(complete({ stream: false }))).types).toEqual([]);
		await fixture.run(complete());
		expect(fixture.sandbox.requests.map(({ body }) => (body as IDataObject).stream)).toEqual([
			undefined,
			undefined,
		]);
	});

	it('an error is forwarded too', async () => {
		answerWith(piece('Half'));
		const { types, text } = await heard(complete());
		expect([types, text]).toEqual([['begin', 'item', 'error'], 'Half']);
		answerWith(piece('Half'));
		const continued = await heard(complete({}, {}, CONTINUE));
		expect([continued.types, continued.errors]).toEqual([
			['begin', 'item', 'error'],
			['The response ended early'],
		]);
	});

	it('a tool answers its agent, not the chat', async () => {
		const answer = await fixture.engine.tool(complete({}, { simplify: true }))({});
		expect(JSON.parse(answer)).toEqual([expect.objectContaining({ finish_reason: 'stop' })]);
	});

	it('so does a tool that n8n runs for its agent in a chat', async () => {
		const chunks: StructuredChunk[] = [];
		const run = await runAsTool(fixture.engine, complete({}, { simplify: true }), [{}], undefined, {
			mode: 'webhook',
			onChunk: (chunk) => chunks.push(chunk),
		});
		expect(answersOf(run)).toEqual([[expect.objectContaining({ finish_reason: 'stop' })]]);
		expect(chunks).toEqual([]);
	});
});
