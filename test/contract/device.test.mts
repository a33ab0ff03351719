import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { explorer } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { devices } from '../sandbox/index.mts';
import { at, Client, violations } from '../sandbox/testing/client.mts';

/** compute-api.md: Device details envelope, Device, Downtime entry, Job, Device details (endpoint), Authentication. */
const fixture = useFixture();
const [first, second, third] = devices;
const deviceId = first?.device_id ?? '';
const DETAILS = `/v1/svc-explorer/devices/${deviceId}/details`;

let direct: Client;
beforeAll(() => {
	direct = new Client(fixture.sandbox.url, {
		authorization: `Bearer ${fixture.sandbox.keys.accessToken}`,
	});
});
afterAll(async () => await direct.close());

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
		expect((await direct.get(DETAILS)).status).toBe(200);
		expect((await direct.call(DETAILS, { method: 'POST', body: {} })).status).toBe(404);
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
		const { type, json } = await direct.get(DETAILS);
		expect(type).toMatch(/^application\/json/);
		expect(json).toEqual({ data: first, status: 'succeeded' });
	});

	it('[device.get.404] text/plain, body is the plain text Not found', async () => {
		const sent = await direct.get('/v1/svc-explorer/devices/made-up/details');
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
		const sent = at((await direct.get(DETAILS)).json, 'data', field);
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
				(await direct.get(`/v1/svc-explorer/devices/${third?.device_id}/details`)).json,
				'data',
				'security_soc2',
			),
		).toBe(true);
		answer({ device_id: 'd' });
		expect(onlyJson(await fixture.run(get('d')))).toEqual({ device_id: 'd' });
	});

	it('[device.jobs] array of Job: one item a job, or none', async () => {
		expect(
			jsonOf(await fixture.run(get(deviceId, 'jobs'))).map(({ for: cluster }) => cluster),
		).toEqual(first?.jobs.map((job) => job.for));
		expect(jsonOf(await fixture.run(get(third?.device_id, 'jobs')))).toEqual([]);
	});
});

describe('downtime entry', () => {
	it('[device.downtime_by_date] map from a date YYYY-MM-DD to an entry: one item a day', async () => {
		const days = jsonOf(await fixture.run(get(deviceId, 'downtime')));
		expect(days.map(({ date }) => date)).toEqual(['2025-12-24', '2025-12-25', '2025-12-26']);
		expect(days.every(({ device_id: id }) => id === deviceId)).toBe(true);
	});

	it('[downtime.downtime] [downtime.downtime.default] number of seconds, default 0; decimals are kept', async () => {
		expect(
			jsonOf(await fixture.run(get(deviceId, 'downtime'))).map(({ downtime }) => downtime),
		).toEqual([5_520, 0, 90_061.5]);
	});

	it('[downtime.note] text of the form down for N days and N hours and N minutes', async () => {
		for (const { note } of jsonOf(await fixture.run(get(deviceId, 'downtime'))))
			expect(note).toMatch(/^down for \d+ days and \d+ hours and \d+ minutes$/);
	});

	it('[downtime.array] a value may be an array, as the object reference says, or one object, as the schema says', async () => {
		const days = jsonOf(await fixture.run(get(second?.device_id, 'downtime')));
		expect(days.map(({ date, downtime }) => [date, downtime])).toEqual([
			['2025-12-30', 600],
			['2025-12-30', 3_600],
			['2025-12-31', 60],
		]);
	});
});

describe('job', () => {
	const numbers: Array<[field: string, type: string]> = [
		['compute_minutes_hired', 'integer'],
		['compute_minutes_served', 'integer'],
		['earned', 'integer'],
		['slashed', 'integer'],
		['total_hire_rate', 'number'],
		['uptime_percent', 'integer'],
		['start_time', 'string'],
		['end_time', 'string'],
		['status', 'string'],
		['for', 'string'],
	];
	it.each(numbers)('[job.%s] is a %s, from the service to the item', async (field, type) => {
		const sent = at((await direct.get(DETAILS)).json, 'data', 'jobs', 0, field);
		expect(isOf(type, sent)).toBe(true);
		expect(jsonOf(await fixture.run(get(deviceId, 'jobs')))[0]?.[field]).toEqual(sent);
	});

	it.each(numbers.filter(([, type]) => type !== 'string'))(
		'[job.%s.default] 0 stays 0',
		async (field) => {
			answer({ device_id: 'd', jobs: [{ [field]: 0 }] });
			expect(onlyJson(await fixture.run(get('d', 'jobs')))).toEqual({ device_id: 'd', [field]: 0 });
		},
	);

	it('[job.time] UTC timestamps YYYY-MM-DD HH:MM:SS: kept as sent, with an ISO time beside each', async () => {
		const [job] = jsonOf(await fixture.run(get(deviceId, 'jobs')));
		expect(job?.start_time).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/);
		expect(job?.start_time_iso).toBe(`${String(job?.start_time).replace(' ', 'T')}Z`);
		expect(job?.end_time_iso).toBe(`${String(job?.end_time).replace(' ', 'T')}Z`);
		expect(onlyJson(await fixture.run(get(deviceId))).jobs).toMatchObject([
			{ start_time_iso: job?.start_time_iso },
			{},
			{},
			{},
		]);
	});

	it.each([null, '', 'soon', '2025-12-11T08:30:00+02:00', 1_765_441_800])(
		'[job.time.other] a time in another form (%j) is kept and not guessed at',
		async (time) => {
			answer({ device_id: 'd', jobs: [{ start_time: time, end_time: time }] });
			expect(onlyJson(await fixture.run(get('d', 'jobs')))).toEqual({
				device_id: 'd',
				start_time: time,
				end_time: time,
			});
		},
	);

	it('[job.status] [job.status.pending] [job.status.running] [job.status.completed] [job.status.open] pending, running, completed; the set of values is open', async () => {
		expect(
			new Set(jsonOf(await fixture.run(get(deviceId, 'jobs'))).map(({ status }) => status)),
		).toEqual(new Set(['pending', 'running', 'completed']));
		expect(
			jsonOf(await fixture.run(get(second?.device_id, 'jobs'))).map(({ status }) => status),
		).toContain('reassigned');
	});
});

