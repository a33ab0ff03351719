import type { IDataObject } from 'n8n-workflow';
import { beforeAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chatModel } from '../engine/nodes.mts';
import { findAiNodeSdk, hasAiNodeSdk } from '../engine/supply.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ streamNoise: true });
const MODEL = 'meta-llama/Llama-3.3-70B-Instruct';

/** As much of a LangChain model as these tests call. */
interface Message {
	content: unknown;
	tool_calls?: Array<{ id: string; name: string; args: object }>;
	usage_metadata?: object;
	response_metadata?: object;
	concat(other: Message): Message;
}
interface Model {
	invoke(messages: unknown, options?: object): Promise<Message>;
	stream(messages: unknown): Promise<AsyncIterable<Message>>;
	bindTools(tools: object[]): Model;
}

const supplied = async (options: IDataObject = {}) =>
	(await fixture.engine.supply(chatModel(MODEL, options))).response as Model;
const sent = () => fixture.sandbox.requests.map(({ body }) => body as IDataObject);
const textOf = ({ content }: Message) =>
	Array.isArray(content)
		? content.map((part: { text?: string }) => part.text ?? '').join('')
		: content;

const tool = (name: string, description: string) => ({
	type: 'function',
	function: {
		name,
		description,
		parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
	},
});
const TOOLS = [tool('machine_list', 'Every machine'), tool('machine_price', 'Price of a machine')];

describe.skipIf(!hasAiNodeSdk)('with the SDK of a real n8n', () => {
	beforeAll(findAiNodeSdk);

	it('answers, with token usage', async () => {
		const model = await supplied({
			temperature: 0.1,
			seed: 3,
			stop: ['never'],
			reasoningEffort: 'low',
			extraBody: '{"vendor": 1}',
		});
		const answer = await model.invoke([
			['system', 'Be brief.'],
			['human', 'Why?'],
		]);
		expect(textOf(answer)).toMatch(/^Answer 1: you asked "Why\?"/);
		expect(answer.usage_metadata).toMatchObject({
			input_tokens: 5,
			output_token_details: { reasoning: 6 },
		});
		expect(sent()).toEqual([
			{
				model: MODEL,
				messages: [
					{ role: 'system', content: 'Be brief.' },
					{ role: 'user', content: 'Why?' },
				],
				temperature: 0.1,
				seed: 3,
				stop: ['never'],
				reasoning: { effort: 'low' },
				vendor: 1,
			},
		]);
	});

	it('calls several tools and reads their results', async () => {
		const model = (await supplied()).bindTools(TOOLS);
		const answer = await model.invoke('Which machine?');
		expect(answer.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
			['machine_list', { place: 'Which machine?' }],
			['machine_price', { place: 'Which machine?' }],
		]);
		const results = (answer.tool_calls ?? []).map(({ id }, index) => ({
			role: 'tool',
			tool_call_id: id,
			content: `[{"name": "machine ${index}"}]`,
		}));
		expect(textOf(await model.invoke([['human', 'Which machine?'], answer, ...results]))).toContain(
			'machine 0',
		);
		expect(sent()[1]?.messages).toMatchObject([
			{ role: 'user' },
			{
				role: 'assistant',
				content: null,
				tool_calls: [{ type: 'function' }, { type: 'function' }],
			},
			{ role: 'tool', content: '[{"name": "machine 0"}]' },
			{ role: 'tool' },
		]);
		expect(sent()[0]).toMatchObject({ tool_choice: 'auto', tools: TOOLS });
	});

	it('a streamed answer equals the whole one, with tool calls and tokens', async () => {
		for (const [question, tools] of [
			['Größe 🚀?', []],
			['Which machine?', TOOLS],
		] as const) {
			const plain = await supplied({ seed: 5 });
			const model = tools.length > 0 ? plain.bindTools([...tools]) : plain;
			const whole = await model.invoke(question);
			let sum: Message | undefined;
			let count = 0;
			for await (const chunk of await model.stream(question)) {
				sum = sum ? sum.concat(chunk) : chunk;
				count++;
			}
			if (!sum) throw new Error('nothing was streamed');
			expect(textOf(sum)).toBe(textOf(whole));
			expect(sum.tool_calls).toEqual(whole.tool_calls);
			expect(sum.usage_metadata).toMatchObject({ total_tokens: expect.any(Number) });
			expect(count).toBeGreaterThan(2);
		}
		expect(sent().map(({ stream }) => stream)).toEqual([undefined, true, undefined, true]);
	});

	it('a service that refuses stream_options is asked without them from then on', async () => {
		fixture.sandbox.adopt({ habits: { refuses: ['stream_options'] } });
		const model = await supplied();
		for (const question of ['Why?', 'And then?'])
			for await (const chunk of await model.stream(question)) expect(chunk).toBeDefined();
		expect(sent().map((body) => 'stream_options' in body)).toEqual([true, false, false]);
	});

	it('throws the words of the service, and is cancelled with its agent', async () => {
		fixture.sandbox.faults.add({ ...errorForms.errorObject(402, 'plan too low') });
		await expect((await supplied()).invoke('Why?')).rejects.toThrow(
			'Payment required (402): plan too low',
		);
		fixture.sandbox.faults.add({ hang: true });
		const controller = new AbortController();
		const running = (await supplied()).invoke('Why?', { signal: controller.signal }).then(
			() => 'answered',
			() => 'ended',
		);
		while (fixture.sandbox.requests.length < 2) await new Promise(setImmediate);
		controller.abort();
		expect(await running).toBe('ended');
	});
});
