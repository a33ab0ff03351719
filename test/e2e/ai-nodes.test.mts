import { expect } from 'vitest';
import {
	credentials,
	ingest,
	KNOWN,
	LANGCHAIN,
	locator,
	model,
	run,
	runsOf,
	type Part,
} from './aiParts.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import { itemsOf } from './workflow.mts';

const EMBEDDING = 'mixedbread-ai/mxbai-embed-large-v1';

const embeddings = (to: string): Part => ({
	type: `${packageName}.embeddingsCompute`,
	parameters: { authentication: 'apiKey', model: locator(EMBEDDING), options: { batchSize: 4 } },
	credentials,
	to: [to, 'ai_embedding'],
});
const retriever = (to: string): Part => ({
	type: `${packageName}.retrieverCompute`,
	parameters: { authentication: 'apiKey', topK: 3, options: { useHybridSearch: true } },
	credentials,
	to: [to, 'ai_retriever'],
});
const chain = (text: string): Part => ({
	type: `${LANGCHAIN}.chainRetrievalQa`,
	typeVersion: 1.7,
	parameters: { promptType: 'define', text, options: {} },
});

test("n8n's vector store with our embeddings: the right document first for ten questions", async ({
	rest,
	sandbox,
}) => {
	const store = (parameters: object): Part => ({
		type: `${LANGCHAIN}.vectorStoreInMemory`,
		typeVersion: 1.3,
		parameters: { memoryKey: { __rl: true, mode: 'id', value: 'facts' }, ...parameters },
	});
	const inserted = await run(
		rest,
		sandbox,
		{
			Root: store({ mode: 'insert', clearStore: true }),
			Embeddings: embeddings('Root'),
			Loader: {
				type: `${LANGCHAIN}.documentDefaultDataLoader`,
				typeVersion: 1.1,
				parameters: {
					jsonMode: 'expressionData',
					jsonData: '={{ $json.text }}',
					options: {},
				},
				to: ['Root', 'ai_document'],
			},
		},
		KNOWN.map(([text]) => ({ text })),
	);
	expect(itemsOf(inserted, 'Root')).toHaveLength(KNOWN.length);
	expect(runsOf(inserted, 'Embeddings')).toBeGreaterThan(0);

	const found = await run(
		rest,
		sandbox,
		{
			Root: store({ mode: 'load', prompt: '={{ $json.question }}', topK: 1 }),
			Embeddings: embeddings('Root'),
		},
		KNOWN.map(([, question]) => ({ question })),
	);
	const documents = itemsOf(found, 'Root').map(
		(json) => (json.document as { pageContent: string }).pageContent,
	);
	expect(documents).toEqual(KNOWN.map(([text]) => text));
	expect(runsOf(found, 'Embeddings')).toBe(KNOWN.length);
});

test('the Question and Answer Chain answers from our retriever, alone and behind Contextual Compression', async ({
	rest,
	sandbox,
}) => {
	await ingest(rest, sandbox);
	const [text, question] = KNOWN[6];
	const execution = await run(rest, sandbox, {
		Root: chain(question),
		Model: model('Root'),
		Retriever: retriever('Root'),
	});
	expect(JSON.stringify(itemsOf(execution, 'Root'))).toContain(text);
	expect(runsOf(execution, 'Retriever')).toBe(1);

	const compressed = await run(rest, sandbox, {
		Root: chain(question),
		Model: model('Root'),
		Compression: {
			type: `${LANGCHAIN}.retrieverContextualCompression`,
			to: ['Root', 'ai_retriever'],
		},
		Compressor: model('Compression'),
		Retriever: retriever('Compression'),
	});
	expect(runsOf(compressed, 'Retriever')).toBe(1);
	expect(runsOf(compressed, 'Compressor')).toBeGreaterThan(0);
});

test('an AI Agent remembers three turns in a conversation of the service', async ({
	rest,
	sandbox,
}) => {
	const before = sandbox.library.conversations.size;
	const turns = ['My name is Anna.', 'I rent two GPUs.', 'What is my name?'];
	for (const chatInput of turns) {
		const execution = await run(
			rest,
			sandbox,
			{
				Root: {
					type: `${LANGCHAIN}.agent`,
					typeVersion: 3.1,
					parameters: { promptType: 'auto', options: {} },
				},
				Model: model('Root'),
				Memory: {
					type: `${packageName}.memoryCompute`,
					parameters: { authentication: 'apiKey', sessionIdType: 'fromInput' },
					credentials,
					to: ['Root', 'ai_memory'],
				},
			},
			[{ sessionId: 'session of anna', chatInput }],
		);
		expect(runsOf(execution, 'Memory')).toBeGreaterThan(0);
	}
	const conversations = [...sandbox.library.conversations.values()];
	expect(conversations).toHaveLength(before + 1);
	const { name, messages = [] } = conversations.at(-1) ?? {};
	expect(name).toBe('session of anna');
	expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(
		turns,
	);
	const last = sandbox.requests.findLast(({ path }) => path.endsWith('/chat/completions'));
	const sent = (last?.body as { messages: Array<{ content: string }> }).messages;
	expect(sent.map(({ content }) => content)).toEqual(expect.arrayContaining(turns));
});
