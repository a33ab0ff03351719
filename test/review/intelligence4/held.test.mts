import { describe, expect, it } from 'vitest';
import { locator, rag, RETRY } from '../../engine/nodes.mts';
import { DONE, event, events, lost, whole, type Json, type Reply } from './service.mts';
import {
	CHAT,
	complete,
	DOCUMENTS,
	generate,
	GENERATE,
	KEY,
	QUESTION,
	useStage,
} from './stage.mts';

const stage = useStage();
const NAMES = ['get', 'destroy', 'get_more'];
const tools = JSON.stringify(
	NAMES.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } })),
);
const chunk = (delta: Json, finish: unknown = null, index = 0) =>
	event({ choices: [{ index, delta, finish_reason: finish }] });
const call = (fields: Json, called: Json) =>
	chunk({ tool_calls: [{ ...fields, function: called }] });

describe('the calls of a stream are those of the model', () => {
	it.each<[string, string[], string[]]>([
		[
			'one index for several IDs',
			[
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '{"x":1}' }),
				call({ index: 0, id: 'b' }, { name: 'get', arguments: '{"x":2}' }),
			],
			['get {"x":1}', 'get {"x":2}'],
		],
		[
			'pieces in turn',
			[
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '' }),
				call({ index: 1, id: 'b' }, { name: 'destroy', arguments: '' }),
				call({ index: 0 }, { arguments: '{"x":' }),
				call({ index: 1 }, { arguments: '{"y":' }),
				call({ index: 0 }, { arguments: '1}' }),
				call({ index: 1 }, { arguments: '2}' }),
			],
			['get {"x":1}', 'destroy {"y":2}'],
		],
		[
			'a piece that is an empty object',
			[
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '{"a":' }),
				call({ index: 0 }, { arguments: '{}' }),
				call({ index: 0 }, { arguments: '}' }),
			],
			['get {"a":{}}'],
		],
		[
			'a name in pieces',
			[
				call({ index: 0, id: 'a' }, { name: 'get' }),
				call({ index: 0 }, { name: '_more' }),
				call({ index: 0 }, { arguments: '{"x":1}' }),
			],
			['get_more {"x":1}'],
		],
		[
			'the same call in two choices',
			[
				call({ index: 0, id: 'a' }, { name: 'get', arguments: '{"x":1}' }),
				chunk(
					{ tool_calls: [{ id: 'a', function: { name: 'get', arguments: '{"x": 1}' } }] },
					'tool_calls',
					1,
				),
			],
			['get {"x":1}'],
		],
	])('%s', async (_world, parts, calls) => {
		stage.service.on(CHAT, events([...parts, chunk({}, 'tool_calls'), DONE]));
		const { items } = await stage.run(complete({ stream: true, tools }));
		const own = (items[0]?.tool_calls as Json[]).map(({ function: called }) => called as Json);
		expect(own.map((one) => `${String(one.name)} ${String(one.arguments)}`)).toEqual(calls);
		const heard: string[] = [];
		for await (const one of (await stage.model(NAMES)).stream(QUESTION))
			if (one.type === 'tool-call-delta')
				heard.push(`${String(one.name)} ${String(one.argumentsDelta)}`);
		expect(heard).toEqual(calls);
	});

	it.each(['{"a":NaN}', JSON.stringify('{"x":1}'), '{"a"{"a":1}'])(
		'arguments that are no object are an error: %s',
		async (args) => {
			const parts = [call({ index: 0, id: 'a' }, { name: 'get', arguments: args })];
			stage.service.on(CHAT, events([...parts, chunk({}, 'tool_calls'), DONE]));
			const { message } = await stage.run(complete({ stream: true, tools }));
			expect(message).toContain('are not a JSON object');
		},
	);
});

describe('a list is whole, or an error', () => {
	const all = Array.from({ length: 230 }, (_, place) => ({ id: `c${place}`, text: 't' }));
	const page = (query: URLSearchParams, size = 100) => {
		const offset = Number(query.get('offset'));
		return all.slice(offset, offset + size);
	};

	it.each<[string, (query: URLSearchParams) => unknown, number]>([
		['of pages of 100', (query) => ({ results: page(query), total_entries: 230 }), 230],
		['with its total as text', (query) => ({ results: page(query), total_entries: '230' }), 230],
		['without a total', (query) => ({ results: page(query, 50) }), 230],
		['bare', (query) => page(query), 230],
		['that ignores the offset', () => ({ results: all.slice(0, 100) }), 0],
		['that ignores the offset and has more', () => ({ results: all.slice(9), has_more: true }), 0],
		['in another place', () => ({ results: {} }), 0],
	])('%s', async (_world, body, count) => {
		stage.service.on(/^GET .*\/documents\/d\/chunks$/, (response, asked, nth) =>
			whole(body(asked.query))(response, asked, nth),
		);
		const parameters = { documentId: locator('d'), returnAll: true };
		const { items, error } = await stage.run(rag('document', 'getChunks', parameters));
		expect(items).toHaveLength(count);
		expect(error === undefined).toBe(count > 0);
	});
});

describe('a deletion is one that was seen', () => {
	const ID = '11111111-1111-4111-8111-111111111111';
	const gone = whole({ results: [], total_entries: 0 });

	it.each<[string, Reply[], Reply, boolean]>([
		['a no in a 200', [whole({ results: { success: false } })], gone, false],
		['a page', [whole('<html><title>Login</title></html>', 200, 'text/html')], gone, false],
		['404, and listed', [whole({}, 404)], whole({ results: [{ id: ID }] }), false],
		['404, and no list', [whole({}, 404)], whole({}, 404), false],
		['404, and not listed', [whole({}, 404)], gone, true],
		['lost, then 404, and not listed', [lost, whole({}, 404)], gone, true],
		['204', [whole('', 204)], gone, true],
	])('%s', async (_world, replies, list, isDeleted) => {
		stage.service.on(/^DELETE /, ...replies);
		stage.service.on(DOCUMENTS, list);
		const { items } = await stage.run(rag('document', 'delete', { documentId: locator(ID) }));
		expect(items[0]?.deleted === true).toBe(isDeleted);
	});
});

it('what was answered is not paid for again', async () => {
	stage.service.on(GENERATE, (response, asked, nth) =>
		(nth === 1 ? whole({}, 500) : whole({ results: { answer: String(nth) } }))(
			response,
			asked,
			nth,
		),
	);
	const { items } = await stage.run({ ...generate(), ...RETRY }, [{}, {}]);
	expect(items.map(({ answer }) => answer)).toEqual(['0', '2']);
});

it('a key that comes in pieces is in no output', async () => {
	const parts = [chunk({ content: KEY.slice(0, 9) }), chunk({ content: KEY.slice(9) }, 'stop')];
	stage.service.on(CHAT, events([...parts, DONE]));
	expect((await stage.run(complete({ stream: true }))).items[0]?.content).toBe('***');
});
