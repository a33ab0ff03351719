import { setTimeout as pause } from 'node:timers/promises';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { describe, expect, it } from 'vitest';
import { manualClock, startSandbox, systemClock } from '../sandbox/index.mts';
import { Client, at, cloud } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'), {
	clock: manualClock('2026-03-01T12:00:00Z'),
});

describe('clock', () => {
	it('stands still until it is moved, and only goes forward', () => {
		const clock = manualClock('2026-03-01T12:00:00Z');
		expect(clock.now()).toBe(Date.UTC(2026, 2, 1, 12));
		clock.advance(1_500);
		expect(clock.now()).toBe(Date.UTC(2026, 2, 1, 12, 0, 1, 500));
		expect(() => clock.advance(-1)).toThrow(RangeError);
		expect(() => manualClock('yesterday')).toThrow('yesterday');
	});

	it('runs faster than real time and can jump', async () => {
		const clock = systemClock(1_000);
		const before = clock.now();
		await pause(20);
		expect(clock.now() - before).toBeGreaterThanOrEqual(15_000);
		const jump = clock.now();
		clock.advance(3_600_000);
		expect(clock.now() - jump).toBeGreaterThanOrEqual(3_600_000);
	});
});

describe('authentication', () => {
	const cases = [
		['VMaaS', 'GET', '/enterprise/v1/svc-cloud/vmaas/hardware'],
		['VMaaS', 'POST', '/enterprise/v1/svc-cloud/vmaas/deploy'],
		['VMaaS', 'DELETE', '/enterprise/v1/svc-cloud/vmaas/deployment/x'],
		['CaaS', 'GET', '/enterprise/v1/svc-cloud/caas/deployments'],
		['log stream', 'GET', '/enterprise/v1/svc-cloud/caas/deployment/x/log/y'],
		['explorer', 'GET', '/v1/svc-explorer/devices/x/details'],
		['blocks', 'GET', '/v1/svc-blocks/devices/x/block-rewards-summary/2026-01-01/2026-01-02'],
		['intelligence', 'GET', '/intelligence/api/v1/models'],
		['retrieval', 'GET', '/intelligence/api/rag/v3/health'],
	] as const;
	const wrong: Record<string, string>[] = [
		{},
		{ 'x-api-key': 'wrong' },
		{ token: 'wrong' },
		{ authorization: 'Bearer wrong' },
		{ authorization: 'Basic d3Jvbmc6' },
	];

	it.each(cases)(
		'of %s refuses a missing and a wrong key with 401: %s %s',
		async (_name, method, path) => {
			const client = new Client(sandbox.url);
			for (const headers of wrong) {
				const answer = await client.call(path, { method, headers });
				expect([answer.status, typeof at(answer.json, 'detail')]).toEqual([401, 'string']);
			}
			expect(sandbox.requests.every(({ account }) => account === undefined)).toBe(true);
			await client.close();
		},
	);

	it('takes no key of another part', async () => {
		const client = new Client(sandbox.url);
		const { apiKey, accessToken, intelligenceKey } = sandbox.keys;
		const status = async (path: string, headers: Record<string, string>) =>
			(await client.call(path, { headers })).status;
		expect(
			await status('/enterprise/v1/svc-cloud/vmaas/hardware', { 'x-api-key': accessToken }),
		).toBe(401);
		expect(
			await status('/v1/svc-explorer/devices/x/details', { authorization: `Bearer ${apiKey}` }),
		).toBe(401);
		expect(
			await status('/intelligence/api/v1/models', { authorization: `Bearer ${accessToken}` }),
		).toBe(401);
		expect(
			await status('/intelligence/api/v1/models', { authorization: `Bearer ${intelligenceKey}` }),
		).toBe(200);
		await client.close();
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
		]);
		expect(sandbox.requests[2]).not.toHaveProperty('account');
	});

	it('also keeps what no route answers', async () => {
		const answer = await vmaas.get('/nothing');
		expect([answer.status, answer.json]).toEqual([404, { detail: 'Not Found' }]);
		expect(sandbox.requests).toMatchObject([
			{ path: '/enterprise/v1/svc-cloud/vmaas/nothing', status: 404 },
		]);
	});
});

describe('settings', () => {
	it('puts other words in the paths and other keys at the doors', async () => {
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

describe('life', () => {
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

	it('really refuses connections, and listens again on the same port', async () => {
		const fresh = await startSandbox({ clock: manualClock() });
		const client = cloud(fresh, 'vmaas');
		fresh.faults.add({ delayMs: 1_000 });
		const underWay = client.get('/hardware');
		while (fresh.requests.length === 0) await pause(5);
		await fresh.refuseNext();
		await expect(client.get('/hardware')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
		fresh.clock.advance(1_000);
		expect((await underWay).status).toBe(200);
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
		const follower = new Client(fresh.url, { 'x-api-key': fresh.keys.apiKey });
		const followed = follower.get('/enterprise/v1/svc-cloud/caas/deployment/d/log/c').then(
			() => 'ended',
			() => 'cut',
		);
		while (fresh.requests.length < 1) await pause(5);
		fresh.faults.add({ hang: true });
		fresh.faults.add({ delayMs: 60_000 });
		fresh.faults.add({ slowBytes: { chunk: 1, everyMs: 10_000 } });
		const waiting = [1, 2, 3].map(() =>
			client.get('/hardware').then(
				() => 'answered',
				() => 'cut',
			),
		);
		while (fresh.requests.length < 4) await pause(5);
		const waited = ownMilliseconds();
		await fresh.close();
		expect(waited()).toBeLessThan(500);
		expect(await Promise.all(waiting)).toEqual(['cut', 'cut', 'cut']);
		expect(['ended', 'cut']).toContain(await followed);
		await Promise.all([client.close(), follower.close()]);
	});

	it('cuts the requests that a fault holds when it is reset, and does no work for them', async () => {
		sandbox.faults.add({ delayMs: 1_000 });
		const lost = vmaas.post('/deploy', sampleDeploy).then(
			() => 'answered',
			() => 'cut',
		);
		while (sandbox.requests.length === 0) await pause(5);
		sandbox.reset();
		expect(await lost).toBe('cut');
		sandbox.clock.advance(2_000);
		await pause(20);
		expect(sandbox.books.deployments).toEqual([]);
	});
});
