import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromCompletion } from '../../nodes/LmChatCompute/sdkMessages.ts';
import { eventsOf as events } from '../../nodes/shared/stream/stream.ts';

async function* cut(bytes: Uint8Array, borders: readonly number[]): AsyncGenerator<Uint8Array> {
	let from = 0;
	for (const border of [...new Set(borders)].sort((a, b) => a - b)) {
		yield bytes.subarray(from, border);
		from = border;
	}
	yield bytes.subarray(from);
}

const message = (data: string) => ({ type: 'message', data });

const eventsOf = async (text: string, borders: readonly number[] = []) => {
	const found: Array<{ type: string; data: string }> = [];
	for await (const { type, data } of events(cut(Buffer.from(text), borders)))
		found.push({ type, data });
	return found;
};

describe('the events of a stream', () => {
	it.each([
		[
			'fields, the space after the colon, comments',
			'event: a\n: comment\ndata:1\ndata: 2\nid: 7\nretry: 9\n\n',
			[{ type: 'a', data: '1\n2' }],
		],
		[
			'line ends of all kinds',
			'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n',
			[message('1'), message('2'), message('3')],
		],
		[
			'line ends that change within a stream',
			'data: 1\r\n\ndata: 2\r\r\ndata: 3\n\r',
			[message('1'), message('2'), message('3')],
		],
		['a byte order mark', '\ufeffdata: 1\n\n', [message('1')]],
		['a name without a colon, and empty data', 'data\n\ndata:\n\n', [message(''), message('')]],
		['no data, no event', 'event: a\n\n\n: only\n\n', []],
		['no empty line, no last event', 'data: 1\n\ndata: 2', [message('1')]],
	])('%s', async (_, text, expected) => {
		expect(await eventsOf(text)).toEqual(expected);
		const bytes = Buffer.byteLength(text);
		expect(
			await eventsOf(
				text,
				Array.from({ length: bytes }, (__, index) => index),
			),
		).toEqual(expected);
	});
});

it('the same events for all chunk boundaries, with mixed line ends too', async () => {
	const piece = fc.constantFrom(
		'data: 1é',
		': comment',
		'event: a',
		'data',
		'\n',
		'\r\n',
		'\r',
		'\n\n',
		'\r\r',
		'\r\n\r\n',
	);
	const property = fc.asyncProperty(
		fc.array(piece, { maxLength: 16 }),
		fc.array(fc.nat(120), { maxLength: 12 }),
		async (pieces, borders) => {
			expect(await eventsOf(pieces.join(''), borders)).toEqual(await eventsOf(pieces.join('')));
		},
	);
	await fc.assert(property, { numRuns: 5_000, seed: 1 });
});

it('a tool call without a function name is not for an agent', () => {
	const calls = [
		{ id: 'a', function: { arguments: '{}' } },
		{ id: 'b', function: { name: '' } },
		{},
		{ id: 'c', function: { name: 'f', arguments: '{}' } },
	];
	expect(fromCompletion({ choices: [{ message: { tool_calls: calls } }] }).calls).toEqual([
		{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{}' },
	]);
});
