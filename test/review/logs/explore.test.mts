import { expect, it } from 'vitest';
import type { Instead, OffsetMeaning } from './service.mts';
import { booksOf, endWorlds, lines, OUT, world } from './world.mts';

endWorlds();

function randomOf(seed: number) {
	let state = seed * 2654435761 + 12345;
	const next = () => {
		state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
		return ((state ^ (state >>> 13)) >>> 0) / 4294967296;
	};
	return {
		next,
		int: (max: number) => Math.floor(next() * max),
		pick: <T,>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T,
	};
}

const MEANINGS: OffsetMeaning[] = [
	'entries',
	'entries',
	'ignored',
	'tail',
	'oneBased',
	'after',
	'bytes',
];
const INSTEAD: Array<Instead | undefined> = [
	{ status: 503 },
	{ status: 302, headers: { location: 'http://127.0.0.1:1/' } },
	{ status: 200, headers: { 'content-type': 'text/html' }, body: '<html>down</html>' },
	{ status: 200, body: '' },
	{
		status: 200,
		headers: { 'content-type': 'text/event-stream' },
		body: ': keep-alive\n\n',
		isOpen: true,
	},
	{ status: 404, body: 'Not found' },
	{
		status: 422,
		headers: { 'content-type': 'application/json' },
		body: '{"detail":[{"loc":["query","offset"],"msg":"too large","type":"value_error"}]}',
	},
	{ status: 429, headers: { 'retry-after': '3' } },
	{ isSilent: true },
];

const FIRST = Number(process.env.SEED ?? 225);
const COUNT = Number(process.env.SEEDS ?? 12);

it.each(Array.from({ length: COUNT }, (_, index) => FIRST + index))(
	'faults at random, seed %i: nothing that the service keeps is lost',
	async (seed) => {
		const { int, pick, next } = randomOf(seed);
		const trace: string[] = [];
		const isVarying = next() < 0.4;
		const parameters: Record<string, unknown> = {
			startFrom: 'lastStop',
			options: {
				idleTimeout: pick([300, 300, 60]),
				delivery: pick(['completed', 'succeeded']),
				...(next() < 0.3 && { maxRunsInFlight: 3 }),
			},
		};
		const fails = next() < 0.3 ? 0.3 : 0;
		const w = await world({ offset: pick(MEANINGS), tail: 1_000 }, parameters as never, () => {
			if (next() < fails) throw new Error('consumer');
		});
		const { service, clock } = w;
		const { ways } = service;
		let number = 0;
		const banner = lines(int(45), 0, 'banner');
		const write = (count: number) => {
			service.write(OUT, ...lines(count, number));
			number += count;
		};
		service.write(OUT, ...banner);
		write(int(60));
		const log = (what: string) => trace.push(`${clock.elapsed} ${what}`);
		log(`start ${ways.offset} ${JSON.stringify(parameters)}`);
		await w.start();
		for (let turn = 0; turn < 25; turn++) {
			const action = int(12);
			if (action < 3) {
				const count = int(50);
				log(`write ${count}`);
				write(count);
			} else if (action === 3) {
				service.cutAll();
				log('cut');
				write(int(20));
			} else if (action === 4) {
				const instead = pick(INSTEAD);
				log(`instead ${JSON.stringify(instead)}`);
				ways.instead = () => instead;
				if (next() < 0.7) service.cutAll();
				write(int(20));
				await clock.pass(int(30_000));
				ways.instead = () => undefined;
				log('back');
			} else if (action === 5) {
				ways.latencyMs = pick([0, 0, 200, 600, 1_500]);
				log(`latency ${ways.latencyMs}`);
			} else if (action === 6) {
				ways.ends = next() < 0.5;
				log(`ends ${ways.ends}`);
			} else if (action === 7) {
				ways.lifeMs = pick([Infinity, Infinity, 3_000, 7_000, 30_000]);
				ways.death = pick(['reset', 'end', 'half']);
				log(`life ${ways.lifeMs} ${ways.death}`);
			} else if (action === 8 && isVarying) {
				ways.offset = pick(MEANINGS);
				log(`offset ${ways.offset}`);
			} else if (action === 9) {
				// What is delivered by now: the log that goes must not take lines with it
				await clock.pass(120_000);
				if (booksOf(w).lost.length > 0) break;
				service.cutAll();
				service.replace(OUT);
				log('replace');
				service.write(OUT, ...banner.slice(0, int(50)));
				write(1 + int(100));
			} else if (action === 10) {
				log('restart');
				if (next() < 0.5) await w.stop();
				else await w.kill();
				write(int(30));
				await w.start();
			} else if (action === 11) {
				const size = pick([1, 3, 7, 4096]);
				const ending = pick(['\n', '\r\n']);
				ways.frame = (line) => `data: ${line}${ending}${ending}`;
				ways.greeting = pick([
					'',
					': hello\n\n',
					`${ending}`,
					'retry: 500\n\n',
					'event: ping\ndata: {}\n\n',
				]);
				ways.cut = (bytes) => {
					const parts: Buffer[] = [];
					for (let at = 0; at < bytes.length; at += size * 20)
						parts.push(bytes.subarray(at, at + size * 20));
					return parts;
				};
				log(`frames ${size} ${JSON.stringify(ending)} ${JSON.stringify(ways.greeting)}`);
			}
			await clock.pass(pick([0, 50, 400, 1_200, 4_000, 15_000, 60_000]));
		}
		await clock.pass(700_000);
		const { lost } = booksOf(w);
		expect({ lost, trace: lost.length > 0 ? trace : [] }).toEqual({ lost: [], trace: [] });
	},
);
