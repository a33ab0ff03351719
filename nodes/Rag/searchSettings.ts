import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { collectionField, compareLabels } from '../shared/fields';
import type { Parameters } from '../shared/operation/parameters';
import { filterFields, readFilters } from './filters';
import type { SearchBody, SearchRequest } from './retrieval';

/** One search setting: its field, where it goes in the body, and how it is read. */
type Setting = [
	field: INodeProperties,
	group: '' | 'hybrid_settings' | 'graph_settings',
	key: string,
	read: (parameters: Parameters, name: string) => string | number | boolean,
];

/** Values that are not written as words are. */
const ABBREVIATIONS: Record<string, string> = { hyde: 'HyDE', ocr: 'OCR', rag: 'RAG' };
const STRATEGIES = ['vanilla', 'query_fusion', 'hyde'] as const;
const MODES = ['basic', 'advanced', 'custom'] as const;

const flag = (parameters: Parameters, name: string) => parameters.flag(name);
const atLeast = (min: number, max?: number) => (parameters: Parameters, name: string) =>
	parameters.integer(name, { min, max });
const weight = (parameters: Parameters, name: string) => parameters.number(name, { min: 0 });

const SETTINGS: Setting[] = [
	[
		number(
			'Full-Text Limit',
			'fullTextLimit',
			200,
			'How many full-text hits a hybrid search takes into account',
		),
		'hybrid_settings',
		'full_text_limit',
		atLeast(1),
	],
	[
		number('Full-Text Weight', 'fullTextWeight', 1, 'Weight of full-text hits in a hybrid search'),
		'hybrid_settings',
		'full_text_weight',
		weight,
	],
	[
		boolean('Include Metadata', 'includeMetadatas', 'Whether to return the metadata of each chunk'),
		'',
		'include_metadatas',
		flag,
	],
	[
		boolean('Include Scores', 'includeScores', 'Whether to return how well each chunk fits'),
		'',
		'include_scores',
		flag,
	],
	[
		number('Offset', 'offset', 0, 'How many of the best chunks to leave out'),
		'',
		'offset',
		atLeast(0),
	],
	[
		number(
			'RRF K',
			'rrfK',
			50,
			'How strongly a hybrid search prefers the first ranks; 1 is strongest',
		),
		'hybrid_settings',
		'rrf_k',
		atLeast(1),
	],
	[
		choice(
			'Search Strategy',
			'searchStrategy',
			STRATEGIES,
			'How the query is turned into searches',
		),
		'',
		'search_strategy',
		(parameters, name) => parameters.choice(name, STRATEGIES),
	],
	[
		number('Semantic Weight', 'semanticWeight', 5, 'Weight of hits by meaning in a hybrid search'),
		'hybrid_settings',
		'semantic_weight',
		weight,
	],
	[
		boolean('Use Full-Text Search', 'useFulltextSearch', 'Whether to search by words'),
		'',
		'use_fulltext_search',
		flag,
	],
	[
		boolean('Use Graph Search', 'useGraphSearch', 'Whether to search the knowledge graph as well'),
		'graph_settings',
		'enabled',
		flag,
	],
	[
		boolean(
			'Use Hybrid Search',
			'useHybridSearch',
			'Whether to search by meaning and by words together',
		),
		'',
		'use_hybrid_search',
		flag,
	],
	[
		boolean('Use Semantic Search', 'useSemanticSearch', 'Whether to search by meaning'),
		'',
		'use_semantic_search',
		flag,
	],
];

const searchModeField = choice(
	'Search Mode',
	'searchMode',
	MODES,
	'Which settings the service starts from; Custom takes yours alone',
);

/** The Options collection of an operation that searches, with the operation's own options in it. */
export function searchOptions(own: INodeProperties[]): INodeProperties {
	return settingOptions([...own, searchModeField]);
}

/** The same without a mode, which the endpoints of retrieval alone take. */
export function settingOptions(own: INodeProperties[] = []): INodeProperties {
	return collectionField('options', 'Options', 'Add Option', [
		...own,
		...filterFields,
		...SETTINGS.map(([field]) => field),
	]);
}

/** What the Options say about a search; `limit` is the engine's name for the number of chunks. */
export function readSearch(options: Parameters, limit?: number): SearchBody {
	const settings: IDataObject = limit === undefined ? {} : { limit };
	for (const [{ name }, group, key, read] of SETTINGS) {
		if (!options.has(name)) continue;
		const value = read(options, name);
		if (group === '') settings[key] = value;
		else settings[group] = { ...(settings[group] as IDataObject | undefined), [key]: value };
	}
	const filters = readFilters(options);
	if (filters) settings.filters = filters;
	const mode = options.has('searchMode') ? options.choice('searchMode', MODES) : undefined;
	return { search_mode: mode, search_settings: settings };
}

/** `top_k` is the specification's limit of chunks and `search_settings.limit` the engine's: both are sent, equal. */
export function readTopK(parameters: Parameters): number {
	return parameters.integer('topK', { min: 1, max: 1000 });
}

export function readSearchRequest(parameters: Parameters, options: Parameters): SearchRequest {
	const topK = readTopK(parameters);
	return { query: parameters.text('query'), top_k: topK, ...readSearch(options, topK) };
}

function number(
	displayName: string,
	name: string,
	value: number,
	description: string,
): INodeProperties {
	return {
		displayName,
		name,
		type: 'number',
		typeOptions: { minValue: 0 },
		default: value,
		description,
	};
}

function boolean(displayName: string, name: string, description: string): INodeProperties {
	return { displayName, name, type: 'boolean', default: true, description };
}

export function choice(
	displayName: string,
	name: string,
	values: readonly string[],
	description: string,
): INodeProperties {
	const inWords = (value: string) =>
		value.replace(
			/(^|[_-])([a-z])/g,
			(_, mark: string, letter: string) => `${mark && ' '}${letter.toUpperCase()}`,
		);
	const options = values
		.map((value) => ({ name: ABBREVIATIONS[value] ?? inWords(value), value }))
		.sort((a, b) => compareLabels(a.name, b.name));
	const [first = ''] = values;
	return { displayName, name, type: 'options', options, default: first, description };
}
