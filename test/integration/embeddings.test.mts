import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, CONTINUE, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { vectorOf } from '../sandbox/intelligence/words.mts';

const fixture = useFixture();
const EMBEDDING = 'mixedbread-ai/mxbai-embed-large-v1';

describe('embeddings', () => {
	const create = (input: string, options: IDataObject = {}, settings = {}) =>
		chat('embedding', 'create', { model: locator(EMBEDDING), input, options }, settings);
	const texts = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ text: `text ${index}, with a comma` }));

	it('one output item per text, of one text or many in an item', async () => {
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

	it('items share a request up to the batch size, unless their options differ', async () => {
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

	it('a batch that is too large is halved until it fits', async () => {
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

	it('a text that is refused fails its own item alone', async () => {
		const refuse = (times: number, skip = 0) =>
			fixture.sandbox.faults.add({ ...errorForms.detailString(400, 'too long'), times, skip });
		refuse(3);
		const run = await fixture.run(
			create('={{ $json.text }}', {}, { onError: 'continueRegularOutput' }),
			texts(4),
		);
		expect(jsonOf(run).map(({ index, error }) => error ?? index)).toEqual([
			'Request rejected (400): too long',
			0,
			0,
			0,
		]);
		refuse(3);
		const error = errorOf(await fixture.run(create('={{ $json.text }}'), texts(4)));
		expect([error.message, error.context.itemIndex]).toEqual([
			'Request rejected (400): too long',
			0,
		]);
	});

	const sizes = () =>
		fixture.sandbox.requests.map(({ body }) => (body as { input: string[] }).input.length);

	it('two neighbours that are refused fail alone; the order stays', async () => {
		const refuse = (times: number, skip = 0) =>
			fixture.sandbox.faults.add({ ...errorForms.detailString(400, 'too long'), times, skip });
		refuse(4);
		refuse(1, 1);
		const run = await fixture.run(create('={{ $json.text }}', {}, CONTINUE), texts(8));
		expect(jsonOf(run).map(({ embedding, error }) => embedding ?? error)).toEqual(
			texts(8).map(({ text }, index) =>
				index < 2 ? 'Request rejected (400): too long' : vectorOf(text, 128),
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

	it('texts between two that are refused are embedded', async () => {
		fixture.sandbox.faults.add({ ...errorForms.detailString(400, 'too long'), times: 5 });
		const items = texts(8).map(({ text }, index) => ({ text: index === 5 ? 'x' : text }));
		const run = await fixture.run(create('={{ $json.text }}', {}, CONTINUE), items);
		expect(jsonOf(run).map(({ embedding, error }) => embedding ?? error)).toEqual(
			items.map(({ text }, index) =>
				index === 0 || index === 7 ? 'Request rejected (400): too long' : vectorOf(text, 128),
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
		'an option that is refused is not tried with each text: %s',
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
				messages.map(() => 'Request rejected (400): dimensions is not supported'),
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
	])('after a 422 about %j the batches have these sizes: %j', async (loc, sent) => {
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
			'The response is larger than 16 MiB for 2 texts: choose a smaller Batch Size',
		],
		['of one text cannot be smaller', 1, 'The response is larger than 16 MiB'],
	])('a response that is too large %s', async (_, count, message) => {
		answerWith([{ embedding: 'x'.repeat(17 * 1024 * 1024) }]);
		expect(errorOf(await fixture.run(create('={{ $json.text }}'), texts(count))).message).toBe(
			message,
		);
		expect(fixture.sandbox.requests).toHaveLength(1);
	});

	it.each<[string, unknown, string]>([
		['fewer vectors than texts', { data: [] }, 'The response contains 0 vectors for 2 texts'],
		['no JSON', 'oops', 'The response is not a JSON object: oops'],
	])('%s: an error for each item', async (_, body, message) => {
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

	it('entries are put in order; base64 and user are sent', async () => {
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				data: [
					{ index: 1, embedding: 'AACAPw==' },
					{ index: 0, embedding: 'AAAAPw==' },
				],
			},
		});
		const items = jsonOf(
			await fixture.run(create('={{ ["x", "y"] }}', { encodingFormat: 'base64', user: 'u' })),
		);
		expect(items).toEqual([
			{ index: 0, embedding: 'AAAAPw==' },
			{ index: 1, embedding: 'AACAPw==' },
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
		['={{ ["a", 7] }}', {}, 'Input must contain texts that are not empty, got 7 at position 2'],
		['x', { batchSize: 0 }, 'Options: Batch Size must be a whole number from 1 to 2048, got 0'],
		['x', { dimensions: 1.5 }, 'Options: Dimensions must be a whole number of at least 1, got 1.5'],
		[
			'x',
			{ encodingFormat: 'hex' },
			'Options: Encoding Format must be one of base64, float, got "hex"',
		],
	])('%s with %j is an error, and nothing is sent', async (input, options, message) => {
		expect(errorOf(await fixture.run(create(input, options))).message).toBe(message);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('vectors of another size than those of an earlier batch are an error, also at the next try', async () => {
		const answer = (embedding: number[]) =>
			fixture.sandbox.faults.add({
				match: { path: /embeddings$/ },
				status: 200,
				body: { data: [{ index: 0, embedding }] },
			});
		for (const embedding of [
			[1, 2],
			[1, 2, 3],
			[1, 2, 3],
			[1, 2],
		])
			answer(embedding);
		const run = await fixture.run(
			create('={{ $json.text }}', { batchSize: 1 }, { ...RETRY, maxTries: 3 }),
			texts(2),
		);
		expect(jsonOf(run).map(({ embedding }) => embedding)).toEqual([
			[1, 2],
			[1, 2],
		]);
		expect(fixture.sandbox.requests).toHaveLength(4);
	});

	it('an error in place of vectors is told in the words of the service', async () => {
		fixture.sandbox.faults.add({
			match: { path: /embeddings$/ },
			status: 200,
			body: { error: { message: 'The model is not loaded' } },
		});
		const run = await fixture.run(create('={{ $json.text }}'), texts(1));
		expect(errorOf(run).message).toBe(
			'The response contains 0 vectors for 1 texts: The model is not loaded',
		);
	});
});
