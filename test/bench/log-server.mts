import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A service that writes a log as fast as it is read: in a process of its own, and of bytes that are ready before anyone
 * asks, so that it takes no time from its readers and none of them has to wait for it.
 */
const BLOCK_LINES = 700;

const lineOf = (index: number) =>
	`2026-11-21T07:22:23.123Z INFO worker ${index % 8} request ${index} served in ${index % 97} ms path=/v1/models`;

const encoders = {
	sse: (line: string) => `data: ${line}\n\n`,
	lines: (line: string) => `${line}\n`,
};
const linesOf = (format: keyof typeof encoders, count: number) =>
	Buffer.from(
		Array.from({ length: count }, (_, index) => encoders[format](lineOf(index))).join(''),
	);
const blocks = { sse: linesOf('sse', BLOCK_LINES), lines: linesOf('lines', BLOCK_LINES) };

const server = createServer(async (request, response) => {
	// …/deployment/<format>-<count>/log/<container>
	const [, name, count = '0'] = /deployment\/(sse|lines)-(\d+)\/log/.exec(request.url ?? '') ?? [];
	const format = name === 'sse' ? 'sse' : 'lines';
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	for (let left = Number(count); left > 0 && !response.destroyed; left -= BLOCK_LINES) {
		const block = left < BLOCK_LINES ? linesOf(format, left) : blocks[format];
		if (!response.write(block)) await new Promise((resolve) => response.once('drain', resolve));
	}
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);

process.once('disconnect', () => process.exit());
