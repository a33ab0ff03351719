import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { startBench, type Bench } from '../engine/fixture.mts';
import { CONTAINER, DEPLOYMENT, logRequests, numbered, openLog, published } from '../engine/logs.mts';
import { eventually, type PublishedTrigger } from '../engine/trigger.mts';

let bench: Bench;
let trigger: PublishedTrigger | undefined;

beforeAll(async () => {
	bench = await startBench();
});
beforeEach(() => bench.sandbox.reset());
afterEach(async () => await trigger?.close());
afterAll(async () => await bench.sandbox.close());

function follow(parameters: IDataObject = {}, consume?: (items: IDataObject[]) => Promise<void> | void): PublishedTrigger {
	trigger = published(bench.engine, parameters, consume);
	return trigger;
}

describe('a log', () => {
	it.each(['sse', 'lines'] as const)('comes as items, in order, in batches: %s', async (format) => {
		const log = openLog(bench.sandbox, format);
		log.append('stdout', ...numbered(250));
		const followed = follow();
		await followed.publish();
		await eventually('250 lines', () => followed.lines.length === 250);
		expect(followed.lines).toEqual(numbered(250));
		expect(followed.executions.map(({ items }) => items.length)).toEqual([100, 100, 50]);
		expect(followed.items[7]).toEqual({
			line: 'line 7',
			stream: 'stdout',
			deployment_id: DEPLOYMENT,
			container_id: CONTAINER,
			offset: 7,
			received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
		});
		const [request] = logRequests(bench.sandbox);
		expect(request?.headers).toMatchObject({ 'x-api-key': bench.sandbox.keys.apiKey, authorization: `Bearer ${bench.sandbox.keys.accessToken}` });
		expect(request?.query).toEqual({ stream: ['stdout'], offset: ['0'] });
	});
});
