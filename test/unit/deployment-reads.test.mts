import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { get } from '../../nodes/marketplace/operations/get.ts';
import { getAll } from '../../nodes/marketplace/operations/getAll.ts';
import { VMAAS } from '../../nodes/marketplace/product.ts';
import { Market, productContext, refusalOf } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { minutesAgo } from './purchase-parts.mts';
import { formOf } from './rag-service.mts';
import { useStillClock } from './still-time.mts';

useStillClock();

const list = getAll(VMAAS);
const inputOf = (form: IDataObject) =>
	list.input(formOf(list, { returnAll: true, limit: 50, filters: {}, ...form }), () => undefined);

/** What Get Many gives under these filters. */
async function listed(market: Market, filters: IDataObject = {}, form: IDataObject = {}) {
	const context = await productContext(market);
	return (await list.run(context, inputOf({ filters, ...form }))) as IDataObject[];
}

const idsIn = (items: IDataObject[]) => items.map(({ deployment_id }) => deployment_id);

describe('the list of deployments', () => {
	it('is that of all, with their ends, and reads no details', async () => {
		const market = new Market().add('d1', { compute_minutes_remaining: 60 }).add('d2');
		expect(await listed(market)).toEqual([
			{
				deployment_id: 'd1',
				resource_private_name: 'job',
				status: 'running',
				compute_minutes_remaining: 60,
				expires_at: minutesAgo(-60),
			},
			{ deployment_id: 'd2', resource_private_name: 'job', status: 'running' },
		]);
		expect(market.asked.filter((one) => one !== 'GET deployments')).toEqual([]);
	});

	it('has no more than the limit, and those of a state and a name', async () => {
		const market = new Market()
			.add('d1', { resource_private_name: 'a1' })
			.add('d2', { resource_private_name: 'a2', status: 'failed' })
			.add('d3', { resource_private_name: 'b' });
		const limited = await listed(market, {}, { returnAll: false, limit: 2 });
		expect(idsIn(limited)).toEqual(['d1', 'd2']);
		expect(idsIn(await listed(market, { namePrefix: 'a' }))).toEqual(['d1', 'd2']);
		expect(idsIn(await listed(market, { status: 'running' }))).toEqual(['d1', 'd3']);
	});

	it.each(['namePrefix', 'status'])('refuses an empty %s: a Destroy may follow', (name) => {
		expect(message(() => inputOf({ filters: { [name]: '' } }))).toContain(
			'must not be empty; remove the filter to include everything',
		);
	});

	it('refuses an age below 0', () => {
		expect(inputOf({ filters: { olderThanHours: 0 } })).toMatchObject({ olderThanHours: 0 });
		expect(message(() => inputOf({ filters: { olderThanHours: -1 } }))).toContain('Older Than');
	});
});

