import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { explorer } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { devices } from '../sandbox/index.mts';
import { at, Client } from '../sandbox/testing/client.mts';

/** compute-api.md: Device details envelope, Device, Downtime entry, Job, Device details (endpoint), Authentication. */
const fixture = useFixture({ part: 'token' });
const [first, , third] = devices;
const deviceId = first?.device_id ?? '';
const DETAILS = `/v1/svc-explorer/devices/${deviceId}/details`;

const get = (id: unknown, output = 'device') => explorer('get', { deviceId: id as string, output });
/** A device as the service would send it. */
const answer = (data: unknown, status = 'succeeded') =>
	fixture.sandbox.faults.add({ status: 200, body: { data, status } as object });

describe('device details: the endpoint', () => {
	it('[device.get.path] [version.explorer] GET /v1/svc-explorer/devices/{device_id}/details, no query, no body', async () => {
		await fixture.run(get(deviceId));
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'GET', path: DETAILS, query: {}, body: undefined, status: 200 },
		]);
		expect((await fixture.client.get(DETAILS)).status).toBe(200);
		expect((await fixture.client.call(DETAILS, { method: 'POST', body: {} })).status).toBe(404);
	});

	it('[device.path.device_id] path parameter, a string: digits stay text and the value is encoded', async () => {
		await fixture.run(get('={{ 12 }}'));
		await fixture.run(get('a:b@c+d=e~f.g'));
		expect(fixture.sandbox.requests.map(({ path }) => path)).toEqual([
			'/v1/svc-explorer/devices/12/details',
			'/v1/svc-explorer/devices/a%3Ab%40c%2Bd%3De~f.g/details',
		]);
	});

	it('[device.auth] header Authorization: Bearer <ACCESS_TOKEN>, and no other key', async () => {
		await fixture.run(get(deviceId));
		const { headers, status } = fixture.sandbox.requests[0] ?? {};
		expect(status).toBe(200);
		expect(headers?.authorization).toBe(`Bearer ${fixture.sandbox.keys.accessToken}`);
		expect(headers).not.toHaveProperty('x-api-key');
		expect(headers).not.toHaveProperty('token');
		const plain = new Client(fixture.sandbox.url);
		expect((await plain.get(DETAILS)).status).toBe(401);
		expect(
			(await plain.call(DETAILS, { headers: { 'x-api-key': fixture.sandbox.keys.apiKey } })).status,
		).toBe(401);
		await plain.close();
	});

	it('[device.get.200] application/json, the details envelope: data and status succeeded', async () => {
		const { type, json } = await fixture.client.get(DETAILS);
		expect(type).toMatch(/^application\/json/);
		expect(json).toEqual({ data: first, status: 'succeeded' });
	});

	it('[device.get.404] text/plain, body is the plain text Not found', async () => {
		const sent = await fixture.client.get('/v1/svc-explorer/devices/made-up/details');
		expect([sent.status, sent.text]).toEqual([404, 'Not found']);
		expect(sent.type).toMatch(/^text\/plain/);
		expect(errorOf(await fixture.run(get('made-up'))).message).toBe('Not found (404)');
	});

	it('[device.get.422] application/json, the validation error body', async () => {
		fixture.sandbox.faults.add({
			status: 422,
			body: {
				detail: [{ loc: ['path', 'device_id'], msg: 'must be a UUID', type: 'uuid_parsing' }],
			},
		});
		expect(errorOf(await fixture.run(get('d'))).message).toBe('device_id: must be a UUID');
	});

	it('[envelope.status] value succeeded on success; anything else is an error with the words of the service', async () => {
		answer(first, 'failed');
		expect(errorOf(await fixture.run(get(deviceId))).message).toBe(
			`The service reports "failed" for device ${deviceId}`,
		);
	});

	it('[envelope.data] is the device, as sent', async () => {
		answer({ device_id: 'd', anything: { new: [null, 0, false] }, missing: null });
		expect(onlyJson(await fixture.run(get('d')))).toEqual({
			device_id: 'd',
			anything: { new: [null, 0, false] },
			missing: null,
		});
	});
});

describe('device: its fields', () => {
	const types: Array<[field: string, type: string]> = [
		['device_id', 'string'],
		['hardware_name', 'string'],
		['hardware_quantity', 'integer'],
		['base_tier_name', 'string'],
		['down_percentage', 'integer'],
		['download_speed_mbps', 'number'],
		['upload_speed_mbps', 'number'],
		['downtime_by_date', 'object'],
		['iso2', 'string'],
		['location_name', 'string'],
		['location_icon', 'string'],
		['brand_icon', 'string'],
		['security_soc2', 'boolean'],
		['jobs', 'array'],
	];
	it.each(types)('[device.%s] is a %s, from the service to the item', async (field, type) => {
		const sent = at((await fixture.client.get(DETAILS)).json, 'data', field);
		expect(isOf(type, sent)).toBe(true);
		const item = onlyJson(await fixture.run(get(deviceId)))[field];
		if (field === 'jobs') expect(item).toHaveLength((sent as unknown[]).length);
		else expect(item).toEqual(sent);
	});

	it('[device.speed.decimals] decimals occur in both speeds and are kept', async () => {
		const { download_speed_mbps: down, upload_speed_mbps: up } = onlyJson(
			await fixture.run(get(deviceId)),
		);
		expect([down, up]).toEqual([8123.47, 7998.02]);
	});

	it.each(['hardware_quantity', 'down_percentage', 'download_speed_mbps', 'upload_speed_mbps'])(
		'[device.%s.default] 0 stays 0',
		async (field) => {
			answer({ device_id: 'd', [field]: 0 });
			expect(onlyJson(await fixture.run(get('d')))).toEqual({ device_id: 'd', [field]: 0 });
		},
	);

	it('[device.security_soc2.default] true in the schema; a device that does not tell is not given it', async () => {
		expect(
			at(
				(await fixture.client.get(`/v1/svc-explorer/devices/${third?.device_id}/details`)).json,
				'data',
				'security_soc2',
			),
		).toBe(true);
		answer({ device_id: 'd' });
		expect(onlyJson(await fixture.run(get('d')))).toEqual({ device_id: 'd' });
	});

	it('[device.jobs] array of Job: one item per job', async () => {
		expect(
			jsonOf(await fixture.run(get(deviceId, 'jobs'))).map(({ for: cluster }) => cluster),
		).toEqual(first?.jobs.map((job) => job.for));
		expect(jsonOf(await fixture.run(get(third?.device_id, 'jobs')))).toEqual([]);
	});
});

function isOf(type: string, value: unknown): boolean {
	if (type === 'integer') return Number.isInteger(value);
	if (type === 'array') return Array.isArray(value);
	return typeof value === type && !Array.isArray(value) && value !== null;
}
