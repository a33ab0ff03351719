import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { deploy } from '../../nodes/Vmaas/resources/deployment/deploy.ts';
import { deployParameters, SSH_KEY } from '../engine/nodes.mts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { inputOf, outcome } from './job-bench.mts';
import { NODE } from './log-parts.mts';
import { productContext } from './market-parts.mts';
import { message } from './parameters-form.mts';
import { fresh } from './purchase-parts.mts';
import { costs, offer, says, Shop } from './shop-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const POOL = '0B9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35';
const IN_POOL = { placement: 'nodePool', nodePoolId: POOL, gpusPerVm: 1 };

const form = (changes: IDataObject) =>
	inputOf(deploy, deployParameters({ resourcePrivateName: fresh('shop'), ...changes }));

async function run(shop: Shop, changes: IDataObject, functions: object = {}) {
	const context = await productContext(shop);
	Object.assign(context.functions, functions);
	return await outcome(async () => await deploy.run(context, form(changes)));
}

async function bought(shop: Shop, changes: IDataObject = {}, functions: object = {}) {
	const result = await run(shop, changes, functions);
	if (result instanceof Error) throw result;
	return result[0] as IDataObject;
}

async function refusal(shop: Shop, changes: IDataObject = {}) {
	const error = await run(shop, changes);
	if (!(error instanceof Error)) throw new Error('It was bought');
	return { message: error.message, description: error.description };
}

/** What a deploy asks for. */
const bodyOf = (resource_private_name: string, changes: IDataObject = {}): IDataObject => ({
	resource_private_name,
	hardware_id: 7,
	gpus_per_vm: 1,
	location_ids: ['us-west-2'],
	duration_hours: 2,
	ssh_keys: { laptop: SSH_KEY },
	...changes,
});

describe('Deploy', () => {
	it('buys what was ordered, and asks for no price that nobody needs', async () => {
		const shop = new Shop();
		const name = fresh('shop');
		expect(await bought(shop, { resourcePrivateName: name })).toEqual({
			deployment_id: 'd1',
			resource_private_name: name,
			expires_at: expect.any(String) as string,
			hardware_id: 7,
			gpus_per_vm: 1,
			duration_hours: 2,
		});
		expect(shop.orders).toEqual([bodyOf(name)]);
		expect(shop.asked).not.toContain('GET price');
	});

	it('sends what is added to an order, and nothing that is not', async () => {
		const shop = new Shop();
		const name = fresh('shop');
		await bought(shop, {
			resourcePrivateName: name,
			gpusPerVm: 4,
			durationHours: 8760,
			additionalFields: { vmsQty: 2, githubIds: ['a', 'b'], vmImageType: 'general' },
		});
		const added = { vms_qty: 2, github_ids: ['a', 'b'], vm_image_type: 'general' };
		expect(shop.orders).toEqual([bodyOf(name, { gpus_per_vm: 4, duration_hours: 8760, ...added })]);
		expect(shop.asked).not.toContain('GET hardware');
	});

	it('sends the key of the credential with the others', async () => {
		const shop = new Shop();
		const name = fresh('shop');
		const ssh = {
			getNode: () => ({ ...NODE, credentials: { computeSshApi: { id: '1', name: 'SSH' } } }),
			getCredentials: async () => await Promise.resolve({ privateKey: OWN_KEY.privateKey }),
		};
		await bought(shop, { resourcePrivateName: name, useSshCredential: true }, ssh);
		const ssh_keys = { laptop: SSH_KEY, 'n8n-ssh-credential': OWN_KEY.publicKey };
		expect(shop.orders).toEqual([bodyOf(name, { ssh_keys })]);
	});

	it('takes the size that the hardware has in the location', async () => {
		const shop = new Shop([offer({ num_cards: 8 }), offer({ location: 'eu-1' })]);
		expect(await bought(shop)).toMatchObject({ gpus_per_vm: 8 });
		expect(shop.orders).toMatchObject([{ gpus_per_vm: 8 }]);
	});

	it('says where the service makes something else of it', async () => {
		const shop = new Shop();
		shop.made = { hardware_id: 9, gpus_per_vm: 2, total_vms: 1 };
		const item = await bought(shop, { additionalFields: { vmsQty: 3 } });
		expect(item.hint).toBe(
			'The service shows another deployment than ordered: hardware_id 9 instead of 7, gpus_per_vm 2 instead of 1, total_vms 1 instead of 3.',
		);
	});

	it('says where the service gives it another time', async () => {
		const shop = new Shop();
		shop.made = { compute_minutes_served: 0, compute_minutes_remaining: 60, total_vms: 2 };
		expect((await bought(shop)).hint).toBe(
			'The service shows another deployment than ordered: total_vms 2 instead of 1, 60 minutes instead of 120.',
		);
	});

	it('tells the refusal of the service', async () => {
		const shop = new Shop();
		shop.refuse = () => says(409, 'Sold out');
		expect((await refusal(shop)).message).toContain('Sold out');
		expect(shop.orders).toHaveLength(1);
	});

	it('is not sent where the size cannot be read', async () => {
		const shop = new Shop();
		shop.instead = (request) => (request === 'GET hardware' ? says(403, 'no') : undefined);
		const { message: text, description } = await refusal(shop);
		expect(text).toMatch(/^The hardware list could not be read: /);
		expect(description).toMatch(/Nothing was deployed\.$/);
		expect(shop.orders).toEqual([]);
	});
});

