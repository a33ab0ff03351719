import type { Page } from './page.mts';

const SUB = 'integration/sub-nodes.test.mts';
const MEMORY = 'integration/chat-model-memory.test.mts';
const CONVERSATION = 'integration/memory-conversation.test.mts';
const ALONE = 'integration/chat-model-alone.test.mts > nor does the memory work';
const CHANGED =
	'review/intelligence/memory.test.mts > after a restart, the history is there, or its loss is said';
const SIMPLIFY = 'integration/simplify.test.mts';
const SIMPLIFIED = 'contract/simplified.test.mts';
const E2E = 'e2e/ai-nodes.test.mts';
const RAG_NODE = 'e2e/rag-node.test.mts';
const STORE = `${E2E} > n8n's vector store with our embeddings`;
const CHAIN = `${E2E} > the Question and Answer Chain answers from our retriever, alone and behind Contextual Compression`;
const REMEMBERS = `${E2E} > remembers three turns`;

const claims: Page['claims'] = {
	"Three nodes that connect to n8n's own AI nodes: vector stores, chains and agents.": [
		STORE,
		CHAIN,
		REMEMBERS,
	],
	'Credential: Compute Intelligence API or Compute Intelligence OAuth2 API.': [
		'contract/rag-service.test.mts > [rag.auth]',
		'contract/rag-service.test.mts > [rag.oauth2]',
	],
	'All of them ran in n8n 2.41.1 with the nodes that are named below.': [STORE, CHAIN, REMEMBERS],
	"Turns texts into vectors for n8n's vector stores, such as the Simple Vector Store, when documents are inserted and when they are searched.":
		[STORE, `${SUB} > a query and documents become vectors in their order`],
	'Model | An embedding model from the list, or the ID of one. Insert and search with the same one.':
		['contract/embedding-agent.test.mts > [embedding.model]'],
	'Options | Batch Size, Dimensions, Requests at Once, limits of time': [
		`${SUB} > many documents go in batches`,
		'contract/embedding-agent.test.mts > [embedding.dimensions]',
		'integration/chat-limits.test.mts > embeddings: one batch first, then several',
	],
	'A request has up to Batch Size texts.': [`${SUB} > many documents go in batches`],
	'One that the service rejects as too large is split in half.': [
		`${SUB} > a batch that is rejected in halves`,
		'integration/embeddings.test.mts > a batch that is too large is halved until it fits',
	],
	'Vectors come in the order of the texts, and all have the same number of dimensions.': [
		`${SUB} > a query and documents become vectors in their order`,
		`${SUB} > vectors of another size than before are an error`,
	],
	'Anything else is an error: an index with wrong vectors finds wrong documents.': [
		`${SUB} > vectors of another size than before are an error`,
		'worlds/laws/intelligence.mts > a vector store gets a vector for each text',
	],
	'An empty text is an error before anything is sent.': [
		`${SUB} > an empty text is an error before anything is sent`,
	],
	"n8n's log view shows the texts, and how many vectors came.": [
		`${SUB} > n8n's log view shows each call, without its numbers`,
	],
	'It does not show their numbers, since n8n saves them with the execution.': [
		`${SUB} > n8n's log view shows each call, without its numbers`,
	],
	"Lets n8n's Question and Answer Chain, alone or through its Contextual Compression Retriever, search the documents that were uploaded with Compute RAG.":
		[CHAIN],
	'The service searches: by meaning, by keywords or both, with filters, and in the knowledge graph.':
		[`${SUB} > filters, hybrid and graph search, and a minimum score`],
	'Top K | Maximum number of chunks that the chain gets': [
		`${SUB} > works in the three ways in which chains call it`,
		'contract/rag.test.mts > [search.top_k]',
	],
	'Options | Filters and search settings, as in Retrieval > Search, and Minimum Score': [
		`${SUB} > filters, hybrid and graph search, and a minimum score`,
	],
	'Each document has the text of a chunk and its metadata, with `source`, `score`, `chunk_id` and `document_id`.':
		[`${SUB} > finds documents, best first, each with its metadata, source and score`],
	'Connect Compute RAG to it as a tool, with the operation Search or Ask.': [
		`${RAG_NODE} > the RAG node as an agent's tool finds the document`,
		'integration/rag-tool.test.mts > ask returns the answer with short quotes',
	],
	"Keeps the chat history of n8n's AI Agent as conversations of the service, where Conversation > Get of Compute RAG reads them.":
		[REMEMBERS, `${MEMORY} > keeps the turns of a session in one conversation`],
	'Session ID | What tells one chat from another: the session of the chat trigger, or a key of yours':
		[
			`${MEMORY} > the session comes from the chat trigger; without one it is an error`,
			`${MEMORY} > sessions do not mix`,
		],
	'Key | The key. It is the name of the conversation, which the first message creates.': [
		`${MEMORY} > keeps the turns of a session in one conversation`,
	],
	'Context Window Length | How many past questions the model gets, with their answers; 5 by default':
		[
			`${MEMORY} > the window is counted in questions`,
			'contract/frozen/interface.test.mts > nodes: nothing is removed or changed',
		],
	'Questions and answers are kept as texts.': [
		`${MEMORY} > keeps the turns of a session in one conversation`,
	],
	'Two executions of one session in one n8n process take turns.': [
		`${MEMORY} > two turns at once make one conversation, and neither is lost`,
	],
	'If several conversations have the name of a session, the oldest one is used.': [
		`${MEMORY} > all executions take the oldest one`,
	],
	'Clearing the memory deletes them all, and is an error where the service still shows one.': [
		'integration/memory-gone.test.mts > that the service answers with %j, and does not do, is an error',
		'integration/memory-gone.test.mts > deletes all that have the name of the session, and no other',
	],
	'If two n8n processes begin one session at once, both use the older conversation as soon as the list of the service shows both.':
		[`${CONVERSATION} > is the older one of another process, as soon as the list shows both`],
	'What was said in the other one before that stays there.': [
		`${CONVERSATION} > is the older one of another process, as soon as the list shows both`,
	],
	'If the answer of the service is lost, the memory looks whether the message is in the conversation before it sends it again.':
		[
			`${MEMORY} > a connection that is lost %s the service has done it changes nothing`,
			'worlds/laws/retrieval.mts > a turn that the memory has saved is kept once, in its order',
		],
	'A service whose list is late may then have a message twice.': [
		'sandbox/worlds/retrieval/engines.mts > conversations behind by 20 s',
	],
	'If the service changes or drops the name of a conversation, the memory gives it one that is made of letters and digits.':
		[
			CHANGED,
			`${CONVERSATION} > and whose answers are IDs alone has it where the list shows that it was %s`,
		],
	'If it changes that too, an error says so: the next start of n8n would not find the conversation.':
		[CHANGED],
	'It needs an n8n with the SDK for AI nodes (`@n8n/ai-node-sdk`).': [ALONE],
	'The other two do not.': [ALONE],
	'Compute VMaaS, CaaS, Explorer, Chat Completion and RAG can be tools of an agent.': [
		'contract/frozen/interface.test.mts > nodes: nothing is removed or changed',
		`${RAG_NODE} > the RAG node as an agent's tool finds the document`,
	],
	'Operations whose answer has more than ten fields can leave some out:': [
		`${SIMPLIFIED} > an answer with more than ten fields can be simplified, or says too much of money`,
	],
	'On the canvas | Simplify | Off | All fields; if on, ten at most': [
		`${SIMPLIFY} > all fields come where nobody has turned it on`,
		`${SIMPLIFY} > simplified: ten fields at most, in their order, with the values of before`,
		`${SIMPLIFIED} > puts out a part of its schema`,
	],
	'In a tool of an AI agent | Output: Simplified | This one | Ten fields at most': [
		`${SIMPLIFY} > the model gets the simplified fields where nobody has chosen`,
		`${SIMPLIFIED} > shows Simplify, off, on the canvas, and Output, simplified, in a tool`,
	],
	'Output: Raw | All fields': [`${SIMPLIFY} > Raw: all fields`],
	'Output: Selected Fields | Those that you choose under Fields': [
		`${SIMPLIFY} > Selected Fields: %s, and the ID`,
	],
	'Selected Fields also brings the ID, and fields such as `status` and `hint`: they say whether something runs, and what is not sure.':
		[
			`${SIMPLIFY} > Selected Fields without a field: what says which one it is, and its state`,
			`${SIMPLIFIED} > keeps what says that something may bill`,
		],
	'A field that the operation does not put out is an error before anything is sent.': [
		`${SIMPLIFY} > a field that the operation does not put out is an error before anything is sent`,
	],
	'What buys, extends or ends a deployment is never cut: Deploy, Deploy Cheapest, Extend, Destroy, Destroy Many and jobs put out all that they know of cost and outcome.':
		[
			`${SIMPLIFIED} > an answer with more than ten fields can be simplified, or says too much of money`,
			`${SIMPLIFY} > what buys, extends or ends a deployment is whole`,
		],
	'An error has all that was done, whichever fields you chose.': [
		`${SIMPLIFY} > an error tells all that was done, whichever fields are put out`,
	],
	'Device > Get of Compute Explorer has another Output; there the choice is Output Fields.': [
		`${SIMPLIFY} > Get of a device has both choices, each with a name of its own`,
	],
	'Chat > Complete has Simplify in tools, too, and it is on.': [
		'contract/frozen/interface.test.mts > nodes: nothing is removed or changed',
		'contract/chat.test.mts > [chat.response.simplified]',
	],
	'Errors of the service appear at the node that uses the sub-node, and in the log view at the sub-node.':
		[
			`${SUB} > an error of the service is one in the log view`,
			`${SUB} > n8n's log view shows each call, without its numbers, and its error`,
		],
	'Question and answer over the documents of the service.': [
		'e2e/pages.test.mts > executes as it is',
	],
	'The chain asks the retriever first.': [CHAIN],
};

const instructions = [
	'Click the plus below such a node to choose one.',
	'An agent takes no retriever.',
	'An answer with many fields fills its context.',
	'They are those of Compute Chat Completion.',
];

export const aiNodes: Page = { file: 'docs/ai-nodes.md', claims, instructions };
