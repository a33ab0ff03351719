import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { apiError } from '../../shared/http/errors';
import type { Operation, Resource } from '../../shared/operation/operation';
import { requestObject } from '../../shared/http/request';
import { type Parameters } from '../../shared/operation/parameters';
import { utcTime } from '../../shared/dates';
import { isRecord } from '../../shared/guards';
import type { OperationContext } from '../../shared/operation/context';

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
	action: 'Get a device',
	description:
		'Retrieve one compute device: hardware, network speed, location, downtime by day and jobs',
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
					description: 'One item with everything that is known of the device',
				},
				{
					name: 'Downtime by Day',
					value: 'downtime',
					description: 'One item for each day with downtime',
				},
				{
					name: 'Jobs',
					value: 'jobs',
					description: 'One item for each job that was run on the device',
				},
			],
			default: 'device',
			description: 'What the items of the output are',
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
	action: 'Get a device summary',
	description:
		'Retrieve totals of one device: hours served, traffic, earnings, jobs and network speed',
	effect: 'read',
	fields: [deviceIdField],
	input: (parameters) => ({ deviceId: parameters.pathId('deviceId') }),
	run: async (context, { deviceId }) => [await readDevice(context, deviceId, 'summary')],
};

const getProofOfWork: Operation<{ deviceId: string }> = {
	value: 'getProofOfWork',
	name: 'Get Proof of Work',
	action: 'Get the proof of work of a device',
	description: 'Retrieve how many proof-of-work challenges one device passed and failed',
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

/** `GET /v1/svc-blocks/devices/{device_id}/block-rewards-summary/{from_date}/{to_date}`, the one answer without an envelope. */
const getBlockRewards: Operation<RewardsInput> = {
	value: 'getBlockRewards',
	name: 'Get Block Rewards',
	action: 'Get the block rewards of a device',
	description: 'Retrieve the block rewards that one device earned between two days',
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
			description: 'First day; a time of day is cut off',
		},
		{
			displayName: 'To Date',
			name: 'toDate',
			type: 'dateTime',
			required: true,
			default: '',
			placeholder: 'e.g. 2026-11-30',
			description: 'Last day; a time of day is cut off',
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

/** The day of a date as written: turning it into another time zone could make it the day before. */
function readDay(parameters: Parameters, name: string): string {
	const text = parameters.text(name);
	const day = /^\d{4}-\d{2}-\d{2}(?=$|[T ])/.exec(text)?.[0];
	if (day === undefined || new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) !== day) {
		parameters.fail(name, `must be a date in the form YYYY-MM-DD, got "${text}"`);
	}
	return day;
}

/** The `data` of an envelope; a `status` other than `succeeded` is an error in the service's own words (compute-api.md "Device details envelope"). */
async function readDevice(
	context: OperationContext,
	deviceId: string,
	part: string,
): Promise<IDataObject> {
	const answer = await requestObject(context, {
		method: 'GET',
		path: `/v1/{service}-explorer/devices/{device_id}/${part}`,
		params: { device_id: deviceId },
		retry: 'idempotent',
	});
	const { status, data } = answer;
	if (status === 'succeeded' && isJson(data)) return data;
	const words = [answer.message, answer.detail, answer.error].find(
		(text) => typeof text === 'string',
	);
	throw apiError(
		context.functions.getNode(),
		{
			message: `The service reports "${String(status ?? 'no status')}" for device ${deviceId}${words ? `: ${String(words)}` : ''}`,
			description: 'The answer came, but it does not hold the device. Try again later.',
		},
		context.itemIndex,
	);
}

/** One item a day; the object reference calls the value of a day an array, the response shows one object. */
function downtimeDays(byDate: unknown): IDataObject[] {
	if (!isRecord(byDate)) return [];
	return Object.entries(byDate).flatMap(([date, value]) =>
		(Array.isArray(value) ? value : [value]).filter(isJson).map((entry) => ({ date, ...entry })),
	);
}

/** ISO times beside the original ones, which have no zone. */
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
