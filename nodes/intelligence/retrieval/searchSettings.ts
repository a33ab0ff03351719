import type { IDataObject } from 'n8n-workflow';
import {
	choice,
	flag,
	integer,
	number,
	readOption,
	readOptions,
	unlessBlank,
	type Option,
} from '../../shared/operation/option';
import type { Parameters } from '../../shared/operation/parameters';
import { extraBody, withExtraBody } from './extraBody';
import { filterOptions, readFilters } from './filters';
import type { SearchBody, SearchRequest } from './search';

/** The full-text results that a hybrid search considers by itself; it is refused where more are wanted. */
const FULL_TEXT_LIMIT = 200;

/** `search_settings` of a search (beyond-the-spec.md section 6 "Search"). */
const settings: Option[] = [
	integer({
		displayName: 'Hybrid: Full-Text Limit',
		name: 'fullTextLimit',
		key: 'hybrid_settings.full_text_limit',
		limits: { min: 1 },
		default: FULL_TEXT_LIMIT,
		description: 'Maximum number of full-text results that a hybrid search considers',
	}),
	number({
		displayName: 'Hybrid: Full-Text Weight',
		name: 'fullTextWeight',
		key: 'hybrid_settings.full_text_weight',
		limits: { min: 0 },
		precision: 4,
		default: 1,
		description: 'Weight of full-text results in a hybrid search',
	}),
	flag({
		displayName: 'Include Metadata',
		name: 'includeMetadatas',
		description: 'Whether to return the metadata of each chunk',
	}),
	flag({
		displayName: 'Include Scores',
		name: 'includeScores',
		description: 'Whether to return the relevance score of each chunk',
	}),
	integer({
		displayName: 'Offset',
		name: 'offset',
		limits: { min: 0 },
		default: 0,
		description: 'Number of top results to skip',
	}),
	integer({
		displayName: 'Hybrid: RRF K',
		name: 'rrfK',
		key: 'hybrid_settings.rrf_k',
		limits: { min: 1 },
		default: 50,
		description:
			'Constant of reciprocal rank fusion in a hybrid search. Lower values favor the top results of each search more.',
	}),
	choice({
		displayName: 'Search: Strategy',
		name: 'searchStrategy',
		options: [
			{ name: 'HyDE', value: 'hyde' },
			{ name: 'Query Fusion', value: 'query_fusion' },
			{ name: 'Vanilla', value: 'vanilla' },
		],
		default: 'vanilla',
		description:
			'Whether to search for the query itself (Vanilla), several variants of it (Query Fusion) or a hypothetical answer (HyDE)',
	}),
	number({
		displayName: 'Hybrid: Semantic Weight',
		name: 'semanticWeight',
		key: 'hybrid_settings.semantic_weight',
		limits: { min: 0 },
		precision: 4,
		default: 5,
		description: 'Weight of semantic results in a hybrid search',
	}),
	flag({
		displayName: 'Search: Full-Text',
		name: 'useFulltextSearch',
		description: 'Whether to search by keywords',
	}),
	flag({
		displayName: 'Search: Graph',
		name: 'useGraphSearch',
		key: 'graph_settings.enabled',
		description: 'Whether to also search the knowledge graph',
	}),
	flag({
		displayName: 'Search: Hybrid',
		name: 'useHybridSearch',
		description: 'Whether to combine semantic and full-text search',
	}),
	flag({
		displayName: 'Search: Semantic',
		name: 'useSemanticSearch',
		description: 'Whether to search by meaning',
	}),
].map(unlessBlank);

const searchMode = unlessBlank(
	choice({
		displayName: 'Search: Mode',
		name: 'searchMode',
		options: [
			{ name: 'Advanced', value: 'advanced' },
			{ name: 'Basic', value: 'basic' },
			{ name: 'Custom', value: 'custom' },
		],
		default: 'basic',
		description: 'Preset of search settings. Custom uses only the settings that you add.',
	}),
);

/** The options of every search: filters, settings and further fields of its body. */
export const settingOptions: Option[] = [...filterOptions, ...settings, extraBody];

/** The same with a mode, which only the retrieval endpoints accept. */
export const searchOptions: Option[] = [...settingOptions, searchMode];

/**
 * The search settings of the options that were added.
 * @param limit maximum number of chunks; undefined leaves it to the service
 */
export function readSearch(options: Parameters, limit?: number): SearchBody {
	const mode = readOption(options, searchMode);
	const { hybrid_settings: hybrid, ...others } = readOptions(options, settings);
	const isLarge =
		(others.use_hybrid_search ?? mode === 'advanced') && (limit ?? 0) > FULL_TEXT_LIMIT;
	return {
		search_mode: mode,
		search_settings: {
			limit,
			...((hybrid ?? isLarge) && {
				hybrid_settings: {
					...(isLarge && { full_text_limit: limit }),
					...(hybrid as IDataObject),
				},
			}),
			...others,
			filters: readFilters(options),
		},
	};
}

/** The maximum number of chunks. */
export function readTopK(parameters: Parameters): number {
	return parameters.integer('topK', { min: 1, max: 1000 });
}

/** A request to find chunks. The limit is `top_k` in the specification and `search_settings.limit` in the engine: both are sent. */
export function readSearchRequest(
	parameters: Parameters,
	options: Parameters,
	query = parameters.text('query'),
): SearchRequest {
	const topK = readTopK(parameters);
	return withExtraBody({ query, top_k: topK, ...readSearch(options, topK) }, options);
}
