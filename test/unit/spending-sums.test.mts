import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { getSpending } from '../../nodes/marketplace/operations/getSpending.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { amountOf, runningCostOf, withDetails } from '../../nodes/marketplace/spending.ts';
import { Market, productContext, refusalOf, REFUSED } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { minutesAgo } from './purchase-parts.mts';
import { formOf } from './rag-service.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const operation = getSpending(VMAAS);
const inputOf = (form: IDataObject) =>
	operation.input(
		formOf(operation, { groupBy: 'none', filters: {}, options: {}, ...form }),
		() => undefined,
	);

async function spent(market: Market, form: IDataObject = {}, clockAheadMs = 0) {
	const context = await productContext(market);
	context.account.clockAheadMs = clockAheadMs;
	return (await operation.run(context, inputOf(form))) as IDataObject[];
}

/** One that was paid for two hours and has used one of them. */
const HALF = { amount_paid: 4, compute_minutes_served: 60, compute_minutes_remaining: 60 };
const HINT =
	'Not every amount is known: the sums are those of the known ones. Deployments whose date is not known are counted in every period, and of days in that of day null.';

describe('the sums of what was spent', () => {
	it('are those of all, with what is left and what an hour costs', async () => {
		const market = new Market()
			.add('d1', HALF)
			.add('d2', { ...HALF, amount_paid: 0.1 })
			.add('d3', { status: 'destroyed', amount_paid: 0.2 });
		expect(await spent(market)).toStrictEqual([
			{
				product: 'vmaas',
				deployments: 3,
				running: 2,
				paid: 4.3,
				remaining_value: 2.05,
				cost_per_hour: 2.05,
				unread: 0,
				unknown_paid: 0,
				unknown_cost_per_hour: 0,
				undated: 0,
				is_complete: true,
			},
		]);
		expect(market.asked.filter((one) => one !== 'GET deployments')).toEqual([]);
	});

	it('are of nothing where there is nothing', async () => {
		expect(await spent(new Market())).toMatchObject([
			{ deployments: 0, paid: 0, is_complete: true },
		]);
	});

	it('say how much is not known', async () => {
		const market = new Market().add('d1', HALF).add('d2').add('d3');
		market.instead = (request) => (request === 'GET deployment/d3' ? REFUSED : undefined);
		expect(await spent(market)).toEqual([
			{
				product: 'vmaas',
				deployments: 3,
				running: 3,
				paid: 4,
				remaining_value: 2,
				cost_per_hour: 2,
				unread: 1,
				unknown_paid: 2,
				unknown_cost_per_hour: 2,
				undated: 0,
				is_complete: false,
				hint: HINT,
			},
		]);
	});

	it('are an error where no details at all can be read', async () => {
		const market = new Market().add('d1').add('d2');
		market.instead = (request) => (request === 'GET deployments' ? undefined : REFUSED);
		expect((await refusalOf(spent(market)))?.message).toContain('not allowed');
	});

	it('read no more details than the limit', async () => {
		const market = new Market().add('d1').add('d2');
		market.details.set('d1', { deployment_id: 'd1', status: 'running', ...HALF });
		const options = { maxDeployments: 1 };
		expect(await spent(market, { options })).toMatchObject([
			{ deployments: 2, paid: 4, unread: 1, is_complete: false },
		]);
		expect(market.asked).not.toContain('GET deployment/d2');
		for (const maxDeployments of [0, 10_001])
			expect(message(() => inputOf({ options: { maxDeployments } }))).toContain('Max Deployments');
		expect(inputOf({ options: { maxDeployments: 10_000 } })).toMatchObject({
			maxDeployments: 10_000,
		});
	});
});

describe('what was spent in a time', () => {
	const PERIOD = { createdAfter: '2026-01-02', createdBefore: '2026-01-03T00:00:00Z' };
	const ended = (created_at?: string) => ({ status: 'destroyed', amount_paid: 2, created_at });

	it('is also that of what shows no date, which is said', async () => {
		const market = new Market()
			.add('d1', ended('2026-01-02'))
			.add('d2', ended('2026-01-02T10:00Z'));
		expect(await spent(market, { filters: PERIOD })).toMatchObject([
			{ deployments: 2, paid: 4, undated: 1, is_complete: false, hint: HINT },
		]);
		expect(market.asked).toContain('GET deployment/d1');
		expect(market.asked).not.toContain('GET deployment/d2');
		for (const [name, value] of Object.entries(PERIOD))
			expect(await spent(market, { filters: { [name]: value } })).toMatchObject([{ undated: 1 }]);
		expect(await spent(market)).toMatchObject([{ undated: 0, is_complete: true }]);
	});

	it('has one end at least', async () => {
		const market = new Market()
			.add('d1', ended('2026-01-01T10:00Z'))
			.add('d2', ended('2026-01-03T10:00Z'));
		const idsOf = async (filters: IDataObject) =>
			(await spent(market, { groupBy: 'deployment', filters })).map((one) => one.deployment_id);
		expect(await idsOf({ createdAfter: '2026-01-02' })).toEqual(['d2']);
		expect(await idsOf({ createdBefore: '2026-01-02' })).toEqual(['d1']);
	});

	it('is only told of a time that can be read', () => {
		expect(message(() => inputOf({ filters: { createdAfter: 'x2026-01-02' } }))).toContain(
			'must be a date, got "x2026-01-02"',
		);
		expect(message(() => inputOf({ filters: { createdAfter: '2026-01-02x' } }))).toContain(
			'must be a date',
		);
		expect(inputOf({ filters: { createdAfter: '1970-01-02T00:00:00+01:00' } })).toMatchObject({
			createdAfter: 82_800_000,
		});
	});
});

