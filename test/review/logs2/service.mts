import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { afterEach } from 'vitest';
import { manualClock } from '../../sandbox/index.mts';
import { waitOn } from '../../sandbox/core/clock.mts';
import { outputOf, startEngine, type Engine } from '../../engine/engine.mts';
import { LOG_PATH, logsTrigger } from '../../engine/logs.mts';
import { caas, locator } from '../../engine/nodes.mts';
import { startServer } from '../../engine/server.mts';
import { ActiveTrigger, type Consume } from '../../engine/trigger.mts';
import { VirtualTime } from '../../engine/virtualTime.mts';

/** One request for a log, and the means to answer it. */
export interface LogCall {
	request: IncomingMessage;
	response: ServerResponse;
	/** Its place among the requests for a log, from 0. */
	index: number;
	/** When it came, by the clock of the world. */
	at: number;
	/** The query parameter `offset`; undefined where it was not sent. */
	offset: number | undefined;
	query: URLSearchParams;
	path: string;
	/** Begins an event stream; the head leaves at once. */
	head(contentType?: string, headers?: Record<string, string>): void;
	/** Sends each text as an event. */
	send(...lines: string[]): void;
	wait(ms: number): Promise<void>;
}

/** A service of the contract whose log calls a test answers, on a clock of its own. */
export interface World {
	calls: LogCall[];
	time: VirtualTime;
	engine: Engine;
	data: IDataObject;
	/** Answers of the deployment; change it to end the deployment. */
	deployment: { status: string };
	/** Open answers. */
	open: Set<LogCall>;
	/** Breaks the open connections. */
	cut(): void;
	trigger(parameters?: IDataObject, consume?: Consume): ActiveTrigger;
	activate(trigger: ActiveTrigger, mode?: 'activate' | 'init'): Promise<void>;
	deactivate(trigger: ActiveTrigger): Promise<void>;
	/** Log > Get Many: its items, and how long it took on the clock. */
	getMany(parameters?: IDataObject): Promise<{ items: IDataObject[]; tookMs: number }>;
	now(): number;
}

const LONGEST_MS = 600_000;
const closers: Array<() => Promise<void>> = [];

/** Starts a service; it ends with the test. */
export async function openWorld(answer: (call: LogCall) => void | Promise<void>): Promise<World> {
	const clock = manualClock();
	const open = new Set<LogCall>();
	const calls: LogCall[] = [];
	const deployment = { status: 'running' };
	/** Requests whose answers wait for the clock. */
	let held = 0;
	const server = await startServer((request, response) => {
		const url = new URL(request.url ?? '', 'http://127.0.0.1');
		if (!LOG_PATH.test(url.pathname))
			return void response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ data: { id: 'd1', ...deployment } }));
		const given = url.searchParams.get('offset');
		const call: LogCall = {
			request,
			response,
			index: calls.length,
			at: clock.now(),
			offset: given === null ? undefined : Number(given),
			query: url.searchParams,
			path: url.pathname,
			head: (contentType = 'text/event-stream', headers = {}) =>
				response.writeHead(200, { 'content-type': contentType, ...headers }).flushHeaders(),
			send: (...lines) => void response.write(lines.map((line) => `data: ${line}\n\n`).join('')),
			async wait(ms) {
				const isHeld = !response.headersSent;
				if (isHeld) held++;
				await waitOn(clock, ms, new AbortController().signal);
				if (isHeld) held--;
			},
		};
		calls.push(call);
		open.add(call);
		response.once('close', () => open.delete(call));
		void answer(call);
	});
	const time = new VirtualTime(clock, () => held);
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
	const active: ActiveTrigger[] = [];
	closers.push(async () => {
		for (const trigger of active.splice(0)) await time.during(trigger.deactivate(), LONGEST_MS);
		time.restore();
		await server.close();
	});
	return {
		calls,
		time,
		engine,
		data,
		deployment,
		open,
		cut: () => open.forEach(({ response }) => response.destroy()),
		trigger: (parameters, consume) => new ActiveTrigger(engine, logsTrigger(parameters), consume),
		async activate(trigger, mode = 'activate') {
			active.push(trigger);
			await time.during(trigger.activate(mode), LONGEST_MS);
		},
		async deactivate(trigger) {
			active.splice(active.indexOf(trigger), 1);
			await time.during(trigger.deactivate(), LONGEST_MS);
		},
		async getMany(parameters = {}) {
			const node = caas('log', 'getAll', {
				deploymentId: locator('d1'),
				containerId: locator('c1'),
				stream: 'stdout',
				limit: 50,
				maxWaitSeconds: 5,
				...parameters,
			});
			const at = clock.now();
			const run = await time.during(engine.run(node), 4_000_000);
			const tookMs = clock.now() - at;
			return { items: outputOf(run).map(({ json }) => json), tookMs };
		},
		now: () => clock.now(),
	};
}

/** Ends the worlds of each test in this file with it. */
export function endWorlds(): void {
	afterEach(async () => {
		for (const close of closers.splice(0).reverse()) await close();
	});
}

/** What became of the lines of a log: all of them once and in order where each number is 0. */
export function fateOf(log: string[], delivered: string[]) {
	const counts = new Map<string, number>();
	for (const line of delivered) counts.set(line, (counts.get(line) ?? 0) + 1);
	const places = delivered.map((line) => log.indexOf(line)).filter((place) => place >= 0);
	return {
		lost: log.filter((line) => !counts.has(line)).length,
		repeated: [...counts].reduce(
			(sum, [line, count]) => sum + (log.includes(line) ? count - 1 : 0),
			0,
		),
		foreign: delivered.filter((line) => !log.includes(line)).length,
		backward: places.filter((place, index) => index > 0 && place < (places[index - 1] ?? 0)).length,
	};
}

/** How many lines were lost, and how many came more often than they were written: for logs with equal lines. */
export function difference(
	written: string[],
	delivered: string[],
): { lost: number; repeated: number } {
	const left = new Map<string, number>();
	for (const line of written) left.set(line, (left.get(line) ?? 0) + 1);
	for (const line of delivered) left.set(line, (left.get(line) ?? 0) - 1);
	const counts = [...left.values()];
	return {
		lost: counts.reduce((sum, count) => sum + Math.max(0, count), 0),
		repeated: counts.reduce((sum, count) => sum + Math.max(0, -count), 0),
	};
}

export const EXACT = { lost: 0, repeated: 0 };

export const WELL = { lost: 0, repeated: 0, foreign: 0, backward: 0 };

/** Units of offsets in which entries have a place. */
export const UNITS = ['entries', 'bytes', 'eventId'] as const;
export type Unit = (typeof UNITS)[number];

/** The options of a trigger for a service that counts so. */
export function optionsOf({ unit = 'entries' }: { unit?: Unit }): IDataObject {
	return unit === 'entries' ? {} : { offsetUnit: unit };
}

/** Most log requests in any second. */
export function peakOf({ calls }: World): number {
	let first = 0;
	let most = 0;
	calls.forEach(({ at }, index) => {
		while ((calls[first]?.at ?? at) <= at - 1_000) first++;
		most = Math.max(most, index - first + 1);
	});
	return most;
}
