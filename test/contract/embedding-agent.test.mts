import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { RETRY, chat, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 5: Embeddings, Run an agent. */
const fixture = useFixture({ part: 'intelligence' });
const EMBEDDINGS = '/intelligence/api/v1/embeddings';
const RUN = '/intelligence/api/v1/workflows/run';
const MODEL = 'BAAI/bge-multilingual-gemma2';

const embed = (input: unknown, options: IDataObject = {}) =>
	chat('embedding', 'create', { model: locator(MODEL), input: input as string, options });
const agent = (args: IDataObject = {}, more: IDataObject = {}) =>
	chat('agent', 'run', {
		agentName: locator('summary_agent'),
		objective: 'The machine was fast.',
		arguments: args,
		options: {},
		...more,
	});
const sentBody = () => fixture.sandbox.requests.at(-1)?.body as IDataObject;

describe('embeddings', () => {
	it('[embedding.path] POST /api/v1/embeddings with the key', async () => {
		await fixture.run(embed('a'));
		expect(fixture.sandbox.requests).toMatchObject([
			{
				method: 'POST',
				path: EMBEDDINGS,
				query: {},
				status: 200,
				headers: { authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}` },
			},
		]);
		expect(
			(
				await fixture.client.call(EMBEDDINGS, {
					method: 'POST',
					body: { model: MODEL, input: 'a' },
					headers: { authorization: 'Bearer wrong' },
				})
			).status,
		).toBe(401);
	});

	it('[embedding.model] text, required', async () => {
		await fixture.run(embed('a'));
		expect(sentBody().model).toBe(MODEL);
		expect(violations(await fixture.client.post(EMBEDDINGS, { input: 'a' }))).toEqual([
			'body.model: missing',
		]);
	});

	it('[embedding.input] a text or a list of texts: one item a text', async () => {
		expect(jsonOf(await fixture.run(embed('one, two')))).toHaveLength(1);
		expect([sentBody().input].flat()).toEqual(['one, two']);
		expect(jsonOf(await fixture.run(embed('={{ ["one", "two"] }}')))).toHaveLength(2);
		expect(sentBody().input).toEqual(['one', 'two']);
		expect((await fixture.client.post(EMBEDDINGS, { model: MODEL, input: 'one' })).status).toBe(
			200,
		);
		expect(
			violations(await fixture.client.post(EMBEDDINGS, { model: MODEL, input: [] })),
		).not.toEqual([]);
	});

	it('[embedding.encoding_format] float or base64', async () => {
		expect(
			typeof onlyJson(await fixture.run(embed('a', { encodingFormat: 'base64' }))).embedding,
		).toBe('string');
		expect(sentBody().encoding_format).toBe('base64');
		expect(onlyJson(await fixture.run(embed('a', { encodingFormat: 'float' }))).embedding).toEqual(
			expect.arrayContaining([expect.any(Number)]),
		);
		expect(errorOf(await fixture.run(embed('a', { encodingFormat: 'hex' }))).message).toBe(
			'Options: Encoding Format must be one of base64, float, got "hex"',
		);
		expect(
			violations(
				await fixture.client.post(EMBEDDINGS, { model: MODEL, input: 'a', encoding_format: 'hex' }),
			),
		).toEqual(['body.encoding_format: enum']);
	});

	it('[embedding.dimensions] integer, the length of the vectors', async () => {
		expect(onlyJson(await fixture.run(embed('a', { dimensions: 8 }))).embedding).toHaveLength(8);
		expect(sentBody().dimensions).toBe(8);
		expect(errorOf(await fixture.run(embed('a', { dimensions: 1.5 }))).message).toContain(
			'Dimensions must be a whole number',
		);
	});

	it('[embedding.user] text, sent where it is set', async () => {
		await fixture.run(embed('a', { user: 'me' }));
		expect(sentBody().user).toBe('me');
		await fixture.run(embed('a'));
		expect(sentBody()).not.toHaveProperty('user');
	});

	it('[embedding.200] list with data of index and embedding, and usage; each text keeps its own vector', async () => {
		const { json } = await fixture.client.post(EMBEDDINGS, { model: MODEL, input: ['one', 'two'] });
		expect(json).toMatchObject({
			object: 'list',
			data: [
				{ object: 'embedding', index: 0 },
				{ object: 'embedding', index: 1 },
			],
			usage: { prompt_tokens: 2 },
		});
		const items = jsonOf(await fixture.run(embed('={{ ["one", "two"] }}')));
		expect(items.map(({ embedding }) => embedding)).toEqual(
			[0, 1].map((index) => at(json, 'data', index, 'embedding')),
		);
	});
});

describe('agents: run', () => {
	it('[agent.run.path] POST /api/v1/workflows/run with the key', async () => {
		await fixture.run(agent());
		expect(fixture.sandbox.requests).toMatchObject([
			{
				method: 'POST',
				path: RUN,
				query: {},
				status: 200,
				headers: { authorization: `Bearer ${fixture.sandbox.keys.intelligenceKey}` },
			},
		]);
	});

	it('[agent.run.agent_names] a list of texts, required', async () => {
		await fixture.run(agent());
		expect(sentBody().agent_names).toEqual(['summary_agent']);
		await fixture.run(
			agent({}, { options: { moreAgents: ['moderation_agent', 'sentiment_analysis_agent'] } }),
		);
		expect(sentBody().agent_names).toEqual([
			'summary_agent',
			'moderation_agent',
			'sentiment_analysis_agent',
		]);
		expect(violations(await fixture.client.post(RUN, { objective: 'a' }))).toEqual([
			'body.agent_names: missing',
		]);
	});

	it('[agent.run.objective] text', async () => {
		await fixture.run(agent());
		expect(sentBody().objective).toBe('The machine was fast.');
		expect(violations(await fixture.client.post(RUN, { agent_names: ['summary_agent'] }))).toEqual([
			'body.objective: missing',
		]);
	});

	it('[agent.run.persona] text or an object', async () => {
		await fixture.run(agent({}, { options: { persona: 'a pirate' } }));
		expect(sentBody().persona).toBe('a pirate');
		await fixture.run(agent({}, { options: { persona: '{"name": "Ann"}' } }));
		expect(sentBody().persona).toEqual({ name: 'Ann' });
		await fixture.run(agent({}, { options: { persona: '2024' } }));
		expect(sentBody().persona).toBe('2024');
		await fixture.run(agent());
		expect(sentBody()).not.toHaveProperty('persona');
	});

	const TASKS: Array<[type: string, args: IDataObject, sent: IDataObject]> = [
		['solve_with_reasoning', {}, {}],
		['summarize_text', { maxWords: 20 }, { max_words: 20 }],
		['sentiment', {}, {}],
		['extract_categorized_entities', {}, {}],
		['translate_text', { targetLanguage: 'Spanish' }, { target_language: 'Spanish' }],
		['classify', { classifyBy: ['good', 'bad'] }, { classify_by: ['good', 'bad'] }],
		['moderation', { threshold: 0.5 }, { threshold: 0.5 }],
		[
			'custom',
			{ name: 'n', objective: 'o', instructions: 'i', context: 'c' },
			{ name: 'n', objective: 'o', instructions: 'i', context: 'c' },
		],
	];

	it.each(TASKS)(
		'[agent.run.args.%s] its own arguments and no others',
		async (type, args, sent) => {
			onlyJson(await fixture.run(agent({ type, ...args })));
			expect(sentBody().args).toEqual({ type, ...sent });
			expect(
				(
					await fixture.client.post(RUN, {
						agent_names: ['summary_agent'],
						objective: 'a',
						args: { type, ...sent },
					})
				).status,
			).toBe(200);
		},
	);

	it.each(TASKS)('%s as the field Task: the same request', async (task, args, sent) => {
		const { objective, context, threshold, maxWords, ...needed } = args;
		const taskOptions = Object.fromEntries(
			Object.entries({ objective, context, threshold, maxWords }).filter(
				([, value]) => value !== undefined,
			),
		);
		onlyJson(await fixture.run(agent({}, { task, ...needed, taskOptions })));
		expect(sentBody().args).toEqual({ type: task, ...sent });
	});

	it('a task without what it needs is an error, and nothing is sent', async () => {
		const { message } = errorOf(
			await fixture.run(agent({}, { task: 'translate_text', targetLanguage: '={{ "" }}' })),
		);
		expect(message).toBe('Target Language is required and must not be empty');
	});

	it('[agent.run.result] is not shown: an object is the item, anything else is its result', async () => {
		fixture.sandbox.faults.add({ status: 200, body: { of_tomorrow: [null] } });
		expect(onlyJson(await fixture.run(agent()))).toEqual({ of_tomorrow: [null] });
		fixture.sandbox.faults.add({ status: 200, body: ['a'] });
		expect(onlyJson(await fixture.run(agent()))).toEqual({ result: ['a'] });
	});

	it('[agent.run.result] one with an error field is billed: Retry On Fail does not repeat it', async () => {
		const results = [
			{ error: 'partly done', text: 'a' },
			{ error: '' },
			{ error: null, text: 'a' },
		];
		for (const body of results) fixture.sandbox.faults.add({ status: 200, body });
		const items = [];
		for (const _ of results) items.push(onlyJson(await fixture.run({ ...agent(), ...RETRY })));
		expect(items).toEqual([
			{ service_error: 'partly done', text: 'a' },
			{ service_error: '' },
			results[2],
		]);
		expect(fixture.sandbox.requests).toHaveLength(3);
	});

	it('[agent.keys.all] every known key can be chosen from the list', async () => {
		const { results } = await fixture.engine.search(agent(), 'searchAgents');
		expect(results.map(({ value }) => value)).toEqual(
			expect.arrayContaining([
				'reasoning_agent',
				'summary_agent',
				'sentiment_analysis_agent',
				'extractor',
				'translation_agent',
				'classification_agent',
				'moderation_agent',
				'custom_agent',
			]),
		);
	});
});
