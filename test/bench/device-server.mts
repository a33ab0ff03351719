import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A service that answers every request with one device; of a process of its own, so that it takes no time from its clients. */
const DEVICE = JSON.stringify({
	status: 'succeeded',
	data: {
		device_id: 'd-1',
		hardware: 'H100',
		jobs: Array.from({ length: 20 }, (_, id) => ({ id, state: 'done' })),
	},
});
/** `/slow/…` waits, so that requests that run side by side are seen to. */
const SLOW_MS = 20;

let inFlight = 0;
let most = 0;

const server = createServer(async (request, response) => {
	most = Math.max(most, ++inFlight);
	response.once('close', () => inFlight--);
	if (request.url?.startsWith('/slow/')) await pause(SLOW_MS);
	response.writeHead(200, { 'content-type': 'application/json' }).end(DEVICE);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);

/** Asked for the most requests that were in flight at once since it was last asked. */
process.on('message', () => {
	process.send?.(most);
	most = 0;
});
process.once('disconnect', () => process.exit());
