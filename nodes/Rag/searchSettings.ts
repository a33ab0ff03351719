import {
	choice,
	flag,
	integer,
	number,
	readOption,
	readOptions,
	unlessBlank,
	type Option,
} from '../shared/operation/option';
import type { Parameters } from '../shared/operation/parameters';
import { filterOptions, readFilters } from './filters';
import type { SearchBody, SearchRequest } from './retrieval';

/** `search_settings` of a search (beyond-the-spec.md section 6 "Search"). */
const settings: Option[] = [
	integer({
		displayName: 'Full-Text Limit',
		name: 'fullTextLimit',
		key: 'hybrid_settings.full_text_limit',
		limits: { min: 1 },
		default: 200,
		description: 'How many full-text hits a hybrid search takes into account',
	}),
	number({
		displayName: 'Full-Text Weight',
		name: 'fullTextWeight',
		key: 'hybrid_settings.full_text_weight',
		limits: { min: 0 },
		precision: 4,
		default: 1,
		description: 'Weight of full-text hits in a hybrid search',
	}),
	flag({
		displayName: 'Include Metadata',
		name: 'includeMetadatas',
		description: 'Whether to return the metadata of each chunk',
	}),
	flag({
		displayName: 'Include Scores',
		name: 'includeScores',
		description: 'Whether to return how well each chunk fits',
	}),
	integer({
		displayName: 'Offset',
		name: 'offset',
		limits: { min: 0 },
		default: 0,
		description: 'How many of the best chunks to leave out',
	}),
	integer({
		displayName: 'RRF K',
		name: 'rrfK',
		key: 'hybrid_settings.rrf_k',
		limits: { min: 1 },
		default: 50,
		description: 'How strongly a hybrid search prefers the first ranks; 1 is strongest',
	}),
	choice({
		displayName: 'Search Strategy',
		name: 'searchStrategy',
		options: [
			{ name: 'HyDE', value: 'hyde' },
			{ name: 'Query Fusion', value: 'query_fusion' },
			{ name: 'Vanilla', value: 'vanilla' },
		],
		default: 'vanilla',
		description: 'How the query is turned into searches',
	}),
	number({
		displayName: 'Semantic Weight',
		name: 'semanticWeight',
		key: 'hybrid_settings.semantic_weight',
		limits: { min: 0 },
		precision: 4,
		default: 5,
		description: 'Weight of hits by meaning in a hybrid search',
	}),
	flag({
		displayName: 'Use Full-Text Search',
		name: 'useFulltextSearch',
		description: 'Whether to search by words',
	}),
	flag({
		displayName: 'Use Graph Search',
		name: 'useGraphSearch',
		key: 'graph_settings.enabled',
		description: 'Whether to search the knowledge graph as well',
	}),
	flag({
		displayName: 'Use Hybrid Search',
		name: 'useHybridSearch',
		description: 'Whether to search by meaning and by words together',
	}),
	flag({
		displayName: 'Use Semantic Search',
		name: 'useSemanticSearch',
		description: 'Whether to search by meaning',
	}),
].map(unlessBlank);

const searchMode = unlessBlank(
	choice({
		displayName: 'Search Mode',
		name: 'searchMode',
		options: [
			{ name: 'Advanced', value: 'advanced' },
			{ name: 'Basic', value: 'basic' },
			{ name: 'Custom', value: 'custom' },
		],
		default: 'basic',
		description: 'Which settings the service starts from; Custom takes yours alone',
	}),
);

/** The options of every search: filters and settings. */
export const settingOptions: Option[] = [...filterOptions, ...settings];

/** The same with a mode, which only the endpoints of retrieval take. */
export const searchOptions: Option[] = [...settingOptions, searchMode];

/**
 * What the options say about a search.
 * @param limit maximum number of chunks; undefined leaves it to the service
 */
export function readSearch(options: Parameters, limit?: number): SearchBody {
	return {
		search_mode: readOption(options, searchMode),
		search_settings: {
			limit,
			...readOptions(options, settings),
			filters: readFilters(options),
		},
	};
}

/** `top_k` is the specification's limit of chunks and `search_settings.limit` the engine's: both are sent, equal. */
export function readTopK(parameters: Parameters): number {
	return parameters.integer('topK', { min: 1, max: 1000 });
}

export function readSearchRequest(parameters: Parameters, options: Parameters): SearchRequest {
	const topK = readTopK(parameters);
	return { query: parameters.text('query'), top_k: topK, ...readSearch(options, topK) };
}
