import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { ask } from '../../nodes/Rag/resources/retrieval/ask.ts';
import { requestAnswer } from '../../nodes/Rag/resources/retrieval/requestAnswer.ts';
import type { Answered } from './log-parts.mts';
import { message } from './parameters-form.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, eventsOf, formOf, openChat, outcomeOf } from './rag-service.mts';

const noChat = { isStreaming: () => false };

describe('the form of a question', () => {
	const read = (options: IDataObject) =>
		ask.input(formOf(ask, { query: 'q', topK: 3, promptName: 'rag', options }), () => undefined);

	it('has the defaults that it shows', () => {
		const input = read({});
		const shown = ask.fields.find(({ name }) => name === 'options')?.options as INodeProperties[];
		for (const name of ['maxContextCharacters', 'onNothingFound', 'refusalText'] as const)
			expect(input[name], name).toBe(shown.find((field) => field.name === name)?.default);
		expect(input).toMatchObject({ promptName: 'rag', body: { query: 'q', top_k: 3 } });
	});

	it('has what is set in its options', () => {
		const options = { maxContextCharacters: 9, onNothingFound: 'error', refusalText: 'no' };
		expect(read({ ...options, minScore: 0.5 })).toMatchObject({ ...options, minScore: 0.5 });
	});

	it('needs scores for a minimum', () => {
		const problem = 'Options: Minimum Score needs the option Include Scores';
		expect(message(() => read({ minScore: 0.5, includeScores: false }))).toBe(problem);
		expect(read({ minScore: 0.5, includeScores: true })).toMatchObject({ minScore: 0.5 });
		expect(read({ includeScores: false })).toMatchObject({ minScore: undefined });
		expect(read({ minScore: 0 })).toMatchObject({ minScore: 0 });
	});
});

describe('a question', () => {
	const found = {
		results: {
			chunk_search_results: [
				{ id: 'c1', document_id: 'd1', text: 'first', score: 0.9, metadata: { title: 'T' } },
				{ id: 'c2', document_id: 'd2', text: 'second', score: 0.4 },
			],
		},
	};
	const input = {
		body: { query: 'q', top_k: 3, search_settings: {} },
		promptName: 'rag',
		maxContextCharacters: 100,
		refusalText: 'nothing',
		onNothingFound: 'refuse',
	} as const;
	async function answered(answer: IDataObject, isShown: boolean, more: object = {}) {
		const documents = new Answers({ json: found }, { json: answer });
		const context = await contextOf({ documents });
		const shown = isShown ? openChat(context) : [];
		if (!isShown) Object.assign(context.functions, noChat);
		const [item] = await ask.run(context, { ...input, ...more });
		return { item, shown, sent: documents.sent };
	}

	it('is answered from the chunks, which are its sources', async () => {
		const { item, sent } = await answered({ results: { answer: 'yes' } }, false);
		expect(sent[1]).toEqual({
			prompt_name: 'rag',
			inputs: { query: 'q', context: 'first\nsecond' },
		});
		expect(item).toEqual({
			answer: 'yes',
			found: true,
			query: 'q',
			prompt_name: 'rag',
			context_characters: 12,
			sources: [
				{ source: 'T', score: 0.9, text: 'first', chunk_id: 'c1', document_id: 'd1' },
				{ source: 'd2', score: 0.4, text: 'second', chunk_id: 'c2', document_id: 'd2' },
			],
		});
	});

	it('has its answer and its sources in a chat, if it runs for one', async () => {
		const { shown } = await answered({ results: { answer: 'yes' } }, true);
		expect(shown).toEqual(['(begin)', 'yes', '\n\nSources:\n- T\n- d2', '(end)']);
	});

	it('says in a chat that its answer was cut off', async () => {
		const end = { answer: 'yes', finish_reason: 'length' };
		const { item, shown } = await answered({ results: end }, true, { minScore: 0.5 });
		expect(item).toMatchObject({ truncated: true, found: true });
		expect(shown).toEqual([
			'(begin)',
			'yes',
			'\n\n(The answer was cut off.)\n\nSources:\n- T',
			'(end)',
		]);
	});

	it('is refused where no chunk is good enough, without asking a model', async () => {
		const { item, shown, sent } = await answered({}, true, { minScore: 0.95 });
		expect(item).toEqual({
			answer: 'nothing',
			found: false,
			query: 'q',
			prompt_name: 'rag',
			context_characters: 0,
			sources: [],
		});
		expect(shown).toEqual(['(begin)', 'nothing', '(end)']);
		expect(sent).toHaveLength(1);
	});
});

