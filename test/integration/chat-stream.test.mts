import { setImmediate } from 'node:timers/promises';
import type { IDataObject, StructuredChunk } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { answersOf, runAsTool } from '../engine/agent.mts';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { errorForms } from '../sandbox/index.mts';

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
const failing = (data: string) => `event: error\ndata: ${data}\n\n`;
const answerWith = (rawBody: string, contentType = 'text/event-stream') =>
	fixture.sandbox.faults.add({ match: COMPLETIONS, status: 200, rawBody, contentType });

describe('streamed is whole', () => {
	const kinds: IDataObject[] = [
		{ n: 2, reasoningContent: true },
		{ tools: JSON.stringify(TOOLS), reasoningEffort: 'low' },
		{ logprobs: true },
		{ responseFormat: 'json_object' },
	];
	const rounds = kinds.flatMap((kind) =>
		Array.from({ length: 5 }, (_, round) => ({ kind, round })),
	);
	it.each(rounds)(
		'over real sockets, through the engine: 50 of 1,000 seeded chunkings, $kind, $round',
		async ({ kind, round }) => {
			const items = Array.from({ length: 50 }, (_, index) => ({
				seed: 50 * round + index,
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

	it('without usage where it is not wanted', async () => {
		expect(
			onlyJson(await fixture.run(complete({ stream: true, includeUsage: false }))),
		).not.toHaveProperty('usage');
		expect(fixture.sandbox.requests[0]?.body).toMatchObject({
			stream: true,
			stream_options: { include_usage: false },
		});
	});

	it('options of a stream go with a stream alone', async () => {
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

	it('with a missing [DONE], when every choice has its end', async () => {
		answerWith(piece('a') + piece('b', 'stop'));
		expect(
			onlyJson(await fixture.run(complete({ stream: true }, { simplify: true }))),
		).toMatchObject({ content: 'ab', finish_reason: 'stop' });
	});

	it('with [DONE], from a service that never sends a finish_reason', async () => {
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

describe('a stream that breaks off is an error with all that came', () => {
	const cuts: Array<[string, () => void, string]> = [
		[
			'ends without a finish_reason',
			() => answerWith(piece('Half an ') + piece('answer')),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'ends before the second choice',
			() => answerWith(piece('Half an answer', 'stop')),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is done without a finish_reason',
			() => answerWith(piece('Half an ') + piece('answer') + DONE),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is done with an empty finish_reason',
			() => answerWith(piece('Half an answer', '') + DONE),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is done before the second choice',
			() => answerWith(piece('Half an answer', 'stop') + DONE),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'is cut inside a chunk',
			() => answerWith(piece('Half an answer') + piece('nothing').slice(0, 30)),
			'The response ended early: the stream ended without a finish reason',
		],
		[
			'reports an error',
			() => answerWith(piece('Half an answer') + event({ error: { message: 'out of memory' } })),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends an error event',
			() => answerWith(piece('Half an answer') + failing('{"message": "out of memory"}') + DONE),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends an error event in plain text',
			() => answerWith(piece('Half an answer') + failing('out of memory') + DONE),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends an error event that says nothing',
			() => answerWith(piece('Half an answer', 'stop') + failing('{}') + DONE),
			'The response ended early: the service reports an error',
		],
		[
			'sends a detail in place of a chunk',
			() => answerWith(piece('Half an answer') + event({ detail: 'out of memory' }) + DONE),
			'The response ended early: the service reports: out of memory',
		],
		[
			'sends a message in place of a chunk',
			() =>
				answerWith(
					piece('Half an answer') + event({ object: 'error', message: 'out of memory' }) + DONE,
				),
			'The response ended early: the service reports: out of memory',
		],
		[
			'turns into something else',
			() => answerWith(`${piece('Half an answer')}data: oops\n\n`),
			'The response ended early: the service sent a chunk that is not a JSON object',
		],
		[
			'is reset',
			() =>
				fixture.sandbox.faults.add({
					match: COMPLETIONS,
					status: 200,
					rawBody: piece('Half an answer').repeat(2),
					contentType: 'text/event-stream',
					cutBodyAt: piece('Half an answer').length + 5,
				}),
			'The response ended early: the connection was lost',
		],
	];
	it.each(cuts)('%s', async (title, arrange, message) => {
		arrange();
		const options = { stream: true, ...(title.includes('second choice') && { n: 2 }) };
		const error = errorOf(await fixture.run(complete(options)));
		expect(error.message).toBe(message);
		expect(error.description).toContain('The response starts with: Half an answer');
		arrange();
		const item = onlyJson(
			await fixture.run(complete(options, {}, { onError: 'continueRegularOutput' })),
		);
		expect(item).toMatchObject({
			error: message,
			details: { partial: { choices: [{ index: 0, message: { content: 'Half an answer' } }] } },
		});
	});

	it('the key in an error of the service is hidden', async () => {
		const { intelligenceKey } = fixture.sandbox.keys;
		answerWith(
			piece('Half') + event({ error: { message: `no credit left for ${intelligenceKey}` } }),
		);
		const error = errorOf(await fixture.run(complete({ stream: true })));
		expect(error.message).toBe(
			'The response ended early: the service reports: no credit left for ***',
		);
		expect(JSON.stringify(error.context)).not.toContain(intelligenceKey);
	});

	it('a cancelled execution ends the stream at once', async () => {
		const cancel = new AbortController();
		fixture.sandbox.faults.add({ match: COMPLETIONS, slowBytes: { chunk: 10, everyMs: 50 } });
		const running = fixture.run(complete({ stream: true }), [{}], { cancel: cancel.signal });
		while (fixture.sandbox.requests[0]?.status === undefined) await setImmediate();
		const waited = ownMilliseconds();
		cancel.abort();
		await running;
		expect(waited()).toBeLessThan(100);
	});

	it('a web page is none, and the Base URL is the place to look', async () => {
		fixture.sandbox.faults.add({ match: COMPLETIONS, ...errorForms.html(200, 'Log in') });
		const error = errorOf(await fixture.run(complete({ stream: true })));
		expect(error.message).toBe(
			'The answer is not a JSON object: an HTML page titled "200 Log in" instead of JSON',
		);
		expect(error.description).toContain('Check the Base URL');
	});

	it('a refusal before the stream is told as ever', async () => {
		fixture.sandbox.faults.add({
			match: COMPLETIONS,
			...errorForms.detailList(422, [{ loc: ['body', 'n'], msg: 'must be at most 20', type: 'x' }]),
		});
		expect(errorOf(await fixture.run(complete({ stream: true }))).message).toBe(
			'n: must be at most 20',
		);
		fixture.sandbox.faults.add({ match: COMPLETIONS, ...errorForms.tooManyRequests(3) });
		expect(onlyJson(await fixture.run(complete({ stream: true })))).toHaveProperty('choices');
		expect(fixture.time.waits).toEqual([3_000]);
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
			text: chunks.map(({ type, content }) => (type === 'item' ? content : '')).join(''),
		};
	};

	it('the text of the first choice is forwarded as it comes', async () => {
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

	it('an answer in one piece is heard too', async () => {
		answerWith(
			JSON.stringify({
				choices: [{ index: 0, message: { content: 'plain' }, finish_reason: 'stop' }],
			}),
			'application/json',
		);
		const { types, text } = await heard(complete());
		expect([types, text]).toEqual([['begin', 'item', 'end'], 'plain']);
	});

	it('not where the option forbids it, nor where nothing listens', async () => {
		expect((await heard(complete({ stream: false }))).types).toEqual([]);
		await fixture.run(complete());
		expect(fixture.sandbox.requests.map(({ body }) => (body as IDataObject).stream)).toEqual([
			undefined,
			undefined,
		]);
	});

	it('a break is heard too', async () => {
		answerWith(piece('Half'));
		const { types, text } = await heard(complete());
		expect([types, text]).toEqual([['begin', 'item', 'error'], 'Half']);
		answerWith(piece('Half'));
		expect((await heard(complete({}, {}, { onError: 'continueRegularOutput' }))).types).toEqual([
			'begin',
			'item',
			'error',
		]);
	});

	it('a tool tells its agent, not the chat', async () => {
		const answer = await fixture.engine.tool(complete({}, { simplify: true }))({});
		expect(JSON.parse(answer)).toEqual([expect.objectContaining({ finish_reason: 'stop' })]);
	});

	it('a tool that n8n runs for its agent in a chat does so, too', async () => {
		const chunks: StructuredChunk[] = [];
		const run = await runAsTool(fixture.engine, complete({}, { simplify: true }), [{}], undefined, {
			mode: 'webhook',
			onChunk: (chunk) => chunks.push(chunk),
		});
		expect(answersOf(run)).toEqual([[expect.objectContaining({ finish_reason: 'stop' })]]);
		expect(chunks).toEqual([]);
	});
});
