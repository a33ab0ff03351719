import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { afterEach } from 'vitest';
import { startEngine } from '../../engine/engine.mts';
import { ClockD } from '../logs/clockD.mts';
import { userOf } from '../logs/user.mts';

/** One request for a log, and the means to answer it. */
export interface Call {
	index: number;
	/** What stands in the query; undefined where it has none. */
	offset: number | undefined;
	lastEventId: string | undefined;
	stream: string;
	container: string;
	at: number;
	response: ServerResponse;
	wait(ms: number): Promise<void>;
	/** Opens an event stream, or something else. */
	open(type?: string, status?: number): void;
	/** Sends entries in the usual frame. */
	send(...lines: string[]): void;
	/** Sends entries from there on as they are written, until the connection is closed or another log takes the place. */
	follow(log: Log, from: number, frame?: (line: string, index: number) => string): Promise<void>;
}

export const sse = (line: string): string => `data: ${line}\n\n`;
export const bare = (line: string): string => `${line}\n`;

/** What a container writes. */
export class Log {
	/** All that was ever written, and what the service has now. */
	readonly written: string[] = [];
	lines: string[] = [];
	private waiters: Array<() => void> = [];

	constructor(...lines: string[]) {
		this.write(...lines);
	}

	write(...lines: string[]): void {
		this.written.push(...lines);
		this.lines.push(...lines);
		this.wake();
	}

	restart(...lines: string[]): void {
		this.lines = [];
		this.write(...lines);
	}

	wake(): void {
		for (const waiter of this.waiters.splice(0)) waiter();
	}

	async change(response: ServerResponse): Promise<void> {
		await new Promise<void>((resolve) => {
			this.waiters.push(resolve);
			response.once('close', resolve);
		});
	}
}

export type Handler = (call: Call) => Promise<void> | void;

/** A service that sends a log from the offset on, and follows it. */
export const following =
	(log: Log): Handler =>
	async (call) => {
		call.open();
		await call.follow(log, call.offset ?? 0);
	};

const LONG_MS = 3_000_000;
const closers: Array<() => Promise<void>> = [];

async function listen(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const API_KEY = 'k5-3f9a1c77e0b24d58a6-api';
const TOKEN = 't5-90c2e4b6a8d01f3355-token';
export const SECRETS = { apiKey: API_KEY, token: TOKEN };

export async function startWorld(handler: Handler) {
	const clock = new ClockD();
	const calls: Call[] = [];
	const sockets = new Set<unknown>();
	const open = new Set<ServerResponse>();
	const world = { handler, deployment: { status: 'running' } as IDataObject };
	const server = createServer((request, response) => {
		const url = new URL(request.url ?? '', 'http://127.0.0.1');
		const [, container] = /\/log\/([^/]+)$/.exec(url.pathname) ?? [];
		if (container === undefined)
			return void response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ data: { id: 'd1', ...world.deployment } }));
		const given = url.searchParams.get('offset');
		const call: Call = {
			index: calls.length,
			offset: given === null ? undefined : Number(given),
			lastEventId: request.headers['last-event-id'] as string | undefined,
			stream: url.searchParams.get('stream') ?? 'stdout',
			container,
			at: clock.at,
			response,
			async wait(ms) {
				if (ms <= 0) return;
				const isHeld = !response.headersSent;
				if (isHeld) clock.held++;
				await clock.wait(ms);
				if (isHeld) clock.held--;
			},
			open(type = 'text/event-stream', status = 200) {
				response.writeHead(status, type === '' ? {} : { 'content-type': type }).flushHeaders();
			},
			send(...lines) {
				if (lines.length > 0) response.write(lines.map(sse).join(''));
			},
			async follow(log, from, frame = sse) {
				const { lines } = log;
				for (let at = from; ;) {
					if (response.destroyed || response.writableEnded) return;
					if (log.lines !== lines) return void response.end();
					const next = lines.slice(at);
					if (next.length > 0) response.write(next.map((line, i) => frame(line, at + i)).join(''));
					at = Math.max(at, lines.length);
					await log.change(response);
				}
			},
		};
		calls.push(call);
		open.add(response);
		response.once('close', () => open.delete(response));
		void Promise.resolve(world.handler(call)).catch(() => response.destroy());
	});
	server.on('connection', (socket) => {
		sockets.add(socket);
		socket.once('close', () => sockets.delete(socket));
	});
	const baseUrl = await listen(server);
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl, service: 'svc', apiKey: API_KEY },
		},
		'compute-token': {
			type: 'computeMarketplaceTokenApi',
			data: { baseUrl, service: 'svc', accessToken: TOKEN },
		},
	});
	const user = userOf(engine, clock, LONG_MS);
	closers.push(async () => {
		try {
			await user.deactivateAll();
		} finally {
			clock.restore();
			server.closeAllConnections();
			server.close();
		}
	});
	return Object.assign(world, {
		clock,
		calls,
		open,
		sockets,
		cut: () => open.forEach((response) => response.destroy()),
		end: () => open.forEach((response) => response.headersSent && response.end()),
		...user,
	});
}

/** Ends the worlds of each test in this file with it. */
export function endWorlds(): void {
	afterEach(async () => {
		for (const close of closers.splice(0).reverse()) await close();
	});
}

/** Lines that differ. */
export function unique(count: number, from = 0, name = 'line'): string[] {
	return Array.from({ length: count }, (_, index) => `${name} ${from + index} of the job`);
}

/** What was lost, what came more often than it was written, and what was never written. */
export function compare(written: readonly string[], came: readonly string[]) {
	const count = (list: readonly string[]) =>
		list.reduce((sum, one) => sum.set(one, (sum.get(one) ?? 0) + 1), new Map<string, number>());
	const [wanted, got] = [count(written), count(came)];
	let repeated = 0;
	for (const [line, times] of got) repeated += Math.max(0, times - (wanted.get(line) ?? times));
	return {
		lost: [...wanted].filter(([line, times]) => (got.get(line) ?? 0) < times).map(([line]) => line),
		repeated,
		foreign: [...got.keys()].filter((line) => !wanted.has(line)),
	};
}

export const NOTHING = { lost: [], repeated: 0, foreign: [] };
