import { describe, expect, it } from 'vitest';
import {
	meetsAsDocumented,
	meetsInSql,
	type Row,
} from '../sandbox/worlds/retrieval/r2r/filters.mts';
import documented from '../sandbox/worlds/retrieval/default.mts';
import { retrievalLaws } from '../worlds/laws/retrieval.mts';
import type { Ingestion, RetrievalRecord } from '../worlds/retrievalRecord.mts';

/** Nothing in it contradicts a law. */
const replaced: Ingestion = {
	operation: 'replace',
	identity: 'a.txt',
	output: { document_id: 'new', replaced_deleted: 'old' },
	uploaded: ['new'],
	failed: [],
	deleted: [{ id: 'old', identity: 'a.txt' }],
	isRefused: false,
	searchable: ['new'],
	isFound: true,
	isChanged: true,
	hadEarlier: true,
};
const broken = (changes: Partial<RetrievalRecord>) => {
	const record: RetrievalRecord = {
		world: documented,
		refusals: [],
		ingestions: [],
		searches: [],
		streams: [],
		lists: [],
		chats: new Map(),
		...changes,
	};
	return retrievalLaws.filter((law) => law.broken(record).length > 0).map(({ name }) => name);
};
const differs = [{ what: 'x', shown: ['a'], wanted: ['b'] }];
const chat = (kept: string[]): Partial<RetrievalRecord> => ({
	chats: new Map([['anna', { saved: ['a'], refused: [], kept: () => kept }]]),
});
const TURNS = 'a turn that the memory has saved is kept once, in its order';
const GONE = 'what an output calls replaced is gone, and the new one is searchable';

describe('each law of the retrieval worlds can be broken', () => {
	it('holds for a replacement that went well', () => {
		expect(broken({ ingestions: [replaced] })).toEqual([]);
	});

	it.each<[string, Partial<Ingestion>]>([
		[
			'a document that the node did not create for this identity is never deleted',
			{ deleted: [{ id: 'old', identity: 'a stranger' }] },
		],
		['no upload twice for one item', { uploaded: ['new', 'new'] }],
		[GONE, { output: {} }],
		[GONE, { searchable: ['new', 'old'] }],
		[GONE, { deleted: [] }],
		[GONE, { isFound: false }],
		[
			'if the new one cannot be ingested, the earlier one stays',
			{ operation: 'create', isFound: false, searchable: [] },
		],
		['what is equal is not sent again', { operation: 'replace if changed', isChanged: false }],
		[
			'Skip says where the content differs',
			{ operation: 'skip', output: { existing: true, content_changed: false } },
		],
		[
			'Skip says where the content differs',
			{ operation: 'skip', output: { existing: true, content_changed: null } },
		],
		[
			'Skip says where the content differs',
			{ operation: 'skip', output: { existing: true, content_changed: false }, isRefused: true },
		],
	])('%s: %j', (law, changes) => {
		expect(broken({ ingestions: [{ ...replaced, ...changes }] })).toEqual([law]);
	});

	it('what a memory kept of a turn that it refused does not count', () => {
		const kept = () => ['x', 'a', 're: a'];
		const chats = new Map([['anna', { saved: ['a'], refused: ['x'], kept }]]);
		expect(broken({ chats })).toEqual([]);
	});

	it.each<[string, Partial<RetrievalRecord>]>([
		['what must succeed, succeeds', { refusals: [{ operation: 'search', reason: 'no' }] }],
		['a filter that the form offers finds exactly what it says', { searches: differs }],
		['a streamed answer keeps every word and citation that came', { streams: differs }],
		['a list shows what it says', { lists: differs }],
		[TURNS, chat(['a', 're: a', 'a', 're: a'])],
		[TURNS, chat(['a'])],
		[TURNS, chat(['b', 're: b', 'a', 're: a'])],
		[
			'an error says what happened',
			{
				world: { name: 'a world', says: /why/, mustSucceed: [] },
				refusals: [{ operation: 'remember a turn', reason: 'no' }],
			},
		],
	])('%s', (law, changes) => {
		expect(broken(changes)).toEqual([law]);
	});
});

describe("filters as R2R's own filters.py turns them into SQL", () => {
	const row: Row = {
		document_id: 'd',
		owner_id: 'o',
		collection_ids: ['c'],
		metadata: { team: 'hr', year: 2024, tags: ['a'] },
	};
	it.each<[object, boolean | string]>([
		[{ team: { $neq: 'it' } }, false],
		[{ team: { $ne: 'it' } }, true],
		[{ team: { $nin: ['it'] } }, true],
		[{ year: { $in: [2024] } }, false],
		[{ year: { $nin: [2024] } }, true],
		[{ year: { $eq: 2024 } }, true],
		[{ absent: { $nin: ['a'] } }, false],
		[{ tags: { $in: ['a'] } }, true],
		[{ tags: { $contains: ['a'] } }, true],
		[{ tags: { $overlap: ['a'] } }, "Unsupported operator '$overlap'"],
		[{ team: { $gt: 1 } }, 'invalid input syntax for type numeric'],
		[{ collection_ids: { $eq: 'c' } }, "Unsupported operator '$eq'"],
		[{ document_id: { $neq: 'x' } }, "Unsupported operator '$neq'"],
	])('%j', (filter, meets) => {
		const find = () => meetsInSql(filter as Record<string, unknown>, row);
		if (typeof meets === 'string') expect(find).toThrow(meets);
		else expect(find()).toBe(meets);
	});

	it('its documentation has other operators', () => {
		expect(meetsAsDocumented({ team: { $neq: 'it' } }, row)).toBe(true);
		expect(() => meetsAsDocumented({ team: { $ne: 'it' } }, row)).toThrow("'$ne'");
	});
});
