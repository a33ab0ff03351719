import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** A server on loopback that answers as a test says, where the sandbox would not. */
export interface TestServer {
	/** Without a trailing slash. */
	url: string;
	/** Host and port. */
	host: string;
	/** Every request in order of arrival. */
	requests: IncomingMessage[];
	/** Resolves when no client holds a connection open. */
	noConnection(): Promise<void>;
	/** Stops at once, also with open connections. */
	close(): Promise<void>;
}

/** Starts a server; the caller closes it. */
export async function startServer(
	answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<TestServer> {
	const requests: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		requests.push(request);
		answer(request, response);
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const connections = async () =>
		await new Promise<number>((resolve, reject) =>
			server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
		);
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		url: `http://${host}`,
		host,
		requests,
		noConnection: async () => {
			while ((await connections()) > 0) await setImmediate();
		},
		close: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}

/** A service of a test, which answers by itself. */
export abstract class TestService {
	url = '';
	private server?: TestServer;

	async listen(): Promise<void> {
		this.server = await startServer((request, response) => void this.serve(request, response));
		this.url = this.server.url;
	}

	async close(): Promise<void> {
		await this.server?.close();
	}

	protected abstract serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
