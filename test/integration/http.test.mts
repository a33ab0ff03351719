import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import type { ICredentialDataDecryptedObject, IRun } from 'n8n-workflow';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startEngine, type RunOptions } from '../engine/engine.mts';
import { explorer, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { ownMilliseconds } from '../engine/ownTime.mts';
import { startServer, type TestServer } from '../engine/server.mts';
import { useHastyTime, type HastyTime } from '../engine/time.mts';
import { turns } from '../engine/wait.mts';

const API_KEY = 'http-test-api-key-90c1f2';
const ACCESS_TOKEN = 'http-test-access-token-77ab';
const MIB = 1024 * 1024;

const open: TestServer[] = [];

/** A server of one test. */
async function serve(answer: Parameters<typeof startServer>[0]): Promise<TestServer> {
	const server = await startServer(answer);
	open.push(server);
	return server;
}

afterEach(async () => {
	await Promise.all(open.splice(0).map(async (server) => await server.close()));
});

const json = (response: ServerResponse, body: unknown, status = 200) =>
	response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const offers = (response: ServerResponse) =>
	json(response, { data: { hardware: [{ id: 'a', deploy_id: 1 }] } });

const hardware = vmaas('hardware', 'getAll', { returnAll: true, filters: {}, options: {} });
const device = explorer('get', { deviceId: 'd-1', output: 'device' });

async function run(
	node: typeof hardware,
	baseUrl: string,
	data: ICredentialDataDecryptedObject = {},
	options: RunOptions = {},
): Promise<IRun> {
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl, service: 'svc', apiKey: API_KEY, ...data },
		},
		'compute-token': {
			type: 'computeMarketplaceTokenApi',
			data: { baseUrl, service: 'svc', accessToken: ACCESS_TOKEN, ...data },
		},
	});
	return await engine.run(node, [{}], options);
}

const expectNoSecret = (result: IRun) =>
	expect(JSON.stringify(result)).not.toMatch(new RegExp(`${API_KEY}|${ACCESS_TOKEN}`));

describe('redirects', () => {
	it.each([301, 302, 303, 307, 308])(
		'%d to another host is not followed and carries no key',
		async (status) => {
			const other = await serve((_, response) => offers(response));
			const first = await serve((_, response) =>
				response
					.writeHead(status, { location: `${other.url}/enterprise/v1/svc-cloud/vmaas/hardware` })
					.end(),
			);
			for (const node of [hardware, device]) {
				const result = await run(node, first.url);
				expect(errorOf(result).message).toBe(
					`The service redirects to another address (${status})`,
				);
				expect(errorOf(result).description).toContain('no key reaches another host');
				expectNoSecret(result);
			}
			expect(first.requests).toHaveLength(2);
			expect(first.requests[0]?.headers['x-api-key']).toBe(API_KEY);
			expect(other.requests).toHaveLength(0);
		},
	);
});

describe('a key that the service repeats', () => {
	it('is redacted also where JSON escapes it', async () => {
		const apiKey = 'quoted-"key"-\\-61c7';
		const service = await serve((request, response) =>
			json(response, { detail: `no key ${String(request.headers['x-api-key'])}` }, 401),
		);
		expect(errorOf(await run(hardware, service.url, { apiKey })).message).toBe(
			'The service did not accept the credential (401): no key ***',
		);
	});
});

describe('bodies that are too large', () => {
	it('an endless body is an error, and little more than the limit is read', async () => {
		let sent = 0;
		const service = await serve((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			const piece = Buffer.alloc(64 * 1024, 0x20);
			const more = () => {
				while (!response.destroyed) {
					sent += piece.length;
					if (!response.write(piece)) return;
				}
			};
			response.on('drain', more);
			more();
		});
		const before = process.memoryUsage().arrayBuffers;
		const result = await run(hardware, service.url);
		expect(errorOf(result).message).toBe('The answer is larger than 16 MiB');
		await service.noConnection();
		expect(sent).toBeGreaterThan(16 * MIB);
		expect(sent).toBeLessThan(16 * MIB + 8 * MIB);
		expect(service.requests).toHaveLength(1);
		expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB);
	});

	it('the limit counts the bytes after decompression', async () => {
		let sent = 0;
		const service = await serve((_, response) => {
			response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
			const gzip = createGzip();
			const zeros = Buffer.alloc(256 * 1024);
			const more = () => {
				if (!response.destroyed) gzip.write(zeros, () => void setImmediate().then(more));
			};
			gzip.on('data', (bytes: Buffer) => {
				sent += bytes.length;
				response.write(bytes);
			});
			more();
		});
		const before = process.memoryUsage().rss;
		const result = await run(hardware, service.url);
		expect(errorOf(result).message).toBe('The answer is larger than 16 MiB');
		await service.noConnection();
		expect(sent).toBeLessThan(4 * MIB);
		expect(process.memoryUsage().rss - before).toBeLessThan(256 * MIB);
	});

	it('a body of exactly the limit is read', async () => {
		const text = JSON.stringify({ data: { hardware: [{ id: 'a', pad: '' }] } });
		const service = await serve((_, response) => {
			response
				.writeHead(200, { 'content-type': 'application/json' })
				.end(text.replace('"pad":""', `"pad":"${'x'.repeat(16 * MIB - text.length)}"`));
		});
		expect(jsonOf(await run(hardware, service.url))).toHaveLength(1);
	});
});

