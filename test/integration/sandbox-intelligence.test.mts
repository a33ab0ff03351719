import { FormData } from 'undici';
import { describe, expect, it } from 'vitest';
import { manualClock, startSandbox } from '../sandbox/index.mts';
import { Client, at, listAt } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, api] = await useSandbox(
	(service) =>
		new Client(`${service.intelligenceUrl}/api`, {
			authorization: `Bearer ${service.keys.intelligenceKey}`,
		}),
);

const V1 = '/v1';
const RAG = '/rag/v3';

describe('models', () => {
	it('come in pages if set so', async () => {
		const other = await startSandbox({ clock: manualClock(), modelsShape: 'paged' });
		const client = new Client(`${other.intelligenceUrl}/api/v1`, {
			token: other.keys.intelligenceKey,
		});
		const { json } = await client.get('/models?page=2&page_size=1&q=a');
		expect(at(json, 'pagination')).toMatchObject({ page: 2, page_size: 1, has_previous: true });
		expect(listAt(json, 'data')).toEqual([
			expect.objectContaining({ model_id: expect.any(String), name: expect.any(String) }),
		]);
		expect((await client.get('/models?page_size=101')).status).toBe(422);
		expect((await client.get('/models?page=0')).status).toBe(422);
		await client.close();
		await other.close();
	});
});

describe('chat completions', () => {
	const ask = async (content: string, more: object = {}) =>
		(
			await api.post(`${V1}/chat/completions`, {
				model: 'meta-llama/Llama-3.3-70B-Instruct',
				messages: [{ role: 'user', content }],
				...more,
			})
		).json;
	const contents = (json: unknown) =>
		listAt(json, 'choices').map((choice) => at(choice, 'message', 'content'));

	it('answer the same question the same way, another one differently, and each choice differently', async () => {
		const first = await ask('Why?', { n: 3 });
		expect(await ask('Why?', { n: 3 })).toEqual(first);
		expect(contents(await ask('How?'))).not.toEqual(contents(first).slice(0, 1));
		expect(new Set(contents(first)).size).toBe(3);
		expect(at(first, 'created')).toBe(sandbox.clock.now() / 1000);
	});
});

describe('embeddings', () => {
	it('are similar for texts that share words, and have length 1', async () => {
		const { json } = await api.post(`${V1}/embeddings`, {
			model: 'BAAI/bge-multilingual-gemma2',
			input: ['a red house', 'the red house', 'something else'],
		});
		const [first = [], second = [], third = []] = listAt(json, 'data').map((entry) =>
			listAt(entry, 'embedding').map(Number),
		);
		const similarity = (a: number[], b: number[]) =>
			a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
		expect(similarity(first, first)).toBeCloseTo(1, 6);
		expect(similarity(first, second)).toBeGreaterThan(similarity(first, third));
	});
});

describe('retrieval', () => {
	const create = (fields: Record<string, string | File>) => {
		const form = new FormData();
		for (const [key, value] of Object.entries(fields)) form.append(key, value);
		return api.call(`${RAG}/documents`, { method: 'POST', raw: form });
	};
	const created = async (text: string, more: Record<string, string> = {}) =>
		String(
			at(
				(await create({ raw_text: text, run_with_orchestration: 'false', ...more })).json,
				'results',
				'document_id',
			),
		);
	const hits = async (body: object) =>
		listAt(
			(await api.post(`${RAG}/retrieval/search`, body)).json,
			'results',
			'chunk_search_results',
		);

	it('finds a document when its ingestion is done, which takes time', async () => {
		const { status, json } = await create({ raw_text: 'Cats sleep a lot.' });
		expect(status).toBe(202);
		const id = String(at(json, 'results', 'document_id'));
		const state = async () =>
			at((await api.get(`${RAG}/documents/${id}`)).json, 'results', 'ingestion_status');
		expect(await state()).toBe('pending');
		sandbox.clock.advance(3_000);
		expect([await state(), await hits({ query: 'cats' })]).toEqual(['embedding', []]);
		sandbox.clock.advance(2_000);
		expect([await state(), (await hits({ query: 'cats' })).length]).toEqual(['success', 1]);
	});

	it('ranks the best chunk first', async () => {
		await created('The red house is on a hill.\n\nBlue boats are in the harbour.');
		await created('A red boat.', { metadata: '{"year":2024}' });
		const found = await hits({ query: 'a red boat' });
		expect(found[0]).toMatchObject({
			text: 'A red boat.',
			score: expect.closeTo(1, 6),
			metadata: { year: 2024 },
		});
		expect(await hits({ query: 'a red boat', search_settings: { offset: 1 } })).toEqual(
			found.slice(1),
		);
		const filters = { 'metadata.year': { $eq: 2024 } };
		expect(await hits({ query: 'red', search_settings: { filters } })).toHaveLength(1);
		expect(await hits({ query: 'nothing here' })).toEqual([]);
	});

	it('reports conflicts', async () => {
		const post = async (path: string, body?: object) =>
			(await api.call(RAG + path, { method: 'POST', body })).status;
		const prompt = { name: 'short', template: '{query}', input_types: { query: 'str' } };
		expect([await post('/prompts', prompt), await post('/prompts', prompt)]).toEqual([200, 409]);
		const made = await api.post(`${RAG}/collections`, { name: 'papers' });
		expect(await post('/collections', { name: 'papers' })).toBe(409);
		const path = `/collections/${String(at(made.json, 'results', 'id'))}/documents/${await created('one')}`;
		expect([await post(path), await post(path)]).toEqual([200, 409]);
		const remove = async () => (await api.delete(RAG + path)).status;
		expect([await remove(), await remove()]).toEqual([200, 404]);
		const file = () => create({ file: new File(['a'], 'a.txt') });
		expect([(await file()).status, (await file()).status]).toEqual([202, 409]);
	});
});
