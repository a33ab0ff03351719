import type { ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { afterEach } from 'vitest';
import { manualClock } from '../sandbox/index.mts';
import { waitOn } from '../sandbox/core/clock.mts';
import { startEngine } from './engine.mts';
import { LOG_PATH, logsTrigger } from './logs.mts';
import { startServer } from './server.mts';
import { ActiveTrigger, type Consume } from './trigger.mts';
import { VirtualTime } from './virtualTime.mts';

/** One request for a log. */
export interface LogRequest {
	/** What was requested; undefined where no offset was. */
	offset: number | undefined;
	/** Its place among the requests for the log, from 0. */
	index: number;
	/** Sends lines as events. */
	send(...lines: string[]): void;
	/** Sends text as it is. */
	write(text: string): void;
	end(): void;
	/** Waits on the clock of the test. */
	wait(ms: number): Promise<void>;
}

/** A trigger that follows one log, on a clock of its own. */
export interface Following {
	trigger: ActiveTrigger;
	time: VirtualTime;
	/** The offsets that were requested. */
	requested: Array<number | undefined>;
	/** Breaks the open connections. */
	cut(): void;
	/** Sends lines to the open connections. Returns how many there are. */
	tell(...lines: string[]): number;
}

const LONGEST_START_MS = 60_000;
const events = (lines: string[]) => lines.map((line) => `data: ${line}\n\n`).join('');

const ends: Array<() => Promise<void>> = [];

/**
 * Starts a service with one log, whose answers are those of a test, where the sandbox would not give them. The deployment runs.
 * @param answer answers a request for the log; without `end` the stream stays open
 * @param contentType of each answer; none where it is undefined
 */
export async function followService(
	answer: (request: LogRequest) => void | Promise<void>,
	parameters: IDataObject = {},
	contentType: string | undefined = 'text/event-stream',
	consume?: Consume,
): Promise<Following> {
	const clock = manualClock();
	const open = new Set<ServerResponse>();
	const requested: Array<number | undefined> = [];
	const server = await startServer((request, response) => {
		const url = new URL(request.url ?? '', 'http://127.0.0.1');
		if (!LOG_PATH.test(url.pathname))
			return void response
				.setHeader('content-type', 'application/json')
				.end('{"data":{"status":"running"}}');
		const given = url.searchParams.get('offset');
		const offset = given === null ? undefined : Number(given);
		requested.push(offset);
		response.writeHead(200, contentType ? { 'content-type': contentType } : {}).flushHeaders();
		open.add(response.once('close', () => open.delete(response)));
		void answer({
			offset,
			index: requested.length - 1,
			send: (...lines) => void response.write(events(lines)),
			write: (text) => void response.write(text),
			end: () => void response.end(),
			wait: async (ms) => await waitOn(clock, ms, new AbortController().signal),
		});
	});
	const time = new VirtualTime(clock);
	const data = {
		baseUrl: server.url,
		service: 'svc',
		apiKey: 'key-of-logs',
		accessToken: 'token-of-logs',
	};
	const engine = await startEngine({
		'compute-marketplace': { type: 'computeMarketplaceApi', data },
		'compute-token': { type: 'computeMarketplaceTokenApi', data },
	});
	const trigger = new ActiveTrigger(engine, logsTrigger(parameters), consume);
	ends.push(async () => {
		await time.during(trigger.deactivate(), LONGEST_START_MS);
		time.restore();
		await server.close();
	});
	await time.during(trigger.activate(), LONGEST_START_MS);
	return {
		trigger,
		time,
		requested,
		cut: () => open.forEach((response) => response.destroy()),
		tell: (...lines) => {
			open.forEach((response) => response.write(events(lines)));
			return open.size;
		},
	};
}

/** Deactivates the triggers of each test in this file when it ends. */
export function endServices(): void {
	afterEach(async () => {
		for (const end of ends.splice(0).reverse()) await end();
	});
}
