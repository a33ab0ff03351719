import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { locator, startBench, type Bench } from '../engine/fixture.mts';
import {
	CONTAINER,
	DEPLOYMENT,
	LOG_PATH,
	logRequests,
	numbered,
	openLog,
	published,
	runningDeployment,
} from '../engine/logs.mts';
import { eventually, type PublishedTrigger } from '../engine/trigger.mts';

let bench: Bench;
let trigger: PublishedTrigger | undefined;

beforeAll(async () => {
	bench = await startBench();
});
beforeEach(() => bench.sandbox.reset());
afterEach(async () => await trigger?.close());
afterAll(async () => await bench.sandbox.close());

function follow(
	parameters: IDataObject = {},
	consume?: (items: IDataObject[]) => Promise<void> | void,
): PublishedTrigger {
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
		expect(request?.headers).toMatchObject({
			'x-api-key': bench.sandbox.keys.apiKey,
			authorization: `Bearer ${bench.sandbox.keys.accessToken}`,
		});
		expect(request?.query).toEqual({ stream: ['stdout'], offset: ['0'] });
	});
});

describe('how the entries stand on the wire', () => {
	it('data lines without any blank line come line by line, from a quiet log too', async () => {
		const log = openLog(bench.sandbox, 'dataLines');
		log.append('stdout', 'one', 'two');
		const followed = follow();
		await followed.publish();
		await eventually('both', () => followed.lines.length === 2);
		log.append('stdout', 'three');
		await eventually('the third', () => followed.lines.length === 3);
		expect(followed.lines).toEqual(['one', 'two', 'three']);
	});

	it('data lines without any blank line come from a service that ends the stream each time', async () => {
		const deploymentId = runningDeployment(bench.sandbox);
		bench.sandbox.logs.open(deploymentId, CONTAINER);
		const rawBody = 'data: one\ndata: two\n';
		bench.sandbox.faults.add({
			match: { path: LOG_PATH },
			status: 200,
			contentType: 'text/event-stream',
			rawBody,
		});
		const followed = follow({ deploymentId: locator(deploymentId) });
		await followed.publish();
		await eventually('both', () => followed.lines.length === 2);
		expect(followed.lines).toEqual(['one', 'two']);
	});

	const misleading = [
		'starting',
		'data: 500 rows',
		': a colon',
		'event: checkpoint',
		'id: 7',
		'retry: 1',
		'done',
	];

	it('is told once for a log: a bare line that looks like an event misleads no later connection, nor another process', async () => {
		const log = openLog(bench.sandbox, 'lines');
		log.append('stdout', ...misleading.slice(0, 1));
		bench.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 9 });
		const followed = follow();
		await followed.publish();
		await eventually('the first', () => followed.lines.length === 1);
		log.append('stdout', ...misleading.slice(1, 4));
		await eventually('some more', () => followed.lines.length === 4);
		await eventually('their runs have ended', () =>
			followed.executions.every(({ run }) => run !== undefined),
		);
		await followed.close();
		await followed.kill();
		log.append('stdout', ...misleading.slice(4));
		await followed.publish('init');
		await eventually('all', () => followed.lines.length === misleading.length);
		expect(followed.lines).toEqual(misleading);
	});

	it.each(['text/plain; charset=utf-8', 'application/x-ndjson'])(
		'%s is no event stream',
		async (contentType) => {
			const log = openLog(bench.sandbox, 'lines');
			log.contentType = contentType;
			log.append('stdout', ...misleading.slice(1));
			const followed = follow();
			await followed.publish();
			await eventually('all', () => followed.lines.length === misleading.length - 1);
			expect(followed.lines).toEqual(misleading.slice(1));
		},
	);

	it('set by hand, nothing is found out', async () => {
		const log = openLog(bench.sandbox, 'sse');
		log.contentType = 'text/plain';
		log.append('stdout', 'one');
		const followed = follow({ options: { format: 'sse' } });
		await followed.publish();
		await eventually('it', () => followed.lines.length === 1);
		expect(followed.lines).toEqual(['one']);
	});
});
