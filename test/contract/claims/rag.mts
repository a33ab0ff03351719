import type { Page } from './page.mts';
import { ragDocuments } from './rag-documents.mts';

const I = 'integration';
const LAW = 'worlds/laws/retrieval.mts';
const ENGINES = 'sandbox/worlds/retrieval/engines.mts';
const GROUPS = 'contract/rag-groups.test.mts';

const claims: Page['claims'] = {
	'Ingests documents into the retrieval service and answers questions from them, with sources.': [
		`${I}/rag-documents.test.mts > waits until it is ingested`,
		`${I}/rag-ask.test.mts > sends the chunk texts joined by line breaks, and names its sources`,
	],
	'Credential: Compute Intelligence API or Compute Intelligence OAuth2 API, with the retrieval segment of your provider.':
		[
			'contract/rag-service.test.mts > [rag.auth]',
			'contract/rag-service.test.mts > [rag.oauth2]',
			'contract/rag-service.test.mts > [rag.version]',
		],
	'A file comes from a node before Create, such as n8n Form Trigger: enter the name of its field in Input Binary Field.':
		[
			`${I}/rag-documents-input.test.mts > a missing binary field`,
			`${I}/rag-examples.test.mts > three ingested documents are in the collection`,
		],
	'Prompt of Ask is the template of the answer.': [
		`${I}/rag-ask.test.mts > sends the chunk texts joined by line breaks, and names its sources`,
	],
	'Retrieval | Search | Finds the chunks that fit a question': [
		'contract/rag.test.mts > [search.path]',
	],
	'Ask | Searches, then answers from a prompt template': [
		`${I}/rag-ask.test.mts > sends the chunk texts joined by line breaks, and names its sources`,
	],
	'Generate | Answers from a context that you pass': [
		`${I}/rag-generate.test.mts > answers from the context, beside what the service sent`,
	],
	'RAG Query | The service searches and answers, with citations': [
		'contract/rag-query.test.mts > [rag.query.200]',
	],
	"Agent | The service's agent, which remembers a conversation": [
		`${I}/rag-engine.test.mts > agent: answers, and goes on in the conversation`,
	],
	'Document | Create, Get, Get Many, Get Chunks, Download, Delete | Files, texts or chunks': [
		'contract/rag-documents.test.mts > [document.create.one]',
		`${I}/rag-documents.test.mts > get many: a limit, some IDs, all pages`,
		`${I}/rag-documents.test.mts > download: the same bytes`,
		`${I}/rag-documents.test.mts > delete, twice`,
	],
	'Update Metadata | Sets or replaces keys, keeps the others': [
		'contract/rag-metadata.test.mts > [document.updateMetadata.merge]',
	],
	'Search | Finds whole documents, by their summaries': [
		`${GROUPS} > [%s] a write: exactly its body`,
		`${GROUPS} > [%s] a list: one item an entry`,
	],
	'Delete Many | Deletes all that pass a filter; dry run by default': [
		`${I}/rag-delete-many.test.mts > deletes what the dry run shows, and nothing else`,
	],
	'Extract, Get Entities, Get Relationships | Entities and relationships, for graphs': [
		`${GROUPS} > [%s] a write: exactly its body`,
		`${GROUPS} > [%s] a list: one item an entry`,
	],
	'Collection | Create, Get, Get Many, Update, Delete | Groups of documents': [
		`${I}/rag-groups.test.mts > are created, read, updated, filled, emptied and deleted`,
	],
	'Get Documents, Add Document, Remove Document': [
		`${I}/rag-groups.test.mts > are created, read, updated, filled, emptied and deleted`,
		`${GROUPS} > [collection.removeDocument]`,
	],
	'Extract | As of a document, for all in the collection': [
		`${GROUPS} > [%s] a write: exactly its body`,
	],
	'Chunk | Get, Get Many, Search, Update, Delete | Pieces of documents': [
		`${GROUPS} > [%s] one thing: its results`,
		`${GROUPS} > [%s] a deletion, and then it is gone`,
		'contract/rag-envelope.test.mts > chunks: search',
	],
	'Conversation | Create, Get, Get Many, Update, Delete, Add Message | What the agent remembers': [
		`${I}/rag-groups.test.mts > are created, filled, read, renamed and deleted`,
	],
	'Graph | Get, Get Many, Pull, Build Communities | One knowledge graph for each collection': [
		`${GROUPS} > [%s] one thing: its results`,
		`${GROUPS} > [%s] a write: exactly its body`,
		'contract/rag-envelope.test.mts > [rag.graphs]',
	],
	'Get Entities, Get Relationships, Get Communities': [
		`${GROUPS} > [%s] a list: one item an entry`,
	],
	'Index | Create, Get, Get Many, Delete | Indices of the embeddings': [
		`${GROUPS} > [index.getAll]`,
		`${GROUPS} > [%s] a write: exactly its body`,
		`${GROUPS} > [%s] a deletion, and then it is gone`,
	],
	'Prompt | Create, Get, Get Many, Update, Delete | The templates of Ask and Generate': [
		'contract/rag-envelope.test.mts > [rag.prompts]',
	],
	'System | Get Health, Get Status': [
		`${I}/rag-groups.test.mts > indices and system`,
		'contract/rag-envelope.test.mts > [rag.system]',
	],
	'User | Get, Get Me, Get Limits': [`${GROUPS} > [%s] one thing: its results`],
	"In n8n's chat, the answers of Ask, RAG Query and Agent appear with their sources below.": [
		`${I}/rag-chat.test.mts > %s appears while it is written, its sources after it`,
		`${I}/rag-chat.test.mts > Ask appears in one piece`,
	],
	'Those of RAG Query and Agent appear while they are written; turn Stream off to keep them out of the chat.':
		[
			`${I}/rag-chat.test.mts > %s appears while it is written, its sources after it`,
			`${I}/rag-chat.test.mts > with Stream off nothing appears and nothing is streamed`,
		],
	'An answer of Ask appears in one piece, as the service sends it.': [
		`${I}/rag-chat.test.mts > Ask appears in one piece, since the service sends it so`,
	],
	'Top K is the number of chunks.': ['contract/rag.test.mts > [search.top_k]'],
	"Filters compare fields and metadata; Filters (JSON) takes the service's own form.": [
		`${I}/rag-filters.test.mts > filters by %s`,
		`${I}/rag-filters.test.mts > a value that is JSON`,
	],
	'Hybrid and full-text search are options too.': [
		'contract/rag-search.test.mts > [search.settings.%s] is in search_settings',
	],
	'Chunk > Search has the same settings, without Search: Mode.': [
		'contract/rag-envelope.test.mts > [chunk.search] has no mode',
	],
	'Output of Search: one item for each chunk, one for the search, or the whole response.': [
		`${I}/rag-search.test.mts > one item per chunk, best first`,
		`${I}/rag-search.test.mts > Output: one item per search with its context`,
	],
	'Minimum Score of Ask rejects weak chunks.': [
		`${I}/rag-ask.test.mts > a chunk without a score is below every minimum score`,
	],
	'If none is left, the answer is the Refusal Text, and no model is asked.': [
		`${I}/rag-ask.test.mts > answers with the refusal text where nothing is found, without a model`,
	],
	'On Nothing Found makes it an error instead, so that the workflow can take another path.': [
		`${I}/rag-examples.test.mts > and from the web where they do not`,
	],
	'Max Context Characters limits the text that is sent.': [
		`${I}/rag-ask.test.mts > cuts the context between chunks`,
	],
	'The best chunks are kept, uncut.': [`${I}/rag-ask.test.mts > cuts the context between chunks`],
	'In Filters, values from an expression keep their type.': [
		`${I}/rag-filters.test.mts > a list of all kinds from an expression`,
	],
	'Typed values are read as Value Type says.': [
		`${I}/rag-filters.test.mts > texts of an expression as numbers`,
		`${I}/rag-filters.test.mts > a typed list of truth values`,
	],
	'An AI agent gets at most 12,000 characters from Search: the best chunks, and the first one cut if it alone is longer.':
		[
			`${I}/rag-tool.test.mts > search returns what a model needs, and no more than it can read`,
			`${I}/rag-tool.test.mts > search cuts the best chunk where it alone is too long`,
		],
	'Not Equals, Is One Of and Is None Of are sent in a form that finds the same in R2R 3.6 and in an engine that follows its documentation.':
		[
			`${LAW} > a filter that the form offers finds exactly what it says`,
			`${ENGINES} > operators as documented`,
		],
	'If the metadata holds numbers or true and false, set Value Type: lists in R2R find only texts.':
		["unit/worlds-retrieval.test.mts > filters as R2R's own filters.py turns them into SQL"],
	'Contains All Of and Contains JSON need R2R.': [
		'unit/worlds-retrieval.test.mts > its documentation has other operators',
		`${ENGINES} > operators as documented`,
	],
	'Top K over 200 in a hybrid search sets Hybrid: Full-Text Limit too, since the engine refuses a lower one.':
		['contract/rag-extra.test.mts > a hybrid search with %j for %i chunks'],
	'Extra Body Fields takes whatever the service knows and the form does not show, in every operation that sends something.':
		['contract/rag-extra.test.mts > extra body fields'],
	'Objects are merged with those of the form.': [
		'contract/rag-extra.test.mts > objects are merged',
	],
	'In Ask they belong to the search, and Extra Answer Fields to the answer.': [
		'contract/rag-extra.test.mts > Ask has one for each of its requests',
	],
	'Prompt Inputs of Ask and Generate fills the placeholders of a prompt besides `{query}` and `{context}`.':
		['contract/rag-extra.test.mts > and inputs for the prompt'],
	'Collections are chosen from a list (Collection Names or IDs), or typed by ID or exact name (Collection IDs).':
		[
			`${I}/rag-collection-names.test.mts > the list to choose from has their names`,
			`${I}/rag-collection-names.test.mts > sends their IDs`,
		],
	'A name that no collection has, or several have, is an error, and nothing else is sent.': [
		`${I}/rag-collection-names.test.mts > a name that is not that of one collection is an error, and nothing else is sent`,
	],
	'In Filters and Filters (JSON), IDs are needed.': [
		`${I}/rag-filters.test.mts > a collection in JSON, as it is`,
	],
	'R2R 3.6 has no request for an answer from a context, so Ask and Generate get a 404 there.': [
		'contract/rag-extra.test.mts > a service without /rag/generate: the error says what to use',
	],
	'Only superusers may list prompts: others get a 403, so enter the name of a prompt by ID.': [
		`${ENGINES} > ordinary user`,
	],
	'For ordinary users, R2R ignores `collection_ids` at the top of a filter and also searches all documents that they own.':
		[`${ENGINES} > ordinary user`],
	'So the node sends Collection IDs and conditions on `collection_ids` within `$and`, which R2R respects for everyone.':
		[
			`${ENGINES} > ordinary user`,
			`${LAW} > a filter that the form offers finds exactly what it says`,
			`${I}/rag-filters.test.mts > a collection as a condition`,
		],
	'Filters (JSON) is sent as it is: write `{"$and": [{"collection_ids": {"$overlap": ["…"]}}]}` there.':
		[`${I}/rag-filters.test.mts > a collection in JSON, as it is`],
	'A streamed RAG Query that reaches Max Answer Tokens has `truncated: true`, with all words and citations that came, and a chat shows that it was cut off.':
		[
			`${ENGINES} > answer ends at length`,
			`${LAW} > a streamed answer keeps every word and citation that came`,
			`${I}/rag-chat.test.mts > was cut off, which the chat shows`,
		],
	'If the connection is lost before the last event, they are in the details of the error.': [
		`${I}/rag-engine.test.mts > rag: what came before an error is in the error`,
		`${I}/rag-chat.test.mts > a stream that breaks is an error with what came`,
	],
	'Chunks without any text that the node knows, or without any score where one is needed, are an error and not an empty search.':
		[
			'review/intelligence/answers.test.mts > nobody is told that nothing was found',
			`${I}/rag-ask.test.mts > if none has one, nobody can tell`,
		],
	...ragDocuments,
};

const instructions = [
	'Five operations answer questions.',
	'Not sure which one to take?',
	'Take Ask.',
	'To begin: Document > Create, then Retrieval > Ask.',
	'Or set Source to Text, and enter one.',
	'Add the options Wait Until Ingested, since a document that was just sent may not be found yet, and If Exists set to Skip: when you execute Ask in the editor, n8n may run Create again.',
	'Choose one from the list.',
	'Use RAG Query or Agent.',
	'If Exists says what else to do with it:',
	'Metadata do not count.',
	'Workers in queue mode do not know of each other.',
	'Graph > Pull takes what Extract has found in the documents: run it first, for a document or a collection.',
];

export const rag: Page = { file: 'docs/rag.md', claims, instructions };
