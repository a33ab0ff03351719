import type { ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { afterEach, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { numbered } from '../engine/logs.mts';
import { caas, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { startServer } from '../engine/server.mts';
import { VirtualTime } from '../engine/virtualTime.mts';
import { waitOn } from '../sandbox/core/clock.mts';
import { manualClock } from '../sandbox/index.mts';

interface Call {
	response: ServerResponse;
	/** Its place among the requests, from 0. */
	index: number;
	/** 0 where none was sent. */
	offset: number;
	hasOffset: boolean;
	/** Begins an event stream with these lines. */
	send(lines: string[]): void;
	/** Waits on the clock of the package. */
	wait(ms: number): Promise<void>;
}

let close: (() => Promise<void>) | undefined;
afterEach(async () => await close?.());

/** Log > Get Many on a service whose answers a test gives, on a clock of its own. */
async function reading(answer: (call: Call) => unknown) {
	const clock = manualClock();
	let held = 0;
	const { url, requests, ...server } = await startServer((request, response) => {
		const offset = new URL(String(request.url), 'http://x').searchParams.get('offset');
		void answer({
			response,
			index: requests.length - 1,
			offset: Number(offset),
			hasOffset: offset !== null,
			send(lines) {
				if (!response.headersSent)
					response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
				response.write(lines.map((line) => `data: ${line}\n\n`).join(''));
			},
			async wait(ms) {
				const isHeld = !response.headersSent;
				if (isHeld) held++;
				await waitOn(clock, ms, new AbortController().signal);
				if (isHeld) held--;
			},
		});
	});
	const time = new VirtualTime(clock, () => held);
	close = async () => {
		time.restore();
		await server.close();
	};
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: url, service: 'svc', apiKey: 'key-of-log-reads' },
		},
	});
	return async (maxWaitSeconds: number, options: IDataObject = {}, limit = 50) => {
		const begunAt = clock.now();
		requests.length = 0;
		const node = caas('log', 'getAll', {
			deploymentId: locator('d1'),
			containerId: locator('c1'),
			stream: 'stdout',
			limit,
			maxWaitSeconds,
			options,
		});
		const run = await time.during(engine.run(node), 600_000);
		return { run, seconds: (clock.now() - begunAt) / 1000, requests: requests.length };
	};
}

const linesOf = ({ run }: { run: Parameters<typeof jsonOf>[0] }) =>
	jsonOf(run).map(({ line }) => line);

it('joins the answers of a service that ends each after 20 lines, and filters all of them', async () => {
	const log = numbered(53);
	const read = await reading(({ offset, send, response }) => {
		send(log.slice(offset, offset + 20));
		response.end();
	});
	const all = jsonOf((await read(5, {}, 100)).run);
	expect(all.map(({ line, offset }) => [line, offset])).toEqual(log.map((line, at) => [line, at]));
	const tens = [0, 10, 20, 30, 40, 50].map((at) => `line ${at}`);
	expect(linesOf(await read(5, { include: '0$' }))).toEqual(tens);
	expect(linesOf(await read(5, { include: '0$', exclude: '[1-3]0' }))).toEqual(
		[0, 40, 50].map((at) => `line ${at}`),
	);
	expect(linesOf(await read(5, { tail: true }, 2))).toEqual(numbered(2, 51));
});

it('waits through a silence within Max Wait; the last lines are there once it is silent', async () => {
	const read = await reading(async ({ send, wait }) => {
		send(numbered(2));
		await wait(4_000);
		send(['late']);
	});
	const all = await read(10);
	expect(linesOf(all)).toEqual([...numbered(2), 'late']);
	expect(all.seconds).toBeCloseTo(10, 0);
	const last = await read(10, { tail: true });
	expect(linesOf(last)).toEqual(numbered(2));
	expect(last.seconds).toBeLessThan(2);
});

it.each([
	['ignores the offset', () => 0, [0, 1, 2]],
	['honours it', (offset: number) => offset, [5, 6, 7]],
])('lines of a service that %s have the offset that they have', async (_, placeOf, offsets) => {
	const log = numbered(9);
	const read = await reading(({ offset, send, response }) => {
		send(log.slice(placeOf(offset)));
		response.end();
	});
	const items = jsonOf((await read(5, { offset: 5 }, 3)).run);
	expect(items.map(({ line, offset }) => [line, offset])).toEqual(
		offsets.map((at) => [`line ${at}`, at]),
	);
});

it('the first line is read where the offset 0 leaves it out, as the ID of the last event', async () => {
	const read = await reading(({ hasOffset, offset, response }) => {
		const log = numbered(4).map((line, id) => `id: ${id}\ndata: ${line}\n\n`);
		response.setHeader('content-type', 'text/event-stream');
		response.end(log.slice(hasOffset ? offset + 1 : 0).join(''));
	});
	expect(linesOf(await read(5))).toEqual(numbered(4));
});

it.each([
	[4, 4],
	// The first answer has three seconds in any case
	[1, 3],
])('a service that does not answer is asked once, with a Max Wait of %d', async (wait, waited) => {
	const read = await reading(async (call) => await call.wait(600_000));
	const { run, seconds, requests } = await read(wait);
	expect(errorOf(run).message).toContain(`did not answer within ${waited} seconds (Max Wait)`);
	expect([requests, Math.round(seconds)]).toEqual([1, waited]);
});

it('the first answer has three seconds, however short Max Wait is', async () => {
	const read = await reading(async ({ send, wait, response }) => {
		await wait(2_500);
		send(['slow']);
		response.end();
	});
	expect(linesOf(await read(1))).toEqual(['slow']);
});

it('a further answer that does not come ends with Max Wait, and is no error', async () => {
	const read = await reading(async ({ index, send, wait, response }) => {
		if (index > 0) await wait(60_000);
		send(numbered(4));
		response.end();
	});
	const { run, seconds } = await read(2);
	expect(jsonOf(run).map(({ line, broken_off: broken }) => [line, broken])).toEqual(
		numbered(4).map((line) => [line, undefined]),
	);
	expect(seconds).toBeCloseTo(2, 0);
});
