import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { errorForms, startSandbox } from '../sandbox/index.mts';
import { at, cloud } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'));

const deploy = () => vmaas.post('/deploy', sampleDeploy);
const made = () => sandbox.books.deployments.length;
const LOST = { code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/) };

async function arrived(count = 1): Promise<void> {
	while (sandbox.requests.length < count) await pause(2);
	await pause(20);
}

describe('which request a fault meets', () => {
	it('is the first that matches method and path', async () => {
		const fault = { match: { method: 'post', path: '/vmaas/deploy' }, status: 503 };
		sandbox.faults.add(fault);
		expect((await vmaas.get('/hardware')).status).toBe(200);
		expect(sandbox.faults.pending()).toBe(1);
		expect((await deploy()).status).toBe(503);
		expect((await deploy()).status).toBe(200);
		expect([sandbox.faults.pending(), sandbox.faults.used()]).toEqual([0, [fault]]);
		expect(sandbox.requests.map((entry) => entry.fault)).toEqual([undefined, fault, undefined]);
	});

	it('may be the third, may be several, may be all', async () => {
		sandbox.faults.add({ match: { path: /\/hardware$/g }, skip: 2, times: 2, status: 500 });
		const statuses = async (count: number) => {
			const all: number[] = [];
			for (let round = 0; round < count; round++) all.push((await vmaas.get('/hardware')).status);
			return all;
		};
		expect(await statuses(5)).toEqual([200, 200, 500, 500, 200]);
		sandbox.faults.add({ times: Infinity, status: 502 });
		expect(await statuses(3)).toEqual([502, 502, 502]);
		expect(sandbox.faults.pending()).toBe(1);
		sandbox.faults.clear();
		expect(await statuses(1)).toEqual([200]);
	});

	it('meets one fault after the other', async () => {
		sandbox.faults.add({ status: 500 });
		sandbox.faults.add({ status: 429, headers: { 'retry-after': '7' } });
		expect((await deploy()).status).toBe(500);
		const second = await deploy();
		expect([second.status, second.headers['retry-after']]).toEqual([429, '7']);
		expect((await deploy()).status).toBe(200);
		expect(made()).toBe(1);
	});
});

describe('lost answers', () => {
	it('drop before: nothing was done, nothing was read', async () => {
		sandbox.faults.add({ drop: 'before' });
		await expect(deploy()).rejects.toMatchObject(LOST);
		expect(made()).toBe(0);
		expect(sandbox.requests[0]).toMatchObject({ body: undefined });
		expect(sandbox.requests[0]).not.toHaveProperty('status');
	});

	it('drop after: it was done all the same', async () => {
		sandbox.faults.add({ drop: 'after' });
		await expect(deploy()).rejects.toMatchObject(LOST);
		expect(made()).toBe(1);
		expect(sandbox.requests[0]).toMatchObject({ body: sampleDeploy });
		expect(sandbox.requests[0]).not.toHaveProperty('status');
	});

	it('drop after does no work that the service would have refused', async () => {
		sandbox.faults.add({ drop: 'after' });
		await expect(vmaas.post('/deploy', {})).rejects.toMatchObject(LOST);
		expect(made()).toBe(0);
	});
});

describe('delays', () => {
	it('wait on the manual clock and then work, also when the client has gone', async () => {
		sandbox.faults.add({ delayMs: 5_000 });
		const client = new AbortController();
		const lost = vmaas.call('/deploy', {
			method: 'POST',
			body: sampleDeploy,
			signal: client.signal,
		});
		await arrived();
		client.abort();
		await expect(lost).rejects.toThrow();
		sandbox.clock.advance(4_999);
		await pause(20);
		expect(made()).toBe(0);
		sandbox.clock.advance(1);
		await pause(20);
		expect(made()).toBe(1);
		expect(sandbox.requests[0]).not.toHaveProperty('status');
	});

	it('afterWork: work at once and answer late', async () => {
		sandbox.faults.add({ delayMs: 5_000, afterWork: true });
		const late = deploy();
		await arrived();
		expect(made()).toBe(1);
		sandbox.clock.advance(5_000);
		expect((await late).status).toBe(200);
	});

	it('let other requests pass meanwhile', async () => {
		sandbox.faults.add({ delayMs: 5_000 });
		const late = deploy();
		await arrived();
		expect((await vmaas.get('/hardware')).status).toBe(200);
		sandbox.clock.advance(5_000);
		expect((await late).status).toBe(200);
	});

	it('are real time on the system clock', async () => {
		const real = await startSandbox();
		const client = cloud(real, 'vmaas');
		real.faults.add({ delayMs: 80 });
		const started = Date.now();
		expect((await client.get('/hardware')).status).toBe(200);
		expect(Date.now() - started).toBeGreaterThanOrEqual(75);
		await client.close();
		await real.close();
	});
});

