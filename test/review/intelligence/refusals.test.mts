import { describe, expect, it } from 'vitest';
import { chat, locator, rag } from '../../engine/nodes.mts';
import { agent, askDocuments, ragQuery, upload, usePlay } from './setup.mts';

const play = usePlay();
const NO = {
	'an error object': { error: { message: 'over quota', type: 'x', code: 1 } },
	'an error text': { error: 'over quota' },
	'the error form of the engine': { message: 'over quota', error_type: 'R2RException' },
	'a detail': { detail: 'over quota' },
	'a detail with a message': { detail: { message: 'over quota' } },
	'an error beside results: null': { error: 'over quota', results: null },
	'a status': { status: 'error', message: 'over quota' },
	'success: false': { success: false, message: 'over quota' },
};
const id = '00000000-0000-4000-9000-00000000abcd';
const OPERATIONS = {
	'Document > Create': ['POST /documents', upload(), { text: 'a text' }],
	'Document > Update Metadata': [
		'PATCH /documents',
		rag('document', 'updateMetadata', { documentId: id, metadataJson: '{"a":1}' }),
	],
	'Document > Delete': ['DELETE /documents', rag('document', 'delete', { documentId: id })],
	'Collection > Create': ['POST /collections', rag('collection', 'create', { name: 'c' })],
	'Conversation > Create': ['POST /conversations', rag('conversation', 'create', { name: 'c' })],
	Search: ['POST /retrieval/search', rag('retrieval', 'search', { query: 'q', topK: 3 })],
	'Ask, its search': ['POST /retrieval/search', askDocuments()],
	'Ask, its answer': ['POST /rag/generate', askDocuments()],
	Generate: [
		'POST /rag/generate',
		rag('retrieval', 'generate', { promptName: locator('rag'), query: 'q', context: 'c' }),
	],
	'RAG Query': ['POST /retrieval/rag', ragQuery()],
	'RAG Query streamed': ['POST /retrieval/rag', ragQuery({ stream: true })],
	Agent: ['POST /retrieval/agent', agent()],
	'Agent streamed': ['POST /retrieval/agent', agent({ stream: true })],
	'Agent > Run': [
		'POST /workflows/run',
		chat('agent', 'run', { agentName: locator('summary_agent'), objective: 'o' }),
	],
} as const;

describe('world: a gateway answers 200 and says no in the body', () => {
	for (const [name, [what, node, item = {}]] of Object.entries(OPERATIONS))
		for (const [form, json] of Object.entries(NO))
			it(`${name}: ${form}`, async () => {
				const { service } = play;
				service.add({ id, content: 'The first hour is never refunded.', title: 't' });
				service.on(what, { json });
				const { items, error, known } = await play.run(node, [{ ...item }]);
				// Nobody was told that it was done, or answered
				expect(error, JSON.stringify(items)).toBeDefined();
				expect(error?.message + known).toContain('over quota');
				expect(service.documents.has(id)).toBe(true);
			});
});

describe('world: an ingress without its service answers 404 with a page of its own', () => {
	const PAGES = {
		'a page': {
			status: 404,
			type: 'text/html',
			parts: ['<html><head><title>404 Not Found</title></head></html>'],
		},
		'the words of a router': {
			status: 404,
			type: 'text/plain; charset=utf-8',
			parts: ['404 page not found\n'],
		},
		'the words of an ingress': {
			status: 404,
			type: 'text/plain',
			parts: ['default backend - 404'],
		},
		'the words of a gateway': {
			status: 404,
			json: { message: 'no Route matched with those values' },
		},
	};
	for (const [form, answer] of Object.entries(PAGES)) {
		it(`Document > Delete: ${form}`, async () => {
			play.service.add({ id });
			play.service.on('DELETE /documents', answer);
			const { items, error } = await play.run(rag('document', 'delete', { documentId: id }));
			expect(error?.message ?? JSON.stringify(items)).not.toMatch(/"deleted":true/);
		});
		it(`Document > Delete Many: ${form}`, async () => {
			play.service.add({ id, metadata: { topic: 'old' } });
			play.service.on('DELETE /documents', answer);
			const { items } = await play.run(
				rag('document', 'deleteMany', {
					dryRun: false,
					limit: 10,
					filters: { filtersJson: '{"topic":"old"}' },
				}),
			);
			expect(JSON.stringify(items)).not.toMatch(/"deleted":true/);
		});
	}
	it('the engine itself: already gone', async () => {
		const { items } = await play.run(rag('document', 'delete', { documentId: id }));
		expect(items[0]).toMatchObject({ deleted: true, already_gone: true });
	});
});
