import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { manualClock, startSandbox } from '../sandbox/index.mts';
import type { ContainerLog, LogFormat } from '../sandbox/index.mts';
import { cloud, violations } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, caas] = await useSandbox((service) => cloud(service, 'caas'));

const PATH = '/deployment/d/log/c';

function finished(format: LogFormat): ContainerLog {
	const log = sandbox.logs.open('d', 'c', format);
	log.append('stdout', 'one', 'two', 'three');
	log.append('stderr', 'oops');
	log.finish();
	return log;
}

describe('a finished log', () => {
	it('comes as events and ends', async () => {
		finished('sse');
		const { status, type, text } = await caas.get(PATH);
		expect([status, type]).toEqual([200, 'text/event-stream']);
		expect(text).toBe('id: 0\ndata: one\n\nid: 1\ndata: two\n\nid: 2\ndata: three\n\n');
	});

	it('comes as bare lines for containers that write them', async () => {
		finished('lines');
		expect((await caas.get(PATH)).text).toBe('one\ntwo\nthree\n');
	});

	it('has two streams and an offset in entries', async () => {
		finished('lines');
		expect((await caas.get(`${PATH}?stream=stdout&offset=1`)).text).toBe('two\nthree\n');
		expect((await caas.get(`${PATH}?offset=3`)).text).toBe('');
		expect((await caas.get(`${PATH}?stream=stderr`)).text).toBe('oops\n');
	});
});

describe('a log that goes on', () => {
	it('sends its head at once and entries as they are written, until it is finished', async () => {
		const log = sandbox.logs.open('d', 'c', 'lines');
		const { body, statusCode } = await request(
			`${sandbox.url}/enterprise/v1/svc-cloud/caas${PATH}`,
			{
				headers: { 'x-api-key': sandbox.keys.apiKey },
				dispatcher: caas.agent,
			},
		);
		expect(statusCode).toBe(200);
		const read = body.text();
		log.append('stdout', 'one');
		await pause(10);
		log.append('stderr', 'not this one');
		log.append('stdout', 'two');
		await pause(10);
		log.finish();
		expect(await read).toBe('one\ntwo\n');
	});

	it('can be cut by a fault', async () => {
		sandbox.logs.open('d', 'c', 'lines').append('stdout', 'a line that is long enough');
		sandbox.faults.add({ cutBodyAt: 6 });
		await expect(caas.get(PATH)).rejects.toMatchObject({
			code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/),
		});
	});

	it('is left by a client without a trace', async () => {
		const log = sandbox.logs.open('d', 'c', 'lines');
		const client = new AbortController();
		const lost = caas.call(PATH, { signal: client.signal });
		await pause(30);
		client.abort();
		await expect(lost).rejects.toThrow();
		log.append('stdout', 'nobody reads this');
	});
});

describe('containers that write by themselves', () => {
	it('write as many lines in a second as they are set to, while their deployment runs and the service is up', async () => {
		vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
		const busy = await startSandbox({ clock: manualClock(), logLinesPerSecond: 25 });
		const logsOf = (isGone: boolean) =>
			busy.books.seeded
				.filter((seed) => seed.isGone === isGone)
				.flatMap(({ id }) => busy.logs.of(id));
		const [log] = logsOf(false);
		const before = log?.entries.stdout.length ?? 0;
		const ended = logsOf(true).map(({ entries }) => entries.stdout.length);
		vi.advanceTimersByTime(4_000);
		const lines = log?.entries.stdout.slice(before) ?? [];
		expect(lines).toHaveLength(100);
		expect(
			lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as unknown),
		).toHaveLength(20);
		expect(logsOf(true).map(({ entries }) => entries.stdout.length)).toEqual(ended);
		await busy.close();
		vi.advanceTimersByTime(1_000);
		expect(log?.entries.stdout).toHaveLength(before + 100);
		vi.useRealTimers();
	});
});

describe('its door', () => {
	it('needs the API key and takes a right access token beside it', async () => {
		finished('lines');
		const status = async (headers: Record<string, string>) =>
			(await caas.call(PATH, { headers })).status;
		expect(await status({})).toBe(200);
		expect(await status({ authorization: `Bearer ${sandbox.keys.accessToken}` })).toBe(200);
		expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
		expect(
			await status({ 'x-api-key': 'wrong', authorization: `Bearer ${sandbox.keys.accessToken}` }),
		).toBe(401);
	});

	it('refuses wrong streams and offsets, and does not know every container', async () => {
		finished('lines');
		expect(violations(await caas.get(`${PATH}?stream=stdin&offset=0`))).toEqual([
			'query.stream: enum',
		]);
		expect(violations(await caas.get(`${PATH}?offset=-1`))).toEqual([
			'query.offset: greater_than_equal',
		]);
		expect(violations(await caas.get(`${PATH}?offset=one`))).toEqual(['query.offset: int_parsing']);
		expect((await caas.get('/deployment/d/log/nobody')).status).toBe(404);
	});

	it('may call the offset otherwise', async () => {
		const other = await startSandbox({ clock: manualClock(), offsetParameter: 'from' });
		const client = cloud(other, 'caas');
		const log = other.logs.open('d', 'c', 'lines');
		log.append('stdout', 'one', 'two');
		log.finish();
		expect((await client.get(`${PATH}?from=1&offset=0`)).text).toBe('two\n');
		await client.close();
		await other.close();
	});
});
