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
				tool_calls: [
					{ index: 0, ...(index === 0 && { id: 'a', name: 'deploy' }), arguments: args },
				],
			},
			finish_reason: null,
		}));
		const [choice] = streamed(...parts).choices;
		expect(callsOf({ ...choice?.message })).toMatchObject([call]);
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
