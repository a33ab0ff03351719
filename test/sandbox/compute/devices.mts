import { stableUuid } from '../core/ids.mts';

/** Job of a device (compute-api.md, "Job"). The set of states is open. */
export interface Job {
	compute_minutes_hired: number;
	compute_minutes_served: number;
	earned: number;
	slashed: number;
	total_hire_rate: number;
	uptime_percent: number;
	/** UTC without a zone: `YYYY-MM-DD HH:MM:SS`. */
	start_time: string;
	end_time: string;
	status: string;
	for: string;
}

export interface Downtime {
	downtime: number;
	note: string;
}

/** Device (compute-api.md, "Device"). A day's downtime is one object; the object reference describes it as an array. */
export interface Device {
	device_id: string;
	hardware_name: string;
	hardware_quantity: number;
	base_tier_name: string;
	down_percentage: number;
	download_speed_mbps: number;
	upload_speed_mbps: number;
	downtime_by_date: Record<string, Downtime | Downtime[]>;
	iso2: string;
	location_name: string;
	location_icon: string;
	brand_icon: string;
	security_soc2: boolean;
	jobs: Job[];
}

function job(status: string, index: number, more: Partial<Job> = {}): Job {
	return {
		compute_minutes_hired: 600 * index,
		compute_minutes_served: status === 'completed' ? 590 * index : 60 * index,
		earned: 12 * index,
		slashed: status === 'completed' ? index - 1 : 0,
		total_hire_rate: 1.25 * index,
		uptime_percent: 100 - index,
		start_time: `2025-12-${String(10 + index).padStart(2, '0')} 08:30:00`,
		end_time: `2025-12-${String(11 + index).padStart(2, '0')} 18:30:00`,
		status,
		for: stableUuid(`hired deployment ${index}`),
		...more,
	};
}

function device(name: string, more: Partial<Device>): Device {
	return {
		device_id: stableUuid(`explorer ${name}`),
		hardware_name: name,
		hardware_quantity: 1,
		base_tier_name: 'High Speed',
		down_percentage: 0,
		download_speed_mbps: 940,
		upload_speed_mbps: 910,
		downtime_by_date: {},
		iso2: 'US',
		location_name: 'United States',
		location_icon: 'https://icons.example/us.svg',
		brand_icon: 'https://icons.example/nvidia.svg',
		security_soc2: true,
		jobs: [],
		...more,
	};
}

/** The devices that the explorer knows, with the oddities of live ones: decimal speeds, an unknown state, an array for a day. */
export const devices: readonly Device[] = [
	device('H100 SXM5', {
		hardware_quantity: 8,
		down_percentage: 2,
		download_speed_mbps: 8123.47,
		upload_speed_mbps: 7998.02,
		downtime_by_date: {
			'2025-12-24': { downtime: 5_520, note: 'down for 0 days and 1 hours and 32 minutes' },
			'2025-12-25': { downtime: 0, note: 'down for 0 days and 0 hours and 0 minutes' },
			'2025-12-26': { downtime: 90_061.5, note: 'down for 1 days and 1 hours and 1 minutes' },
		},
		jobs: [
			job('completed', 1),
			job('completed', 2),
			job('running', 3),
			job('pending', 4, { compute_minutes_served: 0 }),
		],
	}),
	device('GeForce RTX 4090', {
		down_percentage: 7,
		download_speed_mbps: 412.6,
		upload_speed_mbps: 38.25,
		base_tier_name: 'Medium Speed',
		iso2: 'FI',
		location_name: 'Finland',
		security_soc2: false,
		downtime_by_date: {
			'2025-12-30': [
				{ downtime: 600, note: 'down for 0 days and 0 hours and 10 minutes' },
				{ downtime: 3_600, note: 'down for 0 days and 1 hours and 0 minutes' },
			],
			'2025-12-31': { downtime: 60, note: 'down for 0 days and 0 hours and 1 minutes' },
		},
		jobs: [job('completed', 1), job('reassigned', 2)],
	}),
	device('MI300X', {
		hardware_quantity: 8,
		iso2: 'JP',
		location_name: 'Japan',
		brand_icon: 'https://icons.example/amd.svg',
	}),
];
