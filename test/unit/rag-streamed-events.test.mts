import { describe, expect, it } from 'vitest';
import { streamedAnswer } from '../../nodes/Rag/resources/retrieval/streamedAnswer.ts';
import { Body, type Answered } from './log-parts.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, eventsOf } from './rag-service.mts';
import { DONE, FINAL, itemOf, piece, read, SPEC, type Event } from './rag-streamed-parts.mts';

const message = (data: unknown): Event => ['message', data];
const outcomeOf = async (...events: Event[]) => await read(eventsOf(...events));
const bodyOf = (text: string, contentType: string, ...more: Error[]): Answered => ({
	body: new Body().write(text, ...more, undefined),
	headers: { 'content-type': contentType },
});

describe('a request for a streamed answer', () => {
	it('asks for events', async () => {
		let accepted: string | undefined;
		class Service extends Answers {
			override answer(asked: Parameters<Answers['answer']>[0]): Answered {
				accepted = asked.headers.Accept;
				return super.answer(asked);
			}
		}
		const context = await contextOf({ documents: new Service(eventsOf(DONE)) });
		await streamedAnswer(context, SPEC, () => '').next();
		expect(accepted).toBe('text/event-stream');
	});

	it('that is rejected is the error of the service', async () => {
		const { error } = await read({ status: 400, json: { detail: 'no model' } });
		expect(error?.message).toBe('Request rejected (400): no model');
	});
});

describe('an answer without events', () => {
	it('is one in JSON, also where the service calls it events', async () => {
		const { pieces, item } = await read(bodyOf('{"answer": "a"}', 'text/event-stream'));
		expect([pieces, item]).toEqual([['a'], { answer: 'a' }]);
	});

	it('has no text where none is found in it', async () => {
		expect(await read({ json: { id: 7 } })).toEqual({ pieces: [''], item: { id: 7 } });
	});

	it.each<[string, string, string]>([
		['The response ended early', ': keep-alive\n\n', 'text/event-stream'],
		['The response ended early', '\n', 'text/plain'],
		['The response is not a JSON object: Hello', 'Hello', 'text/plain'],
	])('is an error: %s (%j as %s)', async (words, text, contentType) => {
		expect((await read(bodyOf(text, contentType))).error?.message).toContain(words);
	});

	it('whose connection breaks is an error that carries what came', async () => {
		const { error } = await read(bodyOf('{"answer"', 'application/json', new Error('reset')));
		expect(error?.message).toBe('The response ended early: the connection was lost');
		expect(error?.context.known).toEqual({ partial: '{"answer"' });
	});

	it('says what to do about it', async () => {
		expect((await outcomeOf()).error?.description).toBe(
			'The error details contain what arrived, under partial. Run the item again for a complete answer.',
		);
	});
});

describe('events without a text', () => {
	const found: Event = ['search_results', { data: { chunks: [] } }];

	it('are an answer that ended early, unless its last event has come', async () => {
		const { error } = await outcomeOf(found);
		expect(error?.message).toBe('The response ended early');
		expect(error?.context.known).toEqual({
			partial: {
				generated_answer: '',
				citations: [],
				search_results: { chunks: [] },
				events: ['{"data":{"chunks":[]}}'],
			},
		});
		expect(await itemOf(found, message(' [DONE] '))).toMatchObject({ generated_answer: '' });
	});

	it('are kept up to a length that no answer has: what is left out has one more character', async () => {
		const fits = 'x'.repeat(1024 * 1024 - '[DONE]'.length - '{"a":""}'.length);
		const kept = async (more: string) => {
			const item = await itemOf(message({ a: fits + more }), DONE);
			return (item?.events as string[]).length;
		};
		expect([await kept(''), await kept('x')]).toEqual([2, 1]);
	});

	it('are in no answer that has a text', async () => {
		expect(await itemOf(found, piece('a'), DONE)).toEqual({
			generated_answer: 'a',
			citations: [],
			search_results: { chunks: [] },
		});
	});
});

