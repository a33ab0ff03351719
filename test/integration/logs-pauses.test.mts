import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { IDataObject } from 'n8n-workflow';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import {
	CONTAINER,
	endedLog,
	LOG_PATH,
	logRequests,
	logsTrigger,
	numbered,
	openLog,
	runningDeployment,
} from '../engine/logs.mts';
import { caas, locator } from '../engine/nodes.mts';
import { jsonOf } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms, type Fault, type LogFormat } from '../sandbox/index.mts';

/** How long the trigger waits between two connections; the waits themselves take no time here. */
const fixture = useFixture();

let deploymentId: string;

beforeEach(() => {
	deploymentId = runningDeployment(fixture.sandbox);
	fixture.sandbox.logs.open(deploymentId, CONTAINER);
});

/** The waits that are longer than those for the next slot in the rate of requests. */
const pauses = () => fixture.time.waits.filter((ms) => ms > 125);

/** The pauses before the connections that follow on these answers. */
async function pausesAfter(...faults: Fault[]): Promise<number[]> {
	for (const fault of faults) fixture.sandbox.faults.add({ match: { path: LOG_PATH }, ...fault });
	fixture.follow({
		deploymentId: locator(deploymentId),
		// No execution starts, whose positions would be saved a second later
		options: { offsetUnit: 'none', include: '^never$' },
	});
	await fixture.trigger.activate();
	const count = faults.reduce((sum, { times = 1 }) => sum + times, 0);
	await eventually('a connection that holds', () => logRequests(fixture.sandbox).length > count);
	return pauses();
}

/** Between what is asked for and half of it more. */
function expectPause(ms: number | undefined, least: number): void {
	expect(ms).toBeGreaterThanOrEqual(least);
	expect(ms).toBeLessThanOrEqual(least * 1.5);
}

const stream = (rawBody: string): Fault => ({
	status: 200,
	contentType: 'text/event-stream',
	rawBody,
});

describe('pauses between connections', () => {
	it('double from one second to thirty, with jitter', async () => {
		const waits = await pausesAfter({ times: 8, ...errorForms.empty(503) });
		expect(waits).toHaveLength(8);
		[1, 2, 4, 8, 16, 30, 30, 30].forEach((seconds, index) =>
			expectPause(waits[index], seconds * 1_000),
		);
		expect(new Set(waits.slice(5)).size).toBeGreaterThan(1);
	});

	it('are a second after a connection that brought lines but did not live long', async () => {
		const waits = await pausesAfter(stream('data: one\n\n'), stream('data: one\n\ndata: two\n\n'));
		expect(waits).toHaveLength(2);
		waits.forEach((ms) => expectPause(ms, 1_000));
	});

	it('are short after a connection that lived longer than 5 s', async () => {
		const log = fixture.sandbox.logs.open(deploymentId, CONTAINER);
		fixture.follow({ deploymentId: locator(deploymentId) });
		await fixture.trigger.activate();
		for (let count = 1; count <= 2; count++) {
			await eventually('the connection', () => log.connections.size === 1);
			await fixture.quiet();
			fixture.time.waits.length = 0;
			fixture.sandbox.clock.advance(5_001);
			for (const connection of log.connections) connection.break();
			await eventually('the next', () => logRequests(fixture.sandbox).length === count + 1);
			expectPause(fixture.time.waits[0], 100);
		}
	});

	it.each([
		[429, '7', [7_000, 7_000]],
		[503, '90', [90_000, 90_000]],
		[503, '0', [1_000, 2_000]],
		[429, '864000', [3_600_000, 3_600_000]],
	])('%i with Retry-After: %s', async (status, after, least) => {
		const waits = await pausesAfter({
			times: 2,
			...errorForms.empty(status),
			headers: { 'retry-after': after },
		});
		expect(waits).toHaveLength(2);
		least.forEach((ms, index) => expectPause(waits[index], ms));
	});

	it('Retry-After as a date', async () => {
		vi.spyOn(fixture.sandbox.clock, 'now').mockReturnValue(Date.parse('2026-11-21T07:00:00Z'));
		const [ms] = await pausesAfter({
			...errorForms.empty(503),
			headers: {
				date: 'Sat, 21 Nov 2026 07:00:00 GMT',
				'retry-after': 'Sat, 21 Nov 2026 07:00:20 GMT',
			},
		});
		vi.restoreAllMocks();
		expectPause(ms, 20_000);
	});

	it('are at least the retry: of the stream, after failures too', async () => {
		const waits = await pausesAfter(
			stream('retry: 2500\n\ndata: one\n\n'),
			{ times: 2, ...errorForms.empty(502) },
			stream('retry: 60000\n\n'),
			{ times: 2, ...errorForms.empty(502) },
		);
		expect(waits).toHaveLength(6);
		[2_500, 2_500, 4_000, 60_000, 60_000, 60_000].forEach((least, index) =>
			expectPause(waits[index], least),
		);
	});
});

