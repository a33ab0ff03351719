import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { device } from '../../nodes/Explorer/resources/device.ts';
import { KEY_CREDENTIALS } from '../../nodes/marketplace/credentials.ts';
import { openAccount } from '../../nodes/shared/http/credentials.ts';
import type { OperationContext } from '../../nodes/shared/operation/context.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import { functionsOf, type Answered, type Asked } from './log-parts.mts';
import { refusalOf } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { formOf } from './rag-service.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

const operationOf = (value: string) =>
	device.operations.find((one) => one.value === value) as Operation<unknown>;

const readInput = (value: string, form: IDataObject) =>
	operationOf(value).input(formOf(operationOf(value), form), () => undefined);

/** What an operation gives for a form, at a service with these answers, and what it asks for. */
async function run(value: string, form: IDataObject, ...answers: Answered[]) {
	const asked: string[] = [];
	const functions = functionsOf(({ method, url }: Asked & { method?: string }) => {
		asked.push(`${method} ${new URL(url).pathname}`);
		return (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 404 };
	}) as unknown as IExecuteFunctions;
	const context = {
		functions,
		account: await openAccount(functions, KEY_CREDENTIALS),
		itemIndex: 0,
		known: {},
	} as unknown as OperationContext;
	const { value: items, error } = await ended(
		operationOf(value).run(context, readInput(value, { deviceId: 'd1', ...form })),
	);
	if (error) throw error;
	return { items, asked };
}

const shown = (data: unknown, status: unknown = 'succeeded'): Answered => ({
	json: { status, data },
});

describe('a device', () => {
	const JOB = { for: 'training', start_time: '2026-11-01 10:00:00', end_time: null };
	const DETAILS = {
		hardware_name: 'H100',
		jobs: [JOB, 'none', { end_time: '2026-11-02 10:00:00' }],
		downtime_by_date: {
			'2026-11-01': { downtime: 60 },
			'2026-11-02': [{ downtime: 5 }, null, { downtime: 7, date: '2026-11-03' }],
		},
	};
	const jobs = [
		{ ...JOB, start_time_iso: '2026-11-01T10:00:00Z' },
		{ end_time: '2026-11-02 10:00:00', end_time_iso: '2026-11-02T10:00:00Z' },
	];

	it('is one item, whose jobs have times in UTC beside their own', async () => {
		expect(await run('get', { output: 'device' }, shown(DETAILS))).toEqual({
			items: [{ ...DETAILS, jobs }],
			asked: ['GET /v1/svc-explorer/devices/d1/details'],
		});
	});

	it('is as the service shows it where that has no jobs', async () => {
		const { items } = await run('get', { output: 'device' }, shown({ jobs: null, a: 1 }));
		expect(items).toEqual([{ jobs: null, a: 1 }]);
		const none = await run('get', { output: 'jobs' }, shown({ jobs: null }));
		expect(none.items).toEqual([]);
	});

	it('can be an item for each job', async () => {
		const { items } = await run('get', { output: 'jobs' }, shown(DETAILS));
		expect(items).toEqual(jobs.map((job) => ({ device_id: 'd1', ...job })));
	});

	it('can be an item for each downtime, in both forms that a service may send', async () => {
		const { items } = await run('get', { output: 'downtime' }, shown(DETAILS));
		expect(items).toEqual([
			{ device_id: 'd1', date: '2026-11-01', downtime: 60 },
			{ device_id: 'd1', date: '2026-11-02', downtime: 5 },
			{ device_id: 'd1', date: '2026-11-03', downtime: 7 },
		]);
		const none = await run('get', { output: 'downtime' }, shown({ downtime_by_date: 'none' }));
		expect(none.items).toEqual([]);
	});

	it('has a summary and a proof of work of its own', async () => {
		expect(await run('getSummary', {}, shown({ total_jobs: 3 }))).toEqual({
			items: [{ total_jobs: 3 }],
			asked: ['GET /v1/svc-explorer/devices/d1/summary'],
		});
		expect(await run('getProofOfWork', {}, shown({ pow_jobs_passed: 3 }))).toEqual({
			items: [{ pow_jobs_passed: 3 }],
			asked: ['GET /v1/svc-explorer/devices/d1/pow-summary'],
		});
	});

	it('is chosen by its ID and one of the outputs', () => {
		for (const output of ['device', 'jobs', 'downtime'])
			expect(readInput('get', { deviceId: 'd1', output })).toEqual({ deviceId: 'd1', output });
		expect(message(() => readInput('get', { deviceId: 'd1', output: 'all' }))).toBe(
			'Output must be one of device, jobs, downtime, got "all"',
		);
		for (const value of ['get', 'getSummary', 'getProofOfWork', 'getBlockRewards'])
			expect(
				message(() =>
					readInput(value, {
						deviceId: '',
						output: 'jobs',
						fromDate: '2026-11-01',
						toDate: '2026-11-01',
					}),
				),
			).toMatch(/^Device ID is required/);
	});
});

