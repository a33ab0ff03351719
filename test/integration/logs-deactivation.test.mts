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

	it('throws where no line comes in time', async () => {
		openLog(fixture.sandbox);
		await expect(fixture.follow().testRun()).rejects.toThrow(
			'No line was received within 30 seconds',
		);
	}, 40_000);
});