describe('the text of an event', () => {
	it.each<[string, unknown]>([
		['a', { content: 'a' }],
		['a', { text: 'a' }],
		['a', { delta: 'a' }],
		['a', { delta: { content: 'a' } }],
		['ab', { delta: { content: [{ payload: { value: 'a' } }, { type: 'text', text: 'b' }] } }],
		['b', { delta: { content: [null, { payload: null }, 'b', { payload: { value: 1 } }] } }],
		['', { delta: { content: [null] } }],
		['', { delta: { content: { text: 'a' } } }],
		['', { choices: [] }],
		['', { delta: 1 }],
	])('is %j in %j', async (text, data) => {
		expect((await itemOf(message(data), DONE))?.generated_answer).toBe(text);
	});
});

describe('an event that is named in its data', () => {
	const final = { generated_answer: 'whole' };

	it.each<[string, unknown]>([
		['event', { event: 'final_answer', data: final }],
		['type', { type: 'final_answer', data: final }],
	])('as its %s is that event', async (_, data) => {
		expect(await itemOf(message(data))).toEqual({ generated_answer: 'whole', citations: [] });
	});

	it('has to have a name, and none of its own', async () => {
		expect((await itemOf(message({ content: 'a', data: final }), DONE))?.generated_answer).toBe(
			'a',
		);
		const found = { type: 'message', data: { content: 'a' } };
		expect(await itemOf(['search_results', found], DONE)).toMatchObject({
			generated_answer: '',
			search_results: { content: 'a' },
		});
	});
});

describe('an error of the service among the events', () => {
	it('may come as a message', async () => {
		const { error } = await outcomeOf(piece('a'), message({ error: { message: 'overloaded' } }));
		expect(error?.message).toBe('The service ended the answer with an error: overloaded');
	});

	it('is no matter in another event, or after the final one', async () => {
		const found: Event = ['search_results', { error: 'one index', data: {} }];
		const late: Event = ['error', { error: 'too late' }];
		expect(await itemOf(found, piece('ab'), FINAL, late)).toEqual({
			generated_answer: 'ab',
			citations: [],
			search_results: {},
		});
	});

	it('of a choice makes the answer one that is not whole', async () => {
		const failed = { index: 0, delta: { content: 'a' }, error: { message: 'lost' } };
		expect(await itemOf(message({ choices: [failed] }), DONE)).toMatchObject({ truncated: true });
	});
});

describe('what stands beside the text of a streamed answer', () => {
	it.each([
		['c1', 'c1'],
		[7, '7'],
	])('is the conversation %j', async (id, told) => {
		const item = await itemOf(message({ content: 'a', conversation_id: id }), DONE);
		expect(item?.conversation_id).toBe(told);
	});

	it('is what the final event says, without what it leaves blank', async () => {
		const final = { generated_answer: '', citations: [{ id: 'c' }], a: [], b: null, c: 'd' };
		expect(await itemOf(piece('a'), ['final_answer', final])).toEqual({
			generated_answer: 'a',
			citations: [{ id: 'c' }],
			c: 'd',
		});
	});

	it('is a finish reason of the final event, whatever comes after it', async () => {
		expect(await itemOf(['final_answer', { finish_reason: 'length' }], piece('b'), FINAL)).toEqual({
			generated_answer: 'ab',
			citations: [],
			finish_reason: 'length',
			truncated: true,
		});
	});
});

describe('the citations of a streamed answer', () => {
	const cited = async (...events: Event[]) => (await itemOf(piece('a'), ...events))?.citations;
	const first: Event = ['citation', { id: 'c1', title: 'T', page: null, span: { start: 1 } }];
	const again: Event = ['citation', { id: 'c1', title: null, span: { start: 5 } }];

	it('are one for each source, with all its spans', async () => {
		const other: Event = ['citation', { id: 'c2' }];
		expect(await cited(first, again, other, DONE)).toEqual([
			{ id: 'c1', title: 'T', span: { start: 1 }, spans: [{ start: 1 }, { start: 5 }] },
			{ id: 'c2' },
		]);
	});

	it('are each their own where they have no ID', async () => {
		expect(await cited(['citation', { page: 1 }], ['citation', { page: 2 }], DONE)).toEqual([
			{ page: 1 },
			{ page: 2 },
		]);
	});

	it('come after the final event, too, where it does not have them', async () => {
		const final: Event = ['final_answer', { citations: [{ id: 'c1' }, { id: 'c2' }] }];
		const late: Event = ['citation', { id: 'c3' }];
		expect(await cited(final, first, late)).toEqual([{ id: 'c1' }, { id: 'c2' }, { id: 'c3' }]);
	});
});
