import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chat, locator, RETRY, subNode } from '../../engine/nodes.mts';
import type { Fields, Response } from './service.mts';
import { useStage } from './stage.mts';

// Independent review: embeddings
const stage = useStage();

const TEXTS = ['t0', 't1', 't2', 't3', 't4', 't5'];
const vectorOf = (text: string) => [Number(text.slice(1)), 0.5];
const VECTORS = TEXTS.map(vectorOf);

/** Answers each batch; `change` makes what the service sends of its entries. */
function embed(change: (entries: Fields[]) => unknown, nth?: [at: number, said: Response]): void {
	let requests = 0;
	stage.service.respond = ({ json }) => {
		if (requests++ === nth?.[0]) return nth[1];
		const texts = [json.input].flat() as string[];
		const entries = texts.map((text, index) => ({ index, embedding: vectorOf(text) }));
		return { json: { object: 'list', model: 'm', data: change(entries) } };
	};
}

async function run(options: IDataObject = {}, settings: IDataObject = {}) {
	const parameters = { model: locator('m'), input: '={{ $json.t }}', options };
	const items = TEXTS.map((t) => ({ t }));
	return await stage.run(chat('embedding', 'create', parameters, settings), items);
}

async function documents(options: IDataObject = {}): Promise<unknown> {
	const node = subNode('embeddingsCompute', { model: locator('m'), options });
	const { response } = await stage.engine.supply(node);
	const embeddings = response as { embedDocuments(texts: string[]): Promise<number[][]> };
	return await embeddings.embedDocuments(TEXTS).catch((error: Error) => error.message);
}

const without = ({ embedding }: Fields) => ({ embedding });

describe('vectors that are those of their texts', () => {
	it.each<[string, (entries: Fields[]) => unknown]>([
		['in another order', (all) => all.toReversed()],
		['without an index', (all) => all.map(without)],
		['counted from 1', (all) => all.map((one, at) => ({ ...one, index: at + 1 })).toReversed()],
		[
			'with the index as text',
			(all) => all.map((one, at) => ({ ...one, index: String(at) })).toReversed(),
		],
	])('are in their order: %s', async (_world, change) => {
		embed(change);
		expect((await run()).items.map(({ embedding }) => embedding)).toEqual(VECTORS);
		expect(await documents({ batchSize: 4 })).toEqual(VECTORS);
	});
});

describe('vectors of which it is not known', () => {
	it.each<[string, (entries: Fields[]) => unknown]>([
		['one is missing', (all) => all.slice(1)],
		['one is too many', (all) => [...all, all[0]]],
		['two have one index', (all) => all.map((one) => ({ ...one, index: 0 }))],
		[
			'one has no index',
			(all) => all.map((one, at) => (at === 2 ? without(one) : one)).toReversed(),
		],
		[
			'one has another size',
			(all) => all.map((one, at) => (at === 2 ? { ...one, embedding: [2] } : one)),
		],
		[
			'one has no number',
			(all) => all.map((one, at) => (at === 1 ? { ...one, embedding: [1, null] } : one)),
		],
	])('are an error: %s', async (_world, change) => {
		embed(change);
		const { items, message } = await run();
		expect([items, message === '']).toEqual([[], false]);
		expect(typeof (await documents())).toBe('string');
	});
});

describe('a batch in the middle', () => {
	it.each<[string, Response]>([
		['429', { status: 429, json: {}, headers: { 'retry-after': '2' } }],
		['503', { status: 503, json: {}, headers: { 'retry-after': '2' } }],
	])('that is refused for a time is asked again (%s)', async (_world, said) => {
		embed((all) => all, [1, said]);
		expect((await run({ batchSize: 2 })).items).toHaveLength(TEXTS.length);
		expect(stage.service.received).toHaveLength(4);
	});

	it.each<[string, Response]>([
		['500', { status: 500, json: {} }],
		['lost', { isLost: true }],
	])('that fails does not make the others be paid twice (%s)', async (_world, said) => {
		embed((all) => all, [1, said]);
		const { items } = await run({ batchSize: 2 }, RETRY);
		expect(items.map(({ embedding }) => embedding)).toEqual(VECTORS);
		const asked = stage.service.received.flatMap(({ json }) => json.input as string[]);
		expect(asked).toHaveLength(TEXTS.length + 2);
	});
});
