import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chat, locator, rag, RETRY } from '../../engine/nodes.mts';
import { NOT_FOUND, type Call, type Json, type Said } from './service.mts';
import { useStage } from './stage.mts';

const stage = useStage();

const deleteMany = (filter: IDataObject, dryRun = false) =>
	rag('document', 'deleteMany', {
		dryRun,
		limit: 10,
		filters: { filtersJson: JSON.stringify(filter) },
	});

/** The documents of a service, by their IDs, and what it answers to a deletion. */
function shelf(
	documents: Record<string, Json>,
	deleted: (call: Call) => Said | undefined = () => undefined,
): void {
	stage.service.answer = (call) => {
		const { line, id, query } = call;
		if (line === 'GET /documents') {
			const asked = query.getAll('ids');
			const ids = Object.keys(documents).filter((one) => asked.length === 0 || asked.includes(one));
			const results = ids.map((one) => ({ id: one, title: one, metadata: documents[one] }));
			return { body: { results, total_entries: results.length } };
		}
		if (!(id in documents)) return NOT_FOUND;
		if (line.startsWith('GET')) return { body: { results: { id, metadata: documents[id] } } };
		const said = deleted(call);
		if (!said) delete documents[id];
		return said ?? { body: { results: { success: true } } };
	};
}

describe.each<[string, unknown]>([
	['false', 'false'],
	['false as its results', { results: false }],
	['deleted: false', { deleted: false }],
	['deleted: false in its results', { results: { deleted: false } }],
	['success: false', { results: { success: false, message: 'locked' } }],
	['an error', { results: { error: 'locked' } }],
])('a deletion that is answered with 200 and %s', (_world, body) => {
	it.each([
		['Delete', rag('document', 'delete', { documentId: 'a' })],
		['Delete Many', deleteMany({ k: { $eq: 'v' } })],
		['Delete of a collection', rag('collection', 'delete', { collectionId: 'a' })],
	])('is not told as done: %s', async (_operation, node) => {
		shelf({ a: { k: 'v' } }, () => ({ body }));
		const { items } = await stage.run(node);
		expect(items.filter(({ deleted }) => deleted === true)).toEqual([]);
	});
});

describe.each<[string, unknown]>([
	['false', 'false'],
	['false as its results', { results: false }],
	['created: false', { results: { created: false } }],
	['success: false', { results: { success: false } }],
])('a write that is answered with 200 and %s', (_world, body) => {
	it.each([
		['Add Document', rag('collection', 'addDocument', { collectionId: 'c', documentId: 'd' })],
		[
			'Add Message',
			rag('conversation', 'addMessage', { conversationId: 'c', content: 'x', role: 'user' }),
		],
		['Pull', rag('graph', 'pull', { collectionId: 'c' })],
	])('is no success: %s', async (_operation, node) => {
		stage.service.answer = () => ({ body });
		expect((await stage.run(node)).items).toEqual([]);
	});
});

describe('Delete Many deletes no document', () => {
	it.each<[world: string, value: unknown, condition: IDataObject]>([
		['that is true, where a number is compared', true, { $lt: 5 }],
		['that is false, where a number is compared', false, { $lte: 0 }],
		['that is a list, where a number is compared', [3], { $lt: 5 }],
		[
			'of the same moment, where not equal',
			'2026-01-01 00:00:00+00',
			{ $ne: '2026-01-01T00:00:00Z' },
		],
		['of the same day, where not equal', '2026-01-01T00:00:00Z', { $neq: '2026-01-01' }],
		[
			'of the same moment, where none of',
			'2026-01-01T01:00:00+01:00',
			{ $nin: ['2026-01-01T00:00:00Z'] },
		],
		['of a time that is no date', 'n/a', { $lt: '2026-01-01' }],
		['whose field is null', null, { $nin: ['a'] }],
	])('%s', async (_world, value, condition) => {
		const documents = { a: { k: value } };
		shelf(documents);
		await stage.run(deleteMany({ k: condition }));
		expect(Object.keys(documents)).toEqual(['a']);
	});
});

