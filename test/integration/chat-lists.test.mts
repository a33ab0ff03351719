import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, CONTINUE, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { vectorOf } from '../sandbox/intelligence/words.mts';

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

	it('pickers show the length that a model takes', async () => {
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
			'The response does not contain a list of models',
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

	it('no more pages than the limit needs, and none for ever', async () => {
		page(1, true, ['a', 'b']);
		expect(
			jsonOf(await paged.run(chat('model', 'getAll', { returnAll: false, limit: 2 }))),
		).toHaveLength(2);
		for (const number of [1, 1, 1]) page(number, true, ['a', 'b']);
		expect(jsonOf(await paged.run(chat('model', 'getAll', ALL)))).toHaveLength(2);
		expect(paged.sandbox.requests).toHaveLength(3);
	});
});

describe('agents', () => {
	it('one item an agent, with its key', async () => {
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
	it.each<[IDataObject, IDataObject]>([
		[{ type: 'solve_with_reasoning' }, { type: 'solve_with_reasoning' }],
		[
			{ type: 'summarize_text', maxWords: 30 },
			{ type: 'summarize_text', max_words: 30 },
		],
		[{ type: 'sentiment' }, { type: 'sentiment' }],
		[{ type: 'extract_categorized_entities' }, { type: 'extract_categorized_entities' }],
		[
			{ type: 'translate_text', targetLanguage: 'Spanish' },
			{ type: 'translate_text', target_language: 'Spanish' },
		],
		[
			{ type: 'classify', classifyBy: ['good', 'bad'] },
			{ type: 'classify', classify_by: ['good', 'bad'] },
		],
		[
			{ type: 'moderation', threshold: 0.3 },
			{ type: 'moderation', threshold: 0.3 },
		],
		[
			{ type: 'custom', name: 'n', objective: 'o', instructions: 'i', context: 'c' },
			{ type: 'custom', name: 'n', objective: 'o', instructions: 'i', context: 'c' },
		],
	])('run with %j', async (args, sent) => {
		expect(onlyJson(await fixture.run(run(args)))).toHaveProperty('result');
		expect(fixture.sandbox.requests).toMatchObject([
			{
				method: 'POST',
				path: '/intelligence/api/v1/workflows/run',
				body: { agent_names: ['custom_agent'], objective: ' The text. ', args: sent },
			},
		]);
	});

	it('run without arguments, by a plain key, with a persona; any result is handed on', async () => {
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
	])('refuse %j before anything is sent', async (args, message) => {
		expect(errorOf(await fixture.run(run(args))).message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});

describe('embeddings', () => {
	const create = (input: string, options: IDataObject = {}, settings = {}) =>
		chat('embedding', 'create', { model: locator(EMBEDDING), input, options }, settings);
	const texts = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ text: `text ${index}, with a comma` }));

	it('one text, and many in one item: one output item a text', async () => {
		const run = await fixture.run(create('={{ $json.in }}', { dimensions: 8 }), [
			{ in: 'one, two' },
			{ in: ['three', 'four'] },
		]);
		const items = run.data.resultData.runData.Node?.[0]?.data?.main?.[0] ?? [];
		expect(items.map(({ json, pairedItem }) => [json.index, pairedItem, json.model])).toEqual([
			[0, { item: 0 }, EMBEDDING],
			[0, { item: 1 }, EMBEDDING],
			[1, { item: 1 }, EMBEDDING],
		]);
		expect(items.map(({ json }) => json.embedding)).toEqual(
			['one, two', 'three', 'four'].map((text) => vectorOf(text, 8)),
		);
		expect(fixture.sandbox.requests.map(({ body }) => body)).toEqual([
			{ model: EMBEDDING, input: ['one, two', 'three', 'four'], dimensions: 8 },
		]);
		expect(run.data.resultData.runData.Node?.[0]?.hints?.[0]?.message).toBe(
			'5 tokens in 1 request',
		);
	});

	it('items go out together, up to the batch size, and apart where their settings differ', async () => {
		expect(
			jsonOf(await fixture.run(create('={{ $json.text }}', { batchSize: 10 }), texts(25))),
		).toHaveLength(25);
		expect(
			fixture.sandbox.requests.map(({ body }) => (body as { input: string[] }).input.length),
		).toEqual([10, 10, 5]);
		fixture.sandbox.reset();
		await fixture.run(
			create('={{ $json.text }}', { dimensions: '={{ 2 + $itemIndex % 2 }}' }),
			texts(4),
		);
		expect(
			fixture.sandbox.requests.map(({ body }) => (body as { dimensions: number }).dimensions),
		).toEqual([2, 3]);
	});

	it('a batch that is too much is halved until it fits', async () => {
		fixture.sandbox.faults.add({ ...errorForms.plainText(413, 'Payload Too Large') });
		fixture.sandbox.faults.add({ ...errorForms.detailString(422, 'at most 4 inputs') });
		const items = jsonOf(await fixture.run(create('={{ $json.text }}'), texts(8)));
		expect(items.map(({ embedding }) => embedding)).toEqual(
			texts(8).map(({ text }) => vectorOf(text, 128)),
		);
		expect(
			fixture.sandbox.requests.map(({ body }) => (body as { input: string[] }).input.length),
		).toEqual([8, 4, 2, 2, 4]);
	});

	it('a text that the model refuses fails its own item alone', async () => {
		const refuse = (times: number, skip = 0) =>
			fixture.sandbox.faults.add({ ...errorForms.detailString(400, 'too long'), times, skip });
		refuse(3);
		const run = await fixture.run(
			create('={{ $json.text }}', {}, { onError: 'continueRegularOutput' }),
			texts(4),
		);
		expect(jsonOf(run).map(({ index, error }) => error ?? index)).toEqual([
			'The service refused the request (400): too long',
			0,
			0,
			0,
		]);
		refuse(3);
		const error = errorOf(await fixture.run(create('={{ $json.text }}'), texts(4)));
		expect([error.message, error.context.itemIndex]).toEqual([
			'The service refused the request (400): too long',
			0,
		]);
	});

	const sizes = () =>
		fixture.sandbox.requests.map(({ body }) => (body as { input: string[] }).input.length);

	it('texts that are refused alone fail alone, also two neighbours with the same words; the order stays', async () => {
		const refuse = (times: number, skip = 0) =>
			fixture.sandbox.faults.add({ ...errorForms.detailString(400, 'too long'), times, skip });
		refuse(4);
		refuse(1, 1);
		const run = await fixture.run(create('={{ $json.text }}', {}, CONTINUE), texts(8));
		expect(jsonOf(run).map(({ embedding, error }) => embedding ?? error)).toEqual(
			texts(8).map(({ text }, index) =>
				index < 2 ? 'The service refused the request (400): too long' : vectorOf(text, 128),
			),
		);
		expect(sizes()).toEqual([8, 4, 2, 1, 1, 1, 2, 3]);
		fixture.sandbox.reset();
		refuse(1);
		expect(
			jsonOf(await fixture.run(create(`={{ ${JSON.stringify(['one', 'two', 'three'])} }}`))).map(
				({ index, embedding }) => [index, embedding],
			),
		).toEqual(['one', 'two', 'three'].map((text, index) => [index, vectorOf(text, 128)]));
	});

	it('two bad texts at the ends do not fail the good ones between them: the shortest is tried, and taken', async () => {
		fixture.sandbox.faults.add({ ...errorForms.detailString(400, 'too long'), times: 5 });
		const items = texts(8).map(({ text }, index) => ({ text: index === 5 ? 'x' : text }));
		const run = await fixture.run(create('={{ $json.text }}', {}, CONTINUE), items);
		expect(jsonOf(run).map(({ embedding, error }) => embedding ?? error)).toEqual(
			items.map(({ text }, index) =>
				index === 0 || index === 7
					? 'The service refused the request (400): too long'
					: vectorOf(text, 128),
			),
		);
		expect(sizes()).toEqual([8, 4, 2, 1, 1, 1, 1, 2, 2]);
		expect((fixture.sandbox.requests[5]?.body as { input: string[] }).input).toEqual(['x']);
	});

	it.each([
		[
			'the node stops: at the first text that is refused alone',
			{},
			100,
			[100, 50, 25, 13, 7, 4, 2, 1],
		],
		[
			'the node goes on: at the third text with the same words',
			CONTINUE,
			100,
			[100, 50, 25, 13, 7, 4, 2, 1, 1, 1],
		],
		['texts go out one by one', CONTINUE, 1, [1, 1, 1]],
	])(
		'an option that the model refuses is not tried with each text: %s',
		async (_, settings, batchSize, sent) => {
			fixture.sandbox.faults.add({
				...errorForms.detailString(400, 'dimensions is not supported'),
				times: Infinity,
			});
			const run = await fixture.run(
				create('={{ $json.text }}', { dimensions: 7, batchSize }, settings),
				texts(100),
			);
			expect(sizes()).toEqual(sent);
			const messages =
				settings === CONTINUE ? jsonOf(run).map(({ error }) => error) : [errorOf(run).message];
			expect(messages).toEqual(
				messages.map(() => 'The service refused the request (400): dimensions is not supported'),
			);
			expect(messages).toHaveLength(settings === CONTINUE ? 100 : 1);
		},
	);

	it.each([
		[['body', 'dimensions'], [4]],
		[['dimensions'], [4]],
		[
			['body', 'input', 2],
			[4, 2, 2],
		],
		[['body'], [4, 2, 2]],
	])('a 422 about %j is sent in these sizes: %j', async (loc, sent) => {
		fixture.sandbox.faults.add(errorForms.detailList(422, [{ loc, msg: 'no', type: 'x' }]));
		await fixture.run(create('={{ $json.text }}'), texts(4));
		expect(sizes()).toEqual(sent);
	});

	/** A vector of a model with 3584 dimensions, in 75 kB as services write it. */
	const LONG = Array.from({ length: 3584 }, (_, place) => -0.012345678901234567 + place / 1e9);
	const answerWith = (data: object[]) =>
		fixture.sandbox.faults.add({ status: 200, body: { data } });

	it('230 vectors of 3584 numbers, 17 MB in one answer, are 230 items', async () => {
		answerWith(texts(230).map((_, index) => ({ index, embedding: LONG })));
		const items = jsonOf(
			await fixture.run(create('={{ $json.text }}', { batchSize: 2048 }), texts(230)),
		);
		expect(items).toHaveLength(230);
		expect(items.at(-1)).toEqual({ index: 0, embedding: LONG });
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it.each([
		[
			'of several texts names what to change',
			2,
			'The answer is larger than 16 MiB for 2 texts: choose a smaller Batch Size',
		],
		['of one text cannot be smaller', 1, 'The answer is larger than 16 MiB'],
	])('an answer that is too large, %s', async (_, count, message) => {
		answerWith([{ embedding: 'x'.repeat(17 * 1024 * 1024) }]);
		expect(errorOf(await fixture.run(create('={{ $json.text }}'), texts(count))).message).toBe(
			message,
		);
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it.each<[string, unknown, string]>([
		['fewer vectors than texts', { data: [] }, 'The response contains 0 vectors for 2 texts'],
		['no JSON', 'oops', 'The answer is not a JSON object: oops'],
	])('%s is an error of each item', async (_, body, message) => {
		fixture.sandbox.faults.add({ status: 200, body });
		expect(
			jsonOf(
				await fixture.run(
					create('={{ $json.text }}', {}, { onError: 'continueRegularOutput' }),
					texts(2),
				),
			).map(({ error }) => error),
		).toEqual([message, message]);
	});

	it('entries out of order are put in order; base64 and user are handed on', async () => {
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				data: [
					{ index: 1, embedding: 'b' },
					{ index: 0, embedding: 'a' },
				],
			},
		});
		const items = jsonOf(
			await fixture.run(create('={{ ["x", "y"] }}', { encodingFormat: 'base64', user: 'u' })),
		);
		expect(items).toEqual([
			{ index: 0, embedding: 'a' },
			{ index: 1, embedding: 'b' },
		]);
		expect(fixture.sandbox.requests[0]?.body).toEqual({
			model: EMBEDDING,
			input: ['x', 'y'],
			encoding_format: 'base64',
			user: 'u',
		});
	});

	it.each<[string, IDataObject, string]>([
		['={{ [] }}', {}, 'Input is required: the list of texts is empty'],
		['={{ ["a", 7] }}', {}, 'Input must hold texts that are not empty, got 7 at position 2'],
		['x', { batchSize: 0 }, 'Options: Batch Size must be a whole number from 1 to 2048, got 0'],
		['x', { dimensions: 1.5 }, 'Options: Dimensions must be a whole number of at least 1, got 1.5'],
		[
			'x',
			{ encodingFormat: 'hex' },
			'Options: Encoding Format must be one of base64, float, got "hex"',
		],
	])('refuses %s with %j', async (input, options, message) => {
		expect(errorOf(await fixture.run(create(input, options))).message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});
