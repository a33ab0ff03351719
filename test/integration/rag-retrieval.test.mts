import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

const run = async (operation: string, parameters: IDataObject) =>
	await fixture.run(rag('retrieval', operation, parameters));
const lastBody = () => fixture.sandbox.requests.at(-1)?.body as IDataObject;

const TEXTS = [
	'The first hour is never refunded.',
	'After the first hour the exact time is charged.',
	'Boats lie in the harbour.',
];

beforeEach(async () => {
	const documents = TEXTS.map((rawText, index) =>
		rag('document', 'create', {
			source: 'rawText',
			rawText,
			metadata: {
				values: [
					{ key: 'number', value: index },
					{ key: 'topic', value: index < 2 ? 'money' : 'sea' },
				],
			},
			additionalFields: { runWithOrchestration: false },
		}),
	);
	for (const document of documents) onlyJson(await fixture.run(document));
	fixture.sandbox.requests.length = 0;
});

describe('search', () => {
	it('one item a chunk, best first, each as the service sent it', async () => {
		const chunks = jsonOf(await run('search', { query: 'Is the first hour refunded?', topK: 2 }));
		expect(chunks.map(({ text }) => text)).toEqual(TEXTS.slice(0, 2));
		expect(chunks[0]).toEqual({
			id: expect.any(String),
			document_id: expect.any(String),
			owner_id: expect.any(String),
			collection_ids: [expect.any(String)],
			score: expect.any(Number),
			text: TEXTS[0],
			metadata: { title: TEXTS[0], number: 0, topic: 'money' },
		});
		expect(lastBody()).toEqual({
			query: 'Is the first hour refunded?',
			top_k: 2,
			search_settings: { limit: 2 },
		});
	});

	it('one item a search with its context, or the whole response', async () => {
		const [found] = jsonOf(
			await run('search', { query: 'first hour', topK: 10, options: { output: 'search' } }),
		);
		expect(found).toMatchObject({
			query: 'first hour',
			found: 2,
			context: `${TEXTS[0]}\n${TEXTS[1]}`,
			chunks: [{ text: TEXTS[0] }, { text: TEXTS[1] }],
		});
		const [raw] = jsonOf(
			await run('search', { query: 'first hour', topK: 10, options: { output: 'raw' } }),
		);
		expect(raw).toEqual({
			results: {
				chunk_search_results: expect.any(Array),
				graph_search_results: null,
				web_page_search_results: null,
				document_search_results: null,
			},
		});
	});

	it('sends every option where the engine wants it', async () => {
		const options = {
			searchMode: 'advanced',
			searchStrategy: 'hyde',
			useHybridSearch: true,
			useSemanticSearch: false,
			useFulltextSearch: true,
			useGraphSearch: false,
			includeMetadatas: false,
			includeScores: false,
			offset: 1,
			fullTextWeight: 2,
			semanticWeight: 3.5,
			fullTextLimit: 100,
			rrfK: 40,
		};
		const [chunk] = jsonOf(await run('search', { query: 'hour', topK: 3, options }));
		expect(lastBody()).toEqual({
			query: 'hour',
			top_k: 3,
			search_mode: 'advanced',
			search_settings: {
				limit: 3,
				offset: 1,
				search_strategy: 'hyde',
				use_hybrid_search: true,
				use_semantic_search: false,
				use_fulltext_search: true,
				include_metadatas: false,
				include_scores: false,
				graph_settings: { enabled: false },
				hybrid_settings: {
					full_text_weight: 2,
					semantic_weight: 3.5,
					full_text_limit: 100,
					rrf_k: 40,
				},
			},
		});
		expect(chunk).toMatchObject({ score: null, metadata: {} });
	});

	const conditions = (...rows: IDataObject[]) => ({ filters: { conditions: rows } });
	it.each<[string, IDataObject, unknown, number]>([
		[
			'a condition',
			conditions({ field: 'topic', operator: '$eq', value: 'money' }),
			{ topic: { $eq: 'money' } },
			2,
		],
		[
			'a number',
			conditions({ field: 'number', operator: '$gte', value: '1', valueType: 'number' }),
			{ number: { $gte: 1 } },
			1,
		],
		[
			'a list of numbers',
			conditions({ field: 'number', operator: '$in', value: '0, 2', valueType: 'number' }),
			{ number: { $in: [0, 2] } },
			1,
		],
		[
			'a list from an expression',
			conditions({ field: 'topic', operator: '$nin', value: '={{ ["sea", "air"] }}' }),
			{ topic: { $nin: ['sea', 'air'] } },
			2,
		],
		[
			'a list of years from an expression',
			conditions({ field: 'number', operator: '$in', value: '={{ [0, 2] }}' }),
			{ number: { $in: [0, 2] } },
			1,
		],
		[
			'a list of all kinds from an expression',
			conditions({ field: 'number', operator: '$nin', value: '={{ [0, true, "1", " a"] }}' }),
			{ number: { $nin: [0, true, '1', ' a'] } },
			1,
		],
		[
			'texts of an expression as numbers',
			conditions({
				field: 'number',
				operator: '$in',
				value: '={{ ["0", 1] }}',
				valueType: 'number',
			}),
			{ number: { $in: [0, 1] } },
			2,
		],
		[
			'one number from an expression',
			conditions({ field: 'number', operator: '$overlap', value: '={{ 0 }}' }),
			{ number: { $overlap: [0] } },
			1,
		],
		[
			'a typed list of truth values',
			conditions({ field: 'number', operator: '$nin', value: 'true, false', valueType: 'boolean' }),
			{ number: { $nin: [true, false] } },
			2,
		],
		[
			'two conditions',
			conditions(
				{ field: 'topic', operator: '$eq', value: 'money' },
				{ field: 'number', operator: '$eq', value: '={{ 0 }}' },
			),
			{ $and: [{ topic: { $eq: 'money' } }, { number: { $eq: 0 } }] },
			1,
		],
		[
			'either of two',
			{
				...conditions(
					{ field: 'topic', operator: '$eq', value: 'sea' },
					{ field: 'number', operator: '$eq', value: '={{ 0 }}' },
				),
				filterLogic: '$or',
			},
			{ $or: [{ topic: { $eq: 'sea' } }, { number: { $eq: 0 } }] },
			1,
		],
		['JSON', { filtersJson: '{"topic":{"$like":"mon%"}}' }, { topic: { $like: 'mon%' } }, 2],
		[
			'a collection',
			{ collectionIds: '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7' },
			{ collection_ids: { $overlap: ['4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7'] } },
			0,
		],
		[
			'several kinds',
			{
				...conditions({ field: 'topic', operator: '$eq', value: 'money' }),
				filtersJson: '={{ { number: { $lt: 1 } } }}',
			},
			{ $and: [{ topic: { $eq: 'money' } }, { number: { $lt: 1 } }] },
			1,
		],
		[
			'an operator that is not known here',
			{ filtersJson: '{"topic":{"$new":1}}' },
			{ topic: { $new: 1 } },
			0,
		],
	])('filters by %s', async (_, options, sent, count) => {
		const found = jsonOf(await run('search', { query: 'first hour', topK: 10, options }));
		expect((lastBody().search_settings as IDataObject).filters).toEqual(sent);
		expect(found).toHaveLength(count);
	});

	it.each([{ results: { chunk_search_results: null } }, { results: [] }, { results: null }])(
		'%j is an empty result',
		async (body) => {
			fixture.sandbox.faults.add({ match: { path: '/retrieval/search' }, status: 200, body });
			expect(jsonOf(await run('search', { query: 'hour', topK: 1 }))).toEqual([]);
		},
	);

	it.each<[IDataObject, string]>([
		[{ status: 'ok' }, 'The answer holds no results of a search'],
		[{ results: { documents: [] } }, 'The answer holds no results of a search'],
		[
			{ results: 'x', detail: 'maintenance' },
			'The answer holds no results of a search: maintenance',
		],
	])('%j is no answer of a search', async (body, message) => {
		for (const operation of ['search', 'ask']) {
			fixture.sandbox.faults.add({ match: { path: '/retrieval/search' }, status: 200, body });
			const error = errorOf(
				await run(operation, {
					query: 'hour',
					topK: 1,
					...(operation === 'ask' && { promptName: 'rag' }),
				}),
			);
			expect([error.message, error.description]).toEqual([
				message,
				expect.stringContaining('Retrieval Segment'),
			]);
		}
	});

	it('a web page is no deletion and no streamed answer', async () => {
		const page = () => fixture.sandbox.faults.add({ ...errorForms.html(200, 'Log in') });
		page();
		expect(
			errorOf(
				await fixture.run(
					rag('document', 'delete', { documentId: '11111111-2222-4333-8444-555555555555' }),
				),
			).message,
		).toContain('an HTML page');
		page();
		expect(
			errorOf(await run('rag', { query: 'hour', topK: 1, options: { stream: true } })).message,
		).toContain('an HTML page');
	});

	it.each<[string, IDataObject, string]>([
		['an empty query', { query: '  ' }, 'Query is required and must not be empty'],
		['top_k 0', { topK: 0 }, 'Top K must be a whole number from 1 to 1000, got 0'],
		['top_k 1001', { topK: 1001 }, 'Top K must be a whole number from 1 to 1000, got 1001'],
		['top_k 1.5', { topK: 1.5 }, 'Top K must be a whole number from 1 to 1000, got 1.5'],
		[
			'filters that are no object',
			{ options: { filtersJson: '[1]' } },
			'Options: Filters (JSON) must be a JSON object such as {"key": "value"}, got [1]',
		],
		[
			'filters that are no JSON',
			{ options: { filtersJson: '{topic' } },
			'Options: Filters (JSON) must be valid JSON, got "{topic"',
		],
		[
			'a condition without a field',
			{ options: conditions({ field: '', operator: '$eq', value: 'a' }) },
			'Options: Filters 1: Field is required and must not be empty',
		],
		[
			'a number that is none',
			{ options: conditions({ field: 'a', operator: '$in', value: '1,b', valueType: 'number' }) },
			'Options: Filters 1: Value must be a list of numbers, got "b"',
		],
		[
			'an empty text among numbers',
			{
				options: conditions({
					field: 'a',
					operator: '$in',
					value: '={{ [1, " "] }}',
					valueType: 'number',
				}),
			},
			'Options: Filters 1: Value must be a list of numbers, got " "',
		],
		[
			'a truth value that is none',
			{
				options: conditions({
					field: 'a',
					operator: '$in',
					value: 'true,yes',
					valueType: 'boolean',
				}),
			},
			'Options: Filters 1: Value must be a list of true and false, got "yes"',
		],
		[
			'a list with nothing in it',
			{ options: conditions({ field: 'a', operator: '$in', value: '={{ [null] }}' }) },
			'Options: Filters 1: Value must be text, a number, true or false, got nothing',
		],
		...['$in', '$nin', '$overlap'].flatMap((operator) =>
			['', ' , ', '={{ [] }}', '={{ [""] }}'].map((value): [string, IDataObject, string] => [
				`${operator} ${value}`,
				{ options: conditions({ field: 'a', operator, value }) },
				'Options: Filters 1: Value must hold at least one value',
			]),
		),
		...['', ' , ', '={{ [] }}', '={{ [""] }}'].map(
			(collectionIds): [string, IDataObject, string] => [
				`collections ${collectionIds}`,
				{ options: { collectionIds } },
				'Options: Collection IDs must hold at least one ID',
			],
		),
		[
			'a filter that an expression did not find',
			{ options: { filtersJson: '={{ "" }}' } },
			'Options: Filters (JSON) must be valid JSON, got ""',
		],
		[
			'a negative weight',
			{ options: { semanticWeight: -1 } },
			'Options: Semantic Weight must be a number of at least 0, got -1',
		],
	])('%s: a clear error, nothing sent', async (_, parameters, message) => {
		const error = errorOf(await run('search', { query: 'hour', topK: 10, ...parameters }));
		expect(error.message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it.each([
		['plain text', errorForms.plainText(400, 'no'), 'The service refused the request (400): no'],
		['nothing', errorForms.empty(403), 'The account may not do this (403)'],
		['a detail', errorForms.detailString(404, 'no index'), 'Not found (404): no index'],
		[
			'a detail message',
			errorForms.detailMessage(409, 'busy'),
			'The service reports a conflict (409): busy',
		],
		[
			'a message and type',
			errorForms.messageAndType(413, 'long'),
			'The request is too large for the service (413): long',
		],
		[
			'a list',
			errorForms.detailList(422, [{ loc: ['body', 'query'], msg: 'too long', type: 'x' }]),
			'query: too long',
		],
		[
			'an error object',
			errorForms.errorObject(402, 'pay'),
			'The plan does not cover this request (402): pay',
		],
	])('an error as %s is readable', async (_, form, message) => {
		fixture.sandbox.faults.add({ match: { path: '/retrieval/search' }, ...form });
		expect(errorOf(await run('search', { query: 'hour', topK: 1 })).message).toBe(message);
	});

	it('waits as long as a 429 says and goes on', async () => {
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/search' },
			...errorForms.tooManyRequests(7),
		});
		expect(jsonOf(await run('search', { query: 'boats', topK: 1 }))).toHaveLength(1);
		expect(fixture.time.waits).toEqual([7_000]);
	});

	it('says when an hourly quota opens again', async () => {
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/search' },
			...errorForms.tooManyRequests(3600),
		});
		const error = errorOf(await run('search', { query: 'boats', topK: 1 }));
		expect(error.description).toContain('It opens again in 60 minutes.');
	});
});

