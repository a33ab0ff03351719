import { describe, expect, it } from 'vitest';
import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';
import { choicesOf, messageOf, readMessage } from '../../nodes/intelligence/choice.ts';
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

	it('is a part, also after a delta of nothing', () => {
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

	const call = (id: string, name: string | undefined, args: string) => ({
		id,
		function: { name, arguments: args },
	});
	const custom = (id: string) => ({ id, type: 'custom', custom: { name: 'sql' } });
	const [one, two] = ['{"x":1}', '{"x":2}'];
	const [first, second] = [call('a', 'f', one), call('b', 'g', one)];

	it.each<[string, object[][], object[]]>([
		['with more of them', [[call('a', 'f', '{"x"')], [first]], [first]],
		['with more than a blank', [[call('a', 'f', '{"x": ')], [first]], [first]],
		[
			'with more of their names',
			[[call('a', 'get', '{"x"')], [call('a', 'get_x', one)]],
			[call('a', 'get_x', one)],
		],
		['with their names', [[call('a', undefined, '{"x"')], [first]], [first]],
		['with others after them', [[first], [first, second]], [first, second]],
		['with others alone', [[first], [second]], [first, second]],
		['without the last of them', [[first, second], [first]], [first, second]],
		[
			'without the last, of no function',
			[[custom('a'), custom('b')], [custom('a')]],
			[custom('a'), custom('b')],
		],
		// The same call with an ID of its own must not run twice
		['under other IDs', [[call('c', 'f', '{"x": 1}')], [first, second]], [first, second]],
		// Which no tool is called with
		['with other arguments', [[first], [call('a', 'f', two)]], [call('a', 'f', one + two)]],
	])('has calls again, %s', (_, messages, calls) => {
		const wholes = messages.map((some) => whole(null, { tool_calls: some }));
		expect(of(...wholes).completion().choices).toMatchObject([{ message: { tool_calls: calls } }]);
	});

	it('leaves open the calls of the deltas before it', () => {
		const callOf = (more: object) => ({
			choices: [{ delta: { tool_calls: [{ index: 0, ...more }] } }],
		});
		const [start, rest] = [
			callOf(call('a', 'f', '{"x"')),
			callOf({ function: { arguments: ':1}' } }),
		];
		const other = whole(null, { tool_calls: [second] });
		expect(of(start, other, rest).completion().choices).toMatchObject([
			{ message: { tool_calls: [first, second] } },
		]);
		const old = whole(null, { function_call: second.function });
		expect(of(start, old, old, rest).completion().choices).toMatchObject([
			{ message: { tool_calls: [first] } },
		]);
	});

	it('may have the next piece of an older call', () => {
		const pieces = [{ name: 'f', arguments: '{"x"' }, { arguments: ':1}' }];
		const wholes = pieces.map((called) => whole(null, { function_call: called }));
		expect(of(...wholes).completion().choices).toMatchObject([
			{ message: { function_call: first.function } },
		]);
	});

	it.each<[string, Chunk[], Chunk[]]>([
		[
			'calls',
			[[first], [first], [first, second]].map((calls) => ({ tool_calls: calls })),
			[{ tool_calls: [first] }, {}, {}],
		],
		[
			'other calls',
			[{ tool_calls: [first] }, { tool_calls: [second] }],
			[{ tool_calls: [first] }, { tool_calls: [second] }],
		],
		[
			'reasoning',
			['Hm.', 'Hm. So', 'But'].map((thought) => ({ reasoning: thought })),
			['Hm.', ' So', 'But'].map((thought) => ({ reasoning: thought })),
		],
		['another field', [{ model: 'm' }, { model: 'm' }], [{ model: 'm' }, { model: 'm' }]],
	])('is shown as a delta of what is new: %s', (_, messages, deltas) => {
		const accumulator = new CompletionAccumulator();
		const shown = messages.map((more) => accumulator.add(whole('a', more)).choices);
		expect(shown).toEqual(
			deltas.map((more, at) => [
				{ index: 0, delta: { role: 'assistant', content: at === 0 ? 'a' : '', ...more } },
			]),
		);
	});

	it('has all of its reasoning', () => {
		const wholes = ['Hm.', 'Hm. So', 'But'].map((reasoning) => whole('a', { reasoning }));
		expect(of(...wholes).completion().choices).toMatchObject([
			{ message: { reasoning: 'Hm. SoBut' } },
		]);
	});

	it('keeps a field of nothing, and is shown without text where it has none', () => {
		expect(of(whole('a', { refusal: null }), whole('ab')).completion()).toMatchObject({
			choices: [{ message: { role: 'assistant', content: 'ab', refusal: null } }],
		});
		expect(of().add(whole(null, { refusal: 'No.' })).choices).toMatchObject([
			{ delta: { content: '', refusal: 'No.' } },
		]);
	});

	it('keeps an image that is not in the final one', () => {
		const image = { type: 'image_url', image_url: { url: 'https://a/b' } };
		const texts = ['a', 'b'].map((text) => ({ type: 'text', text }));
		expect(contents(of(delta('a'), delta([image]), whole('ab')))).toEqual([
			[texts[0], image, texts[1]],
		]);
		expect(contents(of(delta('a'), whole([texts[0], image])))).toEqual([[texts[0], image]]);
		const other = { type: 'chart', chart: 1 };
		expect(contents(of(delta([texts[0], image]), whole([texts[0], other])))).toEqual([
			[texts[0], other],
		]);
	});

	it.each([
		[' Hello', 'Hello you', ' you'],
		['Hello\n', 'Hello', ''],
		['Hello ', 'Hello you', 'you'],
		[' Hello ', 'Hello', ''],
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

	it('after deltas is all of it, however it differs from them', () => {
		for (const [deltas, last] of [
			[['<think>Hm.</think>', 'Rent two'], 'Rent two'],
			[['Rent ', 'two END'], 'Rent two'],
			[['Hello'], ' you'],
		] as const) {
			const accumulator = of(...deltas.map((one) => delta(one)));
			expect(accumulator.add(whole(last)).choices).toMatchObject([{ delta: { content: '' } }]);
			expect(contents(accumulator)).toEqual([last]);
		}
		expect(contents(of(whole('1'), delta('2'), whole('3')))).toEqual(['3']);
	});

	it.each(['reasoning', 'reasoning_content'])(
		'after deltas has all of the reasoning (%s)',
		(field) => {
			const accumulator = of(delta(null, { delta: { reasoning: 'Hm.  So' } }), delta('a'));
			const said = accumulator.add(whole('a', { [field]: 'Hm. So' }));
			expect(said.choices).toMatchObject([{ delta: { content: '', [field]: '' } }]);
			const [choice] = choicesOf(accumulator.completion());
			expect(readMessage(messageOf({ ...choice }))).toEqual({ text: 'a', reasoning: 'Hm. So' });
		},
	);

	it('after deltas takes nothing away where it has no text', () => {
		expect(contents(of(delta('a'), whole(' ')))).toEqual(['a ']);
		expect(contents(of(delta('a'), whole(null)))).toEqual(['a']);
		const image = { type: 'image_url', image_url: { url: 'https://a/b' } };
		expect(contents(of(delta('a'), whole([image])))).toEqual([
			[{ type: 'text', text: 'a' }, image],
		]);
		const both = ['a', 'b'].map((content, index) => ({ index, delta: { content } }));
		const ends = [0, 1].map((index) => ({ index, message: { content: '' } }));
		expect(contents(of({ choices: both }, { choices: ends }))).toEqual(['a', 'b']);
	});

	it.each<[string, Chunk, Chunk, Chunk]>([
		['again', { content: 'Hello' }, { content: 'Hel' }, { content: 'Hello' }],
		['more', { content: 'Hello' }, { content: 'Hello yo' }, { content: 'Hello yo' }],
		['in other words', { content: 'Hello' }, { content: 'Dear' }, { content: 'Hello' }],
		['a blank', { content: 'Hello' }, { content: ' ' }, { content: 'Hello' }],
		['nothing before', {}, { content: 'Hel' }, { content: 'Hel' }],
		['reasoning', { reasoning: 'Hm. So' }, { reasoning: 'Hm' }, { reasoning: 'Hm. So' }],
		['a refusal', { refusal: 'No, no' }, { refusal: 'No' }, { refusal: 'No, no' }],
		[
			'a call',
			{ tool_calls: [first] },
			{ tool_calls: [call('a', 'f', '{')] },
			{ tool_calls: [first] },
		],
		[
			'a new call',
			{ content: 'a' },
			{ tool_calls: [first] },
			{ content: 'a', tool_calls: [first] },
		],
		[
			'another field',
			{ role: 'assistant' },
			{ role: 'as', name: 'n' },
			{ role: 'assistant', name: 'n' },
		],
	])('that breaks off adds only what goes on: %s', (_, before, cut, expected) => {
		for (const start of [{ delta: before }, { message: before }]) {
			const accumulator = of({ choices: [{ index: 0, ...start }] });
			accumulator.add({ choices: [{ index: 0, message: cut }] }, true);
			expect(accumulator.completion().choices).toEqual([{ index: 0, message: expected }]);
		}
	});
});
