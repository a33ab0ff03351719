import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { explorer } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';
import { devices } from '../sandbox/index.mts';
import { at, violations } from '../sandbox/testing/client.mts';

/** compute-api.md: Device details envelope, Device, Downtime entry, Job, Device details (endpoint), Authentication. */
const fixture = useFixture({ part: 'token' });
const [first, second] = devices;
const deviceId = first?.device_id ?? '';
const DETAILS = `/v1/svc-explorer/devices/${deviceId}/details`;

const get = (id: unknown, output = 'device') => explorer('get', { deviceId: id as string, output });
/** A device as the service would send it. */
const answer = (data: unknown, status = 'succeeded') =>
	fixture.sandbox.faults.add({ status: 200, body: { data, status } as object });

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

	it('[downtime.note] text such as down for N days and N hours and N minutes', async () => {
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
		const sent = at((await fixture.client.get(DETAILS)).json, 'data', 'jobs', 0, field);
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
		'[job.time.other] a time in another format (%j) is kept as sent',
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
				await fixture.client.get(
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