describe('a request for an answer', () => {
	const WHOLE = {
		results: {
			generated_answer: 'a',
			citations: [
				{ id: 'c1', payload: { metadata: { title: 'T' } } },
				{ id: 'c2' },
				{ id: 'c3', payload: null },
			],
		},
	};
	const EVENTS = eventsOf.bind(undefined, ['message', { content: 'a' }]);

	/** What is sent, and what a chat gets, where there is one. */
	async function asked(
		stream: boolean | undefined,
		isShown: boolean,
		answer: Answered = EVENTS(['final_answer', WHOLE.results]),
		config?: IDataObject,
	) {
		const documents = new Answers(answer);
		const context = await contextOf({ documents });
		const shown = isShown ? openChat(context) : [];
		if (!isShown) Object.assign(context.functions, noChat);
		const body = { query: 'q', ...(config && { rag_generation_config: config }) };
		const textOf = ({ results }: IDataObject) =>
			(results as IDataObject).generated_answer as string;
		const response = await requestAnswer(context, '/api/{rag}/v3/x', { body, stream }, textOf);
		return { sent: documents.sent, shown, response };
	}
	const streamed = { query: 'q', rag_generation_config: { stream: true } };

	it.each<[boolean | undefined, boolean, boolean, boolean]>([
		[undefined, false, false, false],
		[undefined, true, true, true],
		[true, false, true, false],
		[true, true, true, true],
		[false, true, false, false],
	])(
		'with Stream %s, for a chat %s: is streamed %s, is shown %s',
		async (stream, isChat, isStreamed, isShown) => {
			const answer = isStreamed ? undefined : { json: WHOLE };
			const { sent, shown, response } = await asked(stream, isChat, answer);
			expect(sent).toEqual([isStreamed ? streamed : { query: 'q' }]);
			expect(shown).toEqual(isShown ? ['(begin)', 'a', '\n\nSources:\n- T', '(end)'] : []);
			expect(response).toMatchObject(isStreamed ? { generated_answer: 'a' } : WHOLE);
		},
	);

	it('is streamed as its own configuration says', async () => {
		const config = { stream: false, temperature: 0 };
		const { sent, shown } = await asked(true, true, { json: WHOLE }, config);
		expect(sent).toEqual([{ query: 'q', rag_generation_config: config }]);
		expect(shown).toEqual([]);
		const { sent: other } = await asked(false, false, undefined, { stream: true, temperature: 0 });
		expect(other).toEqual([
			{ query: 'q', rag_generation_config: { stream: true, temperature: 0 } },
		]);
	});

	it('shows the sources of an answer in one piece, and that it was cut off', async () => {
		const json = { results: { ...WHOLE.results, metadata: { finish_reason: 'length' } } };
		const { shown } = await asked(true, true, { json });
		expect(shown).toEqual([
			'(begin)',
			'a',
			'\n\n(The answer was cut off.)\n\nSources:\n- T',
			'(end)',
		]);
	});

	it('is not sent again after an error, since it may be billed', async () => {
		const documents = new Answers({ status: 500, json: {} }, { json: WHOLE });
		const context = await contextOf({ documents });
		Object.assign(context.functions, noChat);
		const asking = requestAnswer(context, '/api/{rag}/v3/x', { body: {} }, () => '');
		expect((await outcomeOf(asking)).error).toMatchObject({ httpCode: '500' });
		expect(documents.asked).toEqual(['POST /api/rag/v3/x']);
	});
});
