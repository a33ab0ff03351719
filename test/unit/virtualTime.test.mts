import { once } from 'node:events';
import { get } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../engine/server.mts';
import { packageTime } from '../engine/time.mts';
import { VirtualTime } from '../engine/virtualTime.mts';
import { manualClock, startSandbox, type TestClock } from '../sandbox/index.mts';

let clock: TestClock;
let time: VirtualTime;

beforeEach(() => {
	clock = manualClock();
	time = new VirtualTime(clock);
});
afterEach(() => time.restore());

describe('the clock that jumps', () => {
	it('ends waits side by side, in the order of their ends', async () => {
		const start = clock.now();
		const ended: string[] = [];
		const wait = async (name: string, ms: number) => {
			await packageTime().delay(ms);
			ended.push(`${name} ${packageTime().now() - start}`);
		};
		await time.during(Promise.all([wait('hour', 3_600_000), wait('second', 1_000)]), 3_600_000);
		expect(ended).toEqual(['second 1000', 'hour 3600000']);
	});

	it('ends a wait early when its signal aborts', async () => {
		const start = clock.now();
		const controller = new AbortController();
		const waiting = packageTime().delay(60_000, controller.signal);
		await time.pass(500);
		controller.abort();
		await waiting;
		expect(clock.now() - start).toBe(500);
	});

	it('stands still while an answer is on its way', async () => {
		const server = await startServer((_request, response) =>
			setTimeout(() => response.end('late'), 50),
		);
		const start = clock.now();
		const answered = new Promise((resolve) =>
			get(server.url, (response) => {
				response.resume();
				resolve(clock.now() - start);
			}),
		);
		const deadline = packageTime().deadline(1_000);
		expect(await time.during(answered, 10_000)).toBe(0);
		expect(deadline.aborted).toBe(false);
		await time.pass(1_000);
		expect(deadline.aborted).toBe(true);
		await server.close();
	});

	it('stands still while bytes are written and not read', async () => {
		const server = await startServer((_request, response) => response.end('x'.repeat(8_000_000)));
		const start = clock.now();
		const read = new Promise<number>((resolve) =>
			get(server.url, async (response) => {
				for (let turn = 0; turn < 100; turn++) await setImmediate();
				let bytes = 0;
				for await (const chunk of response) bytes += (chunk as Buffer).length;
				resolve(bytes);
			}),
		);
		const deadline = packageTime().deadline(1_000);
		expect(await time.during(read, 10_000)).toBe(8_000_000);
		expect([clock.now() - start, deadline.aborted]).toEqual([0, false]);
		await server.close();
	});

	it('stands still while bytes come late to one that reads', async () => {
		const server = await startServer((_request, response) => {
			response.flushHeaders();
			setTimeout(() => {
				// Written, and not gone for longer than a reader that has paused is waited for
				response.socket?.cork();
				response.write('late');
				setTimeout(() => response.socket?.uncork(), 600);
			}, 1);
		});
		const start = clock.now();
		const read = new Promise((resolve) =>
			get(server.url, async (response) => {
				const [chunk] = (await once(response, 'data')) as [Buffer];
				resolve([chunk.toString(), clock.now() - start]);
			}),
		);
		packageTime()
			.deadline(1_000)
			.addEventListener('abort', () => undefined);
		expect(await time.during(read, 10_000)).toEqual(['late', 0]);
		await server.close();
	});

	it('goes on where a reader has paused', async () => {
		const server = await startServer((_request, response) => response.end('x'.repeat(8_000_000)));
		const paused = once(get(server.url), 'response');
		await time.during(paused, 1_000);
		const start = clock.now();
		await time.pass(60_000);
		expect(clock.now() - start).toBe(60_000);
		await server.close();
	});

	it.each([{ hang: true }, { delayMs: 90_000 }])(
		'goes on where a service holds: %j',
		async (fault) => {
			const sandbox = await startSandbox({ clock });
			time.restore();
			time = new VirtualTime(clock, () => sandbox.heldRequests());
			sandbox.faults.add(fault);
			const request = get(sandbox.url).on('error', () => undefined);
			const closed = new Promise((resolve) => request.on('close', resolve));
			await time.pass(60_000);
			expect(sandbox.heldRequests()).toBe(1);
			request.destroy();
			await closed;
			await time.settle();
			expect(sandbox.heldRequests()).toBe(0);
			await sandbox.close();
		},
	);

	it('does not stop at a deadline that nobody waits for any more', async () => {
		const start = clock.now();
		const [first, second] = [packageTime().deadline(1_000), packageTime().deadline(2_000)];
		const wait = packageTime().delay(3_000);
		const over = once(second, 'abort').then(() => [first.aborted, clock.now() - start]);
		expect(await time.during(over, 10_000)).toEqual([true, 2_000]);
		await time.during(wait, 10_000);
	});

	it('stands still during a moment of real time', async () => {
		const start = clock.now();
		const moment = new Promise((resolve) => setTimeout(() => resolve(clock.now() - start), 5));
		const deadline = packageTime().deadline(1_000);
		expect(await time.during(moment, 10_000)).toBe(0);
		expect(deadline.aborted).toBe(false);
	});

	it('says what is never done', async () => {
		await expect(time.during(new Promise(() => undefined), 1_000)).rejects.toThrow(
			'Not done after 1 s of the clock',
		);
	});

	it('gives the package its own clock back', () => {
		time.restore();
		expect(Math.abs(packageTime().now() - Date.now())).toBeLessThan(60_000);
	});
});
