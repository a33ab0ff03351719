import type { IDataObject } from 'n8n-workflow';
import { answerOf } from '../../sandbox/worlds/retrieval/r2r/retrieval.mts';
import type { RetrievalScenario } from '../retrievalRecord.mts';
import type { RetrievalScene } from '../retrievalScene.mts';

const WAIT = { waitUntilIngested: true, timeout: 600 };

const PEOPLE = [
	{ name: 'ann', team: 'hr', year: 2024, draft: true, tags: ['a', 'b'] },
	{ name: 'bob', team: 'it', year: 2025, draft: false, tags: ['b'] },
	{ name: 'cyd', team: 'hr', year: 2026, draft: false, tags: ['c'] },
];
type Person = (typeof PEOPLE)[number];

/** Each comparison of the form, and what it says in words. */
const CONDITIONS: Array<
	[
		operator: string,
		field: keyof Person,
		value: unknown,
		type: string,
		says: (person: Person) => boolean,
	]
> = [
	['$eq', 'team', 'hr', 'text', ({ team }) => team === 'hr'],
	['$neq', 'team', 'hr', 'text', ({ team }) => team !== 'hr'],
	['$eq', 'year', '2025', 'number', ({ year }) => year === 2025],
	['$neq', 'year', '2025', 'number', ({ year }) => year !== 2025],
	['$neq', 'draft', 'true', 'boolean', ({ draft }) => !draft],
	['$eq', 'draft', 'true', 'boolean', ({ draft }) => draft],
	['$gt', 'year', '2024', 'number', ({ year }) => year > 2024],
	['$lte', 'year', '2025', 'number', ({ year }) => year <= 2025],
	['$in', 'team', 'hr,it', 'text', () => true],
	['$in', 'year', '2024,2026', 'number', ({ year }) => year !== 2025],
	['$in', 'draft', 'true', 'boolean', ({ draft }) => draft],
	['$nin', 'team', 'it', 'text', ({ team }) => team !== 'it'],
	['$nin', 'year', '2024,2025', 'number', ({ year }) => year === 2026],
	['$like', 'name', '%b%', 'text', ({ name }) => name.includes('b')],
	['$ilike', 'name', 'C%', 'text', ({ name }) => name.startsWith('c')],
	['$overlap', 'tags', 'a,c', 'text', ({ tags }) => tags.includes('a') || tags.includes('c')],
];
/** What only the source of R2R has. */
const OF_THE_SOURCE: typeof CONDITIONS = [
	['$contains', 'tags', 'a,b', 'text', ({ name }) => name === 'ann'],
	['$json_contains', 'tags', '["b"]', 'text', ({ tags }) => tags.includes('b')],
	['$json_contains', 'year', '2026', 'text', ({ year }) => year === 2026],
];

async function search(
	scene: RetrievalScene,
	what: string,
	options: IDataObject,
	wanted: string[],
): Promise<void> {
	const rows = await scene.run('search', ['retrieval', 'search'], {
		query: 'people',
		topK: 50,
		options,
	});
	const names = rows?.map(({ metadata }) => String((metadata as IDataObject).name ?? '')) ?? [
		'refused',
	];
	scene.record.searches.push({ what, shown: names.sort(), wanted });
}

const filters: RetrievalScenario = {
	name: 'filters',
	async play(scene) {
		for (const person of PEOPLE)
			await scene.ingest('create', {
				identity: person.name,
				content: `I am ${person.name}.`,
				additionalFields: { metadataJson: JSON.stringify(person) },
				options: WAIT,
			});
		const isSource = scene.server.store.habits.operators === 'source';
		for (const [operator, field, value, valueType, says] of [
			...CONDITIONS,
			...(isSource ? OF_THE_SOURCE : []),
		])
			await search(
				scene,
				`${field} ${operator} ${String(value)}`,
				{ filters: { conditions: [{ field, operator, value, valueType }] } },
				PEOPLE.filter(says).map(({ name }) => name),
			);
		const [ann] = scene.record.ingestions;
		await search(
			scene,
			'not one document',
			{
				filters: {
					conditions: [{ field: 'document_id', operator: '$neq', value: ann?.uploaded[0] }],
				},
			},
			['bob', 'cyd'],
		);
	},
};

