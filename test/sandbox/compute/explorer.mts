import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal, param } from '../core/http.mts';
import { stableNumber } from '../core/ids.mts';
import type { Service } from '../core/service.mts';
import { checkAccessToken } from '../core/service.mts';
import { parse } from '../core/validation.mts';
import { devices } from './devices.mts';
import type { Device } from './devices.mts';

/** The device of a request, or the plain-text 404 of compute-api.md ("Errors"). */
function deviceOf(request: FastifyRequest): Device {
	const id = param(request, 'device_id');
	const device = devices.find(({ device_id: known }) => known === id);
	if (!device) throw new Refusal(404, 'Not found', 'text/plain; charset=utf-8');
	return device;
}

const succeeded = (data: unknown) => ({ data, status: 'succeeded' });

const rewardsPath = z.object({ from_date: z.string().date(), to_date: z.string().date() });

const DAY = 86_400_000;

/** `/v1/{service}-explorer` (compute-api.md, "Device details"; beyond-the-spec.md section 3). */
export function explorerRoutes(app: FastifyInstance, service: Service): void {
	app.addHook('preValidation', async (request) => checkAccessToken(service, request));

	app.get('/devices/:device_id/details', (request) => succeeded(deviceOf(request)));

	app.get('/devices/:device_id/summary', (request) => {
		const device = deviceOf(request);
		const sum = (field: 'earned' | 'slashed' | 'compute_minutes_served') =>
			device.jobs.reduce((total, job) => total + job[field], 0);
		return succeeded({
			connectivity_tier: device.base_tier_name,
			device_id: device.device_id,
			down_percentage: device.down_percentage,
			download_speed_mbps: device.download_speed_mbps,
			upload_speed_mbps: device.upload_speed_mbps,
			downtime_by_date: device.downtime_by_date,
			total_compute_hours_served: sum('compute_minutes_served') / 60,
			total_download_traffic: 1_843.75,
			total_upload_traffic: 921.5,
			total_earnings: sum('earned'),
			total_jobs: device.jobs.length,
			total_slashed_earning: sum('slashed'),
			value: sum('earned') - sum('slashed'),
		});
	});

	app.get('/devices/:device_id/pow-summary', (request) => {
		const { device_id: id, down_percentage: down } = deviceOf(request);
		return succeeded({
			device_id: id,
			last_challenge_status: down > 5 ? 'failed' : 'succeeded',
			pow_jobs_failed: down,
			pow_jobs_passed: 100 + stableNumber(id, 400),
		});
	});
}

/** `/v1/{service}-blocks`: block rewards, without the envelope of the others (beyond-the-spec.md section 3). */
export function blockRoutes(app: FastifyInstance, service: Service): void {
	app.addHook('preValidation', async (request) => checkAccessToken(service, request));

	app.get('/devices/:device_id/block-rewards-summary/:from_date/:to_date', (request) => {
		const { from_date: from, to_date: to } = parse(rewardsPath, request.params, 'path');
		const { device_id: id } = deviceOf(request);
		const days: { date: string; total_block_rewards: number; blocks_earned: number }[] = [];
		for (let time = Date.parse(from); time <= Date.parse(to); time += DAY) {
			const day = new Date(time).toISOString().slice(0, 10);
			const earned = stableNumber(`${id} ${day}`, 24);
			days.push({ date: day, total_block_rewards: earned * 0.5, blocks_earned: earned });
		}
		const earned = days.reduce((total, day) => total + day.blocks_earned, 0);
		return {
			device_id: id,
			total_block_rewards: earned * 0.5,
			total_blocks_earned: earned,
			total_blocks_failed: 0,
			total_blocks_missed: days.length * 24 - earned,
			datewise_earnings_summary: days,
		};
	});
}
