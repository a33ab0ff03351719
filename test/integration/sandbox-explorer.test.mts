import { describe, expect, it } from 'vitest';
import { devices } from '../sandbox/index.mts';
import { Client, at, listAt, violations } from '../sandbox/testing/client.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, client] = await useSandbox(
	(service) =>
		new Client(`${service.url}/v1`, { authorization: `Bearer ${service.keys.accessToken}` }),
);

const id = devices[0]?.device_id ?? '';
const explorer = (path: string) => `/svc-explorer/devices/${path}`;

describe('device details', () => {
	it('come in the envelope with every field', async () => {
		const { status, json } = await client.get(explorer(`${id}/details`));
		expect(status).toBe(200);
		expect(json).toEqual({ data: devices[0], status: 'succeeded' });
		expect(Object.keys(Object(at(json, 'data', 'jobs', 0))).sort()).toEqual(
			[
				'compute_minutes_hired',
				'compute_minutes_served',
				'earned',
				'end_time',
				'for',
				'slashed',
				'start_time',
				'status',
				'total_hire_rate',
				'uptime_percent',
			].sort(),
		);
		expect(at(json, 'data', 'jobs', 0, 'start_time')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
	});

	it('have what is odd about live ones', () => {
		const states = new Set(devices.flatMap(({ jobs }) => jobs.map(({ status }) => status)));
		expect(states).toEqual(new Set(['pending', 'running', 'completed', 'reassigned']));
		expect(devices.some(({ download_speed_mbps: speed }) => !Number.isInteger(speed))).toBe(true);
		const days = devices.flatMap(({ downtime_by_date: byDate }) => Object.values(byDate));
		expect(days.some((day) => Array.isArray(day))).toBe(true);
		expect(days.some((day) => !Array.isArray(day))).toBe(true);
	});

	it('take the token in the header token too, but no wrong one beside a right one', async () => {
		const plain = new Client(`${sandbox.url}/v1`);
		const status = async (headers: Record<string, string>) =>
			(await plain.call(explorer(`${id}/details`), { headers })).status;
		const { accessToken } = sandbox.keys;
		expect(await status({ token: accessToken })).toBe(200);
		expect(await status({ token: 'wrong', authorization: `Bearer ${accessToken}` })).toBe(401);
		await plain.close();
	});
});

describe('summaries', () => {
	it('sum the jobs up', async () => {
		const { json } = await client.get(explorer(`${id}/summary`));
		expect(at(json, 'status')).toBe('succeeded');
		expect(at(json, 'data')).toMatchObject({
			device_id: id,
			connectivity_tier: 'High Speed',
			total_jobs: 4,
			total_earnings: 120,
			total_slashed_earning: 1,
			value: 119,
		});
		expect(Object.keys(Object(at(json, 'data')))).toHaveLength(13);
	});

	it('tell of the proof of work', async () => {
		const { json } = await client.get(explorer(`${id}/pow-summary`));
		expect(json).toEqual({
			data: {
				device_id: id,
				last_challenge_status: 'succeeded',
				pow_jobs_failed: 2,
				pow_jobs_passed: expect.any(Number),
			},
			status: 'succeeded',
		});
	});

	it('tell of the block rewards without an envelope', async () => {
		const { status, json } = await client.get(
			`/svc-blocks/devices/${id}/block-rewards-summary/2025-12-30/2026-01-02`,
		);
		expect(status).toBe(200);
		expect(json).toMatchObject({ device_id: id, total_blocks_failed: 0 });
		expect(listAt(json, 'datewise_earnings_summary').map((day) => at(day, 'date'))).toEqual([
			'2025-12-30',
			'2025-12-31',
			'2026-01-01',
			'2026-01-02',
		]);
	});

	it.each(['2026-1-1', '2026-02-30', 'today'])('refuse the date %s', async (date) => {
		const answer = await client.get(
			`/svc-blocks/devices/${id}/block-rewards-summary/${date}/2026-03-01`,
		);
		expect([answer.status, violations(answer)]).toEqual([
			422,
			['path.from_date: date_from_datetime_parsing'],
		]);
	});
});

it.each([
	explorer('nobody/details'),
	explorer('nobody/summary'),
	explorer('nobody/pow-summary'),
	'/svc-blocks/devices/nobody/block-rewards-summary/2026-01-01/2026-01-01',
])('%s is a plain-text 404', async (path) => {
	const answer = await client.get(path);
	expect([answer.status, answer.text]).toEqual([404, 'Not found']);
	expect(answer.type).toMatch(/^text\/plain/);
});