describe('answers that never end', () => {
	const forms: Array<[what: string, answer: (response: ServerResponse) => void, message: RegExp]> =
		[
			['no head at all', () => undefined, /No answer came within 60 seconds/],
			[
				'a head and no body',
				(response) =>
					response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders(),
				/did not arrive whole in time/,
			],
			[
				'a byte now and then',
				(response) => {
					response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
					const drip = setInterval(() => response.write(' '), 20);
					response.on('close', () => clearInterval(drip));
				},
				/did not arrive whole in time/,
			],
		];
	let time: HastyTime;
	beforeAll(() => {
		time = useHastyTime();
	});
	afterAll(() => time.restore());

	it.each(forms)(
		'%s: the deadline ends it, after three tries, and no socket stays open',
		async (_, answer, message) => {
			const service = await serve((_request, response) => {
				answer(response);
				void turns().then(() => time.expire());
			});
			const result = await run(hardware, service.url);
			expect(errorOf(result).message).toMatch(message);
			expect(service.requests).toHaveLength(3);
			await service.noConnection();
		},
	);
});

describe('cancellation', () => {
	const moments: Array<[when: string, answer: (response: ServerResponse) => void]> = [
		['no head has come', () => undefined],
		[
			'the body is under way',
			(response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
		],
		[
			'the next try is waited for',
			(response) => response.writeHead(429, { 'retry-after': '50' }).end(),
		],
	];
	it.each(moments)('while %s: ends within 100 ms and leaves no socket open', async (_, answer) => {
		const arrived: Array<() => void> = [];
		const service = await serve((_request, response) => {
			answer(response);
			arrived.forEach((resolve) => resolve());
		});
		const stop = new AbortController();
		const here = new Promise<void>((resolve) => arrived.push(resolve));
		const running = run(hardware, service.url, {}, { cancel: stop.signal });
		await here;
		// The answer's head or first byte has reached the node
		await turns();
		const waited = ownMilliseconds();
		stop.abort();
		await running;
		expect(waited()).toBeLessThan(100);
		await service.noConnection();
		expect(service.requests).toHaveLength(1);
	});
});

describe('where requests go', () => {
	it.each([
		['', ''],
		['/', ''],
		['//', ''],
		['/gateway/v9', '/gateway/v9'],
		['/gateway/', '/gateway'],
	])('base URL with %j behind the host', async (suffix, prefix) => {
		const service = await serve((_, response) => offers(response));
		expect(jsonOf(await run(hardware, `  ${service.url}${suffix} `))).toHaveLength(1);
		expect(service.requests.map(({ url }) => url)).toEqual([
			`${prefix}/enterprise/v1/svc-cloud/vmaas/hardware`,
		]);
	});

	it('the service segment of the credential is in every path', async () => {
		const service = await serve((request, response) =>
			request.url?.includes('hardware')
				? offers(response)
				: json(response, { status: 'succeeded', data: { device_id: 'd-1' } }),
		);
		await run(hardware, service.url, { service: 'acme' });
		await run(device, service.url, { service: 'acme' });
		expect(service.requests.map(({ url }) => url)).toEqual([
			'/enterprise/v1/acme-cloud/vmaas/hardware',
			'/v1/acme-explorer/devices/d-1/details',
		]);
	});

	it('asks for JSON, with one key header and no cookie, and closes its connection', async () => {
		const service = await serve((_, response) => offers(response));
		await run(hardware, service.url);
		const raw = service.requests[0]?.rawHeaders ?? [];
		const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
		expect(names.filter((name) => name === 'x-api-key')).toHaveLength(1);
		expect(names).not.toContain('authorization');
		expect(names).not.toContain('cookie');
		expect(service.requests[0]?.headers.accept).toBe('application/json');
		await service.noConnection();
	});

	it.each([
		['none', { allowedHttpRequestDomains: 'none' }],
		[
			'other hosts only',
			{ allowedHttpRequestDomains: 'domains', allowedDomains: 'api.example.com' },
		],
	])(
		"allowed domains of the credential: %s still lets the node reach the credential's own host",
		async (_, data) => {
			const service = await serve((_request, response) => offers(response));
			expect(jsonOf(await run(hardware, service.url, data))).toHaveLength(1);
		},
	);
});
