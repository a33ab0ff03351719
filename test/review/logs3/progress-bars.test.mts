import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { LogDecoder } from '../../../nodes/shared/stream/logDecoder.ts';
import { endWorlds, openWorld } from '../logs2/service.mts';
import { cutsOf, entriesOf } from './decoder.mts';

endWorlds();

/** Progress bars that redraw themselves with CR, as they are in one line of a log. */
const BARS = [
	'epoch 0 10%\repoch 1 20%',
	'done 10%\rdone 20%\r',
	'\rdata: 10%\rdata: 20%',
	'id: 1 10%\rid: 2 20%\rretry: 5',
	'event\rdata\rid',
	'reading 1%\r: 2%\r',
];

const ENDS = ['\n\n', '\r\n\r\n', '\n', '\r\n'];

describe('a progress bar in the first event', () => {
	for (const bar of BARS)
		for (const end of ENDS)
			it(`${JSON.stringify(bar)} before ${JSON.stringify(end)} stays whole, however it is cut`, () => {
				const bytes = Buffer.from(`data: ${bar}${end}data: last 1\r2${end}`);
				// CR before CRLF is not told from a blank line of the standard
				if (bar.endsWith('\r') && end.startsWith('\r')) return;
				// CR before LF is the end of a line
				const expected = [bar.replace(/\r$/, end.startsWith('\n') ? '' : '\r'), 'last 1\r2'];
				if (end.length < 3 && end !== '\n\n') expected.splice(0, 2, expected.join('\n'));
				for (const cuts of cutsOf(bytes))
					for (const countsBytes of [false, true])
						expect(entriesOf(bytes, cuts, { countsBytes }), String(cuts)).toEqual(expected);
			});
});

describe('a stream whose lines CR ends', () => {
	const events = [
		'data: one\r\rdata: two\r\r',
		': hi\r\rid: 7\rdata: one\r\rdata:two\r\r',
		'event: x\rid\rdata: one\r\r: c\r\rretry: 5\rdata: two\r\r',
		'data: one\r\r\ndata: two\r\r',
		'retry: 5\r\rdata: one\r\rdata: two',
	];
	for (const text of events)
		it(`${JSON.stringify(text)}, however it is cut`, () => {
			const bytes = Buffer.from(text);
			for (const cuts of cutsOf(bytes))
				for (const countsBytes of [false, true])
					expect(entriesOf(bytes, cuts, { countsBytes }), String(cuts)).toEqual(['one', 'two']);
		});

	it('has each event as soon as its blank line has come', () => {
		const entries: string[] = [];
		const decoder = new LogDecoder({}, ({ data }) => void entries.push(data));
		decoder.push(Buffer.from('data: one\r\r'));
		expect(entries).toEqual(['one']);
		decoder.push(Buffer.from('\n: x\rdata: two\r\r'));
		expect(entries).toEqual(['one', 'two']);
	});

	it('without blank lines has its lines where nothing more comes', () => {
		const entries: string[] = [];
		const decoder = new LogDecoder({}, ({ data }) => void entries.push(data));
		decoder.push(Buffer.from('data: one\rdata: two\rdata: thr'));
		expect([entries, decoder.hasPendingLines]).toEqual([[], true]);
		decoder.assumeLineFraming();
		expect(entries).toEqual(['one', 'two']);
		decoder.push(Buffer.from('ee\r'));
		expect(entries).toEqual(['one', 'two', 'three']);
	});
});

it('the entries of any events do not depend on how the bytes are cut', () => {
	const piece = fc.constantFrom('data', 'id', 'event', 'retry', ':', ': ', '%', '1', 'é🙂', 'x y');
	const value = fc.array(fc.oneof(piece, fc.constant('\r')), { maxLength: 8 });
	const event = fc.tuple(
		fc.constantFrom('data: ', 'data:', 'id: ', ': ', 'event: ', ''),
		value.map((parts) => parts.join('')),
		fc.constantFrom('\n\n', '\r\n\r\n', '\r\r', '\n', '\r\n', '\r'),
	);
	fc.assert(
		fc.property(
			fc.array(event, { minLength: 1, maxLength: 5 }),
			fc.array(fc.nat(80), { maxLength: 6 }),
			fc.boolean(),
			(events, places, countsBytes) => {
				const bytes = Buffer.from(events.flat().join(''));
				const cuts = places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b);
				const options = { countsBytes, largestEntry: 40 };
				const cutAll = Array.from(bytes.keys());
				// A truncated line is kept to a length that depends on its chunks
				const short = (entries: string[]) => entries.map((entry) => entry.slice(0, 30));
				const whole = short(entriesOf(bytes, [], options));
				expect(short(entriesOf(bytes, cuts, options))).toEqual(whole);
				expect(short(entriesOf(bytes, cutAll, options))).toEqual(whole);
			},
		),
		{ numRuns: 3_000, seed: 7 },
	);
});

for (const end of ['\n\n', '\n'])
	it(`progress bars come whole from the service, ${JSON.stringify(end)}`, async () => {
		const log = Array.from(
			{ length: 12 },
			(_, index) => `epoch ${index} 10%\repoch ${index} 20%\rdata: ${index} done`,
		);
		const world = await openWorld(async (call) => {
			call.head();
			for (const line of log.slice(call.offset ?? 0)) {
				const text = `data: ${line}${end}`;
				call.response.write(text.slice(0, 21));
				await call.wait(20);
				call.response.write(text.slice(21));
			}
			await call.wait(5_000);
			call.response.destroy();
		});
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.time.pass(60_000);
		expect(trigger.lines).toEqual(log);
		const { items } = await world.getMany();
		expect(items.map(({ line }) => line)).toEqual(log);
	});

it('a service whose lines CR ends, with and without blank lines', async () => {
	const log = Array.from({ length: 12 }, (_, index) => `line ${index}`);
	for (const end of ['\r\r', '\r']) {
		const world = await openWorld(async (call) => {
			call.head();
			for (let at = call.offset ?? 0; !call.response.destroyed; await call.wait(300)) {
				if (at >= log.length) continue;
				call.response.write(`data: ${log[at++]}${end}`);
			}
		});
		const trigger = world.trigger();
		await world.activate(trigger);
		await world.time.pass(60_000);
		expect(trigger.lines).toEqual(log);
	}
});
