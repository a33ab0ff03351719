import { describe, expect, it } from 'vitest';
import {
	CONTAINER,
	DEPLOYMENT,
	LOG_PATH,
	logRequests,
	numbered,
	openLog,
	runningDeployment,
} from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { locator } from '../engine/nodes.mts';
import { eventually } from '../engine/wait.mts';

const fixture = useFixture({ time: 'real' });

describe('a log', () => {
	it.each(['sse', 'lines'] as const)('becomes items, in order, in batches: %s', async (format) => {
		const log = openLog(fixture.sandbox, format);
		log.append('stdout', ...numbered(250));
		const followed = fixture.follow();
		await followed.activate();
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
		const [request] = logRequests(fixture.sandbox);
		expect(request?.headers).toMatchObject({
			'x-api-key': fixture.sandbox.keys.apiKey,
			authorization: `Bearer ${fixture.sandbox.keys.accessToken}`,
		});
		expect(request?.query).toEqual({ stream: ['stdout'], offset: ['0'] });
	});
});

describe('a batch', () => {
	it('has no more bytes than Max Bytes, and a longer line comes alone', async () => {
		const line = (length: number) => 'x'.repeat(length);
		openLog(fixture.sandbox).append(
			'stdout',
			...[400, 400, 300, 724, 1, 3_000, 10].map((length) => line(length)),
		);
		const followed = fixture.follow({ batch: { maxBytes: 1_024, maxWaitMs: 20 } });
		await followed.activate();
		await eventually('all lines', () => followed.lines.length === 7);
		expect(
			followed.executions.map(({ items }) => items.map(({ json }) => String(json.line).length)),
		).toEqual([[400, 400], [300, 724], [1], [3_000], [10]]);
	});
});

describe('the format of the stream', () => {
	it('events that keep the connection alive are no lines', async () => {
		const log = openLog(fixture.sandbox);
		const types = ['ping', 'heartbeat', 'keepalive'];
		log.stream = { greeting: types.map((type) => `event: ${type}\ndata: 1\n\n`).join('') };
		log.append('stdout', 'hello');
		const followed = fixture.follow();
		await followed.activate();
		await eventually('a line', () => followed.lines.length > 0);
		expect(followed.items).toMatchObject([{ line: 'hello', offset: 0 }]);
	});

	it('data: lines without blank lines are entries, also in a quiet log', async () => {
		const log = openLog(fixture.sandbox, 'dataLines');
		log.append('stdout', 'one', 'two');
		const followed = fixture.follow();
		await followed.activate();
		await eventually('both', () => followed.lines.length === 2);
		log.append('stdout', 'three');
		await eventually('the third', () => followed.lines.length === 3);
		expect(followed.lines).toEqual(['one', 'two', 'three']);
	});

	it('data: lines without blank lines are entries where the service ends each stream', async () => {
		const deploymentId = runningDeployment(fixture.sandbox);
		fixture.sandbox.logs.open(deploymentId, CONTAINER);
		const rawBody = 'data: one\ndata: two\n';
		fixture.sandbox.faults.add({
			match: { path: LOG_PATH },
			status: 200,
			contentType: 'text/event-stream',
			rawBody,
		});
		const followed = fixture.follow({ deploymentId: locator(deploymentId) });
		await followed.activate();
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

	it('is detected once: a bare line that looks like an event changes nothing later, in another process either', async () => {
		const log = openLog(fixture.sandbox, 'lines');
		log.append('stdout', ...misleading.slice(0, 1));
		fixture.sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 9 });
		const followed = fixture.follow();
		await followed.activate();
		await eventually('the first', () => followed.lines.length === 1);
		log.append('stdout', ...misleading.slice(1, 4));
		await eventually('some more', () => followed.lines.length === 4);
		await eventually('their runs have ended', () =>
			followed.executions.every(({ run }) => run !== undefined),
		);
		await followed.deactivate();
		await followed.kill();
		log.append('stdout', ...misleading.slice(4));
		await followed.activate('init');
		await eventually('all', () => followed.lines.length === misleading.length);
		expect(followed.lines).toEqual(misleading);
	});

	it.each(['text/plain; charset=utf-8', 'application/x-ndjson'])(
		'%s is not an event stream',
		async (contentType) => {
			const log = openLog(fixture.sandbox, 'lines');
			log.contentType = contentType;
			log.append('stdout', ...misleading.slice(1));
			const followed = fixture.follow();
			await followed.activate();
			await eventually('all', () => followed.lines.length === misleading.length - 1);
			expect(followed.lines).toEqual(misleading.slice(1));
		},
	);

	it('is not detected where the option sets it', async () => {
		const log = openLog(fixture.sandbox, 'sse');
		log.contentType = 'text/plain';
		log.append('stdout', 'one');
		const followed = fixture.follow({ options: { format: 'sse' } });
		await followed.activate();
		await eventually('it', () => followed.lines.length === 1);
		expect(followed.lines).toEqual(['one']);
	});
});