describe('other answers', () => {
	it('instead of the work', async () => {
		sandbox.faults.add({ status: 500, body: { detail: 'no' } });
		const answer = await deploy();
		expect([answer.status, answer.json, made()]).toEqual([500, { detail: 'no' }, 0]);
		expect(sandbox.requests[0]).toMatchObject({ body: sampleDeploy, status: 500 });
	});

	it('also for a request without a key', async () => {
		sandbox.faults.add({ status: 403, body: { detail: 'no' } });
		expect((await vmaas.call('/hardware', { headers: { 'x-api-key': '' } })).status).toBe(403);
	});

	it('after the work', async () => {
		sandbox.faults.add({ afterWork: true, ...errorForms.html(502) });
		const answer = await deploy();
		expect([answer.status, answer.type, made()]).toEqual([502, 'text/html', 1]);
		expect(answer.text).toContain('502 Bad Gateway');
	});

	it('an empty body for a success, never for a refusal', async () => {
		sandbox.faults.add({ emptyBody: true, times: 2 });
		const empty = await deploy();
		expect([empty.status, empty.text, empty.type, made()]).toEqual([200, '', '', 1]);
		expect((await vmaas.post('/deploy', {})).status).toBe(422);
	});

	it('the real answer with more headers', async () => {
		sandbox.faults.add({ headers: { 'x-extra': 'yes' } });
		const answer = await deploy();
		expect([answer.status, answer.headers['x-extra'], made()]).toEqual([200, 'yes', 1]);
	});

	it.each([
		['plainText', errorForms.plainText(), 500, /^text\/plain/, 'Internal Server Error'],
		['empty', errorForms.empty(503), 503, /^$/, ''],
		[
			'detailString',
			errorForms.detailString(402, 'plan too low'),
			402,
			/^application\/json/,
			'{"detail":"plan too low"}',
		],
		[
			'detailMessage',
			errorForms.detailMessage(400, 'no'),
			400,
			/json/,
			'{"detail":{"message":"no"}}',
		],
		[
			'messageAndType',
			errorForms.messageAndType(409, 'twice', 'Conflict'),
			409,
			/json/,
			'{"message":"twice","error_type":"Conflict"}',
		],
		[
			'errorObject',
			errorForms.errorObject(400, 'no', 'bad', 'code'),
			400,
			/json/,
			'{"error":{"message":"no","type":"bad","code":"code"}}',
		],
		[
			'html',
			errorForms.html(),
			502,
			/^text\/html/,
			'<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>',
		],
	])('has the form %s', async (_name, form, status, type, text) => {
		sandbox.faults.add(form);
		const answer = await vmaas.get('/hardware');
		expect(answer.type).toMatch(type);
		expect([answer.status, answer.text]).toEqual([status, text]);
	});

	it('has the validation form and the rate limit', async () => {
		sandbox.faults.add(errorForms.detailList());
		const invalid = await vmaas.get('/hardware');
		expect([invalid.status, at(invalid.json, 'detail', 0, 'msg')]).toEqual([
			422,
			'only a single location is supported',
		]);
		sandbox.faults.add(errorForms.tooManyRequests(30));
		const limited = await vmaas.get('/hardware');
		expect([limited.status, limited.headers['retry-after']]).toEqual([429, '30']);
	});
});

describe('damaged bodies', () => {
	it('cut after some bytes of a body with its true length, then reset', async () => {
		const whole = await vmaas.get('/hardware');
		const bytes = await cutAnswer(100);
		const [head = '', body = ''] = bytes.split('\r\n\r\n');
		expect(head).toContain(`content-length: ${Buffer.byteLength(whole.text)}`);
		expect(body).toBe(whole.text.slice(0, 100));
		sandbox.faults.add({ cutBodyAt: 5 });
		await expect(deploy()).rejects.toMatchObject(LOST);
		expect(made()).toBe(1);
	});

	/** The answer as raw bytes; the connection must end in a reset. */
	function cutAnswer(cutBodyAt: number): Promise<string> {
		sandbox.faults.add({ cutBodyAt });
		const { hostname, port } = new URL(sandbox.url);
		return new Promise((resolve, reject) => {
			let received = '';
			const socket = connect(Number(port), hostname, () => {
				socket.write(
					`GET /enterprise/v1/svc-cloud/vmaas/hardware HTTP/1.1\r\nhost: x\r\nx-api-key: ${sandbox.keys.apiKey}\r\n\r\n`,
				);
			});
			socket.on('data', (piece) => (received += piece.toString()));
			socket.on('error', (error: NodeJS.ErrnoException) =>
				error.code === 'ECONNRESET' ? resolve(received) : reject(error),
			);
			socket.on('end', () => reject(new Error('a clean end')));
		});
	}

	it('slow, but whole', async () => {
		const whole = await vmaas.get('/deployments');
		sandbox.faults.add({ slowBytes: { chunk: 40, everyMs: 10 } });
		const pieces: number[] = [];
		const { body, headers } = await request(
			`${sandbox.url}/enterprise/v1/svc-cloud/vmaas/deployments`,
			{
				headers: { 'x-api-key': sandbox.keys.apiKey },
				dispatcher: vmaas.agent,
			},
		);
		let text = '';
		for await (const piece of body) {
			pieces.push(Number(piece.length));
			text += String(piece);
		}
		expect(text).toBe(whole.text);
		expect(headers['content-length']).toBe(String(whole.text.length));
		expect(Math.max(...pieces)).toBe(40);
	});

	it('slow and cut', async () => {
		sandbox.faults.add({ slowBytes: { chunk: 10, everyMs: 1 }, cutBodyAt: 25 });
		await expect(vmaas.get('/hardware')).rejects.toMatchObject(LOST);
	});
});

describe('hang', () => {
	it('never answers and does no work', async () => {
		sandbox.faults.add({ hang: true });
		const client = new AbortController();
		const lost = vmaas
			.call('/deploy', { method: 'POST', body: sampleDeploy, signal: client.signal })
			.then(
				() => 'answered',
				() => 'gave up',
			);
		await arrived();
		sandbox.clock.advance(3_600_000);
		expect(await Promise.race([lost, pause(50, 'waiting')])).toBe('waiting');
		client.abort();
		expect([await lost, made()]).toEqual(['gave up', 0]);
	});

	it('afterWork: works and never tells', async () => {
		sandbox.faults.add({ hang: true, afterWork: true });
		const client = new AbortController();
		const lost = vmaas
			.call('/deploy', { method: 'POST', body: sampleDeploy, signal: client.signal })
			.then(
				() => 'answered',
				() => 'gave up',
			);
		await arrived();
		client.abort();
		expect([await lost, made()]).toEqual(['gave up', 1]);
	});
});