describe('what was spent by day', () => {
	it('is told for each day in UTC, the unknown one first', async () => {
		const market = new Market();
		for (const [id, created_at] of [
			['d1', '2026-01-03T00:30:00+01:00'],
			['d2', '2026-01-01T10:00:00Z'],
			['d3', '2026-01-02T10:00:00Z'],
			['d4', undefined],
		])
			market.add(id ?? '', { status: 'destroyed', amount_paid: 2, created_at });
		expect(
			(await spent(market, { groupBy: 'day' })).map((one) => [
				one.product,
				one.day,
				one.deployments,
				one.paid,
				one.undated,
			]),
		).toEqual([
			['vmaas', null, 1, 2, 1],
			['vmaas', '2026-01-01', 1, 2, 1],
			['vmaas', '2026-01-02', 2, 4, 1],
		]);
		expect(market.asked).toContain('GET deployment/d4');
	});
});

describe('what was spent on each deployment', () => {
	const of = async (market: Market, clockAheadMs?: number) =>
		await spent(market, { groupBy: 'deployment' }, clockAheadMs);

	it('has its name, its times and its amounts', async () => {
		const shown = { ...HALF, created_at: '2026-01-02T10:00:00+01:00', amount_paid: 1 / 3 };
		expect(await of(new Market().add('d1', shown))).toStrictEqual([
			{
				product: 'vmaas',
				deployment_id: 'd1',
				resource_private_name: 'job',
				status: 'running',
				created_at: '2026-01-02T09:00:00.000Z',
				expires_at: minutesAgo(-60),
				paid: 0.333333,
				remaining_value: 0.166667,
				cost_per_hour: 0.166667,
			},
		]);
	});

	it('has null for what is not known, and 0 for what has ended', async () => {
		const market = new Market();
		market.listed = [{ deployment_id: 'd1' }, { deployment_id: 'd2', status: 'failed' }];
		market.hide('d2', { status: 'failed', amount_paid: 3 });
		const nothing = {
			product: 'vmaas',
			resource_private_name: null,
			created_at: null,
			expires_at: null,
		};
		expect(await of(market)).toEqual([
			{
				...nothing,
				deployment_id: 'd1',
				status: null,
				paid: null,
				remaining_value: null,
				cost_per_hour: null,
			},
			{
				...nothing,
				deployment_id: 'd2',
				status: 'failed',
				paid: 3,
				remaining_value: 0,
				cost_per_hour: 0,
			},
		]);
	});

	it('is told on the clock of the service as well', async () => {
		const pair = {
			...HALF,
			gpus_per_vm: 2,
			compute_minutes_served: 120,
			started_at: minutesAgo(60),
		};
		expect(await of(new Market().add('d1', pair))).toMatchObject([
			{ cost_per_hour: 2.666667, expires_at: minutesAgo(-30) },
		]);
		expect(await of(new Market().add('d1', pair), 3_600_000)).toMatchObject([
			{ cost_per_hour: null, expires_at: minutesAgo(-60) },
		]);
	});
});

describe('the cost of an hour', () => {
	it('is what was paid by the hours that were paid for, each counted once', () => {
		expect(runningCostOf({ ...HALF, status: 'running' })).toEqual({
			perHour: 2,
			remainingHours: 1,
		});
		const pair = { ...HALF, gpus_per_vm: 2, started_at: minutesAgo(30), status: 'running' };
		expect(runningCostOf(pair)).toEqual({ perHour: 4, remainingHours: 0.5 });
	});

	it.each<[IDataObject]>([
		[{ amount_paid: undefined }],
		[{ amount_paid: -1 }],
		[{ amount_paid: 0 }],
		[{ compute_minutes_served: undefined }],
		[{ compute_minutes_served: 0, compute_minutes_remaining: 0 }],
		[{ compute_minutes_served: -90 }],
	])('is unknown with %j', (changes) => {
		expect(runningCostOf({ ...HALF, status: 'running', ...changes })).toBeUndefined();
	});

	it('is nothing where the paid time of an unknown state is over', () => {
		const over = { ...HALF, compute_minutes_remaining: 0 };
		expect(runningCostOf({ ...over, status: 'parked' })).toEqual({ perHour: 0, remainingHours: 0 });
		expect(runningCostOf({ ...over, status: 'running' })).toEqual({
			perHour: 4,
			remainingHours: 0,
		});
	});

	it('has an amount of 0 only where it has ended', () => {
		expect(amountOf({ amount_paid: 0, status: 'failed' })).toBe(0);
		expect(amountOf({ amount_paid: 0, status: 'running' })).toBeUndefined();
	});
});

describe('the details of a list', () => {
	it('are absent where there are none, with the error where they cannot be read', async () => {
		const market = new Market();
		market.instead = (request) => (request === 'GET deployment/d2' ? REFUSED : undefined);
		const entries = [{ deployment_id: 'd1' }, { deployment_id: 'd2' }];
		expect(await withDetails(await productContext(market), entries)).toEqual([
			{ entry: entries[0] },
			{ entry: entries[1], error: expect.objectContaining({ httpCode: '403' }) as unknown },
		]);
	});

	it('are not read any more once the execution is cancelled', async () => {
		const controller = new AbortController();
		const market = new Market();
		market.instead = () => {
			controller.abort();
			return undefined;
		};
		const context = await productContext(market, { signal: controller.signal });
		const entries = Array.from({ length: 20 }, (_, index) => ({ deployment_id: `d${index}` }));
		await withDetails(context, entries);
		expect(market.asked.length).toBeLessThanOrEqual(5);
	});
});
