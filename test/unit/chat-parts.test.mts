import { describe, expect, it } from 'vitest';
import { CompletionAccumulator } from '../../nodes/intelligence/accumulator.ts';
import { callsOf, faultOf, firstDelta } from '../../nodes/intelligence/choice.ts';

type Fields = Record<string, unknown>;
type Choice = Fields & { index: number; message: Fields; finish_reason?: string | null };

/** What a stream of these choices, one in each chunk, becomes, and what a chat shows of it. */
function streamed(...choices: Fields[]) {
	const accumulator = new CompletionAccumulator();
	const shown = choices
		.map((choice) => firstDelta(accumulator.add({ choices: [{ index: 0, ...choice }] })).text ?? '')
		.join('');
	return {
		shown,
		choices: accumulator.completion().choices as unknown as Choice[],
		isComplete: (count = 1) => accumulator.isComplete(count),
	};
}

const message = (content: unknown, finish: string | null = null, more: Fields = {}) => ({
	message: { role: 'assistant', content, ...more },
	finish_reason: finish,
});
const delta = (content: string) => ({ delta: { content }, finish_reason: null });

describe('a stream of messages instead of deltas', () => {
	it.each<[string, Fields[], string]>([
		['parts', [message('Rent '), message('two '), message('cards.', 'stop')], 'Rent two cards.'],
		['parts that look alike', [message('1'), message('1'), message(' cards', 'stop')], '11 cards'],
		['all so far', [message('Rent'), message('Rent two'), message('Rent two', 'stop')], 'Rent two'],
		[
			'deltas, then the whole',
			[delta('Rent '), delta('two'), message('Rent two', 'stop')],
			'Rent two',
		],
		['deltas, then an empty one', [delta('Rent '), delta('two'), message('', 'stop')], 'Rent two'],
		['a single one', [message('Rent two', 'stop')], 'Rent two'],
		['all so far, with a blank in between', [message('Rent '), message('Rent', 'stop')], 'Rent'],
		['all so far, after a blank', [message(' Rent'), message(' Rent two', 'stop')], ' Rent two'],
		[
			'deltas, with an empty message beside each',
			[
				{ ...delta('Rent '), message: {} },
				{ ...delta('two'), message: {}, finish_reason: 'stop' },
			],
			'Rent two',
		],
	])('loses and repeats nothing: %s', (_, chunks, text) => {
		const { choices, isComplete } = streamed(...chunks);
		expect(choices.map((choice) => choice.message.content)).toEqual([text]);
		expect(isComplete()).toBe(true);
	});

	it('shows text once that comes again', () => {
		expect(streamed(delta('Rent '), delta('two'), message('Rent two.', 'stop')).shown).toBe(
			'Rent two.',
		);
		expect(streamed(message('Rent'), message('Rent two', 'stop')).shown).toBe('Rent two');
		expect(streamed(message('Rent '), message('two', 'stop')).shown).toBe('Rent two');
		expect(streamed(delta('Draft. '), message('Rent two', 'stop')).shown).toBe('Draft. ');
	});

	it('shows the reasoning of a message that is a list of parts', () => {
		const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
		const content = [thinking, { type: 'text', text: 'Rent two' }];
		const chunk = { choices: [{ index: 0, ...message(content, 'stop') }] };
		expect(firstDelta(new CompletionAccumulator().add(chunk))).toEqual({
			text: 'Rent two',
			reasoning: 'Hm.',
		});
	});

	it.each([
		['messages', (content: string) => message(content)],
		['deltas', (content: string) => ({ delta: message(content).message, finish_reason: null })],
	])('keeps the fields of a chunk without choices before %s, and adds none', (_, choiceOf) => {
		const accumulator = new CompletionAccumulator();
		accumulator.add({ id: 'c', prompt_filter_results: [], choices: [] });
		for (const content of ['Rent ', 'two'])
			accumulator.add({ id: 'c', choices: [{ index: 0, ...choiceOf(content) }] });
		expect(accumulator.completion()).toEqual({
			id: 'c',
			object: 'chat.completion',
			prompt_filter_results: [],
			choices: [
				{ index: 0, message: { role: 'assistant', content: 'Rent two' }, finish_reason: null },
			],
		});
	});

	it('is not complete before a finish reason', () => {
		expect(streamed(message('Rent '), message('two ')).isComplete()).toBe(false);
		expect(streamed(message('Rent'), message('Rent two')).isComplete()).toBe(false);
	});

	it('keeps each choice, and calls beside text', () => {
		const call = { id: 'a', function: { name: 'f', arguments: '{}' } };
		const { choices } = streamed(message('a', 'stop'), { index: 1, ...message('ab', 'stop') });
		expect(choices.map(({ index, message: { content } }) => [index, content])).toEqual([
			[0, 'a'],
			[1, 'ab'],
		]);
		expect(
			streamed(message(null, null, { tool_calls: [call] }), message('Look.', 'tool_calls')).choices,
		).toMatchObject([{ message: { content: 'Look.', tool_calls: [call] } }]);
	});

	const contentsOf = (...chunks: Choice[][]) => {
		const accumulator = new CompletionAccumulator();
		for (const choices of chunks) accumulator.add({ choices });
		const choices = accumulator.completion().choices as unknown as Choice[];
		return choices.map((choice) => choice.message.content);
	};
	const both = ['a', 'b'].map((content, index) => ({ index, message: {}, ...delta(content) }));

	it('keeps the delta of one choice beside the message of another', () => {
		const last = [
			{ index: 0, ...message('a', 'stop') },
			{ index: 1, message: {}, ...delta('c'), finish_reason: 'stop' },
		];
		expect(contentsOf(both, last)).toEqual(['a', 'bc']);
	});

	it('keeps the parts of one choice beside the text of another', () => {
		const parts = [{ type: 'image_url', image_url: {} }];
		const last = [parts, 'b'].map((content, index) => ({ index, ...message(content, 'stop') }));
		expect(contentsOf(both, last)).toEqual([[{ type: 'text', text: 'a' }, ...parts], 'b']);
	});
});

