import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { chunk } from '../../nodes/Rag/resources/chunk.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { contextOf } from './rag-parts.mts';
import { Answers, formOf } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';

/** Runs an operation of chunks with a form of these values. */
async function run(name: string, values: IDataObject, documents: Answers) {
	const operation = chunk.operations.find(({ value }) => value === name) as Operation;
	const input = operation.input(formOf(operation, values), () => undefined);
	return await operation.run(await contextOf({ documents }), input);
}
const FOUND = { json: { results: [{ id: 'k', text: 'a', score: 0.5 }] } };

describe('a search for chunks', () => {
	useStillTime();
	const form = { query: 'q', topK: 3, options: { useHybridSearch: true } };

	it('sends the question with its settings and gives each chunk', async () => {
		const documents = new Answers(FOUND);
		expect(await run('search', form, documents)).toEqual(FOUND.json.results);
		expect(documents.asked).toEqual(['POST /api/rag/v3/chunks/search']);
		expect(documents.sent).toEqual([
			{ query: 'q', search_settings: { limit: 3, use_hybrid_search: true } },
		]);
	});

	it('is repeated after a fault, three times in all: it changes nothing', async () => {
		const fault = { status: 503, json: {} };
		const documents = new Answers(fault, fault, FOUND);
		const { value: items } = await ended(run('search', form, documents));
		expect(items).toHaveLength(1);
		const others = new Answers(fault, fault, fault, FOUND);
		const { error } = await ended(run('search', form, others));
		expect(error?.message).toBe('Server error (503)');
	});
});

it('a chunk is changed to the text as it was entered', async () => {
	const documents = new Answers({ json: { results: { id: 'k', text: 'new' } } });
	const form = { chunkId: 'k', text: '  new\n', metadataJson: { topic: 't' } };
	expect(await run('update', form, documents)).toEqual([{ chunk_id: 'k', id: 'k', text: 'new' }]);
	expect(documents.asked).toEqual(['POST /api/rag/v3/chunks/k']);
	expect(documents.sent).toEqual([{ id: 'k', text: '  new\n', metadata: { topic: 't' } }]);
});
