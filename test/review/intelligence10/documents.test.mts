import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { rag, RETRY } from '../../engine/nodes.mts';
import { Library, viewOf } from './library.mts';
import { page, type Response } from './service.mts';
import { useStage } from './stage.mts';

// Independent review: documents
const stage = useStage();

function deleteMany(settings: IDataObject = {}) {
	const filters = { filtersJson: '{"k":{"$eq":"v"}}' };
	return rag('document', 'deleteMany', { filters, limit: 50, dryRun: false }, settings);
}

function create(rawText: string, options: IDataObject = {}, settings: IDataObject = {}) {
	const parameters = { source: 'rawText', rawText, additionalFields: {}, options };
	return rag('document', 'create', parameters, settings);
}

/** Answers to a deletion after which the document is still there. */
const KEPT: Array<[world: string, said: Response]> = [
	['a task', { json: { results: { message: 'Deletion queued', task_id: 't1' } } }],
	['a state that is not the end', { json: { results: { status: 'pending' } } }],
	['that it is accepted', { json: { results: { accepted: true } } }],
	['a yes, and nothing is done', { json: { results: { success: true } } }],
	['nothing (204)', { status: 204 }],
	['errors', { json: { results: { errors: ['locked'] } } }],
	['a no for each (207)', { status: 207, json: { results: [{ id: 'x', status: 403 }] } }],
	['deleted: no', { json: { results: { deleted: 'no' } } }],
	['documents_deleted: 0', { json: { results: { documents_deleted: 0 } } }],
	['deleted: 0', { json: { results: { deleted: 0 } } }],
];

describe.each(KEPT)('a deletion that is answered with %s', (_world, said) => {
	it.each(['Delete', 'Delete Many'])('is not called done while it shows (%s)', async (name) => {
		const library = new Library(stage.service);
		const { id } = library.put('a', { metadata: { k: 'v' } });
		library.instead = ({ method }) => (method === 'DELETE' ? said : undefined);
		const node = name === 'Delete' ? rag('document', 'delete', { documentId: id }) : deleteMany();
		const { items } = await stage.run(node);
		expect(items.map(({ deleted }) => deleted)).not.toContain(true);
		expect(library.all).toHaveLength(1);
	});

	it('is not called done where a version is replaced', async () => {
		const library = new Library(stage.service);
		const options = { documentKey: 'k', identity: 'key' };
		await stage.run(create('one', options));
		library.instead = ({ method }) => (method === 'DELETE' ? said : undefined);
		const { items, message } = await stage.run(create('two', { ...options, ifExists: 'replace' }));
		expect(items.filter((item) => 'replaced_deleted' in item || 'replaced' in item)).toEqual([]);
		expect(message).not.toBe('');
		expect(library.all.map(({ text }) => text)).toContain('one');
	});
});

describe('Delete Many', () => {
	it.each(['lost and done', 'lost and not done', 'late', 'shifted'])(
		'deletes what matches and nothing else (%s)',
		async (world) => {
			const library = new Library(stage.service);
			for (let at = 0; at < 250; at++)
				library.put(`t${at}`, { metadata: { k: at % 20 === 0 ? 'v' : 'other' } });
			const before = [...library.all];
			let deletions = 0;
			let pages = 0;
			library.instead = (request) => {
				if (request.method === 'DELETE' && deletions++ === 0 && world.startsWith('lost')) {
					if (world === 'lost and done') library.answer(request);
					return { isLost: true };
				}
				// The fifth fails, and the list of the next try still has what is gone
				if (world === 'late' && request.method === 'DELETE' && deletions > 4 && deletions < 10)
					return { status: 500, json: {} };
				if (world === 'late' && request.method === 'GET' && request.path === '/documents')
					return page(before.map(viewOf), request);
				// Somebody else deletes those of the first page between two pages
				if (world === 'shifted' && request.query.get('offset') === '100' && pages++ === 0)
					library.all.splice(1, 15);
				return undefined;
			};
			const { items, message } = await stage.run(deleteMany(RETRY));
			expect(message).toBe('');
			const left = library.all.filter(({ metadata }) => metadata.k === 'v');
			expect(left).toEqual([]);
			const gone = before.filter((one) => !library.all.includes(one));
			const others = gone.filter(({ metadata }) => metadata.k !== 'v');
			expect(others.length).toBeLessThanOrEqual(world === 'shifted' ? 15 : 0);
			expect(items.every(({ deleted }) => deleted === true)).toBe(true);
			expect(new Set(items.map(({ document_id: id }) => id)).size).toBe(items.length);
		},
	);
});

