import { describe, expect, it } from 'vitest';
import { chunk, stream, sse, type Answer } from './forms.mts';
import { ask, usePlay } from './setup.mts';

const play = usePlay();
const STREAM = { stream: true };
const tools = ['pay', 'payAll'].map((name) => ({
	type: 'function',
	function: { name, parameters: { type: 'object' } },
}));
const CALLS = { extraBody: JSON.stringify({ tools }) };

function call(
	index: number | undefined,
	id: string | undefined,
	name: string | undefined,
	args: unknown,
) {
	return {
		...(index !== undefined && { index }),
		...(id && { id }),
		type: 'function',
		function: { ...(name && { name }), arguments: args },
	};
}

describe('world: a finish reason in every chunk that says nothing', () => {
	// DashScope's own API and gateways over it write the word; others write `stop` from the first chunk on
	for (const reason of ['null', 'none', 'None', 'unfinished', 'continue'])
		it(`"${reason}" until the connection is lost`, async () => {
			play.service.on('POST /chat', stream([chunk({ content: 'Half an' }, reason)], 'cut', false));
			const { error, known } = await play.run(ask(STREAM));
			expect(error?.message).toMatch(/ended early/);
			expect(known).toContain('Half an');
		});
	it('"null", then stop: whole', async () => {
		play.service.on(
			'POST /chat',
			stream([chunk({ content: 'Who' }, 'null'), chunk({ content: 'le' }, 'stop')]),
		);
		const { items } = await play.run(ask(STREAM));
		expect(items[0]).toMatchObject({ content: 'Whole', finish_reason: 'stop' });
	});
	it('"null" to the end with [DONE]: whole, and no reason made up', async () => {
		play.service.on(
			'POST /chat',
			stream([chunk({ content: 'Who' }, 'null'), chunk({ content: 'le' }, 'null')]),
		);
		const { items, error } = await play.run(ask(STREAM));
		if (error) expect(error.message).toMatch(/ended early/);
		else expect(items[0]).toMatchObject({ content: 'Whole', finish_reason: 'null' });
	});
	it('stop in every chunk until the connection is lost between two texts', async () => {
		play.service.on(
			'POST /chat',
			stream([chunk({ content: 'Send' }, 'stop'), chunk({ content: ' no' }, 'stop')], 'cut', false),
		);
		const { error, items } = await play.run(ask(STREAM));
		expect(error?.message ?? JSON.stringify(items)).toMatch(/ended early/);
	});
});

describe('world: several choices that are told apart by their place alone', () => {
	const both = (a: string, b: string, reason: unknown = null) => ({
		id: 'c',
		model: 'm',
		choices: [
			{ delta: { content: a }, finish_reason: reason },
			{ delta: { content: b }, finish_reason: reason },
		],
	});
	it('streamed: two texts, not one mixture', async () => {
		play.service.on('POST /chat', stream([both('Ye', 'N'), both('s', 'o', 'stop')]));
		const { items, error } = await play.run(ask({ ...STREAM, n: 2 }));
		expect(error).toBeUndefined();
		expect(items.map(({ content }) => content)).toEqual(['Yes', 'No']);
	});
	it('unstreamed: as sent', async () => {
		const choices = ['Yes', 'No'].map((content) => ({
			message: { content },
			finish_reason: 'stop',
		}));
		play.service.on('POST /chat', { json: { model: 'm', choices } });
		const { items } = await play.run(ask({ n: 2 }));
		expect(items.map(({ content }) => content)).toEqual(['Yes', 'No']);
	});
});

