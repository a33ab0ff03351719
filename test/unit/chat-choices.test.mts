import { describe, expect, it } from 'vitest';
import { faultOf } from '../../nodes/intelligence/choice.ts';
import { withOneChoice } from '../../nodes/intelligence/oneChoice.ts';

const call = (name: string, id?: string, args = '{}') => ({
	...(id && { id }),
	function: { name, arguments: args },
});
const choice = (index: number, message: object, reason: string | null = 'stop') => ({
	index,
	message: { role: 'assistant', ...message },
	finish_reason: reason,
});
const merged = (...choices: object[]) =>
	withOneChoice({ id: 'c', choices } as never).choices as Array<{
		message: { content: unknown; reasoning_content: unknown; tool_calls: unknown };
		finish_reason: unknown;
	}>;

describe('choices of a request for one', () => {
	it('text and calls become one message', () => {
		const look = { content: 'Let me look.', tool_calls: null };
		const choices = merged(
			choice(0, look),
			choice(1, { content: null, tool_calls: [call('price', 'a')] }, 'tool_calls'),
			choice(1, { content: '', tool_calls: [call('deploy', 'b')] }, 'tool_calls'),
		);
		expect(choices).toEqual([
			choice(
				0,
				{ content: 'Let me look.', tool_calls: [call('price', 'a'), call('deploy', 'b')] },
				'tool_calls',
			),
		]);
	});

	it.each([
		['that two choices have is one call', [call('deploy')], [call('deploy')], 1],
		['with IDs of their own are two', [call('deploy', 'a')], [call('deploy', 'b')], 2],
		['with other arguments are two', [call('f', 'a', '{"x":1}')], [call('f', 'a')], 2],
		['that one choice has twice are two', [call('f'), call('f')], [], 2],
	])('calls %s', (_, first, second, count) => {
		const [one] = merged(choice(0, { tool_calls: first }), choice(1, { tool_calls: second }));
		expect(one?.message.tool_calls).toHaveLength(count);
	});

	it('a choice that was cut off is not hidden by another one', () => {
		const [one] = merged(
			choice(0, { content: 'a' }),
			choice(1, { tool_calls: [call('f')] }, 'length'),
		);
		expect(one?.finish_reason).toBe('length');
		const [text] = merged(
			choice(0, { content: 'a' }, null),
			choice(1, { content: 'b' }, 'length'),
			choice(2, { tool_calls: [call('f')] }, 'tool_calls'),
		);
		expect(text?.finish_reason).toBe('length');
	});

	it('their reasoning is kept, each of it once', () => {
		const calls = { content: null, tool_calls: [call('f')] };
		const thinking = { type: 'thinking', thinking: 'Hm.' };
		const reasonings = (...messages: object[]) =>
			merged(...messages.map((message, index) => choice(index, message))).map(
				({ message }) => message.reasoning_content,
			);
		expect(
			reasonings(
				{ content: 'a', reasoning_content: 'One.' },
				{ ...calls, reasoning: 'Two.' },
				{ content: 'a', reasoning_content: 'One.' },
			),
		).toEqual(['One.\nTwo.']);
		expect(reasonings({ content: [thinking] }, calls)).toEqual(['Hm.']);
	});

	it('a refusal in a part is not lost beside a call', () => {
		const part = { type: 'refusal', refusal: 'No.' };
		const calls = { content: null, tool_calls: [call('f')] };
		for (const content of [part, ['a', part]]) {
			const [one = {}] = merged(choice(0, { content }), choice(1, calls));
			expect(faultOf(one, {})?.message).toBe('The model refuses: No.');
		}
	});

	it('a field that one of them has is not lost to nothing in another', () => {
		const [one] = merged(
			choice(0, { content: 'a', annotations: ['x'] }),
			choice(1, { annotations: null, tool_calls: [call('f')] }),
		);
		expect(one?.message).toMatchObject({ annotations: ['x'] });
	});

	it('a single choice is as the service sent it', () => {
		const sent = { content: null, refusal: null, tool_calls: [{ index: 0, ...call('f', 'a') }] };
		expect(merged(choice(0, sent))).toEqual([choice(0, sent)]);
	});

	it('the older function_call is a call too', () => {
		const { function: called } = call('f');
		const [one] = merged(choice(0, { content: 'a' }), choice(1, { function_call: called }));
		expect(one?.message).toEqual({
			role: 'assistant',
			content: 'a',
			tool_calls: [{ function: called }],
		});
	});

	it('texts without a call are alternatives', () => {
		const choices = [choice(0, { content: 'a' }), choice(1, { content: 'b' })];
		expect(merged(...choices)).toEqual(choices);
	});
});

describe('a reason that does not fit', () => {
	it.each(['tool_calls', 'tool_call', 'tool_use', 'function_call', 'TOOL_CALLS'])(
		'%s without a call that can run is an error',
		(reason) => {
			for (const message of [
				{ content: 'I call it.' },
				{ content: 'I call it.', tool_calls: [] },
				{ content: 'I call it.', tool_calls: [{ id: 'a', function: { arguments: '{}' } }] },
			])
				expect(faultOf(choice(0, message, reason), {})?.message).toContain('no tool call');
		},
	);

	it.each(['malformed_function_call', 'insufficient_system_resource', 'network_error'])(
		'%s is no end of a response',
		(reason) =>
			expect(faultOf(choice(0, { content: 'a' }, reason), {})?.message).toBe(
				`The service stopped the response: ${reason}`,
			),
	);

	it('stop beside calls is none', () => {
		expect(faultOf(choice(0, { tool_calls: [call('f')] }), {})).toBeUndefined();
	});
});
