import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Served {
	url: string;
	close(): Promise<void>;
}

export interface Request {
	path: string;
	headers: IncomingHttpHeaders;
	body: string;
}

export interface Answer {
	status?: number;
	location?: string;
	body?: unknown;
	/** Text in place of JSON */
	page?: string;
}

/** A server for one question that the sandbox has no answer to, such as what a redirect would carry along */
export async function serve(
	answer: (request: Request) => Answer | Promise<Answer>,
): Promise<Served> {
	const server = createServer((request, response) => {
		let text = '';
		request.setEncoding('utf8').on('data', (chunk: string) => {
			text += chunk;
		});
		request.on('end', async () => {
			const asked = { path: request.url ?? '/', headers: request.headers, body: text };
			const { status = 200, location, body, page } = await answer(asked);
			response.writeHead(status, {
				'content-type': page === undefined ? 'application/json' : 'text/html',
				...(location !== undefined && { location }),
			});
			response.end(page ?? (body === undefined ? '' : JSON.stringify(body)));
		});
	}).listen(0, '127.0.0.1');
	await once(server, 'listening');
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		close: async () => {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}
