import { FormData } from 'undici';
import { describe, expect, it } from 'vitest';
import { Client, at, listAt, violations } from '../sandbox/testing/client.mts';
import type { Answer } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, rag] = await useSandbox(
	(service) =>
		new Client(`${service.intelligenceUrl}/api/rag/v3`, {
			authorization: `Bearer ${service.keys.intelligenceKey}`,
		}),
);

function create(fields: Record<string, string | File>): Promise<Answer> {
	const form = new FormData();
	for (const [key, value] of Object.entries(fields)) form.append(key, value);
	return rag.call('/documents', { method: 'POST', raw: form });
}

const AT_ONCE = { run_with_orchestration: 'false' };

async function created(text: string, more: Record<string, string> = {}): Promise<string> {
	return String(
		at((await create({ raw_text: text, ...AT_ONCE, ...more })).json, 'results', 'document_id'),
	);
}

const hits = async (body: object) =>
	listAt((await rag.post('/retrieval/search', body)).json, 'results', 'chunk_search_results');

describe('documents', () => {
	it('are taken in over time', async () => {
		const { status, json } = await create({
			raw_text: 'Cats sleep a lot.',
			metadata: '{"animal":"cat"}',
		});
		expect(status).toBe(202);
		const id = String(at(json, 'results', 'document_id'));
		expect(at(json, 'results', 'task_id')).toEqual(expect.any(String));
		const state = async () =>
			at((await rag.get(`/documents/${id}`)).json, 'results', 'ingestion_status');
		expect(await state()).toBe('pending');
		expect(await hits({ query: 'cats' })).toEqual([]);
		sandbox.clock.advance(3_000);
		expect(await state()).toBe('embedding');
		sandbox.clock.advance(2_000);
		expect(await state()).toBe('success');
		expect(await hits({ query: 'cats' })).toHaveLength(1);
		expect(at((await rag.get(`/documents/${id}`)).json, 'results')).toMatchObject({
			id,
			metadata: { animal: 'cat' },
			document_type: 'txt',
			size_in_bytes: 17,
			title: 'Cats sleep a lot.',
			version: 'v0',
			summary: null,
		});
	});

	it('come as a file, as text or as chunks, one of them', async () => {
		const file = await create({
			file: new File(['# Title\n\nA long story.'], 'story.md'),
			...AT_ONCE,
		});
		expect([file.status, at(file.json, 'results', 'task_id')]).toEqual([200, null]);
		const id = String(at(file.json, 'results', 'document_id'));
		expect((await rag.get(`/documents/${id}/download`)).text).toBe('# Title\n\nA long story.');
		const chunks = async (documentId: string) =>
			listAt((await rag.get(`/documents/${documentId}/chunks`)).json, 'results').map((chunk) =>
				at(chunk, 'text'),
			);
		expect(await chunks(id)).toEqual(['# Title', 'A long story.']);
		const given = await create({ chunks: '["one","two"]', ...AT_ONCE });
		expect(await chunks(String(at(given.json, 'results', 'document_id')))).toEqual(['one', 'two']);
		expect((await create({})).status).toBe(422);
		expect((await create({ raw_text: 'a', chunks: '["a"]' })).json).toMatchObject({
			message: expect.any(String),
			error_type: 'BadRequest',
		});
	});

	it('exist once for each id, text and file name', async () => {
		await created('the same');
		expect((await create({ raw_text: 'the same' })).status).toBe(409);
		await create({ file: new File(['a'], 'a.txt') });
		expect((await create({ file: new File(['b'], 'a.txt') })).status).toBe(409);
	});

	it('refuse bad fields', async () => {
		const answer = await create({
			raw_text: 'a',
			id: 'x',
			metadata: 'no json',
			ingestion_mode: 'slow',
			collection_ids: '["x"]',
		});
		expect([answer.status, violations(answer).sort()]).toEqual([
			422,
			[
				'body.collection_ids.0: uuid_parsing',
				'body.id: uuid_parsing',
				'body.ingestion_mode: enum',
				'body.metadata: json_invalid',
			],
		]);
		expect((await rag.post('/documents', { raw_text: 'a' })).status).toBe(422);
		expect((await create({ raw_text: '' })).status).toBe(422);
	});

	it('are listed in pages, by ids, and deleted', async () => {
		const ids = [await created('one'), await created('two'), await created('three')];
		const page = await rag.get('/documents?offset=1&limit=1');
		expect([at(page.json, 'total_entries'), listAt(page.json, 'results').length]).toEqual([3, 1]);
		const some = await rag.get(`/documents?ids=${ids[0]}&ids=${ids[2]}`);
		expect(listAt(some.json, 'results').map((entry) => at(entry, 'id'))).toEqual([ids[0], ids[2]]);
		for (const query of ['offset=-1', 'limit=0', 'limit=1001'])
			expect((await rag.get(`/documents?${query}`)).status).toBe(422);
		expect((await rag.get('/documents?limit=1000')).status).toBe(200);
		expect((await rag.delete(`/documents/${ids[0]}`)).json).toEqual({ results: { success: true } });
		for (const call of [rag.get(`/documents/${ids[0]}`), rag.delete(`/documents/${ids[0]}`)]) {
			expect((await call).json).toEqual({ message: 'Document not found', error_type: 'NotFound' });
		}
	});
});

