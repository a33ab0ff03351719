import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { LOG_PATH, logsTrigger, numbered } from '../engine/logs.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { VirtualTime } from '../engine/virtualTime.mts';
import { manualClock } from '../sandbox/index.mts';
import { waitOn } from '../sandbox/core/clock.mts';

/** How a service of one log behaves that is late, or has little left of the log. */
interface Habits {
	ignoresOffset?: boolean;
	/** Refuses an offset beyond the end of the log. */
	refusal?: 400 | 404 | 416 | 422;
	/** Pauses so long after so many lines of each answer. */
	pause?: { after: number; ms: number };
}

const clock = manualClock();
const ends: Array<() => Promise<void>> = [];
afterEach(async () => {
	for (const end of ends.splice(0).reverse()) await end();
});

async function follow(habits: Habits, lines: string[]) {
	const log = { lines };
	const open = new Set<ServerResponse>();
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? '', 'http://127.0.0.1');
		if (!LOG_PATH.test(url.pathname))
			return void response
				.setHeader('content-type', 'application/json')
				.end('{"data":{"status":"running"}}');
		const offset = habits.ignoresOffset ? 0 : Number(url.searchParams.get('offset'));
		if (habits.refusal && offset > log.lines.length)
			return void response.writeHead(habits.refusal).end();
		response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
		void send(response, log.lines.slice(offset));
	}).listen(0, '127.0.0.1');
	const send = async (response: ServerResponse, all: string[]) => {
		const { after, ms } = habits.pause ?? { after: all.length, ms: 0 };
		response.write(events(all.slice(0, after)));
		await waitOn(clock, ms, new AbortController().signal);
		response.write(events(all.slice(after)));
		open.add(response);
	};
	await once(server, 'listening');
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const time = new VirtualTime(clock);
	const data = {
		baseUrl,
		service: 'svc',
		apiKey: 'key-of-late-logs',
		accessToken: 'token-of-late',
	};
	const engine = await startEngine({
		'compute-marketplace': { type: 'computeMarketplaceApi', data },
		'compute-token': { type: 'computeMarketplaceTokenApi', data },
	});
	const trigger = new ActiveTrigger(engine, logsTrigger());
	await time.during(trigger.activate(), 60_000);
	ends.push(async () => {
		server.close();
		server.closeAllConnections();
	});
	ends.push(async () => {
		await time.during(trigger.deactivate(), 60_000);
		time.restore();
	});
	return {
		trigger,
		time,
		cut: () => {
			open.forEach((response) => response.destroy());
			open.clear();
		},
		/** The container writes another log. */
		rotate: (next: string[]) => (log.lines = next),
		append: (line: string) => {
			log.lines.push(line);
			open.forEach((response) => response.write(events([line])));
		},
	};
}

const events = (lines: string[]) => lines.map((line) => `data: ${line}\n\n`).join('');

describe('a new log', () => {
	it.each([400, 404, 416, 422] as const)(
		'that is shorter than the offset is delivered where the service refuses that with %d',
		async (refusal) => {
			const { trigger, time, cut, rotate } = await follow({ refusal }, numbered(60));
			expect(await time.until(() => trigger.lines.length === 60, 30_000)).toBe(true);
			const lines = numbered(9, 60);
			rotate(lines);
			cut();
			expect(await time.until(() => trigger.lines.length >= 69, 120_000)).toBe(true);
			expect(trigger.lines).toEqual([...numbered(60), ...lines]);
			expect(trigger.failures).toEqual([]);
		},
	);

	it('comes while it is written, however long the one before it was', async () => {
		const { trigger, time, cut, rotate, append } = await follow(
			{ ignoresOffset: true },
			numbered(3_000),
		);
		expect(await time.until(() => trigger.lines.length === 3_000, 30_000)).toBe(true);
		cut();
		await time.pass(20_000);
		rotate(numbered(6, 3_000));
		cut();
		for (let line = 3_006; line < 3_036; line++) {
			append(`line ${line}`);
			await time.pass(3_000);
		}
		expect(await time.until(() => trigger.lines.length >= 3_036, 2_000)).toBe(true);
		expect(trigger.lines).toEqual(numbered(3_036));
	});
});

describe('a service that is slow', () => {
	it('repeats nothing where it pauses after the first line, at its beginning, too', async () => {
		const habits: Habits = {};
		const { trigger, time, cut, append } = await follow(habits, numbered(400));
		expect(await time.until(() => trigger.lines.length === 400, 30_000)).toBe(true);
		habits.pause = { after: 1, ms: 2_500 };
		cut();
		await time.pass(60_000);
		append('line 400');
		await time.pass(60_000);
		expect(trigger.lines).toEqual(numbered(401));
	});
});
