import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CONTINUE, chat, locator, rag } from '../../engine/nodes.mts';
import type { Said } from '../intelligence7/service.mts';
import { useStage } from '../intelligence7/stage.mts';

const stage = useStage();

/** What says with 200 that nothing was deleted, beside other words. */
const KEPT: Array<[world: string, body: unknown]> = [
	['deleted: false beside the ID', { id: 'a', object: 'document', deleted: false }],
	[
		'deleted: false beside the ID, in its results',
		{ results: { document_id: 'a', deleted: false } },
	],
	['deleted: false beside a message', { results: { deleted: false, message: 'under legal hold' } }],
	['ok: false beside a message', { results: { ok: false, message: 'under legal hold' } }],
	['success: "false"', { results: { success: 'false' } }],
	['success: 0', { results: { success: 0 } }],
	['success: false in its data', { data: { success: false, reason: 'locked' } }],
	['a list of false', { results: [{ success: false, message: 'locked' }] }],
];

describe.each(KEPT)('a deletion that is answered with 200 and %s', (_world, body) => {
	it.each([
		['Delete', rag('document', 'delete', { documentId: 'a' })],
		['Delete of a collection', rag('collection', 'delete', { collectionId: 'a' })],
		[
			'Delete Many',
			rag('document', 'deleteMany', {
				dryRun: false,
				limit: 10,
				filters: { filtersJson: JSON.stringify({ k: { $eq: 'v' } }) },
			}),
		],
	])('is not told as done: %s', async (_operation, node) => {
		const rows = [{ id: 'a', title: 'a', metadata: { k: 'v' } }];
		stage.service.answer = ({ line }) =>
			line.startsWith('DELETE') ? { body } : { body: { results: rows, total_entries: 1 } };
		const { items } = await stage.run(node);
		expect(items.filter(({ deleted }) => deleted === true)).toEqual([]);
	});
});

const agent = chat('agent', 'run', { agentName: locator('moderation_agent'), objective: 'a' });

describe.each<[string, unknown, IDataObject]>([
	['a flag that is false', { flagged: false }, { flagged: false }],
	['a result that is false', { result: false }, { result: false }],
	['flags that are false', { result: { flagged: false } }, { result: { flagged: false } }],
	['flags in its results', { results: { toxic: false } }, { results: { toxic: false } }],
	['several flags', { toxic: false, spam: false }, { toxic: false, spam: false }],
	['false alone', 'false', { result: false }],
])('a billed result of an agent that is %s', (_world, body, item) => {
	it('is the result', async () => {
		stage.service.answer = () => ({ body });
		const { items, message } = await stage.run(agent);
		expect(message).toBe('');
		expect(items).toEqual([item]);
	});

	it('is in the error, if it is one', async () => {
		stage.service.answer = () => ({ body });
		const { message, all } = await stage.run(agent);
		for (const word of Object.keys(item).filter(() => message !== '')) expect(all).toContain(word);
	});
});

const generate = rag('retrieval', 'generate', {
	query: 'Is it free?',
	promptName: 'rag',
	context: 'No.',
});

describe.each<[string, Said, string]>([
	['the text false', { body: 'false', type: 'text/plain' }, 'false'],
	['the text 42', { body: '42', type: 'text/plain' }, '42'],
	['the JSON text "false"', { body: '"false"' }, 'false'],
	['a text in its results', { body: { results: 'false' } }, 'false'],
	['false in its results', { body: { results: false } }, 'false'],
	['a number in its results', { body: { results: 42 } }, '42'],
	['false as its answer', { body: { results: { answer: false } } }, 'false'],
	[
		'a text that is a no in JSON',
		{ body: { results: '{"success": false}' } },
		'{"success": false}',
	],
])('a billed answer that is %s', (_world, said, answer) => {
	it('is the answer, or in the error', async () => {
		stage.service.answer = () => said;
		const { items, all } = await stage.run(generate);
		if (items.length > 0) expect(String(items[0]?.answer)).toBe(answer);
		else expect(all).toContain(answer);
	});
});

const DOCUMENT = {
	id: 'a',
	title: 'A',
	metadata: { deleted: false, success: false, error: 'none' },
};

