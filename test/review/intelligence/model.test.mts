import { describe, expect, it } from 'vitest';
import { chatModel } from '../../engine/nodes.mts';
import { chunk, stream } from './forms.mts';
import { rejected, usePlay } from './setup.mts';

const play = usePlay();

interface Model {
	generate(messages: unknown[]): Promise<{
		message: { content: Array<Record<string, unknown>> };
		usage?: Record<string, number>;
		finishReason: string;
	}>;
	stream(messages: unknown[]): AsyncIterable<Record<string, unknown>>;
	withTools(tools: unknown[]): Model;
}

const MESSAGES = [{ role: 'user', content: [{ type: 'text', text: 'Pay' }] }];
const TOOLS = ['pay', 'payAll'].map((name) => ({
	type: 'function',
	name,
	inputSchema: { type: 'object', properties: { amount: { type: 'integer' } } },
}));

async function model(): Promise<Model> {
	return ((await play.engine.supply(chatModel('m', {}))).response as Model).withTools(TOOLS);
}

/** What an agent has seen until the end, or the error. */
async function watch(): Promise<{ seen: Array<Record<string, unknown>>; error?: Error }> {
	const seen: Array<Record<string, unknown>> = [];
	const supplied = await model();
	const error = await rejected(
		(async () => {
			for await (const piece of supplied.stream(MESSAGES)) seen.push(piece);
		})(),
	);
	return { seen, error };
}

const call = (id: string | null, name: string | null, args: unknown, index = 0) => ({
	index,
	id,
	type: 'function',
	function: { name, arguments: args },
});
const calls = (...all: unknown[]) => chunk({ tool_calls: all });
const ofType = (seen: Array<Record<string, unknown>>, type: string) =>
	seen.filter((piece) => piece.type === type);

describe('world: an agent gets tool calls from a service that breaks', () => {
	for (const [what, events] of Object.entries({
		'cut between two calls': [
			calls(call('a', 'pay', '{"amount":1}')),
			calls(call('b', 'payAll', '{"amo', 1)),
		],
		'cut after the arguments': [calls(call('a', 'pay', '{"amount":1}'))],
		'cut inside them, where they could end': [calls(call('a', 'pay', '{"amount":1'))],
		'reason "null" in each chunk': [chunk({ tool_calls: [call('a', 'pay', '{}')] }, 'null')],
		'reason tool_calls in each chunk': [
			chunk({ tool_calls: [call('a', 'pay', '')] }, 'tool_calls'),
			chunk({ tool_calls: [call(null, null, '{}')] }, 'tool_calls'),
		],
	}))
		for (const end of ['cut', 'silent'] as const)
			it(`${what}, ${end}: no call is passed on`, async () => {
				play.service.on('POST /chat', stream(events, end, false));
				const { seen, error } = await watch();
				expect(error).toBeDefined();
				expect(ofType(seen, 'tool-call-delta')).toEqual([]);
			});
	it('two whole calls, pieces in turn: two calls, each once', async () => {
		play.service.on(
			'POST /chat',
			stream([
				calls(call('a', 'pay', '{"amo'), call('b', 'payAll', '{"a', 1)),
				calls(call(null, null, 'mount":2}', 1), call(null, null, 'unt":1}')),
				chunk({}, 'tool_calls'),
			]),
		);
		const { seen } = await watch();
		expect(
			ofType(seen, 'tool-call-delta').map(({ name, argumentsDelta }) => [name, argumentsDelta]),
		).toEqual([
			['pay', '{"amount":1}'],
			['payAll', '{"amount":2}'],
		]);
	});
	it('the call stands in a choice without an index beside the text', async () => {
		play.service.on('POST /chat', {
			json: {
				model: 'm',
				choices: [
					{ message: { content: 'I pay.' }, finish_reason: 'stop' },
					{
						message: { content: null, tool_calls: [call('a', 'pay', { amount: 1 })] },
						finish_reason: 'tool_calls',
					},
				],
			},
		});
		const { message, finishReason } = await (await model()).generate(MESSAGES);
		expect(message.content.filter(({ type }) => type === 'tool-call')).toMatchObject([
			{ toolName: 'pay', input: '{"amount":1}' },
		]);
		expect(finishReason).toBe('tool-calls');
	});
	it('streamed, the same: text and one call', async () => {
		play.service.on(
			'POST /chat',
			stream([
				{
					model: 'm',
					choices: [
						{ delta: { content: 'I pay.' }, finish_reason: 'stop' },
						{
							delta: { tool_calls: [call('a', 'pay', '{"amount":1}')] },
							finish_reason: 'tool_calls',
						},
					],
				},
			]),
		);
		const { seen, error } = await watch();
		expect(error).toBeUndefined();
		expect(
			ofType(seen, 'text-delta')
				.map(({ delta }) => delta)
				.join(''),
		).toBe('I pay.');
		expect(ofType(seen, 'tool-call-delta')).toMatchObject([
			{ name: 'pay', argumentsDelta: '{"amount":1}' },
		]);
	});
	it('the stream goes on forever without a word: it ends', async () => {
		play.service.on('POST /chat', stream([chunk({ content: 'Hm' })], 'silent', false));
		const { error } = await watch();
		expect(error?.message).toMatch(/nothing arrived/);
	});
});

describe('world: usage that is partly said', () => {
	it('none: none', async () => {
		play.service.on('POST /chat', {
			json: {
				model: 'm',
				choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }],
				usage: null,
			},
		});
		expect((await (await model()).generate(MESSAGES)).usage).toBeUndefined();
	});
	it('as text; a total that is not said is the sum, not nothing', async () => {
		play.service.on('POST /chat', {
			json: {
				model: 'm',
				choices: [{ index: 0, message: { content: 'x' }, finish_reason: 'stop' }],
				usage: { prompt_tokens: '10', completion_tokens: 5 },
			},
		});
		expect((await (await model()).generate(MESSAGES)).usage).toMatchObject({
			promptTokens: 10,
			completionTokens: 5,
			totalTokens: 15,
		});
	});
});
