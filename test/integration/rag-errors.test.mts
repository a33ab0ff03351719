import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { rag } from '../engine/nodes.mts';
import { errorOf } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { errorForms } from '../sandbox/index.mts';
import { ALL, useGroups } from './groups.mts';

const { fixture, run } = useGroups();

const GONE = '4f0c8a52-7d0e-4b1c-9a39-0d5a2c1be8f7';

describe('errors of every resource', () => {
	it.each<[string, string, IDataObject, string]>([
		['chunk', 'get', { chunkId: GONE }, `Not found (404): Chunk ${GONE} not found`],
		['chunk', 'update', { chunkId: GONE, text: 'a' }, `Not found (404): Chunk ${GONE} not found`],
		['collection', 'get', { collectionId: GONE }, 'Not found (404): Collection not found'],
		[
			'collection',
			'getDocuments',
			{ collectionId: GONE, ...ALL },
			'Not found (404): Collection not found',
		],
		[
			'conversation',
			'get',
			{ conversationId: GONE, ...ALL },
			'Not found (404): Conversation not found',
		],
		[
			'conversation',
			'addMessage',
			{ conversationId: GONE, role: 'user', content: 'a' },
			'Not found (404): Conversation not found',
		],
		['graph', 'get', { collectionId: GONE }, 'Not found (404): Graph not found'],
		['graph', 'pull', { collectionId: GONE }, 'Not found (404): Graph not found'],
		['graph', 'getEntities', { collectionId: GONE, ...ALL }, 'Not found (404): Graph not found'],
		[
			'index',
			'get',
			{ tableName: 'chunks', indexName: 'nothing' },
			'Not found (404): Index not found',
		],
		['prompt', 'get', { promptName: 'nobody' }, 'Not found (404): Prompt not found'],
		[
			'prompt',
			'update',
			{ promptName: 'nobody', template: 'a' },
			'Not found (404): Prompt not found',
		],
		['user', 'get', { userId: GONE }, 'Not found (404): User not found'],
		['user', 'getLimits', { userId: GONE }, 'Not found (404): User not found'],
	])('%s %s', async (resource, operation, parameters, message) => {
		expect(errorOf(await run(resource, operation, parameters)).message).toBe(message);
	});

	it.each([
		['document', '/documents'],
		['chunk', '/chunks'],
		['collection', '/collections'],
		['conversation', '/conversations'],
		['graph', '/graphs'],
		['index', '/indices'],
		['prompt', '/prompts'],
	])('%s: a list that is refused', async (resource, path) => {
		fixture.sandbox.faults.add({
			match: { method: 'GET', path },
			...errorForms.messageAndType(403, 'closed'),
		});
		expect(errorOf(await run(resource, 'getAll', ALL)).message).toBe(
			'Permission denied (403): closed',
		);
	});

	it.each<[string, string, IDataObject, string]>([
		[
			'chunk',
			'get',
			{ chunkId: 'a/../b' },
			'Chunk must contain only letters, digits and . _ ~ : @ + = -, got "a/../b"',
		],
		['collection', 'create', { name: ' ' }, 'Name is required and must not be empty'],
		[
			'collection',
			'get',
			{ collectionId: '={{ "" }}' },
			'Collection is required: choose one from the list or enter its ID',
		],
		[
			'collection',
			'update',
			{ collectionId: GONE },
			'Name or Description must be set: there is nothing to change',
		],
		[
			'collection',
			'getAll',
			{ returnAll: false, limit: 0 },
			'Limit must be a whole number of at least 1, got 0',
		],
		[
			'conversation',
			'addMessage',
			{ conversationId: GONE, role: 'boss', content: 'a' },
			'Role must be one of user, assistant, system, got "boss"',
		],
		[
			'prompt',
			'create',
			{ name: 'two words', template: 'a' },
			'Name must contain only letters, digits and . _ ~ : @ + = -, got "two words"',
		],
		[
			'prompt',
			'create',
			{ name: 'a', template: '={{ " " }}', inputTypes: '{}' },
			'Template is required and must not be empty',
		],
		[
			'prompt',
			'create',
			{ name: 'a', template: 'b', inputTypes: '[]' },
			'Input Types (JSON) must be a JSON object such as {"key": "value"}, got []',
		],
	])(
		'%s %s with a wrong parameter %j: nothing is sent',
		async (resource, operation, parameters, message) => {
			fixture.sandbox.requests.length = 0;
			expect(errorOf(await run(resource, operation, parameters)).message).toBe(message);
			expect(fixture.sandbox.requests).toEqual([]);
		},
	);
});

describe('a deletion that is answered with 404', () => {
	const remove = rag('collection', 'delete', { collectionId: GONE });
	const LIST = { method: 'GET', path: '/collections' };

	it('is an error that says why it is not believed, where the list cannot be read', async () => {
		fixture.sandbox.faults.add({ match: LIST, ...errorForms.detailString(403, 'no v1.2 here.') });
		const error = errorOf(await fixture.run(remove));
		expect([error.message, error.description]).toEqual([
			'Not found (404): Collection not found',
			'It is not known to be gone: its list could not be read: Permission denied (403): no v1.2 here. Check the ID, if you asked for one. For all else, check the Retrieval Segment and the Base URL in the credential.',
		]);
	});

	it('cancelled while the list is read: that is the error', async () => {
		fixture.sandbox.faults.add({ match: LIST, hang: true });
		fixture.sandbox.requests.length = 0;
		const stop = new AbortController();
		const running = fixture.run(remove, [{}], { cancel: stop.signal });
		await until(() => fixture.sent('GET', /\/collections$/).length === 1);
		stop.abort();
		expect(errorOf(await running).message).toBe('The execution was cancelled');
	});
});
