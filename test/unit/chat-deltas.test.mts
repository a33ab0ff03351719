import { expect, it } from 'vitest';
import { of } from './chat-chunks.mts';

type Delta = Record<string, unknown>;

it.each<[string, Delta[], unknown]>([
	[
		'a role in every chunk',
		[
			{ role: 'assistant', content: 'a' },
			{ role: 'assistant', content: 'b' },
		],
		{ role: 'assistant', content: 'ab' },
	],
	['null before text', [{ content: null }, { content: 'a' }, { content: null }], { content: 'a' }],
	['null alone', [{ content: null }], { content: null }],
	[
		'new ids without a name or an index',
		[
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{' } }] },
			{ tool_calls: [{ id: 'b', function: { arguments: '}' } }] },
		],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
	],
	[
		'calls without an index',
		[
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{' } }] },
			{ tool_calls: [{ function: { arguments: '}' } }] },
			{ tool_calls: [{ id: 'b', function: { name: 'g', arguments: '[]' } }] },
		],
		{
			tool_calls: [
				{ id: 'a', function: { name: 'f', arguments: '{}' } },
				{ id: 'b', function: { name: 'g', arguments: '[]' } },
			],
		},
	],
	[
		'a call whose id and name come again',
		[
			{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '1' } }] },
			{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '2' } }] },
		],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '12' } }] },
	],
	[
		'an index that no model reaches',
		[{ tool_calls: [{ index: 1e9, id: 'a', function: { name: 'f', arguments: '1' } }] }],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '1' } }] },
	],
	[
		'a first call whose index is 1',
		[
			{ tool_calls: [{ index: 1, id: 'a', function: { name: 'f', arguments: '{' } }] },
			{ tool_calls: [{ index: 1, function: { arguments: '}' } }] },
		],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
	],
	[
		'two calls under one index',
		[
			{
				tool_calls: [
					{ index: 0, id: 'a', function: { name: 'f', arguments: '1' } },
					{ index: 0, id: 'b', function: { name: 'g', arguments: '2' } },
				],
			},
			{ tool_calls: [{ index: 0, function: { arguments: '3' } }] },
			{ tool_calls: [{ index: 0, id: 'a', function: { arguments: '4' } }] },
		],
		{
			tool_calls: [
				{ id: 'a', function: { name: 'f', arguments: '14' } },
				{ id: 'b', function: { name: 'g', arguments: '23' } },
			],
		},
	],
	[
		'an id of its own for each piece of one call',
		[
			{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '1' } }] },
			{ tool_calls: [{ index: 0, id: 'b', function: { name: '', arguments: '2' } }] },
			{ tool_calls: [{ index: 0, id: 'c', function: { arguments: '3' } }] },
		],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '123' } }] },
	],
	[
		'an id that comes late or empty',
		[
			{ tool_calls: [{ index: 0, function: { name: 'f', arguments: '1' } }] },
			{ tool_calls: [{ index: 0, id: 'a' }] },
			{ tool_calls: [{ index: 0, id: '', function: { arguments: '2' } }] },
		],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '12' } }] },
	],
	[
		'one id under two indices',
		[
			{
				tool_calls: [0, 1].map((index) => ({
					index,
					id: 'a',
					function: { name: `f${index}`, arguments: '1' },
				})),
			},
		],
		{
			tool_calls: [0, 1].map((index) => ({
				id: 'a',
				function: { name: `f${index}`, arguments: '1' },
			})),
		},
	],
	[
		'the older function_call in pieces',
		[
			{ function_call: { name: 'f', arguments: '' } },
			{ function_call: { arguments: '{"x"' } },
			{ function_call: { arguments: ':1}' } },
		],
		{ function_call: { name: 'f', arguments: '{"x":1}' } },
	],
	['a field of the service’s own', [{ annotations: ['x'] }, {}], { annotations: ['x'] }],
	[
		'calls without an index, each with an ID of its own',
		[
			{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '' } }] },
			{ tool_calls: [{ id: 'b', function: { name: 'f', arguments: '{}' } }] },
		],
		{
			tool_calls: [
				{ id: 'a', function: { name: 'f', arguments: '' } },
				{ id: 'b', function: { name: 'f', arguments: '{}' } },
			],
		},
	],
	[
		'an index in the first delta alone',
		[
			{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{' } }] },
			{ tool_calls: [{ function: { arguments: '}' } }] },
		],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
	],
	[
		'two calls that have all but their IDs and indices in common',
		[
			{ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }] },
			{ tool_calls: [{ index: 1, id: 'b', function: { name: 'f', arguments: '{}' } }] },
		],
		{
			tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: 'f', arguments: '{}' } })),
		},
	],
	[
		'two calls of one name and index in a chunk',
		[
			{
				tool_calls: ['a', 'b'].map((id) => ({
					index: 0,
					id,
					function: { name: 'f', arguments: '{}' },
				})),
			},
		],
		{
			tool_calls: ['a', 'b'].map((id) => ({ id, function: { name: 'f', arguments: '{}' } })),
		},
	],
	[
		'two calls under one index, whose names or arguments differ',
		[
			['a', 'f', ''],
			['b', 'g', '{}'],
			['c', 'g', '{"x":1}'],
		].map(([id, name, args]) => ({
			tool_calls: [{ index: 0, id, function: { name, arguments: args } }],
		})),
		{
			tool_calls: [
				{ id: 'a', function: { name: 'f', arguments: '' } },
				{ id: 'b', function: { name: 'g', arguments: '{}' } },
				{ id: 'c', function: { name: 'g', arguments: '{"x":1}' } },
			],
		},
	],
	[
		'the same arguments of two calls before their names',
		[
			{ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] },
			{ tool_calls: [{ index: 1, id: 'b', function: { arguments: '' } }] },
			{ tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
			{ tool_calls: [{ index: 0, function: { name: 'f' } }] },
			{ tool_calls: [{ index: 1, function: { name: 'g' } }] },
		],
		{
			tool_calls: [
				{ id: 'a', function: { name: 'f', arguments: '{}' } },
				{ id: 'b', function: { name: 'g', arguments: '{}' } },
			],
		},
	],
	[
		'fields of a call that come late, again, or as nothing',
		[
			{ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f' } }] },
			{ tool_calls: [{ index: 0, id: 'b', type: null, note: 'x', function: { arguments: '{' } }] },
			{ tool_calls: [{ index: 0, id: '', type: '', note: 'y', function: { arguments: '}' } }] },
		],
		{
			tool_calls: [
				{ id: 'a', type: 'function', note: 'y', function: { name: 'f', arguments: '{}' } },
			],
		},
	],
	[
		'a call of no function',
		[{ tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'sql' } }] }],
		{ tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'sql' } }] },
	],
	[
		'calls that are none',
		[{ tool_calls: [null, 'f', { id: 'a', function: { name: 'f', arguments: '{}' } }] }],
		{ tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] },
	],
	[
		'calls of no function and no index',
		[{ tool_calls: ['a', 'b'].map((id) => ({ id, type: 'custom', custom: { name: id } })) }],
		{ tool_calls: ['a', 'b'].map((id) => ({ id, type: 'custom', custom: { name: id } })) },
	],
	['no calls', [{ content: 'a', tool_calls: null }], { content: 'a' }],
	[
		'reasoning beside text',
		[{ content: 'a', reasoning: 'Hm.' }],
		{ content: 'a', reasoning: 'Hm.' },
	],
	['reasoning in numbers', [{ reasoning: 4 }, { reasoning: 2 }], { reasoning: '42' }],
	[
		'sound and its words in pieces',
		[
			{ audio: { id: 'x', data: 'AA' } },
			{ audio: { data: 'BB', transcript: 'Hel' } },
			{ audio: null },
			{ audio: { data: null, transcript: 'lo', expires_at: 1 } },
		],
		{ audio: { id: 'x', data: 'AABB', transcript: 'Hello', expires_at: 1 } },
	],
	['lists in pieces', [{ notes: ['x'] }, { notes: ['y'] }], { notes: ['x', 'y'] }],
	[
		'another field again',
		[{ note: { data: 'x' } }, { note: { data: 'y' } }],
		{ note: { data: 'y' } },
	],
	['another field, then nothing', [{ note: 'x' }, { note: null }], { note: 'x' }],
	['a field of nothing', [{ note: null }], { note: null }],
])('a stream survives %s', (_, deltas, message) => {
	const chunks = deltas.map((delta) => ({ choices: [{ index: 0, delta }] }));
	expect(of(...chunks).completion().choices).toEqual([{ index: 0, message }]);
});
