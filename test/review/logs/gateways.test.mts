import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { caas, locator } from '../../engine/nodes.mts';
import { jsonOf } from '../../engine/results.mts';
import type { Instead } from './service.mts';
import { booksOf, endWorlds, EXACT, lines, OUT, world } from './world.mts';

endWorlds();

describe('a service whose head comes with the first byte', () => {
	it.each(['now', 'beginning'])(
		'start from %s, a log that is empty for minutes',
		async (startFrom) => {
			const w = await world({ lateHead: true }, { startFrom });
			await w.start();
			// From now on, a first line that comes between two tries looks like an old one: not judged here
			for (const wait of [startFrom === 'now' ? 20_000 : 100_000, 45_000, 200_000]) {
				await w.clock.pass(wait);
				w.service.write(OUT, `after ${wait}`);
				await w.clock.pass(5_000);
			}
			await w.clock.pass(60_000);
			expect(booksOf(w)).toEqual(EXACT);
		},
	);

	it('one of both streams never writes', async () => {
		const w = await world({ lateHead: true }, { streams: ['stdout', 'stderr'] });
		w.service.write(OUT, ...lines(10));
		await w.start();
		await w.clock.pass(600_000);
		w.service.write('c1/stderr', 'at last');
		await w.clock.pass(60_000);
		expect(booksOf(w)).toEqual(EXACT);
		expect(booksOf(w, 'c1/stderr')).toEqual(EXACT);
		// It is reported once that nothing answers; no second time in all these minutes
		expect(w.trigger.failures.length).toBeLessThanOrEqual(1);
	});
});

const PAGES: Record<string, Instead> = {
	'JSON error with 200': {
		headers: { 'content-type': 'application/json' },
		body: '{"detail":"upstream is starting"}',
	},
	'text with 200': {
		headers: { 'content-type': 'text/plain' },
		body: 'upstream connect error or disconnect/reset before headers',
	},
	'HTML as text': {
		headers: { 'content-type': 'text/plain' },
		body: '<!DOCTYPE html><html><body>Bad gateway</body></html>',
	},
	'an empty body': { headers: { 'content-type': 'text/event-stream' } },
	'comments without end': {
		headers: { 'content-type': 'text/event-stream' },
		body: ': ping\n\n',
		isOpen: true,
	},
	'no content': { status: 204 },
	redirect: { status: 302, headers: { location: '/login' } },
	HTML: { headers: { 'content-type': 'text/html' }, body: '<html>' },
};
describe.each(Object.entries(PAGES))('a gateway that answers with %s', (name, page) => {
	it.each([5, 60])('for minutes, log of %i lines', async (count) => {
		const w = await world();
		w.service.write(OUT, ...lines(count));
		await w.start();
		await w.clock.pass(10_000);
		w.service.ways.instead = () => page;
		w.service.cutAll();
		w.service.write(OUT, ...lines(7, count));
		await w.clock.pass(240_000);
		w.service.ways.instead = () => undefined;
		w.service.write(OUT, ...lines(7, count + 7));
		await w.clock.pass(400_000);
		const isText = /JSON|text/.test(name);
		const { lost, again } = booksOf(w);
		// What says to be a log is one: its text is delivered, and a log of few lines may come again after it
		expect(isText ? [] : again).toEqual([]);
		expect(lost).toEqual([]);
	});

	it.each([0, 1, 2, 3, 4])(
		'while a replaced container is looked for, from connection %i on',
		async (nth) => {
			const w = await world({ offset: 'entries' });
			w.service.write(OUT, ...lines(150));
			await w.start();
			await w.clock.pass(5_000);
			w.service.cutAll();
			await w.clock.pass(5_000);
			w.service.ways.instead = () => ({ status: 503 });
			w.service.cutAll();
			w.service.replace(OUT);
			w.service.write(OUT, ...lines(200, 0, 'other'));
			await w.clock.pass(5_000);
			const from = w.service.connections.length + nth;
			const at = w.clock.elapsed;
			w.service.ways.instead = ({ index }) =>
				index >= from && w.clock.elapsed < at + 50_000 ? page : undefined;
			await w.clock.pass(90_000);
			w.service.cutAll();
			await w.clock.pass(400_000);
			w.service.write(OUT, ...lines(7, 200, 'other'));
			await w.clock.pass(30_000);
			expect(booksOf(w).lost).toEqual([]);
		},
	);
});

