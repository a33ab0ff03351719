import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { chat, CONTINUE, locator, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { vectorOf } from '../sandbox/intelligence/words.mts';

const fixture = useFixture();
const EMBEDDING = 'mixedbread-ai/mxbai-embed-large-v1';

describe('vectors that are paid for', () => {
	const create = (input: string, options: IDataObject = {}) =>
		chat('embedding', 'create', { model: locator(EMBEDDING), input, options });
	const texts = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ text: `text ${index}, with a comma` }));

	it.each([
		['as texts', ['2', '0', '1']],
		['as texts and numbers', [2, '0', 1]],
	])('vectors with indices %s are those of their texts', async (_, indices) => {
		const data = indices.map((index) => ({ index, embedding: [Number(index)] }));
		fixture.sandbox.faults.add({ status: 200, body: { data } });
		const run = await fixture.run(create('={{ $json.text }}'), texts(3));
		expect(jsonOf(run).map(({ embedding }) => embedding)).toEqual([[0], [1], [2]]);
	});

	it('vectors of which only some have an index are an error', async () => {
		const data = [{ index: 1, embedding: [1] }, { embedding: [0] }];
		fixture.sandbox.faults.add({ status: 200, body: { data } });
		const run = await fixture.run(create('={{ $json.text }}'), texts(2));
		expect(errorOf(run).message).toContain('vectors whose texts are not known');
	});

	describe('an error in a later batch', () => {
		const fail = () => fixture.sandbox.faults.add({ skip: 1, ...errorForms.plainText(500) });

		it('has the vectors of the item that are paid for', async () => {
			const item = { in: ['a', 'b', 'c', 'd'] };
			const node = create('={{ $json.in }}', { batchSize: 2, dimensions: 4 });
			const paid = ['a', 'b'].map((text, index) =>
				expect.objectContaining({ index, embedding: vectorOf(text, 4) }),
			);
			fail();
			const error = errorOf(await fixture.run(node, [item]));
			expect(error.message).toContain('500');
			expect(error.description).toContain('2 vectors that are paid for');
			expect(error.context.known).toEqual({ partial: paid });
			fail();
			const [failed] = jsonOf(await fixture.run({ ...node, ...CONTINUE }, [item]));
			expect(failed).toMatchObject({ details: { partial: paid } });
		});

		it('has those of later items, which are in no output', async () => {
			const options = { batchSize: 1, requestsAtOnce: 10, dimensions: 64 };
			const items = Array.from({ length: 12 }, (_, index) => ({ text: `text ${index}` }));
			fail();
			const error = errorOf(await fixture.run(create('={{ $json.text }}', options), items));
			const shown = JSON.stringify([error.context]);
			const billed = fixture.sandbox.answers.map(({ body }) => String(body.input));
			expect(billed.length).toBeGreaterThan(6);
			expect(error.context.known).not.toHaveProperty('partial');
			for (const text of billed) expect(shown).toContain(JSON.stringify(vectorOf(text, 64)));
		});

		it('is not asked for again with what is paid for', async () => {
			fail();
			const node = create('={{ $json.in }}', { batchSize: 2, dimensions: 4 });
			const run = await fixture.run({ ...node, ...RETRY }, [{ in: ['a', 'b', 'c', 'd'] }]);
			expect(jsonOf(run)).toHaveLength(4);
			expect(fixture.sandbox.answers.map(({ body }) => body.input)).toEqual([
				['a', 'b'],
				['c', 'd'],
			]);
		});

		it('stops those with other settings too, unless the node continues', async () => {
			const refuse = () => fixture.sandbox.faults.add({ ...errorForms.detailString(403, 'no') });
			const node = create('={{ $json.text }}', { dimensions: '={{ 2 + $itemIndex }}' });
			refuse();
			expect(errorOf(await fixture.run(node, texts(2))).message).toContain('no');
			expect(fixture.sandbox.requests).toHaveLength(1);
			refuse();
			const items = jsonOf(await fixture.run({ ...node, ...CONTINUE }, texts(2)));
			expect(items).toMatchObject([
				{ error: expect.any(String) },
				{ embedding: vectorOf('text 1, with a comma', 3) },
			]);
		});
	});
});
