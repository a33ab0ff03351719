import { describe, expect, it, vi } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { LOG_PATH, logRequests, logsTrigger, numbered, openLog } from '../engine/logs.mts';
import { useFixture } from '../engine/fixture.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { ActiveTrigger } from '../engine/trigger.mts';
import { eventually } from '../engine/wait.mts';
import { errorForms, startSandbox, type Sandbox } from '../sandbox/index.mts';
import { cloud } from '../sandbox/testing/client.mts';

const fixture = useFixture({ time: 'real' });

describe('deactivated', () => {
	const cutFirst = (sandbox: Sandbox) => {
		openLog(sandbox).append('stdout', 'hello');
		sandbox.faults.add({ match: { path: LOG_PATH }, cutBodyAt: 19 });
	};

	it.each<[string, number, (sandbox: Sandbox) => void]>([
		['while it reads', 1, (sandbox) => openLog(sandbox).append('stdout', 'hello')],
		[
			'during connect',
			2,
			(sandbox) => {
				cutFirst(sandbox);
				sandbox.faults.add({ match: { path: LOG_PATH }, times: Infinity, hang: true });
			},
		],
		[
			'during back-off',
			3,
			(sandbox) => {
				cutFirst(sandbox);
				sandbox.faults.add({
					match: { path: LOG_PATH },
					times: Infinity,
					...errorForms.empty(503),
				});
			},
		],
	])('%s: settles within 100 ms and leaves no socket open', async (_, requests, prepare) => {
		const own = await startSandbox();
		prepare(own);
		const trigger = new ActiveTrigger(await startEngine(sandboxCredentials(own)), logsTrigger());
		await trigger.activate();
		await eventually('its requests', () => logRequests(own).length >= requests);
		await eventually('an execution', () => trigger.executions[0]?.run !== undefined);
		const waited = ownMilliseconds();
		await trigger.deactivate();
		expect(waited()).toBeLessThan(100);
		const { length } = own.requests;
		await vi.waitFor(async () => expect(await own.openSockets()).toBe(0));
		const client = cloud(own, 'caas');
		for (let trip = 0; trip < 10; trip++) await client.get('/marker');
		await client.close();
		expect(own.requests.slice(length).filter(({ path }) => !path.endsWith('/marker'))).toEqual([]);
		await vi.waitFor(async () => expect(await own.openSockets()).toBe(0));
		await own.close();
	});
});

describe('deactivated during an execution', () => {
	it('waits for its end, then for the save: nothing comes twice in another process', async () => {
		const log = openLog(fixture.sandbox);
		log.append('stdout', ...numbered(10));
		let release: () => void = () => undefined;
		const gate = new Promise<void>((resolve) => {
			release = resolve;
		});
		const trigger = fixture.follow({}, async () => await gate);
		await trigger.activate();
		await fixture.delivered(10);
		trigger.databaseTurns = 20;
		let isClosed = false;
		const closing = trigger.deactivate().then(() => {
			isClosed = true;
		});
		await fixture.quiet();
		expect(isClosed).toBe(false);
		release();
		await closing;
		await trigger.kill();
		trigger.databaseTurns = 0;
		log.append('stdout', 'line 10');
		await trigger.activate('init');
		await fixture.delivered(11);
		expect(trigger.lines).toEqual(numbered(11));
	});
});

describe('a test run in the editor', () => {
	it('shows the newest lines, where the active workflow would resume, and commits nothing', async () => {
		openLog(fixture.sandbox).append('stdout', ...numbered(150));
		const items = await fixture.follow().testRun();
		expect(items.map(({ json }) => json.line)).toEqual(numbered(100, 50));
		expect(fixture.trigger.saved).toEqual({});
	});

	it('does not wait for hours until a batch is full', async () => {
		openLog(fixture.sandbox).append('stdout', 'hello');
		const items = await fixture
			.follow({ batch: { maxEntries: 100, maxWaitMs: 3_600_000 } })
			.testRun();
		expect(items.map(({ json }) => json.line)).toEqual(['hello']);
	});

	it('throws where the container is not found', async () => {
		await expect(fixture.follow().testRun()).rejects.toThrow(
			'Not found (404): Container not found',
		);
	});
});

describe('on a clock that jumps', () => {
	const onClock = useFixture();

	it('a test run throws where no line comes in time', async () => {
		openLog(onClock.sandbox);
		const run = onClock.follow().testRun();
		let isOver = false;
		const outcome = expect(run)
			.rejects.toThrow('No line was received within 30 seconds')
			.finally(() => (isOver = true));
		for (let passed = 0; !isOver; passed += 1_000) {
			expect(passed).toBeLessThan(60_000);
			await onClock.quiet();
			onClock.sandbox.clock.advance(1_000);
		}
		await outcome;
	});

	it('all triggers of a process wait for executions that hang for 10 s together', async () => {
		openLog(onClock.sandbox).append('stdout', 'hello');
		let isStuck = true;
		const hang = async () => {
			while (isStuck) await new Promise(setImmediate);
		};
		const triggers = [0, 1, 2].map(
			() => new ActiveTrigger(onClock.engine, logsTrigger({ batch: { maxEntries: 1 } }), hang),
		);
		for (const trigger of triggers) {
			await trigger.activate();
			await eventually('an execution', () => trigger.executions.length === 1);
		}
		onClock.time.waits.length = 0;
		for (const trigger of triggers) await trigger.deactivate();
		const waits = onClock.time.waits.filter((ms) => ms > 5_000);
		expect(waits.map((ms) => Math.round(ms / 1_000))).toEqual([10]);
		isStuck = false;
	});
});
