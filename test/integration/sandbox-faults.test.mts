import { connect } from 'node:net';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { errorForms, startSandbox } from '../sandbox/index.mts';
import { cloud } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { until } from '../sandbox/testing/until.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'));

const deploy = () => vmaas.post('/deploy', sampleDeploy);
const made = () => sandbox.books.deployments.length;
const LOST = { code: expect.stringMatching(/^(UND_ERR_SOCKET|ECONNRESET)$/) };

/** A deploy that is not awaited, with a client that can disconnect. */
function deployInBackground() {
	const client = new AbortController();
	let outcome = 'waiting';
	const ended = vmaas
		.call('/deploy', { method: 'POST', body: sampleDeploy, signal: client.signal })
		.then(
			({ status }) => (outcome = `answered ${status}`),
			() => (outcome = 'lost'),
		);
	return { ended, outcome: () => outcome, disconnect: () => client.abort() };
}

/** The request was read, and its fault applies. */
const arrived = () => until(() => sandbox.requests[0]?.body !== undefined);

/** Another request is answered, so whatever the sandbox had to do before is done. */
async function roundTrip(): Promise<void> {
	expect((await vmaas.get('/hardware')).status).toBe(200);
}

describe('which request a fault applies to', () => {
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

	it('can be the third, several, or all', async () => {
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

	it('apply before the others where they are added first', async () => {
		sandbox.faults.add({ status: 500, times: Infinity });
		sandbox.faults.addFirst({ status: 503 });
		expect((await deploy()).status).toBe(503);
		expect((await deploy()).status).toBe(500);
	});
});

describe('lost answers', () => {
	it('drop before: not read and not executed', async () => {
		sandbox.faults.add({ drop: 'before' });
		await expect(deploy()).rejects.toMatchObject(LOST);
		expect(made()).toBe(0);
		expect(sandbox.requests[0]).toMatchObject({ body: undefined });
		expect(sandbox.requests[0]).not.toHaveProperty('status');
	});

	it('drop after: executed all the same', async () => {
		sandbox.faults.add({ drop: 'after' });
		await expect(deploy()).rejects.toMatchObject(LOST);
		expect(made()).toBe(1);
		expect(sandbox.requests[0]).toMatchObject({ body: sampleDeploy });
		expect(sandbox.requests[0]).not.toHaveProperty('status');
	});

	it('drop after does not execute what the service refuses', async () => {
		sandbox.faults.add({ drop: 'after' });
		await expect(vmaas.post('/deploy', {})).rejects.toMatchObject(LOST);
		expect(made()).toBe(0);
	});
});

describe('delays', () => {
	it('wait on the manual clock and then execute, even after the client has disconnected', async () => {
		sandbox.faults.add({ delayMs: 5_000 });
		const lost = deployInBackground();
		await arrived();
		lost.disconnect();
		expect(await lost.ended).toBe('lost');
		sandbox.clock.advance(4_999);
		await roundTrip();
		expect(made()).toBe(0);
		sandbox.clock.advance(1);
		await until(() => made() === 1);
		await roundTrip();
		expect(sandbox.requests[0]).not.toHaveProperty('status');
	});

	it('afterWork: execute at once and answer late, while other requests are answered', async () => {
		sandbox.faults.add({ delayMs: 5_000, afterWork: true });
		const late = deployInBackground();
		await until(() => made() === 1);
		await roundTrip();
		expect(late.outcome()).toBe('waiting');
		sandbox.clock.advance(5_000);
		expect(await late.ended).toBe('answered 200');
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
	it('instead of executing the request', async () => {
		sandbox.faults.add({ status: 500, body: { detail: 'no' } });
		const answer = await deploy();
		expect([answer.status, answer.json, made()]).toEqual([500, { detail: 'no' }, 0]);
		expect(sandbox.requests[0]).toMatchObject({ body: sampleDeploy, status: 500 });
	});

	it('even to a request without a key', async () => {
		sandbox.faults.add({ status: 403, body: { detail: 'no' } });
		expect((await vmaas.call('/hardware', { headers: { 'x-api-key': '' } })).status).toBe(403);
	});

	it('after executing it', async () => {
		sandbox.faults.add({ afterWork: true, ...errorForms.html(502) });
		const answer = await deploy();
		expect([answer.status, answer.type, made()]).toEqual([502, 'text/html', 1]);
		expect(answer.text).toContain('502 Bad Gateway');
	});

	it('an empty body for a success, never for a refusal', async () => {
		sandbox.faults.add({ emptyBody: true, times: 2 });
		const empty = await deploy();
		expect([empty.status, empty.text, empty.type, made()]).toEqual([200, '', '', 1]);
		const refused = await vmaas.post('/deploy', {});
		expect([refused.status, refused.text === '']).toEqual([422, false]);
	});

	it('the real answer with more headers', async () => {
		sandbox.faults.add({ headers: { 'x-extra': 'yes' } });
		const answer = await deploy();
		expect([answer.status, answer.headers['x-extra'], made()]).toEqual([200, 'yes', 1]);
	});
});

describe('damaged bodies', () => {
	it('truncated below its content-length, then reset', async () => {
		const whole = await vmaas.get('/hardware');
		const bytes = await truncatedAnswer(100);
		const [head = '', body = ''] = bytes.split('\r\n\r\n');
		expect(head).toContain(`content-length: ${Buffer.byteLength(whole.text)}`);
		expect(body).toBe(whole.text.slice(0, 100));
		sandbox.faults.add({ cutBodyAt: 5 });
		await expect(deploy()).rejects.toMatchObject(LOST);
		expect(made()).toBe(1);
	});

	/** The answer as raw bytes; the connection must end in a reset. */
	function truncatedAnswer(cutBodyAt: number): Promise<string> {
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

	it('slow, but complete', async () => {
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
});

describe('hang', () => {
	it('never answers and does not execute', async () => {
		sandbox.faults.add({ hang: true });
		const lost = deployInBackground();
		await arrived();
		sandbox.clock.advance(3_600_000);
		await roundTrip();
		expect(lost.outcome()).toBe('waiting');
		lost.disconnect();
		expect([await lost.ended, made()]).toEqual(['lost', 0]);
	});

	it('afterWork: executes and never answers', async () => {
		sandbox.faults.add({ hang: true, afterWork: true });
		const lost = deployInBackground();
		await until(() => made() === 1);
		await roundTrip();
		expect(lost.outcome()).toBe('waiting');
		lost.disconnect();
		expect(await lost.ended).toBe('lost');
	});
});