describe('the price of a deploy', () => {
	it('is told where it is limited, for all its VMs', async () => {
		const shop = new Shop([offer({ num_cards: 2 })]);
		shop.price = () => costs(8, { replica_count: 3 });
		const changes = { additionalFields: { vmsQty: 3 }, safety: { maxPrice: 8 } };
		expect(await bought(shop, changes)).toMatchObject({ total_price: 8, hourly_price: 4 });
		expect(shop.queries).toEqual([
			{
				hardware_id: 7,
				gpus_per_vm: 2,
				duration_hours: 2,
				currency: 'usdc',
				location_ids: '["us-west-2"]',
				replica_count: 3,
			},
		]);
	});

	it('stops it above the limit', async () => {
		const shop = new Shop();
		expect(await refusal(shop, { safety: { maxPrice: 3.99 } })).toEqual({
			message: 'The price of 4 usdc is above the Maximum Price of 3.99 usdc',
			description: 'It is 4 usdc in all for 2 hours. Nothing was deployed.',
		});
		expect(shop.orders).toEqual([]);
	});

	it('stops it where it cannot be read', async () => {
		const shop = new Shop();
		shop.price = () => says(403, 'no');
		expect((await refusal(shop, { safety: { maxHourlyPrice: 9 } })).message).toMatch(
			/^The price could not be read: /,
		);
		expect(shop.orders).toEqual([]);
	});

	it('is shown by a dry run, which buys nothing', async () => {
		const shop = new Shop();
		const name = fresh('shop');
		const item = await bought(shop, { resourcePrivateName: name, safety: { dryRun: true } });
		expect(item).toEqual({
			dry_run: true,
			resource_private_name: name,
			total_price: 4,
			hourly_price: 2,
			currency: 'usdc',
			request: bodyOf(name),
		});
		expect(shop.orders).toEqual([]);
	});
});

describe('a deploy to a private node pool', () => {
	it('names the pool in place of a location', async () => {
		const shop = new Shop();
		const name = fresh('shop');
		await bought(shop, { resourcePrivateName: name, ...IN_POOL });
		const { location_ids: _, ...body } = bodyOf(name, { node_pool_id: POOL });
		expect(shop.orders).toEqual([body]);
	});

	it('has no price, and so none in a dry run', async () => {
		const shop = new Shop();
		const item = await bought(shop, { ...IN_POOL, safety: { dryRun: true } });
		expect(Object.keys(item)).toEqual(['dry_run', 'resource_private_name', 'request']);
		expect(shop.asked).not.toContain('GET price');
	});

	it('is stopped by a price limit, also in a dry run', async () => {
		for (const safety of [{ maxPrice: 50 }, { maxPrice: 50, dryRun: true }]) {
			const shop = new Shop();
			expect(await refusal(shop, { ...IN_POOL, safety })).toEqual({
				message: 'The price limit cannot be checked for a private node pool',
				description:
					'The service has prices for locations only. Remove the price limit or choose a location. Nothing was deployed.',
			});
			expect(shop.orders).toEqual([]);
		}
	});

	it('needs the size where the hardware has several, wherever that is', async () => {
		const shop = new Shop([offer(), offer({ num_cards: 8, location: 'eu-1' })]);
		expect((await refusal(shop, { ...IN_POOL, gpusPerVm: 0 })).message).toMatch(
			/^Hardware 7 comes in several sizes\./,
		);
	});

	it.each(['pool', `${POOL}0`, `0${POOL}`, POOL.replace('-', ''), POOL.replace('f', 'g')])(
		'is not that of %s',
		(nodePoolId) => {
			expect(message(() => form({ ...IN_POOL, nodePoolId }))).toBe(
				`Node Pool ID must be a UUID such as 0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35, got "${nodePoolId}"`,
			);
		},
	);
});

describe('the form of Deploy', () => {
	it.each<[IDataObject, string]>([
		[{ durationHours: 0 }, 'Duration (Hours) must be a whole number from 1 to 8760, got 0'],
		[{ placement: 'moon' }, 'Placement must be one of location, nodePool, got "moon"'],
		[{ gpusPerVm: 9 }, 'GPUs per VM must be a whole number from 0 to 8, got 9'],
		[
			{ additionalFields: { vmsQty: 0 } },
			'Additional Fields: VMs Quantity (Deprecated) must be a whole number of at least 1, got 0',
		],
		[
			{ additionalFields: { vmImageType: 'other' } },
			'Additional Fields: VM Image Type must be one of general, datascience, got "other"',
		],
	])('does not take %j', (changes, text) => {
		expect(message(() => form(changes))).toBe(text);
	});
});

describe('an existing deployment that Deploy may use', () => {
	const exists = (more: IDataObject) => {
		const resourcePrivateName = fresh('shop');
		const shop = new Shop().add('d9', { resource_private_name: resourcePrivateName, ...more });
		const safety = { ifNameExists: 'useExisting' };
		return { shop, order: { resourcePrivateName, gpusPerVm: 2, safety } };
	};

	it('has as many VMs and GPUs as are ordered', async () => {
		const { shop, order } = exists({ total_vms: 2, gpus_per_vm: 1 });
		expect((await refusal(shop, order)).message).toMatch(
			/d9 has 1 GPUs per VM, and 2 are ordered$/,
		);
		const more = { ...order, gpusPerVm: 1, additionalFields: { vmsQty: 3 } };
		expect((await refusal(shop, more)).message).toMatch(/d9 has 2 VMs, and 3 are ordered$/);
	});

	it('may have other hardware, which is said', async () => {
		const { shop, order } = exists({ total_vms: 1, gpus_per_vm: 2, hardware_id: 9 });
		const item = await bought(shop, order);
		expect(item).toMatchObject({ deployment_id: 'd9', existing: true });
		expect(item.hint).toContain('It has hardware 9, and 7 is ordered.');
	});
});
