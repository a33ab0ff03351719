import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { caas, chat, deployParameters, explorer, locator, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { devices } from '../sandbox/index.mts';
import { at } from '../sandbox/testing/client.mts';

/** compute-api.md: introduction, What the service does, Validation error body, Authentication, Events, Errors; beyond-the-spec.md sections 3 and 7. */
const fixture = useFixture();
const deviceId = devices[0]?.device_id ?? '';

const hardware = vmaas('hardware', 'getAll', { returnAll: true, filters: {}, options: {} });
const price = vmaas('price', 'get', {
	hardwareId: locator(12),
	locationId: locator('us-east-1'),
	durationHours: 3,
	gpusPerVm: 8,
	currency: 'usdc',
	replicaCount: 1,
});
const device = explorer('get', { deviceId, output: 'device' });
const models = chat('model', 'getAll', { returnAll: true });
const sentHeaders = () =>
	fixture.sandbox.requests.map(({ headers }) => [headers['x-api-key'], headers.authorization]);

describe('addresses', () => {
	it('[service.base_url] all paths start with the base URL of the credential', async () => {
		const stored = sandboxCredentials(fixture.sandbox);
		const engine = await startEngine({
			...stored,
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: {
					baseUrl: `${fixture.sandbox.url}/behind/a/gateway/`,
					service: 'svc',
					apiKey: fixture.sandbox.keys.apiKey,
				},
			},
		});
		fixture.sandbox.faults.add({ status: 200, body: { data: { hardware: [] } } });
		expect(jsonOf(await engine.run(hardware))).toEqual([]);
		expect(fixture.sandbox.requests.map(({ path }) => path)).toEqual([
			'/behind/a/gateway/enterprise/v1/svc-cloud/vmaas/hardware',
		]);
	});

	it('[service.two_addresses] [intelligence.version] compute and intelligence have base addresses of their own', async () => {
		await fixture.run(hardware);
		await fixture.run(models);
		await fixture.run(chat('agent', 'getAll', { returnAll: true }));
		expect(fixture.sandbox.requests.map(({ path }) => path)).toEqual([
			'/enterprise/v1/svc-cloud/vmaas/hardware',
			'/intelligence/api/v1/models',
			'/intelligence/api/v1/agents',
		]);
		expect(new URL(fixture.sandbox.intelligenceUrl).pathname).toBe('/intelligence');
	});

	it('[service.https] an https address is requested with TLS', async () => {
		let first: Buffer | undefined;
		const server = createServer((socket) => {
			socket.once('data', (bytes: Buffer) => {
				first = bytes;
				socket.destroy();
			});
			socket.on('error', () => undefined);
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		const engine = await startEngine({
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: {
					baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
					service: 'svc',
					apiKey: fixture.sandbox.keys.apiKey,
				},
			},
		});
		errorOf(await engine.run(hardware));
		server.close();
		// The record of a TLS handshake begins with 22, and its version with 3
		expect([first?.[0], first?.[1]]).toEqual([22, 3]);
		expect(first?.includes(fixture.sandbox.keys.apiKey)).toBe(false);
	});

	it('[service.json] requests are JSON and ask for JSON', async () => {
		await fixture.run(vmaas('deployment', 'deploy', deployParameters()));
		await fixture.run(device);
		expect(
			fixture.sandbox.requests.every(({ headers }) => headers.accept === 'application/json'),
		).toBe(true);
		expect(fixture.sent('POST', /deploy$/)[0]?.headers['content-type']).toMatch(
			/^application\/json/,
		);
		expect((await fixture.client.get('/hardware')).type).toMatch(/^application\/json/);
	});

	it('[service.explorer.read_only] every operation of the explorer is a GET', async () => {
		const dates = { fromDate: '2025-12-01', toDate: '2025-12-03' };
		for (const operation of ['get', 'getSummary', 'getProofOfWork', 'getBlockRewards'])
			await fixture.run(explorer(operation, { deviceId, output: 'device', ...dates }));
		expect(fixture.sandbox.requests.map(({ method }) => method)).toEqual([
			'GET',
			'GET',
			'GET',
			'GET',
		]);
		const operations = fixture.engine
			.nodeType('explorer')
			.description.properties.find(({ name }) => name === 'operation');
		expect(operations?.options).toHaveLength(4);
	});
});

describe('authentication', () => {
	it('[auth.api_key] x-api-key alone: hardware, price, deploy; and the log beside its token', async () => {
		const { apiKey } = fixture.sandbox.keys;
		for (const node of [
			hardware,
			price,
			vmaas('deployment', 'deploy', deployParameters({ gpusPerVm: 1 })),
		])
			await fixture.run(node);
		expect(new Set(sentHeaders().map((sent) => JSON.stringify(sent)))).toEqual(
			new Set([JSON.stringify([apiKey, undefined])]),
		);
		fixture.sandbox.requests.length = 0;
		await fixture.run(
			caas('log', 'getAll', {
				deploymentId: locator('d'),
				containerId: locator('c'),
				stream: 'stdout',
				limit: 1,
				maxWaitSeconds: 1,
			}),
		);
		expect(sentHeaders()).toEqual([[apiKey, undefined]]);
	});

	it('[auth.access_token] Authorization: Bearer: device details', async () => {
		await fixture.run(device);
		expect(sentHeaders()).toEqual([[undefined, `Bearer ${fixture.sandbox.keys.accessToken}`]]);
	});

	it('[auth.oauth2.settings] grant type, authorization URL, token URL and scope are fields of the credential', () => {
		const { properties, extends: parents } = fixture.engine.loader.getCredential(
			'computeMarketplaceOAuth2Api',
		).type;
		expect(parents).toEqual(['oAuth2Api']);
		const hidden = properties.filter(({ type }) => type === 'hidden').map(({ name }) => name);
		for (const name of ['grantType', 'authUrl', 'accessTokenUrl', 'scope'])
			expect(hidden).not.toContain(name);
		const grants = properties.find(({ name }) => name === 'grantType')?.options ?? [];
		expect(grants.map((grant) => at(grant, 'value'))).toEqual(
			expect.arrayContaining(['authorizationCode', 'clientCredentials', 'pkce']),
		);
	});

	it('[intelligence.auth.hint] the credential says that the key is a secret', () => {
		const { properties } = fixture.engine.loader.getCredential('computeIntelligenceApi').type;
		const key = properties.find(({ name }) => name === 'apiKey') as INodeProperties;
		expect(`${key.description} ${key.hint}`).toMatch(/secret.*client-side/s);
		expect(key.typeOptions?.password).toBe(true);
	});

	it('[intelligence.auth.others] other header names are options of the credential', () => {
		const { properties } = fixture.engine.loader.getCredential('computeIntelligenceApi').type;
		const choices = properties.find(({ name }) => name === 'header')?.options ?? [];
		expect(choices.map((choice) => at(choice, 'value')).sort()).toEqual([
			'bearer',
			'token',
			'xApiKey',
		]);
	});
});

describe('events', () => {
	it('[events.none] no node has a webhook', () => {
		for (const name of Object.keys(fixture.engine.loader.known.nodes)) {
			const type = fixture.engine.nodeType(name);
			expect([name, type.description.webhooks, type.webhook]).toEqual([name, undefined, undefined]);
		}
	});
});