describe('deltas whose content is a list', () => {
	const text = (value: string) => ({ type: 'text', text: value });
	const part = (...content: object[]) => ({ delta: { content }, finish_reason: null });

	it('of text are one text', () => {
		const [choice] = streamed(part(text('Rent')), part(text(' two'), text('.'))).choices;
		expect(choice?.message).toStrictEqual({ content: 'Rent two.' });
	});

	it('of reasoning are reasoning, which text after it takes nothing from', () => {
		const thoughts = ['H', 'm.'].map((one) => part({ type: 'thinking', thinking: [text(one)] }));
		const [choice] = streamed(...thoughts, part(text('Rent two'))).choices;
		expect(choice?.message).toEqual({ content: 'Rent two', reasoning_content: 'Hm.' });
	});
});

describe('the end of a stream', () => {
	it.each(['length', 'content_filter', 'error'])('%s is not undone by a later stop', (reason) => {
		const { choices } = streamed(
			{ delta: { content: 'half' }, finish_reason: reason },
			{ delta: {}, finish_reason: 'stop' },
		);
		expect(choices[0]?.finish_reason).toBe(reason);
	});
});

describe('a tool call in another form', () => {
	const flat = { id: 'a', type: 'function', name: 'deploy', arguments: '{"hours":2}' };

	it('with name and arguments beside the ID is a call', () => {
		const call = { id: 'a', function: { name: 'deploy', arguments: '{"hours":2}' } };
		expect(callsOf({ tool_calls: [flat] })).toMatchObject([call]);
		const parts = ['{"ho', 'urs":2}'].map((args, index) => ({
			delta: {
				tool_calls: [{ index: 0, ...(index === 0 && { ...flat, index }), arguments: args }],
			},
			finish_reason: null,
		}));
		const [choice] = streamed(...parts).choices;
		expect(callsOf({ ...choice?.message })).toEqual([{ ...call, type: 'function' }]);
	});

	it('of another type stays as it is', () => {
		const call = { id: 'a', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } };
		expect(callsOf({ tool_calls: [call] })).toEqual([call]);
	});

	it('is one if it has an ID or arguments, and none if it has nothing', () => {
		const named = (name: string, args: string) => ({ function: { name, arguments: args } });
		const calls = [named('', ' '), { id: 'a', ...named('', ' ') }, named('', '{"hours":2}')];
		expect(callsOf({ tool_calls: calls }).map(({ function: called }) => called)).toEqual([
			{ name: '', arguments: '{}' },
			{ name: '', arguments: '{"hours":2}' },
		]);
	});

	it.each([
		['', ' '],
		[' ', ''],
	])('that comes again with its ID and %j, then %j for no arguments, is one call', (...args) => {
		const calls = args.map((one) => ({ id: 'a', function: { name: 'list', arguments: one } }));
		expect(callsOf({ tool_calls: calls })).toHaveLength(1);
	});

	it('is refused if it is cut off', () => {
		const choice = { message: { tool_calls: [{ ...flat, arguments: '{"ho' }] } };
		expect(faultOf(choice, {})?.message).toContain('deploy are not a JSON object: {"ho');
	});

	it.each(['parameters', 'input', 'args'])('is refused if its arguments are in "%s"', (key) => {
		const called = { name: 'deploy', [key]: { hours: 2 } };
		for (const call of [
			{ id: 'a', function: called },
			{ id: 'a', ...called },
		]) {
			const [choice = {}] = streamed({ delta: { tool_calls: [call] } }).choices;
			for (const one of [choice, { message: { tool_calls: [call] } }])
				expect(faultOf(one, {})?.message).toContain('The arguments of the tool call deploy');
		}
	});

	it('without arguments is a call of a function that takes none', () => {
		const call = { id: 'a', function: { name: 'list' } };
		expect(faultOf({ message: { tool_calls: [call] } }, {})).toBeUndefined();
	});
});