describe('a document whose answer is lost', () => {
	it.each<[string, boolean, boolean, number]>([
		['stored', true, true, 0],
		['stored under another ID', true, false, 0],
		['stored under another ID, listed a minute later', true, false, 60_000],
		['not stored', false, true, 0],
	])('is there once after Retry On Fail (%s)', async (_world, isStored, keepsIds, lagMs) => {
		const library = new Library(stage.service);
		library.keepsIds = keepsIds;
		let posts = 0;
		library.instead = (request) => {
			if (request.method === 'POST' && posts++ === 0) {
				if (isStored) library.answer(request);
				return { isLost: true };
			}
			const isList = request.method === 'GET' && request.path === '/documents';
			return isList && stage.clock < lagMs
				? { json: { results: [], total_entries: 0 } }
				: undefined;
		};
		const { items, message } = await stage.run(create('hello', {}, RETRY));
		expect(message).toBe('');
		expect(items.map(({ document_id: id }) => id)).toEqual(library.all.map(({ id }) => id));
		expect(library.all).toHaveLength(1);
	});
});

describe('a conflict with the text of somebody else', () => {
	it.each(['error', 'skip', 'replace', 'replaceIfChanged'])(
		'leaves it as it is (%s)',
		async (ifExists) => {
			const library = new Library(stage.service);
			library.refusesTexts = true;
			const { id } = library.put('hello');
			const { items } = await stage.run(create('hello', { ifExists }));
			expect(library.all.map((one) => one.id)).toEqual([id]);
			expect(items.filter((item) => 'replaced' in item || 'replaced_deleted' in item)).toEqual([]);
		},
	);
});

/** The new one is uploaded and waited for before the earlier one goes. The same content keeps its ID, so there it goes first. */
describe('a replacement that the service refuses', () => {
	it.each<[string, Response]>([
		['429', { status: 429, json: {}, headers: { 'retry-after': '1' } }],
		['413', { status: 413, json: {} }],
		['lost', { isLost: true }],
	])('leaves the earlier document of other content (%s)', async (_world, said) => {
		const library = new Library(stage.service);
		const options = { documentKey: 'k', identity: 'key' };
		await stage.run(create('one', options));
		library.instead = ({ method }) => (method === 'POST' ? said : undefined);
		await stage.run(create('two', { ...options, ifExists: 'replace' }));
		expect(library.all.map(({ text }) => text)).toEqual(['one']);
	});
});

describe('a document that is being ingested', () => {
	it.each([10, 30, 90])('may not show for %i seconds while the list has it', async (seconds) => {
		const library = new Library(stage.service);
		library.status = 'pending';
		let looks = 0;
		library.instead = ({ method, path }) => {
			const isDetails = method === 'GET' && /^\/documents\/./.test(path);
			const [document] = library.all;
			if (!isDetails || !document) return undefined;
			looks++;
			if (looks > 1 && stage.clock < seconds * 1_000) return { status: 404, json: {} };
			if (looks > 1) document.ingestion_status = 'success';
			return undefined;
		};
		const { items, message } = await stage.run(create('one', { waitUntilIngested: true }));
		expect(message).toBe('');
		expect(items).toMatchObject([{ ingestion_status: 'success' }]);
	});
});
