import { describe, expect, it } from 'vitest';
import { booksOf, endWorlds, EXACT, lines, OUT, world } from './world.mts';

endWorlds();

describe('a proxy that cuts every connection', () => {
	it('follows a quiet log for hours', async () => {
		const w = await world({ lifeMs: 30_000 });
		w.service.write(OUT, ...lines(50));
		await w.start();
		await w.clock.pass(1_800_000);
		w.service.write(OUT, ...lines(5, 50));
		await w.clock.pass(40_000);
		expect(booksOf(w)).toEqual(EXACT);
		expect(w.trigger.failures).toEqual([]);
	});

	it.each(['now', 'newest'])(
		'starts from %s although lines never stop and no connection lives 8 s',
		async (startFrom) => {
			const w = await world({ lifeMs: 8_000 }, { startFrom, newestLines: 5 });
			w.service.write(OUT, ...lines(50));
			let next = 50;
			const tick = () => {
				w.service.write(OUT, `step ${next++}`);
				w.clock.after(500, tick);
			};
			tick();
			await w.start();
			await w.clock.pass(180_000);
			// Whatever was there in the first minute may be left out
			expect(w.trigger.lines.length).toBeGreaterThan(200);
		},
	);
});

describe('an idle timeout that is shorter than the service is slow', () => {
	it.each([1, 2, 5, 30])(
		'%i s: a container that is replaced while there is no connection',
		async (idleTimeout) => {
			const w = await world({}, { options: { idleTimeout } });
			w.service.write(OUT, ...lines(50));
			await w.start();
			await w.clock.pass(10_000);
			w.service.ways.instead = () => ({ status: 503 });
			w.service.cutAll();
			w.service.replace(OUT);
			w.service.write(OUT, ...lines(10, 0, 'other'));
			await w.clock.pass(5_000);
			w.service.ways.instead = () => undefined;
			await w.clock.pass(400_000);
			w.service.write(OUT, ...lines(3, 10, 'other'));
			await w.clock.pass(400_000);
			expect(booksOf(w)).toEqual(EXACT);
		},
	);

	it.each([2, 5, 20])(
		'%i s: the other container begins with the same lines',
		async (idleTimeout) => {
			const w = await world({}, { options: { idleTimeout } });
			w.service.write(OUT, ...lines(40));
			await w.start();
			await w.clock.pass(10_000);
			w.service.ways.instead = () => ({ status: 503 });
			w.service.cutAll();
			w.service.replace(OUT);
			w.service.write(OUT, ...lines(20));
			await w.clock.pass(5_000);
			w.service.ways.instead = () => undefined;
			await w.clock.pass(400_000);
			w.service.write(OUT, ...lines(3, 10, 'other'));
			await w.clock.pass(400_000);
			expect(booksOf(w).lost).toEqual([]);
		},
	);

	it('start from now, no line yet', async () => {
		const w = await world({}, { startFrom: 'now', options: { idleTimeout: 2 } });
		await w.start();
		await w.clock.pass(60_000);
		w.service.write(OUT, 'first');
		await w.clock.pass(60_000);
		w.service.write(OUT, 'second');
		await w.clock.pass(60_000);
		expect(booksOf(w)).toEqual(EXACT);
	});
});

describe('a deployment that is said to be completed for a moment', () => {
	it.each([500, 4_000, 12_000])('%i ms', async (momentMs) => {
		const w = await world({ ends: true });
		w.service.write(OUT, ...lines(50));
		await w.start();
		await w.clock.pass(30_000);
		const from = w.clock.elapsed;
		w.service.ways.status = () => (w.clock.elapsed - from < momentMs ? 'completed' : 'running');
		await w.clock.pass(120_000);
		w.service.write(OUT, ...lines(5, 50));
		await w.clock.pass(120_000);
		expect(booksOf(w)).toEqual(EXACT);
	});

	it('while the log is refused', async () => {
		const w = await world({});
		w.service.write(OUT, ...lines(50));
		await w.start();
		await w.clock.pass(30_000);
		const from = w.clock.elapsed;
		w.service.ways.instead = () => ({ status: 503 });
		w.service.ways.status = () => (w.clock.elapsed - from < 20_000 ? 'completed' : 'running');
		w.service.cutAll();
		await w.clock.pass(120_000);
		w.service.ways.instead = () => undefined;
		w.service.write(OUT, ...lines(5, 50));
		await w.clock.pass(120_000);
		expect(booksOf(w)).toEqual(EXACT);
	});
});

describe('the wall clock is set', () => {
	it.each([-3_600_000, 3_600_000])('by %i ms while a line waits for its batch', async (jump) => {
		const w = await world({}, { batch: { maxEntries: 100, maxWaitMs: 1_000 } });
		w.service.write(OUT, ...lines(50));
		await w.start();
		await w.clock.pass(10_000);
		w.service.write(OUT, 'the last words');
		await w.clock.pass(500);
		w.clock.wall += jump;
		await w.clock.pass(60_000);
		expect(booksOf(w)).toEqual(EXACT);
	});

	it('back by an hour, with a dead connection', async () => {
		const w = await world({});
		w.service.write(OUT, ...lines(50));
		await w.start();
		await w.clock.pass(10_000);
		w.clock.wall -= 3_600_000;
		const { view } = w.service.ways;
		const before = w.service.connections.length;
		w.service.ways.view = (log, { index }) => (index < before ? [] : log);
		w.service.write(OUT, ...lines(5, 50));
		w.service.ways.view = (log, connection) =>
			connection.index < before && log.length === 1 ? [] : view(log, connection);
		await w.clock.pass(700_000);
		expect(booksOf(w)).toEqual(EXACT);
	});
});
