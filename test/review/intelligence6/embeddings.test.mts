import { describe, expect, it } from 'vitest';
import { CONTINUE, RETRY } from '../../engine/nodes.mts';
import type { Call, Json, Said } from './service.mts';
import { embed, KEY, useStage } from './stage.mts';

const stage = useStage();

const TEXTS = Array.from({ length: 12 }, (_, n) => ({ t: `t${n}` }));
const LINE = 'POST /embeddings';
const OPTIONS = { batchSize: 2, requestsAtOnce: 3, includeText: true };

const asked = ({ body }: Call) => body.input as string[];
const vector = (text: string) => [Number(text.slice(1)), 0.5];
const rows = (texts: string[]): Json[] =>
	texts.map((text, index) => ({ object: 'embedding', index, embedding: vector(text) }));
const ok = (call: Call): Said => ({
	body: { object: 'list', data: rows(asked(call)), model: 'e', usage: { total_tokens: 2 } },
});

/** What becomes of the second request; whether it is paid, and whether it is an error. */
const SECOND: Array<[world: string, said: (call: Call) => Said, words: string | undefined]> = [
	[
		'refused with 402',
		() => ({ status: 402, body: { detail: `plan of ${KEY}` } }),
		'Payment required (402): plan of ***',
	],
	[
		'refused with 401',
		() => ({ status: 401, body: { detail: `bad ${KEY}` } }),
		'Authentication failed (401): bad ***',
	],
	[
		'429 for two hours',
		() => ({ status: 429, headers: { 'retry-after': '7200' }, body: { detail: 'quota' } }),
		'quota',
	],
	['429 without a word', () => ({ status: 429, body: '' }), '429'],
	['500', () => ({ status: 500, body: { detail: 'broken' } }), 'broken'],
	['lost', () => ({ isCut: true }), 'lost'],
	['an error with 200', () => ({ body: { error: { message: `no ${KEY}` } } }), 'no ***'],
	['false with 200', () => ({ body: 'false' }), ''],
	['an empty body', () => ({ body: '' }), ''],
	[
		'one vector less',
		(call) => ({ body: { data: rows(asked(call)).slice(1) } }),
		'1 vectors for 2 texts',
	],
	['no vector', () => ({ body: { data: [] } }), '0 vectors for 2 texts'],
	[
		'one vector more',
		(call) => ({ body: { data: rows([...asked(call), 't99']) } }),
		'3 vectors for 2 texts',
	],
	[
		'the same index twice',
		(call) => ({ body: { data: rows(asked(call)).map((row) => ({ ...row, index: 0 })) } }),
		'several vectors for one text',
	],
	[
		'more dimensions',
		(call) => ({
			body: { data: rows(asked(call)).map((row) => ({ ...row, embedding: [1, 2, 3] })) },
		}),
		'dimensions',
	],
	['late', (call) => ({ ...ok(call), lateMs: 60 }), undefined],
	['in another order', (call) => ({ body: { data: rows(asked(call)).toReversed() } }), undefined],
	[
		'numbered from 1, backwards',
		(call) => ({
			body: {
				data: rows(asked(call))
					.map((row) => ({ ...row, index: Number(row.index) + 1 }))
					.toReversed(),
			},
		}),
		undefined,
	],
];

function expectOwn(items: Json[]): void {
	for (const { text, embedding } of items)
		if (embedding !== undefined) expect(embedding).toEqual(vector(String(text)));
}

/** Texts that were answered with their vectors. */
let paid: string[] = [];
const world = (second: (call: Call) => Said, times = 1) => {
	paid = [];
	return (call: Call): Said => {
		const said = call.nth >= 1 && call.nth < 1 + times ? second(call) : ok(call);
		const isPaid =
			(said.status ?? 200) === 200 && JSON.stringify(said.body) === JSON.stringify(ok(call).body);
		if (isPaid) paid.push(...asked(call));
		return said;
	};
};

describe.each(SECOND)('where the second of six requests is %s', (_world, second, words) => {
	it('it ends all, and nothing that is paid is lost', async () => {
		stage.service.answer = world(second);
		const { items, message, all } = await stage.run(embed(OPTIONS), TEXTS);
		expect(all).not.toContain(KEY);
		if (words === undefined || message === '') {
			expect(items.map(({ text }) => text)).toEqual(TEXTS.map(({ t }) => t));
			expectOwn(items);
			return;
		}
		expect(message).toContain(words);
		// Those under way when the second one failed, and no others
		expect(stage.service.sent(LINE).length).toBeLessThanOrEqual(4 + 2);
		for (const text of paid) expect(all).toContain(JSON.stringify(vector(text)));
	});

	it('with Continue, only its items fail', async () => {
		stage.service.answer = world(second);
		const { items, all } = await stage.run(embed(OPTIONS, CONTINUE), TEXTS);
		expect(all).not.toContain(KEY);
		expect(items).toHaveLength(12);
		const failed = items.filter(({ error }) => error !== undefined);
		expect(failed.length).toBeLessThanOrEqual(2);
		expectOwn(items);
	});

	it('with Retry On Fail, no text that is paid is sent again', async () => {
		stage.service.answer = world(second);
		const { items, message } = await stage.run(embed(OPTIONS, RETRY), TEXTS);
		const all = stage.service.sent(LINE).flatMap(asked);
		expect(new Set(paid).size).toBe(paid.length);
		expect(all.length).toBeGreaterThanOrEqual(12);
		if (message === '') {
			expect(items.map(({ text }) => text)).toEqual(TEXTS.map(({ t }) => t));
			expectOwn(items);
		}
	});
});

it('a wait that the service asks for is kept, and all come', async () => {
	stage.service.answer = world(() => ({ status: 429, headers: { 'retry-after': '3' }, body: '' }));
	const { items, message } = await stage.run(embed(OPTIONS), TEXTS);
	expect(message).toBe('');
	expectOwn(items);
	expect(items).toHaveLength(12);
	expect(stage.clock).toBeGreaterThanOrEqual(3_000);
	expect(stage.service.most).toBeLessThanOrEqual(3);
});

it.each([
	['413 for more than one text', 413],
	['422 for more than one text', 422],
])('where the service says %s, each is sent alone', async (_world, status) => {
	stage.service.answer = (call) =>
		asked(call).length > 1 ? { status, body: { detail: 'too many inputs' } } : ok(call);
	const { items, message } = await stage.run(embed({ ...OPTIONS, batchSize: 4 }), TEXTS);
	expect(message).toBe('');
	expect(items.map(({ text }) => text)).toEqual(TEXTS.map(({ t }) => t));
	expectOwn(items);
});

describe('a store of vectors', () => {
	it.each(SECOND)(
		'never gets a wrong one where the second request is %s',
		async (_world, second, words) => {
			stage.service.answer = world(second);
			const store = await stage.embeddings({ batchSize: 2, requestsAtOnce: 3 });
			const texts = TEXTS.map(({ t }) => t);
			const outcome = await store.embedDocuments(texts).catch((error: Error) => error);
			if (outcome instanceof Error) {
				expect(words).toBeDefined();
				expect(outcome.message).toContain(words);
				expect(JSON.stringify([outcome.message, outcome])).not.toContain(KEY);
			} else expect(outcome).toEqual(texts.map(vector));
		},
	);
});
