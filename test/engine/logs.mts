import type { IDataObject } from 'n8n-workflow';
import { PACKAGE, type NodeUnderTest } from './engine.mts';
import { locator, MARKETPLACE, TOKEN } from './nodes.mts';
import { startServer, type TestServer } from './server.mts';
import type { ContainerLog, LogFormat, Sandbox } from '../sandbox/index.mts';

export const DEPLOYMENT = 'd1';
export const CONTAINER = 'c1';
export const LOG_PATH = /\/log\//;

/** A logs trigger with both credentials that follows the standard output of one container. */
export function logsTrigger(parameters: IDataObject = {}): NodeUnderTest {
	return {
		type: `${PACKAGE}.caasLogsTrigger`,
		credentials: { ...MARKETPLACE, ...TOKEN },
		parameters: {
			authentication: 'accessToken',
			deploymentId: locator(DEPLOYMENT),
			containerIds: [CONTAINER],
			streams: ['stdout'],
			startFrom: 'lastStop',
			batch: { maxEntries: 100, maxWaitMs: 20 },
			...parameters,
		} as NodeUnderTest['parameters'],
	};
}

/** A container deployment of the sandbox that still runs: a clean end of a stream is not the end of its logs. */
export function runningDeployment(sandbox: Sandbox): string {
	const running = sandbox.books.seeded.find(
		({ order, isGone }) => order.name === 'inference-api' && !isGone,
	);
	if (!running) throw new Error('The sandbox has no container deployment that runs');
	return running.id;
}

/** The log of the container that the trigger follows. */
export function openLog(
	sandbox: Sandbox,
	format: LogFormat = 'sse',
	container = CONTAINER,
): ContainerLog {
	return sandbox.logs.open(DEPLOYMENT, container, format);
}

/** `line 0`, `line 1`, … */
export function numbered(count: number, from = 0): string[] {
	return Array.from({ length: count }, (_, index) => `line ${from + index}`);
}

/** Requests for a log that the service got. */
export function logRequests(sandbox: Sandbox) {
	return sandbox.requests.filter(({ path }) => LOG_PATH.test(path));
}

/** A service with the log of a deployment that has ended: to a request with an offset it sends what `page` returns for it. */
export async function endedLog(page: (offset: number) => string[]): Promise<TestServer> {
	return await startServer((request, response) => {
		const url = new URL(request.url ?? '', 'http://127.0.0.1');
		if (!LOG_PATH.test(url.pathname))
			return void response
				.setHeader('content-type', 'application/json')
				.end(JSON.stringify({ data: { status: 'completed' } }));
		const lines = page(Number(url.searchParams.get('offset')));
		response
			.setHeader('content-type', 'text/event-stream')
			.end(lines.map((line) => `data: ${line}\n\n`).join(''));
	});
}
