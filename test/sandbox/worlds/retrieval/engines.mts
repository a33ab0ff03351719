import { EVERY_RETRIEVAL, withoutRetrieval, type RetrievalWorld } from '../retrievalWorld.mts';

/** Versions, settings and deployments of the engine. */
export default [
	{
		name: 'operators as documented',
		habits: { operators: 'documented' },
		mustSucceed: EVERY_RETRIEVAL,
		scenarios: ['filters', 'documents'],
	},
	{
		name: 'ordinary user',
		habits: { isSuperuser: false },
		mustSucceed: withoutRetrieval('list prompts'),
	},
	{
		name: 'ingestion takes minutes',
		habits: { ingestionMs: 200_000 },
		mustSucceed: EVERY_RETRIEVAL,
	},
	{ name: 'ingestion at once', habits: { ingestionMs: 0 }, mustSucceed: EVERY_RETRIEVAL },
	{
		name: 'answer ends at length',
		habits: { finishReason: 'length' },
		mustSucceed: EVERY_RETRIEVAL,
		scenarios: ['answers'],
	},
	{ name: 'documents behind by 20 s', habits: { lagMs: 20_000 }, mustSucceed: EVERY_RETRIEVAL },
	{ name: 'answer of a create lost', habits: { lostCreates: 2 }, mustSucceed: EVERY_RETRIEVAL },
	{ name: 'objects without envelope', habits: { isPlain: true }, mustSucceed: EVERY_RETRIEVAL },
	{ name: 'lists without envelope', habits: { isBare: true }, mustSucceed: EVERY_RETRIEVAL },
	{
		name: 'offset ignored',
		habits: { pageLimit: 1 },
		// What may be incomplete is no list to delete from
		mustSucceed: withoutRetrieval('list documents', 'delete by a filter', 'remember a turn'),
	},
	{
		name: 'statuses in capitals',
		habits: { isLoud: true },
		mustSucceed: EVERY_RETRIEVAL,
		scenarios: ['documents', 'replaced'],
	},
	{
		name: 'IDs of its own',
		habits: { ownIds: 'derived' },
		mustSucceed: withoutRetrieval('replace', 'create among namesakes'),
		relaxed: [
			{
				law: 'if the new one cannot be ingested, the earlier one stays',
				why: 'The engine refuses a second document of the same name',
			},
		],
	},
	{
		name: 'names are unique',
		habits: { uniqueNames: true },
		mustSucceed: withoutRetrieval('create among namesakes'),
		relaxed: [
			{
				law: 'if the new one cannot be ingested, the earlier one stays',
				why: 'The engine refuses a second document of the same name',
			},
		],
	},
	{
		name: 'names are unique, and a conflict names nothing',
		habits: { uniqueNames: true, isTerse: true },
		mustSucceed: withoutRetrieval('create among namesakes'),
		scenarios: ['replaced', 'taken', 'people'],
		relaxed: [
			{
				law: 'if the new one cannot be ingested, the earlier one stays',
				why: 'The engine refuses a second document of the same name',
			},
		],
	},
	{
		name: 'a new ID each time, and the answer of a create lost',
		habits: { ownIds: 'new', lostCreates: 2 },
		mustSucceed: withoutRetrieval('replace'),
		scenarios: ['lost once', 'titles'],
	},
	{
		name: 'conversations behind by 20 s',
		habits: { conversationLagMs: 20_000 },
		mustSucceed: EVERY_RETRIEVAL,
		scenarios: ['memory'],
	},
	{
		name: 'answers of messages lost',
		habits: { lostMessages: 3 },
		mustSucceed: EVERY_RETRIEVAL,
		scenarios: ['memory'],
	},
	{
		name: 'messages refused',
		says: /Content cannot be stored/,
		habits: { refusesMessages: true },
		mustSucceed: [],
		scenarios: ['memory'],
	},
	{
		name: 'collections lost at ingestion',
		habits: { losesCollections: true },
		mustSucceed: EVERY_RETRIEVAL,
		scenarios: ['a collection'],
	},
] satisfies RetrievalWorld[];
