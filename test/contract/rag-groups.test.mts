import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag, textDocument } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';
import { at, listAt } from '../sandbox/testing/client.mts';
import { deletions, lists, reads, writes, type Row } from './rag-operations.mts';

/** beyond-the-spec.md section 6, group by group: what each operation sends, and that an independent client is answered alike. */
const fixture = useFixture({ part: 'rag' });
const BASE = '/intelligence/api/rag/v3';

const ALL = { returnAll: true };
/** What is there before each test, made by the independent client. */
const ids: Record<'document' | 'chunk' | 'collection' | 'conversation' | 'user', string> = {
	document: '',
	chunk: '',
	collection: '',
	conversation: '',
	user: '',
};

beforeEach(async () => {
	const idOf = async (path: string, body?: unknown) =>
		String(
			at(
				(await (body === undefined ? fixture.client.get(path) : fixture.client.post(path, body)))
					.json,
				'results',
				'id',
			),
		);
	const { document_id: documentId } = onlyJson(
		await fixture.run(textDocument('In the evening Anna meets Boris in Cologne.')),
	);
	ids.document = String(documentId);
	ids.chunk = String(
		at((await fixture.client.get(`/documents/${ids.document}/chunks`)).json, 'results', 0, 'id'),
	);
	ids.collection = await idOf('/collections', { name: 'papers' });
	ids.conversation = await idOf('/conversations', { name: 'talk' });
	ids.user = await idOf('/users/me');
	await fixture.client.post('/prompts', {
		name: 'short',
		template: '{query}',
		input_types: { query: 'str' },
	});
	await fixture.client.post(`/graphs/${ids.collection}/pull`, {});
	fixture.sandbox.requests.length = 0;
});

/** Ids are known only when the tests run: `{document}` stands for the one of the document. */
const filled = <T extends string | IDataObject | IDataObject[]>(value: T): T =>
	JSON.parse(
		JSON.stringify(value).replace(/\{(\w+)\}/g, (mark, name: string) =>
			Object.hasOwn(ids, name) ? ids[name as keyof typeof ids] : mark,
		),
	) as T;

/**
 * Runs the operation of a row; it must send one request, and that is the row's.
 * @param isLookedAt whether a second one reads what was deleted
 */
async function sentBy(
	[id, parameters, method, path, body]: Row,
	isLookedAt = false,
): Promise<IDataObject[]> {
	const [resource = '', operation = ''] = id.split('.');
	const items = jsonOf(await fixture.run(rag(resource, operation, filled(parameters))));
	const [request, ...others] = fixture.sandbox.requests;
	const looks = isLookedAt ? [['GET', `${BASE}${filled(path)}`]] : [];
	expect(others.map((one) => [one.method, one.path])).toEqual(looks);
	expect([request?.method, request?.path, request?.body]).toEqual([
		method,
		`${BASE}${filled(path)}`,
		body && filled(body),
	]);
	expect(request?.status).toBeGreaterThanOrEqual(200);
	expect(request?.status).toBeLessThan(300);
	return items;
}

describe('what each operation sends', () => {
	it.each(lists)(
		'[%s] a list: one item an entry, as an independent client sees it',
		async (...row) => {
			const items = await sentBy(row);
			expect(items).toEqual(listAt((await fixture.client.get(filled(row[3]))).json, 'results'));
		},
	);

	it.each(reads)(
		'[%s] one thing: its results, as an independent client sees them',
		async (...row) => {
			const [item] = await sentBy(row);
			const seen = at(
				(await fixture.client.call(filled(row[3]), { method: row[2] as 'GET' })).json,
				'results',
			) as IDataObject;
			// Uptime goes on between the two
			expect(Object.keys(item ?? {})).toEqual(expect.arrayContaining(Object.keys(seen)));
			expect(item?.id).toEqual(seen.id);
		},
	);

	it.each(writes)('[%s] a write: exactly its body', async (...row) => {
		await sentBy(row);
	});

	it.each(deletions)('[%s] a deletion, and then it is gone', async (...row) => {
		// A prompt is read with POST
		const isPrompt = row[0] === 'prompt.delete';
		const method = isPrompt ? 'POST' : 'GET';
		const [item] = await sentBy(row, !isPrompt);
		expect(item).toMatchObject({ deleted: true, already_gone: false });
		expect((await fixture.client.call(filled(row[3]), { method })).status).toBe(404);
	});

	it('[collection.removeDocument] DELETE /collections/{id}/documents/{document_id}', async () => {
		await fixture.client.post(`/collections/${ids.collection}/documents/${ids.document}`, {});
		fixture.sandbox.requests.length = 0;
		await sentBy([
			'collection.removeDocument',
			{ collectionId: '{collection}', documentId: '{document}' },
			'DELETE',
			'/collections/{collection}/documents/{document}',
		]);
		expect(
			listAt(
				(await fixture.client.get(`/collections/${ids.collection}/documents`)).json,
				'results',
			),
		).toEqual([]);
	});

	it.each([[{ id: '1', name: 'talk', messages: [{ id: 'm' }] }], [{ name: 'talk' }]])(
		'[conversation.get] %j in place of a list is one item',
		async (results) => {
			fixture.sandbox.faults.add({ status: 200, body: { results }, times: 2 });
			expect(
				jsonOf(
					await fixture.run(
						rag('conversation', 'get', { conversationId: ids.conversation, ...ALL }),
					),
				),
			).toEqual([results]);
		},
	);

	it('[index.getAll] GET /indices: { results: { indices: [{ index }] }, total_entries }, one item an index', async () => {
		const items = jsonOf(await fixture.run(rag('index', 'getAll', ALL)));
		const { json } = await fixture.client.get('/indices');
		expect(items.map(({ name }) => name)).toEqual(
			listAt(json, 'results', 'indices').map((entry) => at(entry, 'index', 'name')),
		);
		expect(at(json, 'total_entries')).toBe(items.length);
	});
});