describe('the log of a deployment that has ended, at a service that ends each stream', () => {
	/** Follows a log whose service sends what `page` says from an offset on, until it is finished. */
	async function ended(page: (offset: number) => string[]): Promise<string[]> {
		const service = await endedLog(page);
		const engine = await startEngine(sandboxCredentials({ ...fixture.sandbox, url: service.url }));
		fixture.trigger = new ActiveTrigger(
			engine,
			logsTrigger({ options: { connectionEvents: true } }),
		);
		const { trigger } = fixture;
		await trigger.activate();
		await eventually('the end', () => trigger.items.some(({ event }) => event === 'finished'));
		await service.close();
		expect(trigger.failures).toEqual([]);
		return trigger.lines.filter((line) => line !== 'undefined');
	}

	it.each([1, 3, 4, 5])(
		'sends the last of five lines, %d and more, on each connection: it ends, and none comes twice',
		async (first) => {
			const lines = ['one', 'exited', 'code 0', 'took 3 s', '[DONE]'];
			expect(await ended((offset) => lines.slice(Math.min(offset, first)))).toEqual(lines);
			expect(pauses().length).toBeLessThan(10);
		},
	);

	it('sends equal lines in pages: all of them come', async () => {
		const lines = ['first', ...Array.from({ length: 29 }, () => 'tick')];
		expect(await ended((offset) => lines.slice(offset, offset + 5))).toEqual(lines);
	});
});

describe('retry: 0', () => {
	it('does not take the pauses away, in an outage either', async () => {
		const waits = await pausesAfter(stream('retry: 0\n\ndata: one\n\n'), {
			times: 2,
			...errorForms.empty(502),
		});
		expect(waits).toHaveLength(3);
		[1_000, 2_000, 4_000].forEach((least, index) => expectPause(waits[index], least));
	});
});

it('Get Many counts its time from the first byte of the log', async () => {
	fixture.sandbox.logs.open(deploymentId, CONTAINER).append('stdout', 'one');
	fixture.sandbox.faults.add({
		match: { path: LOG_PATH },
		times: 2,
		...errorForms.empty(503),
		headers: { 'retry-after': '10' },
	});
	const parameters = {
		deploymentId: locator(deploymentId),
		containerId: locator(CONTAINER),
		stream: 'stdout',
		limit: 1,
		maxWaitSeconds: 5,
	};
	expect(
		jsonOf(await fixture.run(caas('log', 'getAll', parameters))).map(({ line }) => line),
	).toEqual(['one']);
	expect(fixture.time.waits.length).toBeGreaterThanOrEqual(2);
});

describe('the first entries', () => {
	const follow = async (parameters: IDataObject, format: LogFormat, ...old: string[]) => {
		const log = openLog(fixture.sandbox, format);
		log.append('stdout', ...old);
		fixture.follow(parameters);
		const started = fixture.trigger.activate();
		await eventually('the connection', () => logRequests(fixture.sandbox)[0]?.status === 200);
		return { log, trigger: fixture.trigger, started };
	};
	/** Time passes once what was written has been read; should it be too soon for that, the log only seems quieter. */
	const pass = async (ms: number) => {
		await fixture.quiet();
		fixture.sandbox.clock.advance(ms);
	};

	it('of a busy log without blank lines do not wait for a blank line', async () => {
		const { log, trigger, started } = await follow(
			{ startFrom: 'beginning' },
			'dataLines',
			'line 0',
		);
		let written = 1;
		for (; trigger.lines.length === 0; written++) {
			log.append('stdout', `line ${written}`);
			await pass(300);
		}
		await started;
		expect(trigger.lines).toEqual(numbered(trigger.lines.length));
		expect(written).toBeLessThan(20);
	});

	it('of a busy log without blank lines, Start From = Now: nothing old, and all that is new', async () => {
		const { log, trigger, started } = await follow({ startFrom: 'now' }, 'dataLines', 'old');
		for (let written = 0; trigger.lines.length === 0; written++) {
			log.append('stdout', `line ${written}`);
			await pass(300);
		}
		await started;
		const { lines } = trigger;
		expect(lines).toEqual(numbered(lines.length, Number(lines[0]?.slice('line '.length))));
	});

	it.each(['now', 'beginning'])(
		'of a log without blank lines survive an idle timeout that is shorter than their wait: %s',
		async (startFrom) => {
			const { log, trigger, started } = await follow(
				{ startFrom, options: { idleTimeout: 1 } },
				'dataLines',
				'old',
			);
			for (let waited = 0; waited < 5_000; waited += 500) await pass(500);
			await started;
			log.append('stdout', 'new');
			while (!trigger.lines.includes('new')) await pass(300);
			expect(trigger.lines).toEqual(startFrom === 'now' ? ['new'] : ['old', 'new']);
		},
	);

	it('may be an event that pauses before its blank line', async () => {
		const { log, trigger, started } = await follow(
			{ startFrom: 'now' },
			'lines',
			'data: old',
			'data: still old',
		);
		await pass(700);
		log.append('stdout', '');
		await pass(1_200);
		await started;
		log.append('stdout', 'data: new', 'data: still new', '');
		while (trigger.lines.length === 0) await pass(20);
		expect(trigger.items).toMatchObject([{ line: 'new\nstill new', offset: 1 }]);
	});
});

describe('an outage', () => {
	it('is reported once for all logs, and once more when it comes again', async () => {
		const outage = { match: { path: LOG_PATH }, times: 40, ...errorForms.html(502) };
		fixture.sandbox.faults.add(outage);
		for (const container of ['a', 'b'])
			openLog(fixture.sandbox, 'sse', container).append('stderr', 'hello');
		fixture.follow({
			containerIds: ['a', 'b'],
			streams: ['stdout', 'stderr'],
		});
		await fixture.trigger.activate();
		const { failures } = fixture.trigger;
		const opened = () => logRequests(fixture.sandbox).filter(({ status }) => status === 200).length;
		await eventually('the outage is over', () => opened() === 4);
		expect(failures.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The (stdout|stderr) log of container [ab] cannot be reached: .*502/),
		]);
		await fixture.trigger.deactivate();
		fixture.sandbox.faults.add(outage);
		await fixture.trigger.activate();
		await eventually('the second outage is over', () => opened() === 8);
		expect(failures).toHaveLength(2);
	});
});
