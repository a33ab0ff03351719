import { describe, expect, it } from 'vitest';
import { CONTINUE } from '../../engine/nodes.mts';
import { DONE, event, type Json, type Reply, whole } from '../intelligence4/service.mts';
import { CHAT, complete, useStage } from '../intelligence4/stage.mts';
import { chunk, pieces } from './service.mts';
import { KEY, say } from './stage.mts';

const stage = useStage(KEY);

describe('tool calls of a stream', () => {
	const piece = (...calls: Json[]) =>
		event({ choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: null }] });
	const end = event({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
	const buy = (args: string) => ({ name: 'buy', arguments: args });
	/** The calls that n8n's SDK gets, by their argument. */
	const heard = async (parts: string[]) => {
		stage.service.on(CHAT, pieces([...parts, end, DONE]));
		const calls: unknown[] = [];
		for await (const one of (await stage.model(['buy'])).stream([say('user', 'Hi')]))
			if (one.type === 'tool-call-delta')
				calls.push([one.name, JSON.parse(one.argumentsDelta ?? '')]);
		return calls;
	};

	it.each<[string, string[]]>([
		[
			'by index',
			[
				piece({ index: 0, id: 'a', function: buy('') }),
				piece({ index: 1, id: 'b', function: buy('') }),
				piece(
					{ index: 1, function: { arguments: '{"n":' } },
					{ index: 0, function: { arguments: '{"n":' } },
				),
				piece({ index: 0, function: { arguments: '1}' } }),
				piece({ index: 1, function: { arguments: '2}' } }),
			],
		],
		[
			'by ID alone',
			[
				piece({ id: 'a', function: buy('{"n') }),
				piece({ id: 'b', function: buy('{"n"') }),
				piece({ id: 'a', function: { arguments: '":1}' } }),
				piece({ id: 'b', function: { arguments: ':2}' } }),
			],
		],
		[
			'index as text, ID a number, names again',
			[
				piece(
					{ index: '0', id: 11, function: buy('{"n"') },
					{ index: '1', id: 12, function: buy('{') },
				),
				piece({ index: '1', id: 12, function: buy('"n":2}') }),
				piece({ index: '0', id: 11, function: buy(':1}') }),
			],
		],
		[
			'whole in one piece',
			[
				piece(
					{ index: 0, id: 'a', function: buy('{"n":1}') },
					{ index: 1, id: 'b', function: buy('{"n":2}') },
				),
			],
		],
	])('are put together from pieces that come in turn: %s', async (_world, parts) => {
		expect(await heard(parts)).toEqual([
			['buy', { n: 1 }],
			['buy', { n: 2 }],
		]);
	});

	it('that are equal and have no ID are two under two indexes', async () => {
		const calls = [0, 1].map((index) => piece({ index, function: buy('{"n":1}') }));
		expect(await heard(calls)).toHaveLength(2);
	});
});

it.each<[string, Reply]>([
	['a page', whole('<!doctype html><title>Login</title>', 200, 'text/html')],
	['an error', whole({ error: { message: `bad key ${KEY}`, type: 'auth', code: 401 } })],
	['no choices', whole({ id: 'x', object: 'chat.completion', choices: null, usage: null })],
	['cut', whole('{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"half')],
	[
		'a list of chunks',
		whole([chunk({ content: 'a' }), chunk({ content: 'b' }, { finish_reason: 'stop' })]),
	],
	['empty', whole('')],
])(
	'a body that is no answer is an error without the key for each item: %s',
	async (_world, reply) => {
		stage.service.on(CHAT, reply);
		for (const options of [{}, { stream: true }]) {
			const asks = [{ ask: '1' }, { ask: '2' }, { ask: '3' }];
			const { items, all } = await stage.run(complete(options, CONTINUE), asks);
			expect(items.map(({ error }) => typeof error)).toEqual(['string', 'string', 'string']);
			expect(all).not.toContain(KEY);
		}
	},
);

it('the key is not told where a refusal has it in JSON in JSON', async () => {
	const form = JSON.stringify(JSON.stringify({ k: KEY }));
	stage.service.on(CHAT, whole({ detail: `Rejected: ${form}` }, 400));
	const { message, all } = await stage.run(complete());
	expect(message).toContain('Rejected');
	expect(all).not.toContain(KEY);
});
