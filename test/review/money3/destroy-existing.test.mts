import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deploy, deployContainers, told } from '../money2/forms.mts';
import { openMarket, type Market } from '../money2/service.mts';
import type { Json } from '../money2/types.mts';

const NAME = 'existing';
const order = (gpusPerVm: number, vmsQty: number) =>
	deploy({
		resourcePrivateName: NAME,
		gpusPerVm,
		safety: { ifNameExists: 'useExisting' },
		additionalFields: { vmsQty },
	});

/** A service whose details cannot be read, and whose list shows these fields beside name and state. */
async function listing(gpus: number, workers: number, changes: Json = {}): Promise<Market> {
	const market = await openMarket();
	market.add({ name: NAME, gpus, workers });
	market.odd = ({ path }) => {
		if (path.startsWith('/deployment/')) return { status: 503, json: {} };
		if (path !== '/deployments') return undefined;
		const one = { id: 'd-1', name: NAME, status: 'running', compute_minutes_remaining: 170 };
		const entry = { ...one, hardware_quantity: gpus * workers, ...changes };
		return { status: 200, json: { data: { deployments: [entry], total: 1 } } };
	};
	return market;
}

const UNSHOWN: Json[] = [
	{ hardware_quantity: undefined },
	{ hardware_quantity: null },
	{ hardware_quantity: 0 },
	{ hardware_quantity: 'eight' },
];

describe('Use the Existing One, of which only the list shows anything', () => {
	it('is not used where it has fewer GPUs in all', async () => {
		const market = await listing(1, 1);
		const { error } = await told(market, order(8, 1));
		expect(error).toContain('d-1 has 1 GPUs in all, and 8 are ordered');
		expect(market.rented).toHaveLength(1);
	});

	it('is used where it has as many, and it is told what is not known', async () => {
		const market = await listing(8, 1);
		const { items } = await told(market, order(8, 1));
		expect(items).toMatchObject([{ existing: true, deployment_id: 'd-1' }]);
		expect(items[0]?.hint).toMatch(/how many GPUs it has in all, not how many each VM has/);
	});

	it('of one GPU is as large as an order of one', async () => {
		const market = await listing(1, 1);
		const { items } = await told(market, order(1, 1));
		expect(items).toMatchObject([{ existing: true, deployment_id: 'd-1' }]);
		expect(items[0]).not.toHaveProperty('hint');
	});

	it.each(UNSHOWN)('is not used where it shows no size: %j', async (changes) => {
		const market = await listing(8, 1, changes);
		const { error } = await told(market, order(8, 1));
		expect(error).toContain('d-1 does not show how many VMs and GPUs it has');
		expect(market.rented).toHaveLength(1);
	});

	it.each([
		[{ total_vms: 1 }, 1, 2, 'has 1 VMs, and 2 are ordered'],
		[{ gpus_per_vm: 4 }, 8, 1, 'has 4 GPUs per VM, and 8 are ordered'],
		[{ gpus_per_vm: '4', hardware_quantity: '4' }, 2, 2, 'has 1 VMs, and 2 are ordered'],
	])('fields of details in the list count: %j', async (changes, gpus, vms, problem) => {
		const market = await listing(2, 4, changes);
		const { error } = await told(market, order(gpus, vms));
		expect(error).toContain(problem);
	});
});

describe('details', () => {
	it.each([
		[{ gpus_per_vm: undefined }, 8, 1, undefined],
		[{ gpus_per_vm: undefined, total_gpus: 4 }, 8, 1, 'has 4 GPUs per VM'],
		[{ total_vms: 0, total_gpus: 8 }, 8, 2, 'has 1 VMs'],
		[{ total_vms: undefined, total_gpus: 16 }, 8, 2, undefined],
		[{ total_vms: undefined, total_gpus: undefined }, 8, 1, undefined],
	])('that leave something out: %j', async (changes: Json, gpus, vms, problem) => {
		const market = await openMarket({ look: (shown) => ({ ...shown, ...changes }) });
		market.add({ name: NAME, gpus: 8, workers: 1 });
		const { error, items } = await told(market, order(gpus, vms));
		if (problem === undefined) expect(items).toMatchObject([{ existing: true }]);
		else expect(error).toContain(problem);
		expect(market.rented).toHaveLength(1);
	});
});

it('of containers, too', async () => {
	const market = await openMarket();
	market.add({ name: NAME, product: 'caas', gpus: 1, workers: 1 });
	market.odd = ({ path }) =>
		path.startsWith('/deployment/') ? { status: 503, json: {} } : undefined;
	const safety: IDataObject = { ifNameExists: 'useExisting' };
	const { error } = await told(
		market,
		deployContainers({ resourcePrivateName: NAME, gpusPerContainer: 4, safety }),
	);
	expect(error).toContain('d-1 has 1 GPUs in all, and 4 are ordered');
});
