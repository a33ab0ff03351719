import { describe, expect, it } from 'vitest';
import { SseDecoder } from '../../nodes/shared/stream/sseDecoder.ts';
import { cases, cuts, pieces } from '../conformance/cases.mts';

function decode(body: string, size: number) {
	const decoder = new SseDecoder();
	const events = pieces(body, size).flatMap((piece) => decoder.push(piece));
	return { events, retryMs: decoder.retryMs };
}

describe('web-platform-tests for EventSource, whole, byte by byte and in chunks of three', () => {
	it.each(cases)('$name', ({ body, events, retryMs }) => {
		for (const size of cuts) {
			const seen = decode(body, size);
			expect(seen.events.map(({ type, data, lastEventId }) => [type, data, lastEventId])).toEqual(
				events,
			);
			expect(seen.retryMs).toBe(retryMs);
		}
	});
});

it.each([
	['retry: 1500\n', 1500],
	['retry:0\n', 0],
	['retry: 1.5\n', undefined],
	['retry: x9\n', undefined],
	['retry: 9x\n', undefined],
	['retry\n', undefined],
	['Retry: 5\n', undefined],
])('%j sets a retry of %s ms', (text, retryMs) => {
	expect(decode(text, Infinity)).toEqual({ events: [], retryMs });
});

it('a large event in small chunks takes no more time than its size', () => {
	const decoder = new SseDecoder();
	const piece = Buffer.from('x'.repeat(16));
	decoder.push(Buffer.from('data:'));
	for (let count = 0; count < 200_000; count++) decoder.push(piece);
	const [event] = decoder.push(Buffer.from('\n\n'));
	expect(event?.data).toHaveLength(3_200_000);
});
