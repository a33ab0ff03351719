import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';

const fixture = useFixture();
const ALL = { returnAll: true };
const EMBEDDING = 'mixedbread-ai/mxbai-embed-large-v1';

describe('lists of models', () => {
	it.each([
		['model', 4],
		['embeddingModel', 2],
	])('%s: all, or up to a limit, without a query', async (resource, count) => {
		expect(jsonOf(await fixture.run(chat(resource, 'getAll', ALL)))).toHaveLength(count);
		expect(
			jsonOf(await fixture.run(chat(resource, 'getAll', { returnAll: false, limit: 1 }))),
		).toHaveLength(1);
		expect(fixture.sandbox.requests.map(({ query }) => query)).toEqual([{}, {}]);
	});

	it('list searches show the context length', async () => {
		const { results } = await fixture.engine.search(chat('chat', 'complete'), 'searchModels');
		expect(results).toContainEqual({
			name: 'meta-llama/Llama-3.3-70B-Instruct · 131,072 tokens',
			value: 'meta-llama/Llama-3.3-70B-Instruct',
		});
		expect(results).toContainEqual({
			name: 'mistralai/Mistral-Large-Instruct',
			value: 'mistralai/Mistral-Large-Instruct',
		});
		expect(
			(await fixture.engine.search(chat('chat', 'complete'), 'searchModels', 'LLAMA')).results,
		).toHaveLength(1);
		expect(
			(await fixture.engine.search(chat('embedding', 'create'), 'searchEmbeddingModels', 'mxbai'))
				.results,
		).toEqual([{ name: `${EMBEDDING} · 8,192 tokens`, value: EMBEDDING }]);
	});

	it('an answer without a list is an error', async () => {
		fixture.sandbox.faults.add({ status: 200, body: { object: 'list' } });
		expect(errorOf(await fixture.run(chat('model', 'getAll', ALL))).message).toBe(
			'The response does not contain the expected list',
		);
	});
});

describe('lists of models in pages', () => {
	const paged = useFixture({ modelsShape: 'paged' });
	const page = (number: number, hasNext: boolean, names: string[]) =>
		paged.sandbox.faults.add({
			status: 200,
			body: {
				data: names.map((name) => ({ model_id: `uuid-${name}`, name })),
				pagination: { page: number, page_size: 2, has_next: hasNext },
			},
		});

	it('one page: models are called by name', async () => {
		const models = jsonOf(await paged.run(chat('model', 'getAll', ALL)));
		expect(models).toHaveLength(4);
		expect(models[0]).toMatchObject({
			model_id: expect.any(String),
			name: 'meta-llama/Llama-3.3-70B-Instruct',
		});
		expect(
			(await paged.engine.search(chat('chat', 'complete'), 'searchModels', 'llama')).results[0]
				?.value,
		).toBe('meta-llama/Llama-3.3-70B-Instruct');
	});

	it('all pages, the second asked for by number and size', async () => {
		page(1, true, ['a', 'b']);
		page(2, false, ['c']);
		expect(jsonOf(await paged.run(chat('model', 'getAll', ALL))).map(({ name }) => name)).toEqual([
			'a',
			'b',
			'c',
		]);
		expect(paged.sandbox.requests.map(({ query }) => query)).toEqual([
			{},
			{ page: ['2'], page_size: ['2'] },
		]);
	});

	it('no more pages than the limit needs, and an error where pages repeat that say there are more', async () => {
		page(1, true, ['a', 'b']);
		expect(
			jsonOf(await paged.run(chat('model', 'getAll', { returnAll: false, limit: 2 }))),
		).toHaveLength(2);
		for (const number of [1, 1, 1]) page(number, true, ['a', 'b']);
		expect(errorOf(await paged.run(chat('model', 'getAll', ALL))).message).toContain(
			'the same 2 entries for every page',
		);
		expect(paged.sandbox.requests).toHaveLength(3);
	});
});

describe('agents', () => {
	it('one item per agent, with its key', async () => {
		const agents = jsonOf(await fixture.run(chat('agent', 'getAll', ALL)));
		expect(agents).toHaveLength(8);
		expect(agents[1]).toEqual({
			agent_key: 'summary_agent',
			name: 'Summary Agent',
			description: expect.any(String),
			persona: null,
			metadata: { image_url: null, tags: ['text'] },
		});
		expect(
			(await fixture.engine.search(chat('agent', 'run'), 'searchAgents', 'summary')).results,
		).toEqual([{ name: 'Summary Agent · summary_agent', value: 'summary_agent' }]);
	});

	const run = (args: IDataObject, more: IDataObject = {}) =>
		chat('agent', 'run', {
			agentName: locator('custom_agent'),
			objective: ' The text. ',
			arguments: args,
			options: {},
			...more,
		});

	it('run without arguments, by key, with a persona; any result becomes an item', async () => {
		fixture.sandbox.faults.add({ status: 200, body: ['a', 'list'] });
		expect(
			onlyJson(
				await fixture.run(
					run({}, { agentName: 'summary_agent', options: { persona: '{"role": "critic"}' } }),
				),
			),
		).toEqual({ result: ['a', 'list'] });
		expect(fixture.sandbox.requests[0]?.body).toEqual({
			agent_names: ['summary_agent'],
			objective: ' The text. ',
			persona: { role: 'critic' },
		});
	});

	it.each<[IDataObject, string]>([
		[
			{ type: 'dance' },
			'Arguments: Type must be one of classify, custom, extract_categorized_entities, moderation, sentiment, solve_with_reasoning, summarize_text, translate_text, got "dance"',
		],
		[{ type: 'classify' }, 'Arguments: Classify By is required and must not be empty'],
		[{ type: 'translate_text' }, 'Arguments: Target Language must be text, got nothing'],
		[
			{ type: 'summarize_text', maxWords: 0 },
			'Arguments: Max Words must be a whole number of at least 1, got 0',
		],
		[
			{ type: 'moderation', threshold: 2 },
			'Arguments: Threshold must be a number from 0 to 1, got 2',
		],
	])('%j is an error, and nothing is sent', async (args, message) => {
		expect(errorOf(await fixture.run(run(args))).message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
