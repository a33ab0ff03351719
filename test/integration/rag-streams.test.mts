import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { rag } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms, type Fault } from '../sandbox/index.mts';

const fixture = useFixture();
const STREAM = 'text/event-stream';

/** A streamed RAG Query whose service behaves so. */
async function streamed(fault: Fault) {
	fixture.sandbox.faults.add({ match: { path: '/retrieval/rag' }, ...fault });
	return await fixture.run(
		rag('retrieval', 'rag', { query: 'a', topK: 1, options: { stream: true } }),
	);
}
const eventsOf = (...events: string[]): Fault => ({
	status: 200,
	rawBody: events.map((event) => `${event}\n\n`).join(''),
	contentType: STREAM,
});
const DONE = 'data: [DONE]';

describe('a stream', () => {
	it.each<[string, string[], IDataObject]>([
		[
			'among words, what keeps the connection open is none',
			['data: ping', 'data: Yes', 'data: keep-alive', 'data: .', DONE],
			{ generated_answer: 'Yes.', citations: [] },
		],
		[
			'among events, a number alone is no word',
			['data: 42', 'data: {"content":"Yes."}', DONE],
			{ generated_answer: 'Yes.', citations: [] },
		],
		[
			'an error beside its text says that it is cut off',
			['data: {"choices":[{"delta":{"content":"Ye"},"error":{"message":"filter"}}]}', DONE],
			{ generated_answer: 'Ye', citations: [], truncated: true },
		],
		[
			'what a source lacks at first comes later',
			[
				'data: {"content":"Yes."}',
				'event: citation\ndata: {"id":"a","payload":null}',
				'event: citation\ndata: {"id":"a","payload":{"text":"source"}}',
				DONE,
			],
			{ generated_answer: 'Yes.', citations: [{ id: 'a', payload: { text: 'source' } }] },
		],
	])('%s', async (_, events, item) => {
		expect(onlyJson(await streamed(eventsOf(...events)))).toEqual(item);
	});

	it('without words: the error has its events, up to 1 MiB', async () => {
		const event = `{"more":"${'x'.repeat(1024 * 1024 - '{"more":""}'.length)}"}`;
		const error = errorOf(await streamed(eventsOf(`data: ${event}`, 'data: {"less":1}', DONE)));
		expect(error.message).toBe('The response contains no answer');
		const { response } = error.context.known as { response: IDataObject };
		expect(response.events).toEqual([event]);
	});
});

describe('where a stream was asked for', () => {
	it('a refusal is the error', async () => {
		const error = errorOf(await streamed(errorForms.detailString(403, 'no more')));
		expect(error.message).toBe('Permission denied (403): no more');
	});

	it.each<[string, string, string]>([
		['blanks alone', ' \n ', 'application/json'],
		['the half of an answer in one piece', '{"results":{"generated_answer":"N', STREAM],
	])('%s ended early', async (_, rawBody, contentType) => {
		const error = errorOf(await streamed({ status: 200, rawBody, contentType }));
		expect(error.message).toBe('The response ended early');
	});

	it('an answer in one piece that breaks is an error with what came', async () => {
		const rawBody = '{"results":{"generated_answer":"No."}}';
		const error = errorOf(
			await streamed({ status: 200, rawBody, contentType: 'application/json', cutBodyAt: 34 }),
		);
		expect([error.message, error.context.known]).toEqual([
			'The response ended early: the connection was lost',
			{ partial: rawBody.slice(0, 34) },
		]);
	});
});
