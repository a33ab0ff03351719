import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { caas, chat, deployParameters, explorer, locator, rag, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { devices, errorForms, type ErrorForm } from '../sandbox/index.mts';
import { at, Client, listAt } from '../sandbox/testing/client.mts';

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
	it('[service.base_url] all paths stand behind the one base address of the credential', async () => {
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

	it('[service.https] an https address is spoken to in TLS, so nothing is sent in the open', async () => {
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

	it('[intelligence.auth.others] headers of other names are choices of the credential', () => {
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

describe('the validation error body', () => {
	const sample = { loc: ['body', 'location_ids', 0], msg: 'is gone', type: 'value_error' };
	const refused = async (detail: unknown) => {
		fixture.sandbox.faults.add({ status: 422, body: { detail } });
		return errorOf(await fixture.run(hardware)).message;
	};

	it('[validation.detail] every entry of the list is told', async () => {
		expect(await refused([sample, { ...sample, loc: ['query', 'gpu'], msg: 'is odd' }])).toBe(
			'location_ids.0: is gone; gpu: is odd',
		);
		expect(
			listAt((await fixture.client.get('/hardware?cpu_cores_min=0&storage_min=0')).json, 'detail'),
		).toHaveLength(2);
	});

	it('[validation.loc] [validation.loc.integer] the path to the field: texts and integers, without where it was sent', async () => {
		expect(await refused([sample])).toBe('location_ids.0: is gone');
		expect(await refused([{ ...sample, loc: ['path', 'a', 1, 'b'] }])).toBe('a.1.b: is gone');
		expect(
			at((await fixture.client.post('/deploy', { location_ids: [1] })).json, 'detail'),
		).toEqual(
			expect.arrayContaining([expect.objectContaining({ loc: ['body', 'location_ids', 0] })]),
		);
	});

	it('[validation.msg] [validation.type] the message is shown, the type is for machines', async () => {
		const message = await refused([sample]);
		expect(message).toContain('is gone');
		expect(message).not.toContain('value_error');
		expect(listAt((await fixture.client.get('/hardware?cpu_cores_min=0')).json, 'detail')).toEqual([
			{ loc: ['query', 'cpu_cores_min'], msg: expect.any(String), type: 'greater_than_equal' },
		]);
	});
});

describe('errors that the specifications do not show', () => {
	const nodes: Array<[string, ReturnType<typeof vmaas>]> = [
		['errors', hardware],
		['intelligence.errors', models],
	];
	it.each(nodes)(
		'[%s.not_shown] a refused key, a used-up quota, a server that fails: what it is, the words of the service, what to do',
		async (_, node) => {
			for (const [status, title] of [
				[401, 'did not accept the credential'],
				[402, 'does not cover'],
				[403, 'may not do this'],
				[409, 'conflict'],
				[418, 'refused'],
				[500, 'could not answer'],
			] as const) {
				fixture.sandbox.faults.add({
					times: 3,
					...errorForms.detailString(status, 'its own words'),
				});
				const error = errorOf(await fixture.run(node));
				fixture.sandbox.faults.clear();
				expect(error.message).toMatch(new RegExp(`${title}.*\\(${status}\\): its own words$`));
				expect(error.description).toMatch(/\w{4}/);
			}
		},
	);

	const forms: Array<[string, ErrorForm, string]> = [
		['text', errorForms.plainText(400, 'its own words'), ': its own words'],
		['empty', errorForms.empty(400), ''],
		['detail', errorForms.detailString(400, 'its own words'), ': its own words'],
		[
			'list',
			errorForms.detailList(400, [{ loc: ['body', 'field'], msg: 'its own words', type: 'x' }]),
			': field: its own words',
		],
		['detail_message', errorForms.detailMessage(400, 'its own words'), ': its own words'],
		['message', errorForms.messageAndType(400, 'its own words'), ': its own words'],
		['error', errorForms.errorObject(400, 'its own words'), ': its own words'],
	];
	it.each(forms)('[errors.form.%s] is understood by every node', async (_, form, words) => {
		for (const node of [
			hardware,
			device,
			models,
			caas('deployment', 'get', { deploymentId: locator('d') }),
			rag('system', 'getHealth'),
		]) {
			fixture.sandbox.faults.add(form);
			expect(errorOf(await fixture.run(node)).message).toBe(
				`The service refused the request (400)${words}`,
			);
		}
	});
});

describe('explorer: errors of every endpoint', () => {
	const dates = { fromDate: '2025-12-01', toDate: '2025-12-03' };
	const operations = ['get', 'getSummary', 'getProofOfWork', 'getBlockRewards'];
	const run = async (operation: string, id: string) =>
		await fixture.run(
			explorer(operation, { deviceId: id, output: 'device', ...dates } as IDataObject),
		);

	it('[explorer.404] text/plain Not found', async () => {
		const direct = new Client(fixture.sandbox.url, {
			authorization: `Bearer ${fixture.sandbox.keys.accessToken}`,
		});
		for (const operation of operations) {
			expect(errorOf(await run(operation, 'made-up')).message).toBe('Not found (404)');
			const { text, type } = await direct.get(fixture.sandbox.requests.at(-1)?.path ?? '');
			expect([text, type]).toEqual(['Not found', expect.stringMatching(/^text\/plain/)]);
		}
		await direct.close();
	});

	it('[explorer.422] the validation error body', async () => {
		for (const operation of operations) {
			fixture.sandbox.faults.add(
				errorForms.detailList(422, [
					{ loc: ['path', 'device_id'], msg: 'must be a UUID', type: 'uuid' },
				]),
			);
			expect(errorOf(await run(operation, deviceId)).message).toBe('device_id: must be a UUID');
		}
	});

	it('[device.status] the envelope has a status, the device in it has none; one that comes is kept', async () => {
		expect(onlyJson(await fixture.run(device))).not.toHaveProperty('status');
		fixture.sandbox.faults.add({
			status: 200,
			body: { status: 'succeeded', data: { device_id: 'd', status: 'up' } },
		});
		expect(onlyJson(await fixture.run(device))).toEqual({ device_id: 'd', status: 'up' });
	});
});