/** Reads, what they are answered, and what must come out. */
const READS: Array<[string, ReturnType<typeof rag>, unknown, IDataObject[]]> = [
	[
		'a document whose metadata looks like a no',
		rag('document', 'get', { documentId: 'a' }),
		{ results: DOCUMENT },
		[DOCUMENT],
	],
	[
		'a document with a field success of false',
		rag('document', 'get', { documentId: 'a' }),
		{ results: { ...DOCUMENT, success: false } },
		[{ ...DOCUMENT, success: false }],
	],
	[
		'a document of a service without envelopes, whose ingestion failed',
		rag('document', 'get', { documentId: 'a' }),
		{ ...DOCUMENT, status: 'failed' },
		[{ ...DOCUMENT, status: 'failed' }],
	],
	[
		'documents with a field success of false',
		rag('document', 'getAll', { returnAll: true }),
		{ results: [{ ...DOCUMENT, success: false }], total_entries: 1 },
		[{ ...DOCUMENT, success: false }],
	],
	[
		'a status with a flag that is false',
		rag('system', 'getStatus'),
		{ results: { maintenance: false } },
		[{ maintenance: false }],
	],
	[
		'a health check with flags that are false',
		rag('system', 'getHealth'),
		{ degraded: false, readonly: false },
		[{ degraded: false, readonly: false }],
	],
	[
		'limits of a user',
		rag('user', 'getLimits', { userId: 'u' }),
		{ results: { limited: false } },
		[{ limited: false }],
	],
	[
		'a chunk whose text is false',
		rag('chunk', 'get', { chunkId: 'a' }),
		{ results: { id: 'a', text: 'false', metadata: { success: false } } },
		[{ id: 'a', text: 'false', metadata: { success: false } }],
	],
];

it.each(READS)('%s is read', async (_what, node, body, items) => {
	stage.service.answer = () => ({ body });
	const told = await stage.run(node);
	expect(told.message).toBe('');
	expect(told.items).toEqual(items);
});

describe('a file whose content looks like a no', () => {
	it.each(['{"enabled": false}', 'false'])('is downloaded: %s', async (content) => {
		stage.service.answer = () => ({ body: content, type: 'application/octet-stream' });
		const node = rag('document', 'download', { documentId: 'a', binaryPropertyName: 'data' });
		const { items, message } = await stage.run(node);
		expect(message).toBe('');
		expect(items).toMatchObject([{ size_in_bytes: content.length }]);
	});
});

describe('an error beside what was found', () => {
	const error = { message: 'shard 2 did not answer' };
	const chunks = [{ id: 'c1', document_id: 'a', text: 'One', score: 0.5 }];
	const body = { results: { chunk_search_results: chunks }, error };
	const search = (operation: string, output?: string) =>
		rag('retrieval', operation, { query: 'a', topK: 3, options: { ...(output && { output }) } });

	it.each([
		['Search, as one item', search('search', 'search')],
		['Search, as chunks', search('search', 'chunks')],
		['Search, raw', search('search', 'raw')],
		['Search of chunks', rag('chunk', 'search', { query: 'a', topK: 3 })],
		['Search of documents', rag('document', 'search', { query: 'a', topK: 3 })],
	])('is told: %s', async (_operation, node) => {
		stage.service.answer = ({ line }) => {
			if (line === 'POST /chunks/search') return { body: { results: chunks, error } };
			if (line === 'POST /documents/search')
				return { body: { results: [{ id: 'a', title: 'A' }], error } };
			return { body: line.startsWith('POST /rag') ? { results: 'One.' } : body };
		};
		expect((await stage.run(node)).all).toContain('shard 2 did not answer');
	});

	it.each([
		['a list of documents', rag('document', 'getAll', { returnAll: true })],
		['a list of collections', rag('collection', 'getAll', { returnAll: true })],
	])('is told: %s', async (_what, node) => {
		stage.service.answer = () => ({
			body: { results: [{ id: 'a', name: 'A' }], total_entries: 1, error },
		});
		expect((await stage.run({ ...node, ...CONTINUE })).all).toContain('shard 2 did not answer');
	});
});
