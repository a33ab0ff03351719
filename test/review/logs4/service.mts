import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { startEngine } from '../../engine/engine.mts';
import { ClockD } from '../logs/clockD.mts';
import { userOf } from '../logs/user.mts';

/** What stands in place of the log for one request. */
export type Glitch = number | 'ended' | 'open' | 'reset' | 'stuck';

/** How a service of the contract behaves; each may change at any time. */
export interface Rules {
	/** What it makes of the offset: entries, counted from one, bytes of the text, or nothing, and then it sends all or the last ones. */
	offset: 'entries' | 'one' | 'bytes' | 'ignored' | 'last';
	/** The answer to an offset beyond the end. */
	beyond: Glitch | 'log';
	/** Lines that it keeps, and those of one answer, which it ends then. */
	keeps: number;
	page: number;
	/** Whether it ends each answer with the log, and otherwise after how many new lines, or with a reset. */
	ends: boolean;
	cutAfter: number;
	frame: (line: string, id: number) => string;
	greeting: string;
	/** Time before the head, and before the first line. */
	headMs: number;
	lineMs: number;
	/** What comes in place of an answer. */
	glitch: (request: Request) => Glitch | undefined;
	type: string;
}

export interface Request {
	index: number;
	offset: number | undefined;
	stream: string;
	container: string;
	at: number;
}

const RULES: Rules = {
	offset: 'entries',
	beyond: 'log',
	keeps: Infinity,
	page: Infinity,
	ends: false,
	cutAfter: Infinity,
	frame: (line) => `data: ${line}\n\n`,
	greeting: '',
	headMs: 0,
	lineMs: 0,
	glitch: () => undefined,
	type: 'text/event-stream',
};
const LONG_MS = 900_000;
const closers: Array<() => Promise<void>> = [];

/** One output stream of one container. */
export class Log {
	readonly written: string[] = [];
	lines: string[] = [];
	readonly wake = new Set<() => void>();

	write(...lines: string[]): void {
		this.written.push(...lines);
		this.lines.push(...lines);
		for (const wake of [...this.wake]) wake();
	}

	restart(...lines: string[]): void {
		this.lines = [];
		this.write(...lines);
	}
}

export async function startWorld(given: Partial<Rules> = {}) {
	const rules: Rules = { ...RULES, ...given };
	const clock = new ClockD();
	const requests: Request[] = [];
	const logs = new Map<string, Log>();
	const open = new Set<ServerResponse>();
	const deployment = { status: 'running' };
	const log = (stream = 'stdout', container = 'c1') => {
		const name = `${container}/${stream}`;
		const found = logs.get(name) ?? new Log();
		logs.set(name, found);
		return found;
	};
	const hold = async (ms: number) => {
		if (ms <= 0) return;
		clock.held++;
		await clock.wait(ms);
		clock.held--;
	};
	const answer = async (request: Request, response: ServerResponse) => {
		const glitch = rules.glitch(request);
		await hold(rules.headMs);
		const { lines } = log(request.stream, request.container);
		const { offset = 0 } = request;
		const sizes = { entries: lines.length, one: lines.length, bytes: lines.join('\n').length + 1 };
		const isBeyond = rules.offset in sizes && offset > sizes[rules.offset as keyof typeof sizes];
		const shown = glitch ?? (isBeyond && rules.beyond !== 'log' ? rules.beyond : undefined);
		if (shown === 'reset') return void response.destroy();
		if (shown === 'stuck') return await hold(3_600_000);
		if (typeof shown === 'number') return void response.writeHead(shown).end();
		response.writeHead(200, { 'content-type': rules.type }).flushHeaders();
		if (shown === 'ended') return void response.end();
		if (shown === 'open') return;
		await send(request, response);
	};
	const send = async ({ stream, container, offset = 0 }: Request, response: ServerResponse) => {
		const source = log(stream, container);
		const { lines } = source;
		const first = Math.max(0, lines.length - rules.keeps);
		let at = first;
		if (rules.offset === 'entries') at = Math.max(first, offset);
		if (rules.offset === 'one') at = Math.max(first, offset - 1);
		if (rules.offset === 'bytes')
			for (let bytes = 0; at < lines.length && bytes < offset; at++)
				bytes += Buffer.byteLength(lines[at] ?? '') + 1;
		if (rules.greeting) response.write(rules.greeting);
		await clock.wait(rules.lineMs);
		let left = rules.page;
		let fresh = rules.cutAfter;
		const end = lines.length;
		for (;;) {
			// The container has started again: this one is over
			if (response.destroyed || response.writableEnded) return;
			if (source.lines !== lines) return void response.end();
			const text: string[] = [];
			for (; at < lines.length && left > 0 && fresh > 0; at++, left--) {
				if (at >= end) fresh--;
				text.push(rules.frame(lines[at] ?? '', at));
			}
			if (text.length > 0) response.write(text.join(''));
			if (fresh <= 0) {
				await clock.wait(5);
				return void response.destroy();
			}
			if (rules.ends || left <= 0) return void response.end();
			await new Promise<void>((resolve) => {
				source.wake.add(resolve);
				response.once('close', resolve);
			});
			source.wake.clear();
		}
	};
	const server = createServer((incoming, response) => {
		const url = new URL(incoming.url ?? '', 'http://127.0.0.1');
		const [, container] = /\/log\/([^/]+)$/.exec(url.pathname) ?? [];
		if (container === undefined)
			return void response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ data: { id: 'd1', ...deployment } }));
		const offset = url.searchParams.get('offset');
		const request = {
			index: requests.length,
			offset: offset === null ? undefined : Number(offset),
			stream: url.searchParams.get('stream') ?? 'stdout',
			container,
			at: clock.at,
		};
		requests.push(request);
		open.add(response);
		response.once('close', () => open.delete(response));
		void answer(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl, service: 'svc', apiKey: 'key-of-four' },
		},
		'compute-token': {
			type: 'computeMarketplaceTokenApi',
			data: { baseUrl, service: 'svc', accessToken: 'token-of-four' },
		},
	});
	const user = userOf(engine, clock, LONG_MS);
	closers.push(async () => {
		await user.deactivateAll();
		clock.restore();
		server.closeAllConnections();
		server.close();
	});
	return {
		rules,
		clock,
		requests,
		deployment,
		log,
		cut: () => open.forEach((response) => response.destroy()),
		end: () => open.forEach((response) => response.headersSent && response.end()),
		...user,
	};
}

/** Ends the worlds of each test in this file with it. */
export function endWorlds(): void {
	afterEach(async () => {
		for (const close of closers.splice(0).reverse()) await close();
	});
}

/** Random numbers from a seed. */
export function randomOf(seed: number) {
	let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
	const int = (below: number) => {
		state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
		return (state >>> 5) % below;
	};
	return { int, of: <T,>(list: readonly T[]) => list[int(list.length)] as T };
}
