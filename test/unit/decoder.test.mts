import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decoder, type DecoderOptions } from '../../nodes/shared/stream/decoder.ts';
import type { StreamEvent } from '../../nodes/shared/stream/event.ts';
import { cases, cuts, pieces } from '../conformance/cases.mts';

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

describe('web-platform-tests for EventSource, whole, byte by byte and in chunks of three', () => {
	it.each(cases)('$name', ({ body, events }) => {
		for (const size of cuts)
			expect(
				decode(pieces(body, size), { format: 'sse' }, true).map(
					({ type, data, lastEventId: id }) => [type, data, id],
				),
			).toEqual(events);
	});
});

describe('entries with text alone', () => {
	const stream =
		'data: first\n\ndata: a\ndata: b\n\ndata: c\n\ndata: d\n\nevent: x\ndata: e\n\nid: 7\ndata: f\n\ndata: g\n\ndata:h\n\n: i\ndata: j\n\ndata: key k\n\n';
	const withSecret = stream.replace('key', 'key-1');
	const redact = (text: string) => text.replaceAll('key-1', '***');

	/** What is delivered one by one, and in runs. */
	function delivered(
		chunks: string[],
		options: DecoderOptions,
		accepts: boolean,
		isLineWise = false,
	) {
		const runs: string[][] = [];
		const all: Array<Pick<StreamEvent, 'data' | 'type' | 'hasOwnId'>> = [];
		const takeTexts = (texts: string[]) => {
			if (!accepts) return false;
			runs.push(texts);
			all.push(...texts.map((data) => ({ data, type: '', hasOwnId: false })));
			return true;
		};
		const decoder = new Decoder(
			{ ...log, redact, takeTexts, ...options },
			({ data, type, hasOwnId }) =>
				all.push({ data, type: type === 'message' ? '' : type, hasOwnId }),
		);
		for (const chunk of chunks) {
			decoder.push(Buffer.from(chunk));
			if (isLineWise) decoder.assumeLineFraming();
		}
		return { runs, all };
	}

	it('come in runs, in order with the others, or one by one', () => {
		const { runs, all } = delivered([stream], {}, true);
		expect(runs).toEqual([['c', 'd'], ['g'], ['key k']]);
		expect(all.map(({ data }) => data)).toEqual([
			'first',
			'a\nb',
			'c',
			'd',
			'e',
			'f',
			'g',
			'h',
			'j',
			'key k',
		]);
		expect(delivered([stream], {}, false)).toEqual({ runs: [], all });
	});

	it('are the same where each chunk ends with a line', () => {
		const { all } = delivered([stream], {}, false);
		const lines = stream.split(/(?<=\n)/);
		for (let behind = 1; behind < lines.length; behind++) {
			const chunks = [lines.slice(0, behind).join(''), lines.slice(behind).join('')];
			expect(delivered(chunks, {}, true).all, `cut behind line ${behind}`).toEqual(all);
		}
	});

	it('are the same in runs and one by one, for all chunk boundaries', () => {
		const pieces = [
			'data: x\n\n',
			'data: y\n',
			'data:z\r\n',
			'\n',
			'\r\n',
			'\r',
			'id: 7\n',
			'event: e\n',
			': c\n',
			'bare\n',
			'key-1\n',
			'{}\r\n',
			'ä\n',
			'data',
		];
		const chunk = fc
			.array(fc.constantFrom(...pieces), { maxLength: 12 })
			.map((parts) => parts.join(''));
		const formats = fc.constantFrom('auto', 'sse', 'lines');
		fc.assert(
			fc.property(
				fc.array(chunk, { maxLength: 6 }),
				formats,
				fc.boolean(),
				(chunks, format, isLineWise) => {
					const all = (accepts: boolean) =>
						delivered(chunks, { format, largestEntry: 40 }, accepts, isLineWise).all;
					expect(all(true)).toEqual(all(false));
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it('come one by one where text is redacted, cut or counted', () => {
		expect(delivered([withSecret], {}, true)).toMatchObject({
			runs: [],
			all: expect.arrayContaining([{ data: '*** k', type: '', hasOwnId: false }]) as unknown,
		});
		expect(delivered([stream], { redact: undefined, largestEntry: 20 }, true).runs).toEqual([]);
		expect(delivered([stream], { redact: undefined, countsBytes: true }, true).runs).toEqual([]);
	});
});