describe('Get Many', () => {
	const node = (parameters = {}) =>
		caas('log', 'getAll', {
			deploymentId: locator('d1'),
			containerId: locator('c1'),
			stream: 'stdout',
			returnAll: false,
			limit: 50,
			maxWaitSeconds: 5,
			options: {},
			...parameters,
		});

	it('an answer that is cut says so, and another one has all lines', async () => {
		const w = await world({ ends: true });
		w.service.write(OUT, ...lines(100));
		w.service.ways.view = (log) => log.slice(0, 30);
		const ended = jsonOf(await w.clock.during(w.engine.run(node())));
		expect(ended.map(({ line }) => line)).toEqual(lines(30));
		w.service.ways.ends = false;
		w.service.ways.lifeMs = 1_000;
		const cut = jsonOf(await w.clock.during(w.engine.run(node())));
		expect(cut.at(-1)).toMatchObject({ line: 'step 29', broken_off: true });
		w.service.ways.view = (log) => log;
		const all = jsonOf(await w.clock.during(w.engine.run(node())));
		expect(all.map(({ line }) => line)).toEqual(lines(50));
	});

	it('last lines of a service that sends in bursts', async () => {
		const w = await world({ offset: 'new' });
		for (let burst = 0; burst < 3; burst++)
			w.clock.after(200 + burst * 600, () => w.service.write(OUT, ...lines(30, burst * 30)));
		const tail = node({ limit: 5, maxWaitSeconds: 30, options: { tail: true } });
		const run = await w.clock.during(w.engine.run(tail));
		expect(jsonOf(run).map(({ line }) => line)).toEqual(lines(5, 85));
	});

	it.each(Object.entries(PAGES))('a gateway that answers with %s', async (name, page) => {
		const w = await world();
		w.service.ways.instead = () => page;
		const run = await w.clock.during(w.engine.run(node()));
		const { error } = run.data.resultData;
		const words: Record<string, RegExp> = {
			HTML: /web page/,
			'HTML as text': /web page/,
			'JSON error with 200': /upstream is starting/,
			redirect: /redirects/,
		};
		expect(error?.message ?? '').toMatch(words[name] ?? /^$/);
	});
});

describe('a compressing proxy', () => {
	it('whose chunks end within characters', async () => {
		const w = await world();
		w.service.ways.instead = ({ key, offset = 0, response }) => {
			const log = (w.service.logs.get(key) ?? []).slice(offset);
			const text = log.map((line) => `data: ${line}\n\n`).join('');
			const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
			response.writeHead(200, headers);
			const bytes = gzipSync(text);
			for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7));
			response.end();
			w.clock.busyUntil = Date.now() + 300;
			return { isSent: true };
		};
		const line = (index: number) => `${index} é€😀 \u0000 \uFEFF ${'𝄞'.repeat(index)}`;
		w.service.write(OUT, ...Array.from({ length: 50 }, (_, index) => line(index)));
		await w.start();
		for (let turn = 50; turn < 54; turn++) {
			await w.clock.pass(8_000);
			w.service.write(OUT, line(turn));
		}
		// What is decompressed in threads of its own may take longer than the clock knows
		for (let turn = 0; turn < 360 && booksOf(w).lost.length > 0; turn++) await w.clock.pass(10_000);
		await w.clock.pass(60_000);
		expect(booksOf(w)).toEqual(EXACT);
	});
});
