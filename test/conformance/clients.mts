import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { SseDecoder } from '../../nodes/shared/stream/sseDecoder.ts';
import type { Case, Expected } from './cases.mts';
import { pieces } from './cases.mts';

interface SourceEvent {
	type: string;
	data: unknown;
	lastEventId: string;
}

/** The part of it that is used here; it brings no types. */
interface Source {
	onerror?: (reason: unknown) => void;
	addEventListener(type: string, listener: (event: SourceEvent) => void): void;
	close(): void;
}

const EventSource = createRequire(import.meta.url)('eventsource') as new (url: string) => Source;

export interface Seen {
	events: Expected[];
	retryMs?: number;
}

export interface Client {
	name: string;
	read(test: Case, size: number): Seen | Promise<Seen>;
}

/** Ours, as strict as the text; the decoder of logs is more tolerant, and has tests of its own. */
export const ours: Client = {
	name: 'this package',
	read({ body }, size) {
		const decoder = new SseDecoder();
		const events = pieces(body, size)
			.flatMap((piece) => decoder.push(piece))
			.map(({ type, data, lastEventId }): Expected => [type, data, lastEventId]);
		return { events, retryMs: decoder.retryMs };
	},
};

export const eventsourceParser: Client = {
	name: 'eventsource-parser 4',
	read({ body }, size) {
		const seen: Seen = { events: [] };
		let id = '';
		const parser = createParser({
			onEvent(event) {
				id = event.id ?? id;
				seen.events.push([event.event ?? 'message', event.data, id]);
			},
			onRetry: (retryMs) => {
				seen.retryMs = retryMs;
			},
		});
		// As its documentation shows it
		const text = new TextDecoder();
		for (const piece of pieces(body, size)) parser.feed(text.decode(piece, { stream: true }));
		return seen;
	},
};

/** What n8n's own SSE Trigger reads with, over a socket; it tells nothing of the reconnection time. */
export const eventsource: Client = {
	name: 'eventsource 2 (SSE Trigger)',
	async read({ body, events }, size) {
		const server = createServer(async (_, response) => {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			response.socket?.setNoDelay(true);
			for (const piece of pieces(body, size)) {
				response.write(piece);
				if (body.length < 200) await setImmediate();
			}
			response.end();
		}).listen(0, '127.0.0.1');
		await once(server, 'listening');
		const seen: Seen = { events: [] };
		const source = new EventSource(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		const note = ({ type, data, lastEventId }: SourceEvent) =>
			seen.events.push([type, String(data), lastEventId]);
		for (const type of new Set(['message', ...events.map(([name]) => name)]))
			source.addEventListener(type, note);
		await new Promise((resolve) => {
			source.onerror = resolve;
		});
		source.close();
		server.close();
		server.closeAllConnections();
		return seen;
	},
};