describe('Delete Many with Retry On Fail', () => {
	it.each<[string, Said]>([
		['refused', { status: 403, body: { detail: 'locked' } }],
		['refused with 200', { body: { results: { success: false } } }],
		['a conflict', { status: 409, body: { detail: 'busy' } }],
	])('tells each document that it has deleted, where one was %s once', async (_world, said) => {
		const documents = Object.fromEntries(['a', 'b', 'c'].map((id) => [id, { k: 'v' }]));
		let failures = 1;
		shelf(documents, ({ id }) => (id === 'b' && failures-- > 0 ? said : undefined));
		const { items, message } = await stage.run({ ...deleteMany({ k: { $eq: 'v' } }), ...RETRY });
		expect(message).toBe('');
		expect(documents).toEqual({});
		expect(items.map(({ document_id: id }) => id)).toEqual(['a', 'b', 'c']);
	});
});

/** A service that loses the answer to each first deletion. */
function losing(): Set<string> {
	const gone = new Set<string>();
	stage.service.answer = ({ line, id, query }) => {
		if (line === 'GET /documents') {
			const asked = query.getAll('ids');
			const results = ['a', 'b']
				.filter((one) => !gone.has(one))
				.filter((one) => asked.length === 0 || asked.includes(one))
				.map((one) => ({ id: one, title: one, metadata: { k: 'v' } }));
			return { body: { results, total_entries: results.length } };
		}
		if (!line.startsWith('DELETE') || gone.has(id)) return NOT_FOUND;
		gone.add(id);
		return { status: 502, body: 'Bad gateway' };
	};
	return gone;
}

it('Delete Many deletes all, though answers are lost', async () => {
	const gone = losing();
	const { items, message } = await stage.run(deleteMany({ k: { $eq: 'v' } }));
	expect(message).toBe('');
	expect([...gone]).toEqual(['a', 'b']);
	expect(items).toMatchObject([{ document_id: 'a' }, { document_id: 'b' }]);
});

const vector = (index: unknown, n: number): Json => ({ index, embedding: [n, 0.5] });

describe('a batch of embeddings', () => {
	const embed = chat('embedding', 'create', {
		model: locator('e'),
		input: '={{ $json.t }}',
		options: { batchSize: 3, includeText: true },
	});
	const inputs = ['x', 'y', 'z'].map((t) => ({ t }));

	it.each<[string, Json[]]>([
		['backwards', [vector(2, 3), vector(1, 2), vector(0, 1)]],
		['numbered over all batches', [vector(5, 3), vector(3, 1), vector(4, 2)]],
		['numbered as text', [vector('2', 3), vector('0', 1), vector('1', 2)]],
		['without numbers', [1, 2, 3].map((n) => vector(null, n))],
	])('%s has each vector with its text', async (_world, data) => {
		stage.service.answer = () => ({ body: { object: 'list', data, model: 'e' } });
		const { items, message } = await stage.run(embed, inputs);
		expect(message).toBe('');
		expect(items.map(({ text, embedding }) => [text, embedding])).toEqual(
			[1, 2, 3].map((n) => [inputs[n - 1]?.t, [n, 0.5]]),
		);
	});

	describe.each<[string, Json[], Json]>([
		[
			'in its place',
			[vector(0, 1), { object: 'error', index: 1, message: 'text is too long' }, vector(2, 3)],
			{},
		],
		[
			'beside no vector',
			[
				vector(0, 1),
				{ index: 1, embedding: null, error: { message: 'text is too long' } },
				vector(2, 3),
			],
			{},
		],
		['beside all', [vector(0, 1), vector(2, 3)], { error: { message: 'text is too long' } }],
	])('of which one failed, with the error %s,', (_world, data, more) => {
		it.each(['text is too long', '[1,0.5]', '[3,0.5]'])(
			'tells why, and what came: %s',
			async (part) => {
				stage.service.answer = () => ({ body: { object: 'list', data, model: 'e', ...more } });
				const { items, all } = await stage.run(embed, inputs);
				expect(items).toEqual([]);
				expect(all).toContain(part);
			},
		);

		it('tells why in its message', async () => {
			stage.service.answer = () => ({ body: { object: 'list', data, model: 'e', ...more } });
			expect((await stage.run(embed, inputs)).message).toContain('text is too long');
		});
	});
});
