import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { streamedAnswer } from '../../nodes/Rag/resources/retrieval/streamedAnswer.ts';
import { Body } from './log-parts.mts';
import { contextOf } from './rag-parts.mts';
import { Answers, event, eventsOf, streamOf } from './rag-service.mts';
import { DONE, FINAL, itemOf, piece, read, SPEC, type Event } from './rag-streamed-parts.mts';
import { pass, useStillTime } from './still-time.mts';

describe('a streamed answer', () => {
	it('is its text as it arrives, and in the end the whole answer', async () => {
		const { pieces, item } = await read(eventsOf(piece('a'), piece('b'), FINAL, DONE));
		expect(pieces).toEqual(['a', 'b']);
		expect(item).toEqual({ generated_answer: 'ab', citations: [] });
	});

	it('is one whatever its content type, and wherever its events are cut', async () => {
		const text = [piece('a'), piece('b'), DONE].map(([name, data]) => event(name, data)).join('');
		const body = new Body().write(text.slice(0, 30), text.slice(30), undefined);
		expect(await read({ body })).toEqual({
			pieces: ['a', 'b'],
			item: { generated_answer: 'ab', citations: [] },
		});
	});

	it('ends with its last event, though the connection stays open', async () => {
		const body = new Body().write(
			...[piece('ab'), DONE].map(([name, data]) => event(name, data)),
			event('error', { error: 'too late' }),
		);
		const { item, error } = await read(streamOf(body));
		expect(error).toBeUndefined();
		expect(item).toEqual({ generated_answer: 'ab', citations: [] });
		expect(body.isDestroyed).toBe(true);
	});

	it('ends with an error of the service, which carries what came before it', async () => {
		const body = new Body().write(
			...[piece('a')].map(([name, data]) => event(name, data)),
			event('error', { error: 'overloaded' }),
			event(...piece('b')),
			undefined,
		);
		const { pieces, error } = await read(streamOf(body));
		expect(pieces).toEqual(['a']);
		expect(error?.message).toBe('The service ended the answer with an error: overloaded');
		expect(error?.context.known).toEqual({ partial: { generated_answer: 'a', citations: [] } });
		expect(body.isDestroyed).toBe(true);
	});

	it('whose connection breaks is an error, unless its final event has come', async () => {
		const broken = (...events: Event[]) =>
			streamOf(
				new Body().write(
					...events.map(([name, data]) => event(name, data)),
					new Error('ECONNRESET'),
				),
			);
		const { error } = await read(broken(piece('a')));
		expect(error?.message).toBe('The response ended early: the connection was lost');
		expect((await read(broken(piece('ab'), FINAL))).item).toEqual({
			generated_answer: 'ab',
			citations: [],
		});
	});

	it('gives its connection back where nobody reads on', async () => {
		const body = new Body().write(event(...piece('a')), event(...piece('b')));
		const context = await contextOf({ documents: new Answers(streamOf(body)) });
		const answer = streamedAnswer(context, SPEC, () => '');
		await answer.next();
		await answer.return({});
		expect(body.isDestroyed).toBe(true);
	});

	it('may come in one piece', async () => {
		const { pieces, item } = await read({ json: { answer: 'whole' } });
		expect(pieces).toEqual(['whole']);
		expect(item).toEqual({ answer: 'whole' });
	});
});

describe('the text of a streamed answer', () => {
	const textOf = async (...data: string[]) =>
		(await read(eventsOf(...data.map((one): Event => ['message', one]), DONE))).pieces;

	it('may be texts of JSON', async () => {
		expect(await textOf('"Hello"', '" world"')).toEqual(['Hello', ' world']);
	});

	it('keeps the quotes of plain words', async () => {
		expect(await textOf('He said', '"yes"')).toEqual(['He said', '"yes"']);
	});

	it('may begin with a number', async () => {
		expect(await textOf('42', ' is it')).toEqual(['42 is it']);
	});
});

describe('an answer that has ended before its end', () => {
	const whole = { generated_answer: 'ab', citations: [] };
	const cut = { ...whole, truncated: true };

	it.each<[string, IDataObject, Event[]]>([
		['at the limit', cut, [piece('ab', 'length'), DONE]],
		['at the limit, and then the final event', cut, [piece('ab', 'length'), FINAL]],
		['by itself', whole, [piece('ab', 'stop'), DONE]],
		['with a reason that it went on after', whole, [piece('a', 'length'), piece('b'), DONE]],
		['with a reason that nothing came after', cut, [piece('ab', 'length'), piece(''), DONE]],
		[
			'with a reason of each chunk, and then the final event',
			whole,
			[piece('a', 'length'), piece('b', 'length'), FINAL],
		],
		[
			'with a reason of each chunk, without the final event',
			cut,
			[piece('a', 'length'), piece('b', 'length'), DONE],
		],
		['without any end', cut, [piece('ab')]],
	])('%s', async (_, item, events) => {
		expect(await itemOf(...events)).toEqual(item);
	});
});

describe('the time of a streamed answer', () => {
	useStillTime();
	const ended = { generated_answer: 'ab', citations: [] };

	/** The item as soon as it is there. */
	function reading(body: Body): { item?: IDataObject } {
		const result: { item?: IDataObject } = {};
		void read(streamOf(body)).then(({ item }) => Object.assign(result, { item }));
		return result;
	}

	it('has room for a silence before the final event', async () => {
		const body = new Body().write(event(...piece('a')));
		const answer = read(streamOf(body));
		await pass(30_000);
		body.write(event(...piece('b')), event(...DONE));
		expect((await answer).item).toEqual(ended);
	});

	it('is over five seconds after the final event, though the connection stays open', async () => {
		const result = reading(new Body().write(event(...piece('ab')), event(...FINAL)));
		await pass(4_999);
		expect(result.item).toBeUndefined();
		await pass(1);
		expect(result.item).toEqual(ended);
	});

	it('is not made longer by what keeps the connection open', async () => {
		const body = new Body().write(event(...piece('ab')), event(...FINAL));
		const result = reading(body);
		await pass(2_500);
		body.write(event('citation', { id: 'c1' }));
		await pass(2_500);
		body.write(': keep-alive\n\n');
		await pass();
		body.write(event('citation', { id: 'c2' }));
		await pass(100);
		expect(result.item).toEqual({ ...ended, citations: [{ id: 'c1' }] });
	});
});
