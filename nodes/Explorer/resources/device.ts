import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { downtimeDays, readDevice } from '../../marketplace/devices';
import type { Operation, Resource } from '../../shared/operation/operation';
import { requestObject } from '../../shared/http/request';
import { type Parameters } from '../../shared/operation/parameters';
import { utcTime } from '../../shared/dates';
import { isRecord } from '../../shared/guards';

const deviceIdField: INodeProperties = {
	displayName: 'Device ID',
	name: 'deviceId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. 0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35',
	description: 'Identifier of the device',
};

const OUTPUTS = ['device', 'jobs', 'downtime'] as const;

interface GetInput {
	deviceId: string;
	output: (typeof OUTPUTS)[number];
}

/** `GET /v1/svc-explorer/devices/{device_id}/details` (compute-api.md "Device details"). */
const get: Operation<GetInput> = {
	value: 'get',
	name: 'Get',
	action: 'Get device',
	description: 'Retrieve a device: hardware, network speed, location, downtime by day, and jobs',
	effect: 'read',
	fields: [
		deviceIdField,
		{
			displayName: 'Output',
			name: 'output',
			type: 'options',
			options: [
				{
					name: 'Device',
					value: 'device',
					description: 'One item with all data of the device',
				},
				{
					name: 'Downtime by Day',
					value: 'downtime',
					description: 'One item for each day with downtime',
				},
				{
					name: 'Jobs',
					value: 'jobs',
					description: 'One item for each job that ran on the device',
				},
			],
			default: 'device',
			description: 'What to return as items',
		},
	],
	input: (parameters) => ({
		deviceId: parameters.pathId('deviceId'),
		output: parameters.choice('output', OUTPUTS),
	}),
	async run(context, { deviceId, output }) {
		const device = await readDevice(context, deviceId, 'details');
		const jobs = (Array.isArray(device.jobs) ? device.jobs : []).filter(isJson).map(withUtcTimes);
		if (output === 'jobs') return jobs.map((job) => ({ device_id: deviceId, ...job }));
		if (output === 'downtime')
			return downtimeDays(device.downtime_by_date).map((day) => ({ device_id: deviceId, ...day }));
		return [Array.isArray(device.jobs) ? { ...device, jobs } : device];
	},
};

const getSummary: Operation<{ deviceId: string }> = {
	value: 'getSummary',
	name: 'Get Summary',
	action: 'Get device summary',
	description:
		'Retrieve totals of a device: hours served, traffic, earnings, jobs, and network speed',
	effect: 'read',
	fields: [deviceIdField],
	input: (parameters) => ({ deviceId: parameters.pathId('deviceId') }),
	run: async (context, { deviceId }) => [await readDevice(context, deviceId, 'summary')],
};

const getProofOfWork: Operation<{ deviceId: string }> = {
	value: 'getProofOfWork',
	name: 'Get Proof of Work',
	action: 'Get proof of work of device',
	description: 'Retrieve the number of proof-of-work challenges that a device passed and failed',
	effect: 'read',
	fields: [deviceIdField],
	input: (parameters) => ({ deviceId: parameters.pathId('deviceId') }),
	run: async (context, { deviceId }) => [await readDevice(context, deviceId, 'pow-summary')],
};

interface RewardsInput {
	deviceId: string;
	fromDate: string;
	toDate: string;
}

/** `GET /v1/svc-blocks/devices/{device_id}/block-rewards-summary/{from_date}/{to_date}`, the one response without an envelope. */
const getBlockRewards: Operation<RewardsInput> = {
	value: 'getBlockRewards',
	name: 'Get Block Rewards',
	action: 'Get block rewards of device',
	description: 'Retrieve the block rewards that a device earned in a period',
	effect: 'read',
	fields: [
		deviceIdField,
		{
			displayName: 'From Date',
			name: 'fromDate',
			type: 'dateTime',
			required: true,
			default: '',
			placeholder: 'e.g. 2026-11-01',
			description: 'First day of the period. A time of day is ignored.',
		},
		{
			displayName: 'To Date',
			name: 'toDate',
			type: 'dateTime',
			required: true,
			default: '',
			placeholder: 'e.g. 2026-11-30',
			description: 'Last day of the period. A time of day is ignored.',
		},
	],
	input(parameters) {
		const [fromDate, toDate] = [readDay(parameters, 'fromDate'), readDay(parameters, 'toDate')];
		if (fromDate > toDate)
			parameters.fail('fromDate', `must not be after To Date (${toDate}), got ${fromDate}`);
		return { deviceId: parameters.pathId('deviceId'), fromDate, toDate };
	},
	async run(context, { deviceId, fromDate, toDate }) {
		return [
			await requestObject(context, {
				method: 'GET',
				path: '/v1/{service}-blocks/devices/{device_id}/block-rewards-summary/{from_date}/{to_date}',
				params: { device_id: deviceId, from_date: fromDate, to_date: toDate },
				retry: 'idempotent',
			}),
		];
	},
};

/** The day of a date as it is written: a conversion to another time zone could change it to the day before. */
function readDay(parameters: Parameters, name: string): string {
	const text = parameters.text(name);
	const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0];
	if (day === undefined || new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) !== day) {
		parameters.fail(name, `must be a date in the format YYYY-MM-DD, got "${text}"`);
	}
	return day;
}

/** Adds ISO times to the original ones, which have no time zone. */
function withUtcTimes(job: IDataObject): IDataObject {
	const [start, end] = [utcTime(job.start_time), utcTime(job.end_time)];
	return { ...job, ...(start && { start_time_iso: start }), ...(end && { end_time_iso: end }) };
}

function isJson(value: unknown): value is IDataObject {
	return isRecord(value);
}

export const device: Resource = {
	value: 'device',
	name: 'Device',
	operations: [get, getSummary, getProofOfWork, getBlockRewards],
};