describe('explorer beyond the specification (section 3)', () => {
	it('[explorer.summary] GET …/devices/{device_id}/summary', async () => {
		const output = onlyJson(await fixture.run(explorer('getSummary', { deviceId })));
		expect(fixture.sandbox.requests[0]).toMatchObject({
			method: 'GET',
			path: `/v1/svc-explorer/devices/${deviceId}/summary`,
			query: {},
		});
		expect(Object.keys(output).sort()).toEqual([
			'connectivity_tier',
			'device_id',
			'down_percentage',
			'download_speed_mbps',
			'downtime_by_date',
			'total_compute_hours_served',
			'total_download_traffic',
			'total_earnings',
			'total_jobs',
			'total_slashed_earning',
			'total_upload_traffic',
			'upload_speed_mbps',
			'value',
		]);
	});

	it('[explorer.pow-summary] GET …/devices/{device_id}/pow-summary', async () => {
		const output = onlyJson(await fixture.run(explorer('getProofOfWork', { deviceId })));
		expect(fixture.sandbox.requests[0]?.path).toBe(
			`/v1/svc-explorer/devices/${deviceId}/pow-summary`,
		);
		expect(Object.keys(output).sort()).toEqual([
			'device_id',
			'last_challenge_status',
			'pow_jobs_failed',
			'pow_jobs_passed',
		]);
	});

	it.each([
		'={{ DateTime.fromISO("2025-12-01T23:00:00", { zone: "America/New_York" }) }}',
		'={{ new Date("2025-12-01T00:00:00Z") }}',
		'={{ DateTime.fromISO("2025-12-03").minus({ days: 2 }) }}',
	])('[explorer.block-rewards.date] a day may be what %s gives', async (fromDate) => {
		onlyJson(
			await fixture.run(
				explorer('getBlockRewards', {
					deviceId,
					fromDate,
					toDate: '={{ DateTime.fromISO("2025-12-03") }}',
				}),
			),
		);
		expect(fixture.sandbox.requests[0]?.path).toContain('/2025-12-01/2025-12-03');
	});

	it('[explorer.block-rewards] [explorer.block-rewards.date] GET /v1/svc-blocks/…/{from_date}/{to_date}, days as YYYY-MM-DD, an answer without an envelope', async () => {
		const output = onlyJson(
			await fixture.run(
				explorer('getBlockRewards', {
					deviceId,
					fromDate: '2025-12-01T23:59:59.000-11:00',
					toDate: '2025-12-03',
				}),
			),
		);
		expect(fixture.sandbox.requests[0]?.path).toBe(
			`/v1/svc-blocks/devices/${deviceId}/block-rewards-summary/2025-12-01/2025-12-03`,
		);
		expect(output).toMatchObject({
			device_id: deviceId,
			datewise_earnings_summary: [
				{ date: '2025-12-01' },
				{ date: '2025-12-02' },
				{ date: '2025-12-03' },
			],
		});
		expect(
			violations(
				await direct.get(
					`/v1/svc-blocks/devices/${deviceId}/block-rewards-summary/2025-02-30/2025-03-01`,
				),
			),
		).toEqual(['path.from_date: date_from_datetime_parsing']);
	});

	it('[explorer.rate-limit] 429 with Retry-After is waited for', async () => {
		fixture.sandbox.faults.add({ status: 429, body: {}, headers: { 'retry-after': '12' } });
		expect(onlyJson(await fixture.run(get(deviceId))).device_id).toBe(deviceId);
		expect(fixture.time.waits).toEqual([12_000]);
	});
});

function isOf(type: string, value: unknown): boolean {
	if (type === 'integer') return Number.isInteger(value);
	if (type === 'array') return Array.isArray(value);
	return typeof value === type && !Array.isArray(value) && value !== null;
}
