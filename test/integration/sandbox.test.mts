import { describe, expect, it, vi } from 'vitest';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { manualClock, startSandbox, systemClock } from '../sandbox/index.mts';
import { Client, cloud } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { until } from '../sandbox/testing/until.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'), {
	clock: manualClock('2026-03-01T12:00:00Z'),
});

const outcome = (answer: Promise<unknown>) =>
	answer.then(
		() => 'answered',
		() => 'dropped',
	);

describe('clock', () => {
	it('moves only when it is advanced, and only forward', () => {
		const clock = manualClock('2026-03-01T12:00:00Z');
		expect(clock.now()).toBe(Date.UTC(2026, 2, 1, 12));
		clock.advance(1_500);
		expect(clock.now()).toBe(Date.UTC(2026, 2, 1, 12, 0, 1, 500));
		expect(() => clock.advance(-1)).toThrow(RangeError);
		expect(() => manualClock('yesterday')).toThrow('yesterday');
	});

	it('runs faster than real time and can jump', () => {
		vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
		try {
			const clock = systemClock(1_000);
			vi.setSystemTime(1_000_020);
			expect(clock.now()).toBe(1_020_000);
			clock.advance(3_600_000);
			expect(clock.now()).toBe(4_620_000);
		} finally {
			vi.useRealTimers();
		}
	});
});

describe('recording', () => {
	it('keeps every request in order of arrival', async () => {
		await vmaas.get('/hardware?regions=FI&regions=2&gpu=a%20b');
		await vmaas.post('/deploy', sampleDeploy);
		await vmaas.call('/deploy', {
			method: 'POST',
			raw: 'no json',
			headers: { 'x-api-key': 'wrong' },
		});
		await vmaas.get('/deployment/a%2Fb');
		const unknown = await vmaas.get('/nothing');
		expect([unknown.status, unknown.json]).toEqual([404, { detail: 'Not Found' }]);
		expect(sandbox.requests).toMatchObject([
			{
				method: 'GET',
				path: '/enterprise/v1/svc-cloud/vmaas/hardware',
				query: { regions: ['FI', '2'], gpu: ['a b'] },
				body: undefined,
				status: 200,
				account: 'sandbox-account',
			},
			{
				method: 'POST',
				path: '/enterprise/v1/svc-cloud/vmaas/deploy',
				query: {},
				body: sampleDeploy,
				status: 200,
				at: sandbox.clock.now(),
			},
			{ body: 'no json', status: 401, headers: { 'x-api-key': 'wrong' } },
			{ path: '/enterprise/v1/svc-cloud/vmaas/deployment/a%2Fb', status: 404 },
			{ path: '/enterprise/v1/svc-cloud/vmaas/nothing', status: 404 },
		]);
		expect(sandbox.requests[2]).not.toHaveProperty('account');
	});
});

describe('settings', () => {
	it('change path segments, keys and times', async () => {
		const other = await startSandbox({
			clock: manualClock(),
			service: 'acme',
			ragSegment: 'r',
			startupMs: 0,
			keys: { apiKey: 'mine' },
		});
		const client = new Client(other.url, { 'x-api-key': 'mine' });
		expect((await client.get('/enterprise/v1/acme-cloud/vmaas/hardware')).status).toBe(200);
		expect((await client.get('/enterprise/v1/svc-cloud/vmaas/hardware')).status).toBe(404);
		await client.post('/enterprise/v1/acme-cloud/vmaas/deploy', sampleDeploy);
		expect(other.books.deployments[0]?.state).toBe('running');
		const headers = { 'x-api-key': other.keys.intelligenceKey };
		expect((await client.call('/intelligence/api/r/v3/health', { headers })).status).toBe(200);
		await client.close();
		await other.close();
	});
});

describe('life cycle', () => {
	it('resets to the start', async () => {
		await vmaas.post('/deploy', sampleDeploy);
		sandbox.hardware.length = 0;
		sandbox.faults.add({ status: 500, times: Infinity });
		sandbox.reset();
		expect(sandbox.books.deployments).toEqual([]);
		expect(sandbox.books.seeded).toHaveLength(3);
		expect(sandbox.hardware.length).toBeGreaterThan(20);
		expect([sandbox.faults.pending(), sandbox.requests.length]).toEqual([0, 0]);
		expect((await vmaas.get('/hardware')).status).toBe(200);
	});

	it('gives no deployment an ID of before a reset, but to those of the start', async () => {
		const made = async () => {
			const { id } = sandbox.addResident({ name: 'other' });
			await vmaas.post('/deploy', sampleDeploy);
			return [id, sandbox.books.deployments[0]?.id];
		};
		const start = () => sandbox.books.seeded.map(({ id }) => id);
		const ids = new Set<string | undefined>();
		const atStart = start();
		for (let reset = 0; reset < 3; reset++) {
			for (const id of await made()) ids.add(id);
			sandbox.reset();
		}
		expect(ids.size).toBe(6);
		expect(start()).toEqual(atStart);
	});

	it('really refuses connections, and listens again on the same port', async () => {
		const fresh = await startSandbox({ clock: manualClock() });
		const client = cloud(fresh, 'vmaas');
		fresh.faults.add({ delayMs: 1_000 });
		const inProgress = client.get('/hardware');
		await until(() => fresh.requests.length === 1);
		await fresh.refuseNext();
		await expect(client.get('/hardware')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
		fresh.clock.advance(1_000);
		expect((await inProgress).status).toBe(200);
		await expect(client.get('/hardware')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
		await fresh.listenAgain();
		await fresh.listenAgain();
		expect((await client.get('/hardware')).status).toBe(200);
		expect(fresh.requests).toHaveLength(2);
		await fresh.refuseNext();
		await expect(client.get('/hardware')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
		await client.close();
		await fresh.close();
	});

	it('closes at once, whatever its clients wait for', async () => {
		const fresh = await startSandbox({ clock: manualClock() });
		const client = cloud(fresh, 'vmaas');
		fresh.logs.open('d', 'c');
		const follower = cloud(fresh, 'caas');
		const followed = outcome(follower.get('/deployment/d/log/c'));
		await until(() => fresh.requests.length === 1);
		fresh.faults.add({ hang: true });
		fresh.faults.add({ delayMs: 60_000 });
		fresh.faults.add({ slowBytes: { chunk: 1, everyMs: 10_000 } });
		const waiting = [1, 2, 3].map(() => outcome(client.get('/hardware')));
		await until(() => fresh.requests.length === 4);
		const waited = ownMilliseconds();
		await fresh.close();
		expect(waited()).toBeLessThan(500);
		expect(await Promise.all(waiting)).toEqual(['dropped', 'dropped', 'dropped']);
		await followed;
		await Promise.all([client.close(), follower.close()]);
	});

	it('drops the requests that a fault holds when it is reset, and does not execute them', async () => {
		sandbox.faults.add({ delayMs: 1_000 });
		const lost = outcome(vmaas.post('/deploy', sampleDeploy));
		await until(() => sandbox.requests[0]?.body !== undefined);
		sandbox.reset();
		expect(await lost).toBe('dropped');
		sandbox.clock.advance(2_000);
		expect((await vmaas.get('/hardware')).status).toBe(200);
		expect(sandbox.books.deployments).toEqual([]);
	});
});
