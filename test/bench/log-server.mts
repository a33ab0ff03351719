import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service that writes a log as fast as it is read; of a process of its own, so that it takes no time from its readers. */
const CHUNK_LINES = 700;

const lineOf = (index: number) => `2026-11-21T07:22:23.123Z INFO worker ${index % 8} request ${index} served in ${index % 97} ms path=/v1/models`;

const server = createServer(async (request, response) => {
	// …/deployment/<format>-<count>/log/<container>
	const [, format = 'lines', count = '0'] = /deployment\/(sse|lines)-(\d+)\/log/.exec(request.url ?? '') ?? [];
	const offset = Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('offset') ?? 0);
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (let index = offset; index < Number(count) && !response.destroyed; ) {
		let text = '';
		for (const end = Math.min(Number(count), index + CHUNK_LINES); index < end; index++) {
			text += format === 'sse' ? `data: ${lineOf(index)}\n\n` : `${lineOf(index)}\n`;
		}
		if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve));
	}
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);

process.once('disconnect', () => process.exit());