describe('generate', () => {
	it('answers from the context, and keeps what the service sent', async () => {
		const answer = onlyJson(
			await run('generate', {
				promptName: 'rag',
				query: 'Where are the boats?',
				context: TEXTS.join('\n'),
			}),
		);
		expect(answer).toMatchObject({
			answer: expect.stringContaining(`${TEXTS[2]} [3]`),
			generated_answer: expect.stringContaining('harbour'),
			metadata: { prompt_name: 'rag' },
		});
		expect(lastBody()).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'Where are the boats?', context: TEXTS.join('\n') },
		});
	});

	it('a list of texts from an expression is joined by line breaks', async () => {
		await run('generate', {
			promptName: 'rag',
			query: 'a',
			context: `={{ ${JSON.stringify(['one ', 'two'])} }}`,
		});
		expect(lastBody()).toMatchObject({ inputs: { context: 'one \ntwo' } });
	});

	it.each([
		['a text', '"Yes."', 'Yes.'],
		['plain text', 'Yes.', 'Yes.'],
		['a text in the envelope', '{"results":"Yes."}', 'Yes.'],
		[
			'a chat completion',
			'{"choices":[{"message":{"role":"assistant","content":"Yes."}}]}',
			'Yes.',
		],
		[
			'a completion inside',
			'{"results":{"completion":{"choices":[{"message":{"content":"Yes."}}]}}}',
			'Yes.',
		],
		['an answer under another name', '{"results":{"answer":"Yes."}}', 'Yes.'],
	])('reads an answer that is %s', async (_, rawBody, answer) => {
		fixture.sandbox.faults.add({
			match: { path: '/rag/generate' },
			status: 200,
			rawBody,
			contentType: 'application/json',
		});
		expect(
			onlyJson(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })).answer,
		).toBe(answer);
	});

	it('keeps what stands beside an answer that is text', async () => {
		const body = { results: 'Yes.', citations: [{ id: 'a' }], usage: { total_tokens: 3 } };
		fixture.sandbox.faults.add({ match: { path: '/rag/generate' }, status: 200, body });
		expect(
			onlyJson(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })),
		).toEqual({ answer: 'Yes.', ...body });
	});

	it('an answer that is null beside the text is not the answer', async () => {
		for (const body of [
			{ results: 'Yes.', answer: null },
			{ results: { answer: null, text: 'Yes.' } },
		]) {
			fixture.sandbox.faults.add({ match: { path: '/rag/generate' }, status: 200, body });
			expect(
				onlyJson(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })).answer,
			).toBe('Yes.');
		}
	});

	it('takes a prompt by any name', async () => {
		for (const name of ['Answer with sources', 'größe/2?', '../x']) {
			fixture.sandbox.faults.add({
				match: { path: '/rag/generate' },
				status: 200,
				body: { results: 'Yes.' },
				times: 2,
			});
			expect(
				onlyJson(await run('generate', { promptName: name, query: 'a', context: 'b' })).answer,
			).toBe('Yes.');
			expect(lastBody().prompt_name).toBe(name);
			expect(
				onlyJson(await run('ask', { promptName: name, query: 'first hour', topK: 1 })).answer,
			).toBe('Yes.');
			expect(lastBody().prompt_name).toBe(name);
		}
		expect(
			errorOf(await run('generate', { promptName: '={{ " " }}', query: 'a', context: 'b' }))
				.message,
		).toBe('Prompt is required: choose one from the list or enter its ID');
	});

	it('a prompt that does not exist', async () => {
		expect(
			errorOf(await run('generate', { promptName: 'nobody', query: 'a', context: 'b' })).message,
		).toBe('Not found (404): Prompt not found');
	});

	it('a lost answer is not asked for again: tokens are billed', async () => {
		fixture.sandbox.faults.add({ match: { path: '/rag/generate' }, drop: 'after' });
		expect(
			errorOf(await run('generate', { promptName: 'rag', query: 'a', context: 'b' })).message,
		).toContain('broke before an answer came');
		expect(fixture.sent('POST', /generate$/)).toHaveLength(1);
	});
});