describe('search', () => {
	it('finds the best first, as many as wanted', async () => {
		await created('The red house stands on a hill.\n\nBlue boats lie in the harbour.', {
			metadata: '{"year":2020}',
		});
		await created('A red boat.', { metadata: '{"year":2024}' });
		const [first] = await hits({ query: 'a red boat', top_k: 2 });
		expect(first).toMatchObject({
			text: 'A red boat.',
			score: expect.closeTo(1, 6),
			metadata: { year: 2024 },
			document_id: expect.any(String),
		});
		expect(await hits({ query: 'red', top_k: 1 })).toHaveLength(1);
		expect(await hits({ query: 'red', search_settings: { limit: 1 } })).toHaveLength(1);
		expect(await hits({ query: 'red' })).toHaveLength(2);
		expect(await hits({ query: 'red', search_settings: { offset: 1 } })).toHaveLength(1);
		expect(await hits({ query: 'nothing here' })).toEqual([]);
	});

	it.each([
		[{ year: { $gte: 2024 } }, 1],
		[{ year: { $lt: 2024 } }, 1],
		[{ 'metadata.year': { $eq: 2020 } }, 1],
		[{ year: { $in: [2020, 2024] } }, 2],
		[{ year: { $nin: [2020] } }, 1],
		[{ $or: [{ year: { $eq: 2020 } }, { year: { $neq: 2020 } }] }, 2],
		[{ $and: [{ year: { $gt: 2000 } }, { title: { $ilike: 'THE%' } }] }, 1],
		[{ tags: { $overlap: ['a', 'z'] } }, 2],
		[{ title: { $like: 'THE%' } }, 0],
	])('filters by %j', async (filters, count) => {
		await created('The red house.', { metadata: '{"year":2020,"tags":["a"]}' });
		await created('A red boat.', { metadata: '{"year":2024,"tags":["a","b"]}' });
		expect(await hits({ query: 'red', search_settings: { filters } })).toHaveLength(count);
	});

	it('keeps to its limits', async () => {
		for (const limit of [1, 1_000]) {
			expect(
				(
					await rag.post('/retrieval/search', {
						query: 'a',
						top_k: limit,
						search_settings: { limit },
					})
				).status,
			).toBe(200);
		}
		for (const [body, violation] of [
			[{}, 'body.query: missing'],
			[{ query: '' }, 'body.query: string_too_short'],
			[{ query: 'a', top_k: 0 }, 'body.top_k: greater_than_equal'],
			[
				{ query: 'a', search_settings: { limit: 1001 } },
				'body.search_settings.limit: less_than_equal',
			],
			[{ query: 'a', search_mode: 'fast' }, 'body.search_mode: enum'],
		] as const) {
			expect(violations(await rag.post('/retrieval/search', body))).toEqual([violation]);
		}
	});
});

