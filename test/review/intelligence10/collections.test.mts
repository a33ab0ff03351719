import { describe, expect, it } from 'vitest';
import { locator, rag } from '../../engine/nodes.mts';
import { ABSENT, page, type Fields, type Received, type Response } from './service.mts';
import { useStage } from './stage.mts';

// Independent review: collections
const stage = useStage();

/** The collections of a service. */
function shelve(lagMs = 0, isUnique = false): Fields[] {
	const all: Array<{ id: string; name: unknown; at: number }> = [];
	stage.service.respond = (request): Response => {
		const [, , id] = request.path.split('/');
		const now = Date.now() + stage.clock;
		if (request.method === 'GET' && id === undefined)
			return page(
				all.filter(({ at }) => at + lagMs <= now),
				request,
			);
		if (request.method !== 'POST') return ABSENT;
		const { name } = request.json;
		if (isUnique && all.some((one) => one.name === name))
			return { status: 409, json: { message: `Collection ${String(name)} already exists` } };
		all.push({ id: `c${all.length}`, name, at: now });
		return { json: { results: all.at(-1) } };
	};
	return all;
}

const useIt = () =>
	rag('collection', 'create', { name: '={{ $json.n }}', description: '', ifExists: 'useExisting' });

describe('Create with Use It', () => {
	it.each([false, true])(
		'makes one, where two executions run at once (unique: %s)',
		async (unique) => {
			const all = shelve(0, unique);
			const both = await Promise.all(
				[1, 2].map(async () => await stage.run(useIt(), [{ n: 'a' }])),
			);
			expect(all).toHaveLength(1);
			expect(both.map(({ message }) => message)).toEqual(['', '']);
		},
	);

	it.each([false, true])(
		'makes one of two items, where the list is late (unique: %s)',
		async (unique) => {
			const all = shelve(5_000, unique);
			const { items, message } = await stage.run(useIt(), [{ n: 'a' }, { n: 'a' }]);
			expect(all).toHaveLength(1);
			expect(message).toBe('');
			expect(items.map(({ id }) => id)).toEqual(['c0', 'c0']);
		},
	);
});

describe('Add Document that is refused with 409', () => {
	const add = () =>
		rag('collection', 'addDocument', { collectionId: locator('c0'), documentId: 'd1' });
	const answer =
		(message: string, documents: Fields[]) =>
		(request: Received): Response =>
			request.method === 'POST' ? { status: 409, json: { message } } : page(documents, request);

	it.each(['Collection is locked', 'Document is being ingested'])(
		'is not called added before: %s',
		async (message) => {
			stage.service.respond = answer(message, []);
			const { items } = await stage.run(add());
			expect(items).toEqual([]);
		},
	);

	it('is added before, where the collection has it', async () => {
		stage.service.respond = answer('Document already in collection', [{ id: 'd1' }]);
		expect((await stage.run(add())).items).toMatchObject([{ already_added: true }]);
	});
});

describe('Delete of a collection', () => {
	it.each(['lost and done', 'lost, and then said not to be found'])(
		'is clear: %s',
		async (world) => {
			const all: Fields[] = [{ id: 'c0', name: 'a' }];
			let deletions = 0;
			stage.service.respond = (request): Response => {
				if (request.method === 'GET') return page(all, request);
				all.length = 0;
				if (deletions++ === 0) return { isLost: true };
				if (world === 'lost and done') return ABSENT;
				return { json: { results: { success: false, message: 'Collection not found' } } };
			};
			const { items } = await stage.run(
				rag('collection', 'delete', { collectionId: locator('c0') }),
			);
			expect(items).toMatchObject([{ deleted: true }]);
		},
	);
});
