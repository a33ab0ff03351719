import { describe, expect, it } from 'vitest';
import { Decoder, type DecoderOptions } from '../../nodes/shared/stream/decoder.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';
import { cuts, pieces } from '../conformance/cases.mts';

function decode(
	chunks: Uint8Array[],
	options: DecoderOptions = {},
	isComplete = false,
): StreamEvent[] {
	const events: StreamEvent[] = [];
	const decoder = new Decoder(options, (event) => events.push({ ...event }));
	for (const chunk of chunks) decoder.push(chunk);
	if (isComplete) decoder.end();
	return events;
}

const log = { keepsBareLines: true };

describe('a log: the limit of a line', () => {
	it('a line above the limit is cut between two characters and marked', () => {
		for (const size of cuts) {
			const events = decode(pieces(`${'ü'.repeat(3_000)}\nshort\n`, size), {
				...log,
				largestEntry: 2_001,
			});
			expect(events.map(({ truncated }) => truncated)).toEqual([true, false]);
			expect(events[0]?.data).toMatch(/^ü{1000,2001}$/);
			expect(events[1]?.data).toBe('short');
		}
	});

	it('so is an event above the limit, of one line or many', () => {
		for (const text of [`data: ${'x'.repeat(5_000)}\n\n`, `${'data: xxxxxxxxx\n'.repeat(90)}\n`]) {
			for (const size of cuts) {
				const [event, next] = decode(pieces(`${text}data: next\n\n`, size), {
					...log,
					largestEntry: 500,
				});
				expect(event?.truncated).toBe(true);
				expect(event?.data.length).toBeLessThanOrEqual(500);
				expect(next).toMatchObject({ data: 'next', truncated: false });
			}
		}
	});

	it('a line or an event of exactly the limit is whole', () => {
		for (const [text, more] of [
			['x'.repeat(10), 'x'.repeat(11)],
			['data: xxxxxxxxxx\n', 'data: xxxxxxxxxxx\n'],
			['data: xxxx\ndata: xxxxx\n', 'data: xxxx\ndata: xxxxxx\n'],
		]) {
			const [whole, cut] = decode([Buffer.from(`${text}\n${more}\n`)], {
				...log,
				largestEntry: 10,
			});
			expect(whole).toMatchObject({ truncated: false, data: expect.stringMatching(/^.{10}$/s) });
			expect(cut).toMatchObject({ truncated: true, data: whole?.data });
		}
	});

	it('the limit is a mebibyte by default', () => {
		const [whole, cut] = decode(
			[Buffer.from(`${'x'.repeat(1024 * 1024)}\n${'x'.repeat(1024 * 1024 + 1)}\n`)],
			log,
		);
		expect(whole).toMatchObject({ truncated: false });
		expect(cut).toMatchObject({ truncated: true });
		expect(cut?.data).toHaveLength(1024 * 1024);
	});

	it('lines of an event above the limit are not stored', () => {
		const [event] = decode([Buffer.from('data: xxxxx\ndata: yyyyyyyyyy\ndata: z\n\n')], {
			...log,
			largestEntry: 8,
		});
		expect(event).toMatchObject({ data: 'xxxxx\nyy', truncated: true });
	});
});