describe('the deployments that are older than two hours', () => {
	/** The age that is told, `unknown`, or undefined where it is left out. */
	async function age(entry: IDataObject, details?: IDataObject, clockAheadMs = 0) {
		const market = new Market().add('d1', entry);
		if (details) market.hide('d1', details);
		const context = await productContext(market);
		context.account.clockAheadMs = clockAheadMs;
		const [item] = (await list.run(
			context,
			inputOf({ filters: { olderThanHours: 2 } }),
		)) as IDataObject[];
		return item && (item.age_hours ?? 'unknown');
	}
	const local = (minutes: number) => minutesAgo(minutes).slice(0, -1);

	it('are those that were created before', async () => {
		expect(await age({ created_at: minutesAgo(121) })).toBe(2.02);
		expect(await age({ created_at: minutesAgo(120) })).toBeUndefined();
	});

	it('are as old as their details say where the list does not, or as their start', async () => {
		expect(await age({}, { created_at: minutesAgo(180) })).toBe(3);
		expect(await age({ created_at: 'soon' }, { created_at: minutesAgo(180) })).toBe(3);
		expect(await age({}, { started_at: minutesAgo(180) })).toBe(3);
		expect(await age({ started_at: minutesAgo(60) }, {})).toBeUndefined();
	});

	it('are as old as the later of two clocks says', async () => {
		expect(await age({ created_at: minutesAgo(180) }, undefined, -3_600_000)).toBeUndefined();
		expect(await age({ created_at: minutesAgo(181) }, undefined, -3_600_000)).toBe(2.02);
		expect(await age({ created_at: minutesAgo(121) }, undefined, 3_600_000)).toBe(2.02);
	});

	it('are shown without their ID where their age is unknown', async () => {
		const market = new Market().add('d1');
		expect(await listed(market, { olderThanHours: 2 })).toEqual([
			{
				deployment_id: null,
				resource_private_name: 'job',
				status: 'running',
				age_hours: null,
				hint: 'The age of deployment d1 cannot be read. Its deployment_id is left out, so that nothing that follows takes it for an old one.',
			},
		]);
	});

	it('are at least as old as they were served, on all GPUs together', async () => {
		const served = { compute_minutes_served: 726 };
		expect(await age({ ...served, hardware_quantity: 1 })).toBe(12.1);
		expect(await age({ ...served, total_gpus: 2 })).toBe(6.05);
		expect(await age({ ...served, gpus_per_vm: 2, total_vms: 3 })).toBe(2.02);
		expect(await age({ ...served, hardware_quantity: 1, total_gpus: 6 })).toBe(2.02);
		// It may be older
		expect(await age({ ...served, total_gpus: 8 })).toBe('unknown');
		expect(await age({ ...served, gpus_per_vm: 2 })).toBe('unknown');
		expect(await age({ total_gpus: 2 })).toBe('unknown');
	});

	it('are known to be of UTC by the minutes served, or may be of any zone', async () => {
		const created = (ago: number, served?: number, more: IDataObject = {}) =>
			age({ created_at: local(ago), compute_minutes_served: served, ...more });
		expect(await created(180, 180)).toBe(3);
		expect(await created(180, 135)).toBe(3);
		expect(await created(180, 184)).toBe(3);
		expect(await created(180, 360, { total_gpus: 2 })).toBe(3);
		expect(await created(180)).toBe(3);
		expect(await created(180, 134)).toBe('unknown');
		expect(await created(180, 185)).toBe('unknown');
		expect(await created(1_000, 100)).toBe(2.67);
	});
});

describe('one deployment', () => {
	const read = async (market: Market, reference: { id: string } | { name: string }) => {
		const context = await productContext(market);
		context.account.clockAheadMs = 3_600_000;
		return await get(VMAAS).run(context, { reference });
	};

	it('is shown by its details, under the ID that was asked for', async () => {
		const market = new Market().add('d1').hide('d1', {
			deployment_id: 'D1',
			name: 'job',
			gpus_per_vm: 2,
			started_at: minutesAgo(60),
			compute_minutes_served: 120,
			compute_minutes_remaining: 60,
		});
		const item = {
			deployment_id: 'd1',
			name: 'job',
			resource_private_name: 'job',
			status: 'running',
			gpus_per_vm: 2,
			started_at: minutesAgo(60),
			compute_minutes_served: 120,
			compute_minutes_remaining: 60,
			expires_at: minutesAgo(-60),
		};
		expect(await read(market, { id: 'd1' })).toEqual([item]);
		expect(await read(market, { name: 'job' })).toEqual([item]);
	});

	it('is an error where it is not there', async () => {
		expect(await refusalOf(read(new Market(), { id: 'd0' }))).toMatchObject({
			message: 'There is no deployment d0',
			known: { deployment_id: 'd0' },
		});
	});

	it('is meant by the form', () => {
		const operation = get(VMAAS);
		const form = formOf(operation, { deploymentId: 'd1' });
		expect(operation.input(form, () => undefined)).toEqual({ reference: { id: 'd1' } });
	});
});
