import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { afterEach } from 'vitest';
import { startEngine } from '../../engine/engine.mts';
import { ClockD } from '../logs/clockD.mts';
import { userOf } from '../logs/user.mts';

/** A request for a log, and the answer to it. */
export interface Exchange {
	/** Which request for a log it is, from 0. */
	nth: number;
	url: string;
	/** Undefined where the query has none. */
	offset: number | undefined;
	container: string;
	response: ServerResponse;
	/** Lets time pass on the clock of the world. */
	wait(ms: number): Promise<void>;
	/** Begins a stream. */
	begin(contentType?: string): void;
	/** Writes as one chunk. */
	write(text: string | Buffer): void;
	/** Ends the answer as announced. */
	end(text?: string): void;
}

export type Service = (exchange: Exchange) => Promise<void> | void;

export type Frame = (line: string, index: number) => string;
export const event: Frame = (line) => `data: ${line}\n\n`;
export const bare: Frame = (line) => `${line}\n`;

/** A service that ends each answer after so many lines, counted from the offset on. */
export const pagesOf =
	(log: readonly string[], size: number, frame: Frame = event): Service =>
	({ begin, end, offset = 0 }) => {
		begin();
		const page = log.slice(offset, offset + size);
		end(page.map((line, index) => frame(line, offset + index)).join(''));
	};

/** A service that ends each answer after a whole line, before it would have more than so many characters: one line it always has. */
export const sizedPagesOf =
	(log: readonly string[], characters: number): Service =>
	({ begin, end, offset = 0 }) => {
		begin();
		let page = '';
		for (const line of log.slice(offset)) {
			const next = event(line, 0);
			if (page !== '' && page.length + next.length > characters) break;
			page += next;
		}
		end(page);
	};

/** A log that is written while it is read. */
export class LiveLog {
	private readonly followers = new Set<() => void>();

	constructor(readonly lines: string[] = []) {}

	write(...lines: string[]): void {
		this.lines.push(...lines);
		for (const follower of this.followers) follower();
	}

	/** A service that honours the offset and goes on with what is written. */
	follow =
		(frame: Frame = event, contentType?: string): Service =>
		({ begin, offset = 0, response, write }) => {
			begin(contentType);
			let at = offset;
			const send = () => {
				const next = this.lines.slice(at);
				if (next.length > 0) write(next.map((line, index) => frame(line, at + index)).join(''));
				at = Math.max(at, this.lines.length);
			};
			send();
			this.followers.add(send);
			response.once('close', () => this.followers.delete(send));
		};
}

const LONGEST_MS = 600_000;
const ends: Array<() => Promise<void>> = [];

const KEY = 'logs7-api-key-51c0a9';

/** A world with one service: n8n's engine, a person, and a clock that goes on when nothing is on its way. */
export async function worldOf(service: Service) {
	const clock = new ClockD();
	const exchanges: Exchange[] = [];
	const open = new Set<ServerResponse>();
	const world = { service, status: 'running' };
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
		const [, container] = /\/log\/([^/]+)$/.exec(pathname) ?? [];
		if (container === undefined) {
			response.setHeader('content-type', 'application/json');
			return void response.end(JSON.stringify({ data: { id: 'd1', status: world.status } }));
		}
		const offset = searchParams.get('offset');
		const exchange: Exchange = {
			nth: exchanges.length,
			url: request.url ?? '',
			offset: offset === null ? undefined : Number(offset),
			container,
			response,
			async wait(ms) {
				const isHead = !response.headersSent;
				if (isHead) clock.held++;
				await clock.wait(ms);
				if (isHead) clock.held--;
			},
			begin(contentType = 'text/event-stream') {
				response.writeHead(200, { 'content-type': contentType });
				response.flushHeaders();
			},
			write: (text) => void response.write(text),
			end: (text = '') => void response.end(text),
		};
		exchanges.push(exchange);
		open.add(response);
		response.once('close', () => open.delete(response));
		void Promise.resolve(world.service(exchange)).catch(() => response.destroy());
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const account = { baseUrl, service: 'svc' };
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { ...account, apiKey: KEY },
		},
		'compute-token': {
			type: 'computeMarketplaceTokenApi',
			data: { ...account, accessToken: `${KEY}-token` },
		},
	});
	const user = userOf(engine, clock, LONGEST_MS);
	ends.push(async () => {
		try {
			await user.deactivateAll();
		} finally {
			clock.restore();
			server.closeAllConnections();
			server.close();
		}
	});
	return Object.assign(world, user, {
		clock,
		exchanges,
		/** Resets every connection. */
		cut: () => open.forEach((response) => response.destroy()),
	});
}

/** Ends the worlds of each test in a file. */
export function endWorlds(): void {
	afterEach(async () => {
		for (const end of ends.splice(0).reverse()) await end();
	});
}

/** Lines that differ. */
export const numbered = (count: number, from = 0, name = 'step'): string[] =>
	Array.from({ length: count }, (_, index) => `${name} ${from + index} is done`);

export const linesOf = (items: IDataObject[]): string[] => items.map(({ line }) => String(line));

/** Whether the last item says that lines may be missing. */
export const isMarked = (items: IDataObject[]): boolean => items.at(-1)?.broken_off === true;