const collection: RetrievalScenario = {
	name: 'a collection',
	async play(scene) {
		const id = scene.server.collection('manuals');
		for (const name of ['inside', 'outside'])
			await scene.ingest('create in a collection', {
				identity: name,
				content: `I am ${name}.`,
				additionalFields: {
					metadataJson: JSON.stringify({ name }),
					...(name === 'inside' && { collectionIds: id }),
				},
				options: WAIT,
			});
		await search(scene, 'in the collection', { collectionIds: id }, ['inside']);
		const conditions = [{ field: 'collection_ids', operator: '$neq', value: id }];
		await search(scene, 'not in the collection', { filters: { conditions } }, ['outside']);
	},
};

const answers: RetrievalScenario = {
	name: 'answers',
	async play(scene) {
		for (const content of ['First source.', 'Second source.'])
			await scene.ingest('create', { identity: content, content, options: WAIT });
		const cited = scene.server.store.chunks().map(({ id }) => id.slice(0, 7));
		for (const stream of [true, false]) {
			const rows = await scene.run('ask for a streamed answer', ['retrieval', 'rag'], {
				query: 'What is kept?',
				topK: 5,
				options: { stream },
			});
			const citations = (rows?.[0]?.citations ?? []) as IDataObject[];
			scene.record.streams.push({
				what: stream ? 'streamed' : 'whole',
				shown: [
					String(rows?.[0]?.generated_answer),
					...citations.map(
						({ id, payload }) => `${String(id)} ${String((payload as IDataObject | null)?.text)}`,
					),
				],
				wanted: [
					answerOf(cited),
					`${String(cited[0])} First source.`,
					`${String(cited[1])} Second source.`,
				],
			});
		}
		await scene.run('search by hundreds', ['retrieval', 'search'], {
			query: 'source',
			topK: 300,
			options: { useHybridSearch: true },
		});
		await scene.run('search by hundreds', ['retrieval', 'search'], {
			query: 'source',
			topK: 300,
			options: { searchMode: 'advanced' },
		});
	},
};

const lists: RetrievalScenario = {
	name: 'lists',
	async play(scene) {
		const conversationId = { __rl: true, mode: 'id', value: scene.server.conversation(5) };
		const rows = await scene.run('read a conversation', ['conversation', 'get'], {
			conversationId,
			returnAll: false,
			limit: 2,
		});
		scene.record.lists.push({
			what: 'the newest messages',
			shown: rows?.map(({ message }) => String((message as IDataObject).content)) ?? [],
			wanted: ['message 4', 'message 5'],
		});
		await scene.run('list prompts', ['prompt', 'getAll'], { returnAll: true });
		const index = await scene.run('get an index', ['index', 'get'], {
			tableName: 'chunks',
			indexName: 'ix',
		});
		scene.record.lists.push({
			what: 'an index',
			shown: [String(index?.[0]?.name)],
			wanted: ['ix'],
		});
	},
};

const chain: RetrievalScenario = {
	name: 'a chain',
	async play(scene) {
		for (const content of ['First source.', 'Second source.'])
			await scene.ingest('create', { identity: content, content, options: WAIT });
		const shown = (await scene.retrieve('source', {})) ?? ['refused'];
		const wanted = ['First source.', 'Second source.'];
		scene.record.searches.push({ what: 'for a chain', shown: shown.sort(), wanted });
	},
};

const deletion: RetrievalScenario = {
	name: 'deletion',
	async play(scene) {
		scene.addStranger('stranger.txt', 'Not of the team.');
		for (const person of PEOPLE)
			await scene.ingest('create', {
				identity: person.name,
				content: `I am ${person.name}.`,
				additionalFields: { metadataJson: JSON.stringify(person) },
				options: WAIT,
			});
		const conditions = [{ field: 'team', operator: '$nin', value: 'it' }];
		let isRefused = false;
		for (const dryRun of [true, false]) {
			const rows = await scene.run('delete by a filter', ['document', 'deleteMany'], {
				filters: { filters: { conditions } },
				limit: 10,
				dryRun,
			});
			isRefused = rows === undefined;
			const names = rows?.map(({ metadata }) => String((metadata as IDataObject).name));
			if (names)
				scene.record.lists.push({
					what: dryRun ? 'a dry run of a deletion' : 'a deletion',
					shown: names.sort(),
					wanted: ['ann', 'cyd'],
				});
		}
		const left = [...scene.server.store.documents.values()].map(({ metadata, title }) =>
			String((metadata as IDataObject).name ?? title),
		);
		scene.record.lists.push({
			what: 'what a deletion leaves',
			shown: left.sort(),
			wanted: [...(isRefused ? ['ann', 'bob', 'cyd'] : ['bob']), 'stranger.txt'],
		});
	},
};

export const questionScenarios = [filters, collection, answers, lists, chain, deletion];