describe('the answer of the service about a device', () => {
	const summary = async (...answers: Answered[]) => (await run('getSummary', {}, ...answers)).items;

	it('is asked for again where the service is busy', async () => {
		const busy = { status: 503 };
		expect(await run('getSummary', {}, busy, shown({ a: 1 }))).toMatchObject({
			items: [{ a: 1 }],
			asked: { length: 2 },
		});
		const range = { fromDate: '2026-11-01', toDate: '2026-11-01' };
		expect(await run('getBlockRewards', range, busy, { json: { a: 1 } })).toMatchObject({
			items: [{ a: 1 }],
			asked: { length: 2 },
		});
	});

	it.each<[string, Answered]>([
		['in any case', shown({ a: 1 }, 'SUCCEEDED')],
		['without a status', { json: { data: { a: 1 } } }],
		['beside a message that is no error', { json: { message: '', error: null, data: { a: 1 } } }],
	])('is a success %s', async (_, answer) => {
		expect(await summary(answer)).toEqual([{ a: 1 }]);
	});

	it.each<[string, IDataObject, string]>([
		[
			'a status',
			{ status: 'failed', data: { a: 1 } },
			'The service reports "failed" for device d1',
		],
		[
			'a status and words',
			{ status: 'failed', message: 'no such device', detail: 'more', data: { a: 1 } },
			'The service reports "failed" for device d1: no such device',
		],
		[
			'words in place of a status',
			{ detail: 'it is asleep', data: { a: 1 } },
			'The service reports "no status" for device d1: it is asleep',
		],
		[
			'an error in place of a status',
			{ message: 7, error: 'it is asleep', data: { a: 1 } },
			'The service reports "no status" for device d1: it is asleep',
		],
		[
			'a success without the device',
			{ status: 'succeeded', data: null },
			'The service reports "succeeded" for device d1',
		],
		[
			'a list in place of the device',
			{ data: [] },
			'The service reports "no status" for device d1',
		],
	])('is an error with its own words: %s', async (_, json, text) => {
		expect(await refusalOf(summary({ json }))).toEqual({
			message: text,
			description: 'The response does not contain the device. Try again later.',
			known: {},
		});
	});
});

describe('the block rewards of a device', () => {
	const period = (fromDate: unknown, toDate: unknown) =>
		readInput('getBlockRewards', { deviceId: 'd1', fromDate, toDate } as IDataObject);

	it('are those of whole days, and come without an envelope', async () => {
		const form = { fromDate: '2026-11-01T23:59:59-08:00', toDate: '2026-11-30 00:00' };
		const answer = { json: { total_block_rewards: 3 } };
		expect(await run('getBlockRewards', form, answer)).toEqual({
			items: [{ total_block_rewards: 3 }],
			asked: ['GET /v1/svc-blocks/devices/d1/block-rewards-summary/2026-11-01/2026-11-30'],
		});
	});

	it('are those of one day where both are the same', () => {
		expect(period('2026-11-01', '2026-11-01T01:00')).toEqual({
			deviceId: 'd1',
			fromDate: '2026-11-01',
			toDate: '2026-11-01',
		});
	});

	it.each([
		[
			'2026-11-02',
			'2026-11-01',
			'From Date must not be after To Date (2026-11-01), got 2026-11-02',
		],
		[
			'2026-02-30',
			'2026-11-01',
			'From Date must be a date in the format YYYY-MM-DD, got "2026-02-30"',
		],
		[
			'2026-13-01',
			'2026-11-01',
			'From Date must be a date in the format YYYY-MM-DD, got "2026-13-01"',
		],
		['2026-11-01', '1.11.2026', 'To Date must be a date in the format YYYY-MM-DD, got "1.11.2026"'],
		[
			'2026-11-01',
			'2026-11-015',
			'To Date must be a date in the format YYYY-MM-DD, got "2026-11-015"',
		],
		[
			'12026-11-01',
			'2026-11-01',
			'From Date must be a date in the format YYYY-MM-DD, got "12026-11-01"',
		],
	])('have no period from %s to %s', (fromDate, toDate, text) => {
		expect(message(() => period(fromDate, toDate))).toBe(text);
	});
});
