import { describe, expect, it } from 'vitest';
import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';
import { contents, delta, of, type Chunk } from './chat-chunks.mts';

describe('what comes in one piece', () => {
	const whole = (content: unknown, more: object = {}) => ({
		choices: [{ index: 0, message: { role: 'assistant', content, ...more } }],
	});

	it('may be all of it so far, each time; only what is new is shown', () => {
		const accumulator = new CompletionAccumulator();
		const shown = ['Hel', 'Hello', 'Hello you'].map((text) => accumulator.add(whole(text)));
		expect(contents(accumulator)).toEqual(['Hello you']);
		expect(shown.map(({ choices }) => (choices as Chunk[])[0]?.delta)).toEqual(
			['Hel', 'lo', ' you'].map((content) => ({ role: 'assistant', content })),
		);
	});

	it('is a part where it does not go on with the one before', () => {
		expect(contents(of(whole('Hel'), whole('lo'), whole(' you')))).toEqual(['Hello you']);
	});

	it('is a part, also of what came in deltas between', () => {
		expect(contents(of(whole('1'), delta('2'), whole('3')))).toEqual(['123']);
		const nothing = { choices: [{ index: 0, delta: {} }] };
		expect(contents(of(whole('1'), nothing, whole('1'), whole(' cards')))).toEqual(['11 cards']);
	});

	it('may be all of it so far after a blank alone, which does not say what it is', () => {
		expect(contents(of(delta('a'), whole(' '), whole('a b')))).toEqual(['a b']);
	});

	it('of parts leaves nothing else in the completion', () => {
		expect(of(whole('Hel'), whole('lo'), whole(' you')).completion()).toEqual({
			object: 'chat.completion',
			choices: whole('Hello you').choices,
		});
	});

	it.each<[string, Chunk]>([
		['a call', { tool_calls: [{ id: 't', function: { name: 'f', arguments: '{}' } }] }],
		['an older call', { function_call: { name: 'f', arguments: '{}' } }],
		['a refusal', { refusal: 'I cannot.' }],
		['reasoning', { reasoning_content: 'Hm.' }],
	])('takes %s away from nothing that came before, and says it once', (_, said) => {
		const [key = ''] = Object.keys(said);
		const before = { choices: [{ index: 0, delta: { content: 'I look.', ...said } }] };
		for (const last of [whole('I look. So.'), whole('I look. So.', { ...said, [key]: null })])
			for (const first of [before, whole('I look.', said)])
				expect(of(first, last, whole('')).completion().choices).toMatchObject([
					{ message: { content: 'I look. So.', ...said } },
				]);
		const again = whole('I look.', said);
		expect(of(before, again).completion().choices).toMatchObject(again.choices);
		expect(of(before, whole(null, said)).completion().choices).toMatchObject(again.choices);
	});

	it('has calls with more than came of them, or other ones beside them', () => {
		const call = (id: string, name: string, args: string) => ({
			id,
			function: { name, arguments: args },
		});
		const calls = (...messages: object[][]) => {
			const wholes = messages.map((some) => whole(null, { tool_calls: some }));
			const [choice] = of(...wholes).completion().choices as Array<{ message: Chunk }>;
			return choice?.message.tool_calls;
		};
		const [first, second] = [call('a', 'f', '{"x":1}'), call('b', 'g', '{}')];
		const longer = [first, second];
		expect(calls([call('a', 'f', '{"x"')], longer)).toEqual(longer);
		expect(calls([first], [second])).toEqual(longer);
		// The same call with an ID of its own must not run twice
		expect(calls([call('c', 'f', '{"x": 1}')], longer)).toEqual(longer);
	});

	it('keeps an image that is not in the final one', () => {
		const image = { type: 'image_url', image_url: { url: 'https://a/b' } };
		const texts = ['a', 'b'].map((text) => ({ type: 'text', text }));
		expect(contents(of(delta('a'), delta([image]), whole('ab')))).toEqual([
			[texts[0], image, texts[1]],
		]);
		expect(contents(of(delta('a'), whole([texts[0], image])))).toEqual([[texts[0], image]]);
	});

	it.each([
		[' Hello', 'Hello you', ' you'],
		['Hello\n', 'Hello', ''],
		['Hello ', 'Hello you', 'you'],
	])('may leave out blanks around what came before: %j, then %j', (before, last, more) => {
		const accumulator = of(delta(before));
		expect(accumulator.add(whole(last)).choices).toMatchObject([{ delta: { content: more } }]);
		expect(contents(accumulator)).toEqual([last]);
	});

	it('after messages of all so far, nothing and more are added to them', () => {
		const all = [whole('Hello'), whole('Hello you')];
		expect(contents(of(...all, whole('')))).toEqual(['Hello you']);
		expect(contents(of(...all, delta('!')))).toEqual(['Hello you!']);
		expect(of(whole('Hello'), { usage: { total_tokens: 7 }, choices: [] }).completion()).toEqual({
			object: 'chat.completion',
			usage: { total_tokens: 7 },
			choices: whole('Hello').choices,
		});
	});

	it('has the log of probabilities of all of it', () => {
		const chunks = [[1], [1, 2]].map((content, at) => ({
			choices: [{ message: { content: 'ab'.slice(0, at + 1) }, logprobs: { content } }],
		}));
		expect(of(...chunks).completion().choices).toMatchObject([{ logprobs: { content: [1, 2] } }]);
	});

	it('may be beside a delta of nothing', () => {
		const chunks = ['Hello', 'Hello you'].map((content) => ({
			choices: [{ index: 0, delta: {}, message: { content } }],
		}));
		expect(contents(of(...chunks))).toEqual(['Hello you']);
	});

	it('after deltas is a part where it does not begin with them', () => {
		expect(contents(of(delta('Hello'), whole(' you')))).toEqual(['Hello you']);
		expect(contents(of(delta('a'), whole(' ')))[0]).toContain('a');
		expect(contents(of(delta('a'), whole(null)))).toEqual(['a']);
		const both = ['a', 'b'].map((content, index) => ({ index, delta: { content } }));
		const ends = [0, 1].map((index) => ({ index, message: { content: '' } }));
		expect(contents(of({ choices: both }, { choices: ends }))).toEqual(['a', 'b']);
	});
});
