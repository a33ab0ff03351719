import { record, type Outputs } from '../shared/operation/output';

export const outputs: Outputs = {
	device: {
		// compute-api.md "Device details"
		get: record({
			device_id: 'string',
			hardware_name: 'string',
			hardware_quantity: 'number',
			base_tier_name: 'string',
			down_percentage: 'number',
			download_speed_mbps: 'number',
			upload_speed_mbps: 'number',
			downtime_by_date: 'object',
			iso2: 'string',
			location_name: 'string',
			location_icon: 'string',
			brand_icon: 'string',
			security_soc2: 'boolean',
			jobs: [
				{
					status: 'string',
					for: 'string',
					start_time: 'string',
					start_time_iso: 'string',
					end_time: 'string',
					end_time_iso: 'string',
					compute_minutes_hired: 'number',
					compute_minutes_served: 'number',
					earned: 'number',
					slashed: 'number',
					total_hire_rate: 'number',
					uptime_percent: 'number',
				},
			],
		}),
		// beyond-the-spec.md section 3, as the two below
		getSummary: record({
			device_id: 'string',
			connectivity_tier: 'string',
			down_percentage: 'number',
			download_speed_mbps: 'number',
			upload_speed_mbps: 'number',
			downtime_by_date: 'object',
			total_compute_hours_served: 'number',
			total_download_traffic: 'number',
			total_upload_traffic: 'number',
			total_earnings: 'number',
			total_jobs: 'number',
			total_slashed_earning: 'number',
			value: 'number',
		}),
		getProofOfWork: record({
			device_id: 'string',
			last_challenge_status: 'string',
			pow_jobs_failed: 'number',
			pow_jobs_passed: 'number',
		}),
		getBlockRewards: record({
			device_id: 'string',
			total_block_rewards: 'number',
			total_blocks_earned: 'number',
			total_blocks_failed: 'number',
			total_blocks_missed: 'number',
			datewise_earnings_summary: ['object'],
		}),
	},
};
