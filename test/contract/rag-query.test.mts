import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 6: Search, RAG query, Agent. */
const fixture = useFixture({ part: 'rag' });
const BASE = '/intelligence/api/rag/v3';

const query = (options: IDataObject = {}) =>
	rag('retrieval', 'rag', { query: 'machines', topK: 5, options });
const agent = (options: IDataObject = {}) =>
	rag('retrieval', 'agent', { message: 'machines', options });
const sent = () => fixture.sandbox.requests.at(-1);
const ingest = async (rawText: string, metadata: IDataObject = {}) =>
	onlyJson(
		await fixture.run(
			rag('document', 'create', {
				source: 'rawText',
				rawText,
				additionalFields: { runWithOrchestration: false, metadataJson: JSON.stringify(metadata) },
			}),
		),
	);

describe('RAG query', () => {
	it('[rag.query.path] POST /retrieval/rag', async () => {
		await fixture.run(query());
		expect(sent()).toMatchObject({
			method: 'POST',
			path: `${BASE}/retrieval/rag`,
			query: {},
			status: 200,
		});
	});

	it('[rag.query.body] search settings, task_prompt, include_title_if_available, include_web_search', async () => {
		await fixture.run(
			query({
				searchMode: 'basic',
				taskPrompt: 'Be brief.',
				includeTitleIfAvailable: true,
				includeWebSearch: false,
				useHybridSearch: true,
			}),
		);
		expect(sent()?.body).toEqual({
			query: 'machines',
			top_k: 5,
			search_mode: 'basic',
			search_settings: { limit: 5, use_hybrid_search: true },
			task_prompt: 'Be brief.',
			include_title_if_available: true,
			include_web_search: false,
		});
	});

	it('[rag.query.generation] model, temperature, top_p, max_tokens_to_sample, stream', async () => {
		await fixture.run(
			query({ model: 'm', temperature: 0.5, topP: 0.9, maxTokensToSample: 100, stream: true }),
		);
		expect(at(sent()?.body, 'rag_generation_config')).toEqual({
			model: 'm',
			temperature: 0.5,
			top_p: 0.9,
			max_tokens_to_sample: 100,
			stream: true,
		});
		await fixture.run(query());
		expect(sent()?.body).not.toHaveProperty('rag_generation_config');
	});

	it('[rag.query.200] generated_answer, search_results, citations, metadata, completion, as sent', async () => {
		await ingest('Machines are cheap.');
		const item = onlyJson(await fixture.run(query()));
		expect(Object.keys(item)).toEqual(
			expect.arrayContaining([
				'generated_answer',
				'search_results',
				'citations',
				'metadata',
				'completion',
			]),
		);
		const { json } = await fixture.client.post('/retrieval/rag', {
			query: 'machines',
			search_settings: { limit: 5 },
		});
		expect(item.generated_answer).toBe(at(json, 'results', 'generated_answer'));
	});

	it('[rag.query.stream] search_results, message, citation, final_answer, then [DONE]: the same as in one piece', async () => {
		await ingest('Machines are cheap.');
		const { text } = await fixture.client.post('/retrieval/rag', {
			query: 'machines',
			rag_generation_config: { stream: true },
		});
		const events = [...text.matchAll(/^event: ?(.*)$/gm)].map(([, type]) => type);
		expect(new Set(events)).toEqual(
			new Set(['search_results', 'message', 'citation', 'final_answer']),
		);
		expect(text.trimEnd().split('\n').at(-1)).toMatch(/\[DONE\]$/);
		const [streamed, whole] = [
			onlyJson(await fixture.run(query({ stream: true }))),
			onlyJson(await fixture.run(query())),
		];
		expect(streamed.generated_answer).toBe(whole.generated_answer);
	});
});

describe('agent', () => {
	it('[rag.agent.path] POST /retrieval/agent', async () => {
		await fixture.run(agent());
		expect(sent()).toMatchObject({
			method: 'POST',
			path: `${BASE}/retrieval/agent`,
			query: {},
			status: 200,
		});
	});

	it('[rag.agent.body] message, search settings, rag_generation_config, conversation_id, mode', async () => {
		const { conversation_id: conversationId } = onlyJson(await fixture.run(agent()));
		await fixture.run(
			agent({
				searchMode: 'custom',
				temperature: 0,
				conversationId,
				mode: 'research',
				useGraphSearch: true,
			}),
		);
		expect(sent()?.body).toEqual({
			message: { role: 'user', content: 'machines' },
			search_mode: 'custom',
			search_settings: { graph_settings: { enabled: true } },
			rag_generation_config: { temperature: 0 },
			conversation_id: conversationId,
			mode: 'research',
		});
	});

	it.each(['rag', 'research'])('[rag.agent.mode] %s', async (mode) => {
		await fixture.run(agent({ mode }));
		expect(sent()).toMatchObject({ body: { mode }, status: 200 });
		expect(errorOf(await fixture.run(agent({ mode: 'magic' }))).message).toContain(
			'Mode must be one of rag, research, got "magic"',
		);
		expect(
			violations(
				await fixture.client.post('/retrieval/agent', {
					message: { role: 'user', content: 'a' },
					mode: 'magic',
				}),
			),
		).toEqual(['body.mode: enum']);
	});

	it('[rag.agent.200] messages and the id of the conversation, as sent', async () => {
		const item = onlyJson(await fixture.run(agent()));
		expect(item).toMatchObject({
			conversation_id: expect.any(String),
			messages: expect.any(Array),
		});
		const messages = item.messages as IDataObject[];
		expect(item.answer).toBe(messages.findLast(({ role }) => role === 'assistant')?.content);
	});
});
