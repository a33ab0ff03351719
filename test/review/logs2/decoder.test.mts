import { expect, it } from 'vitest';
import { LogDecoder } from '../../../nodes/shared/stream/logDecoder.ts';

function decode(bytes: Buffer, cuts: number[], countsBytes: boolean) {
	const entries: string[] = [];
	const decoder = new LogDecoder(
		{ largestEntry: 64, countsBytes },
		({ data, bytes: size, lastEventId, truncated }) =>
			void entries.push(
				JSON.stringify([truncated ? data.slice(0, 40) : data, countsBytes ? size : 0, lastEventId]),
			),
	);
	let from = 0;
	for (const cut of [...cuts, bytes.length]) {
		decoder.push(bytes.subarray(from, cut));
		from = cut;
	}
	decoder.end();
	return entries;
}

it('the same entries however the bytes are cut', () => {
	let state = 7;
	const int = (below: number) => (
		(state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0),
		(state >>> 8) % below
	);
	const parts = [
		'data: a',
		'data:b',
		'data',
		'id: 7',
		'id',
		'event: x',
		': c',
		'é🙂',
		'\uFEFF',
		'bare',
		'retry: 5',
		'retry: x',
		' ',
		'x'.repeat(80),
		'data: ' + 'y'.repeat(90),
		'\u0000',
	];
	const ends = ['\n', '\n', '\n\n', '\r\n', '\r\n\r\n', '\r', '\r\r', ''];
	const of = (list: string[]) => list[int(list.length)] ?? '';
	const bad: string[] = [];
	for (let round = 0; round < 20_000; round++) {
		let text = '';
		const end = of(ends);
		for (let lines = 1 + int(7); lines > 0; lines--)
			text +=
				parts[int(parts.length)] ?? '' + (int(3) === 0 ? (ends[int(ends.length)] ?? '') : end);
		const bytes = Buffer.from(text);
		const cuts = Array.from({ length: int(5) }, () => int(bytes.length)).sort(
			(one, other) => one - other,
		);
		for (const countsBytes of [false, true]) {
			const whole = decode(bytes, [], countsBytes).join();
			const cut = decode(bytes, cuts, countsBytes).join();
			if (whole !== cut) bad.push(JSON.stringify({ countsBytes, text, cuts, whole, cut }));
		}
	}
	bad.sort((one, other) => one.length - other.length);
	expect(bad.length, bad.slice(0, 6).join('\n')).toBe(0);
});