describe('ask', () => {
	it('sends the chunk texts joined by line breaks, and names its sources', async () => {
		const answer = onlyJson(
			await run('ask', { query: 'Is the first hour refunded?', topK: 2, promptName: 'rag' }),
		);
		expect(fixture.sandbox.requests.map(({ path }) => path.split('/v3')[1])).toEqual([
			'/retrieval/search',
			'/rag/generate',
		]);
		expect(lastBody()).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'Is the first hour refunded?', context: `${TEXTS[0]}\n${TEXTS[1]}` },
		});
		expect(answer).toMatchObject({
			answer: expect.stringContaining('never refunded'),
			found: true,
			context_characters: `${TEXTS[0]}\n${TEXTS[1]}`.length,
			sources: [
				{
					source: TEXTS[0],
					text: TEXTS[0],
					score: expect.any(Number),
					chunk_id: expect.any(String),
					document_id: expect.any(String),
				},
				{ source: TEXTS[1] },
			],
		});
	});

	it('cuts the context at chunk borders', async () => {
		const first = TEXTS[0]?.length ?? 0;
		const cut = async (maxContextCharacters: number) =>
			await run('ask', {
				query: 'Is the first hour refunded?',
				topK: 10,
				promptName: 'rag',
				options: { maxContextCharacters },
			});
		expect(onlyJson(await cut(first + 5))).toMatchObject({
			context_characters: first,
			sources: [{ text: TEXTS[0] }],
		});
		expect(onlyJson(await cut(first + 1 + (TEXTS[1]?.length ?? 0))).sources).toHaveLength(2);
		expect(errorOf(await cut(first - 1)).message).toBe(
			`Max Context Characters must be at least the length of the best chunk (${first}), got ${first - 1}`,
		);
	});

	it('refuses in the words of the user when nothing is found, without a model', async () => {
		const nothing = {
			answer: 'I do not know.',
			found: false,
			query: 'Zebras?',
			prompt_name: 'rag',
			context_characters: 0,
			sources: [],
		};
		expect(
			onlyJson(
				await run('ask', {
					query: 'Zebras?',
					topK: 3,
					promptName: 'rag',
					options: { refusalText: 'I do not know.' },
				}),
			),
		).toEqual(nothing);
		const [best] = jsonOf(await run('search', { query: 'harbour hour', topK: 1 }));
		const score = Number(best?.score);
		const asked = async (minScore: number) =>
			onlyJson(
				await run('ask', {
					query: 'harbour hour',
					topK: 3,
					promptName: 'rag',
					options: { minScore },
				}),
			);
		expect(await asked(score + 0.001)).toMatchObject({
			found: false,
			answer: 'I found nothing about this in the documents.',
		});
		expect(await asked(score)).toMatchObject({ found: true });
		expect(fixture.sent('POST', /generate$/)).toHaveLength(1);
	});

	it('a minimum without scores is a mistake that is told, and nothing is sent', async () => {
		const asked = async (options: IDataObject) =>
			await run('ask', { query: 'hour', topK: 1, promptName: 'rag', options });
		expect(errorOf(await asked({ minScore: 0.1, includeScores: false })).message).toBe(
			'Options: Minimum Score needs the option Include Scores',
		);
		expect(fixture.sandbox.requests).toEqual([]);
		for (const options of [{ includeScores: false }, { minScore: 0.1, includeScores: true }])
			expect(onlyJson(await asked(options)).found).toBe(true);
	});

	it('a chunk without a score does not reach a minimum', async () => {
		const body = { results: { chunk_search_results: [{ id: 'a', text: 'b' }] } };
		fixture.sandbox.faults.add({
			match: { path: '/retrieval/search' },
			status: 200,
			body,
			times: 2,
		});
		expect(
			onlyJson(
				await run('ask', { query: 'a', topK: 1, promptName: 'rag', options: { minScore: 0 } }),
			).found,
		).toBe(false);
		expect(onlyJson(await run('ask', { query: 'a', topK: 1, promptName: 'rag' }))).toMatchObject({
			found: true,
			sources: [{ source: 'unknown', score: null }],
		});
	});
});