describe('world: tool calls that arrive in disorder', () => {
	const end = chunk({}, 'tool_calls');
	it('interleaved and from the last index to the first', async () => {
		play.service.on(
			'POST /chat',
			stream([
				chunk({ tool_calls: [call(1, 'b', 'payAll', '{"a":')] }),
				chunk({ tool_calls: [call(0, 'a', 'pay', '{"a"')] }),
				chunk({
					tool_calls: [call(1, undefined, undefined, '2}'), call(0, undefined, undefined, ':1}')],
				}),
				end,
			]),
		);
		const { items, error } = await play.run(ask({ ...STREAM, ...CALLS }));
		expect(error).toBeUndefined();
		const calls = items[0]?.tool_calls as Array<{ function: { name: string; arguments: string } }>;
		expect(
			Object.fromEntries(
				calls.map((one) => [one.function.name, JSON.parse(one.function.arguments)]),
			),
		).toEqual({ pay: { a: 1 }, payAll: { a: 2 } });
	});
	for (const [what, pieces] of Object.entries({
		'cut in the arguments, then stop': ['{"amount":1', ''],
		'an array': ['[1]', ''],
		'twice the beginning, by a proxy': ['{"amount":1', '{"amount":1'],
		null: ['null', ''],
	}))
		it(`arguments that are ${what}: no call`, async () => {
			play.service.on(
				'POST /chat',
				stream([
					...pieces.map((piece, at) =>
						chunk({ tool_calls: [call(0, at ? undefined : 'a', at ? undefined : 'pay', piece)] }),
					),
					chunk({}, 'stop'),
				]),
			);
			const { error } = await play.run(ask({ ...STREAM, ...CALLS }));
			expect(error).toBeDefined();
		});
	it('the connection lost after the arguments, before the finish reason: no call', async () => {
		play.service.on(
			'POST /chat',
			stream([chunk({ tool_calls: [call(0, 'a', 'pay', '{}')] })], 'cut', false),
		);
		const { error, known } = await play.run(ask({ ...STREAM, ...CALLS }));
		expect(error).toBeDefined();
		expect(known).toContain('pay');
	});
	it('finish reason stop in the chunk of a call whose next chunk is lost', async () => {
		play.service.on(
			'POST /chat',
			stream(
				[
					chunk({ tool_calls: [call(0, 'a', 'pay', '{}')] }, 'stop'),
					chunk({ tool_calls: [call(0, undefined, undefined, '{"amount":1')] }, 'stop'),
				],
				'cut',
				false,
			),
		);
		const { error } = await play.run(ask({ ...STREAM, ...CALLS }));
		expect(error).toBeDefined();
	});
});

describe('world: streams that are cut at bad places', () => {
	const text = 'Grüße 你好 🚀';
	const whole = Buffer.from(
		sse([chunk({ content: text }), chunk({}, 'stop', { usage: { total_tokens: 7 } })]).join(''),
	);
	const places = {
		'inside UTF-8': whole.indexOf('🚀') + 2,
		'inside JSON': 40,
		'before [DONE]': whole.indexOf('data: [DONE]'),
	};
	for (const [what, at] of Object.entries(places))
		for (const end of ['cut', 'end', 'silent'] as const)
			it(`${what}: ${end}`, async () => {
				const answer: Answer = { type: 'text/event-stream', parts: [whole.subarray(0, at)], end };
				play.service.on('POST /chat', answer);
				const { error, items, known } = await play.run(ask({ ...STREAM, idleTimeout: 30 }));
				if (what === 'before [DONE]')
					expect(items[0]).toMatchObject({ content: text, usage: { total_tokens: 7 } });
				else expect(error?.message).toMatch(/ended early/);
				if (what === 'inside UTF-8') expect(known).toContain('Grüße 你好');
				expect(play.service.sent('POST /chat')).toHaveLength(1);
			});
	it('one byte at a time', async () => {
		play.service.on('POST /chat', {
			type: 'text/event-stream',
			parts: [...whole].map((byte) => Buffer.from([byte])),
		});
		expect((await play.run(ask(STREAM))).items[0]).toMatchObject({ content: text });
	});
	it('error event after half, then more chunks and [DONE]', async () => {
		play.service.on(
			'POST /chat',
			stream([
				chunk({ content: 'Half' }),
				{ error: { message: 'overloaded' } },
				chunk({ content: ' more' }, 'stop'),
			]),
		);
		const { error, known } = await play.run(ask(STREAM));
		expect(error?.message).toContain('overloaded');
		expect(known).toContain('Half');
	});
});