describe('generate', () => {
	it('answers from the context by a named prompt', async () => {
		const { status, json } = await rag.post('/rag/generate', {
			prompt_name: 'rag',
			inputs: { query: 'Where?', context: 'On a hill.\nIn a harbour.' },
		});
		expect([status, at(json, 'results', 'generated_answer')]).toEqual([
			200,
			'To "Where?" the context says: On a hill. [1]',
		]);
		expect(
			(
				await rag.post('/rag/generate', {
					prompt_name: 'nobody',
					inputs: { query: 'a', context: 'b' },
				})
			).status,
		).toBe(404);
		expect(violations(await rag.post('/rag/generate', { inputs: { query: 'a' } }))).toEqual([
			'body.prompt_name: missing',
			'body.inputs.context: missing',
		]);
	});
});

describe('collections', () => {
	it('are made, changed, filled and deleted', async () => {
		const made = await rag.post('/collections', { name: 'papers', description: 'all of them' });
		const id = String(at(made.json, 'results', 'id'));
		expect((await rag.post('/collections', { name: 'papers' })).status).toBe(409);
		expect(violations(await rag.post('/collections', {}))).toEqual(['body.name: missing']);
		expect(
			at((await rag.post(`/collections/${id}`, { name: 'articles' })).json, 'results'),
		).toMatchObject({ name: 'articles', description: 'all of them' });
		const document = await created('one');
		const path = `/collections/${id}/documents`;
		expect((await rag.call(`${path}/${document}`, { method: 'POST' })).status).toBe(200);
		expect((await rag.call(`${path}/${document}`, { method: 'POST' })).status).toBe(409);
		expect(at((await rag.get(path)).json, 'results', 0, 'id')).toBe(document);
		expect(at((await rag.get(`/collections/${id}`)).json, 'results', 'document_count')).toBe(1);
		expect((await rag.delete(`${path}/${document}`)).status).toBe(200);
		expect((await rag.delete(`${path}/${document}`)).status).toBe(404);
		expect((await rag.delete(`/collections/${id}`)).status).toBe(200);
		expect(at((await rag.get('/collections')).json, 'total_entries')).toBe(1);
	});

	it('can be named when a document is made', async () => {
		const { json } = await rag.post('/collections', { name: 'papers' });
		const id = String(at(json, 'results', 'id'));
		await created('one', { collection_ids: JSON.stringify([id]) });
		expect(at((await rag.get(`/collections/${id}/documents`)).json, 'total_entries')).toBe(1);
		expect(
			(
				await create({
					raw_text: 'two',
					collection_ids: '["00000000-0000-4000-8000-000000000000"]',
				})
			).status,
		).toBe(404);
	});
});

describe('prompts, system, users', () => {
	it('keep templates by name', async () => {
		const prompt = {
			name: 'short',
			template: '{query}: {context}',
			input_types: { query: 'str', context: 'str' },
		};
		expect((await rag.post('/prompts', prompt)).status).toBe(200);
		expect((await rag.post('/prompts', prompt)).status).toBe(409);
		expect(at((await rag.get('/prompts')).json, 'total_entries')).toBe(2);
		expect(
			(await rag.call('/prompts/short', { method: 'PUT', body: { template: '{query}' } })).status,
		).toBe(200);
		expect(
			at((await rag.call('/prompts/short', { method: 'POST' })).json, 'results'),
		).toMatchObject({ ...prompt, template: '{query}' });
		expect((await rag.delete('/prompts/short')).status).toBe(200);
		expect((await rag.call('/prompts/short', { method: 'POST' })).status).toBe(404);
		expect(violations(await rag.post('/prompts', {}))).toHaveLength(3);
	});

	it('are well, and know who asks', async () => {
		expect((await rag.get('/health')).json).toEqual({ results: { message: 'ok' } });
		expect(at((await rag.get('/users/me')).json, 'results')).toMatchObject({
			email: 'sandbox@example.com',
			is_active: true,
		});
	});
});
