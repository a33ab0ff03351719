import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { SSH_KEY } from '../engine/nodes.mts';
import { fresh } from './purchase-parts.mts';
import { bought, costs, offer, offers, refusal, says, Shop } from './shop-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const totals =
	(...prices: number[]) =>
	(query: IDataObject) =>
		costs(prices[Number(query.hardware_id) - 1] ?? NaN);

describe('Deploy Cheapest', () => {
	it('buys what is cheapest in all, fees included, and says so', async () => {
		const shop = new Shop(offers(1, 2));
		shop.price = totals(4.5, 4);
		const resourcePrivateName = fresh('shop');
		expect(await bought(shop, { resourcePrivateName })).toEqual({
			deployment_id: 'd1',
			resource_private_name: resourcePrivateName,
			hardware_id: 2,
			gpus_per_vm: 1,
			duration_hours: 2,
			expires_at: expect.any(String) as string,
			total_price: 4,
			hourly_price: 2,
			currency: 'usdc',
			location: 'us-west-2',
			hardware_name: 'GPU 2',
			offer_price: 2,
			tried: [],
		});
		expect(shop.orders).toEqual([
			{
				resource_private_name: resourcePrivateName,
				hardware_id: 2,
				gpus_per_vm: 1,
				location_ids: ['us-west-2'],
				duration_hours: 2,
				ssh_keys: { laptop: SSH_KEY },
			},
		]);
		expect(shop.priced).toEqual([1, 2]);
	});

	it('sends what the form adds to an order', async () => {
		const shop = new Shop([offer({ num_cards: 4 })]);
		const additionalFields = { vmsQty: 2, githubIds: ['octocat'], vmImageType: 'datascience' };
		expect(await bought(shop, { additionalFields })).toMatchObject({ gpus_per_vm: 4 });
		expect(shop.orders).toMatchObject([
			{ gpus_per_vm: 4, vms_qty: 2, github_ids: ['octocat'], vm_image_type: 'datascience' },
		]);
		expect(shop.queries[0]).toMatchObject({ replica_count: 2, gpus_per_vm: 4 });
	});

	it('shows in a dry run what it would send, and buys nothing', async () => {
		const shop = new Shop();
		const resourcePrivateName = fresh('shop');
		const item = await bought(shop, { resourcePrivateName, safety: { dryRun: true } });
		expect(item).toEqual({
			dry_run: true,
			resource_private_name: resourcePrivateName,
			total_price: 4,
			hourly_price: 2,
			currency: 'usdc',
			hardware_id: 7,
			location: 'us-west-2',
			hardware_name: 'H100',
			offer_price: 2,
			tried: [],
			request: {
				resource_private_name: resourcePrivateName,
				hardware_id: 7,
				gpus_per_vm: 1,
				location_ids: ['us-west-2'],
				duration_hours: 2,
				ssh_keys: { laptop: SSH_KEY },
			},
		});
		expect(shop.orders).toEqual([]);
	});

	it('buys the next where one is sold out, and says what it has tried', async () => {
		const shop = new Shop(offers(1, 2, 3));
		shop.refuse = ({ hardware_id: id }) => (id === 1 ? says(409, 'Sold out') : undefined);
		expect(await bought(shop)).toMatchObject({
			hardware_id: 2,
			tried: [
				{
					hardware_id: 1,
					location: 'us-west-2',
					hardware_name: 'GPU 1',
					offer_price: 1,
					reason: 'Sold out',
				},
			],
		});
		expect(shop.ordered).toEqual([1, 2]);
	});

	it('tries no more offers than it may, the cheapest of the list first', async () => {
		const shop = new Shop(offers(3, 1, 2));
		shop.refuse = () => says(409, 'No capacity');
		expect(await refusal(shop, { maxTries: 2 })).toEqual({
			message: 'None of the 2 cheapest offers could be deployed',
			description:
				'GPU 1 (ID 1) in us-west-2: No capacity.\nGPU 2 (ID 2) in us-west-2: No capacity.\nNothing was deployed.',
			tried: ['No capacity', 'No capacity'],
		});
		expect([shop.priced, shop.ordered]).toEqual([
			[1, 2],
			[1, 2],
		]);
	});

	it('tells an offer without a name by its ID, and ends a sentence once', async () => {
		const shop = new Shop([offer({ name: undefined })]);
		shop.refuse = () => says(409, 'Sold out.');
		expect((await refusal(shop)).description).toBe(
			'ID 7 in us-west-2: Sold out.\nNothing was deployed.',
		);
	});

	it('stops at a refusal that would be that of each offer', async () => {
		const shop = new Shop(offers(1, 2, 3));
		shop.refuse = ({ hardware_id: id }) =>
			id === 1 ? says(409, 'Sold out') : says(422, 'The key is not valid');
		const { message, tried } = await refusal(shop, { additionalFields: { keepTryingFor: 5 } });
		expect(message).toContain('The key is not valid');
		expect(tried).toEqual(['Sold out']);
		expect(shop.ordered).toEqual([1, 2]);
	});

	it('is refused to an AI agent without a price limit of a person, but for a dry run', async () => {
		const shop = new Shop();
		const agent = { isToolExecution: () => true };
		expect((await refusal(shop, {}, agent)).message).toMatch(
			/^An AI agent may spend money only under a price limit that a person has set/,
		);
		expect(shop.asked).toEqual([]);
		expect(await bought(shop, { safety: { dryRun: true } }, agent)).toMatchObject({
			dry_run: true,
		});
	});
});

describe('the filters of Deploy Cheapest', () => {
	const filters = { gpu: 'H100' };

	it('are sent, and leave out what does not pass them all the same', async () => {
		const shop = new Shop([...offers(1, 2), offer({ price: 3 })]);
		expect(await bought(shop, { filters })).toMatchObject({
			hardware_id: 7,
			skipped: [{ reason: 'does not meet GPU H100', offers: 2 }],
		});
		expect(shop.looks).toMatchObject([{ gpu: 'H100' }]);
		expect(shop.priced).toEqual([7]);
	});

	it('count the GPUs of a VM', async () => {
		const shop = new Shop([offer({ price: 1 }), offer({ num_cards: 8, price: 9 })]);
		expect(await bought(shop, { gpusPerVm: 8 })).toMatchObject({ gpus_per_vm: 8 });
		expect(shop.orders).toMatchObject([{ gpus_per_vm: 8 }]);
	});

	it('stop it where nothing passes them', async () => {
		const shop = new Shop([...offers(1, 2), offer({ name: undefined })]);
		expect(await refusal(shop, { filters })).toEqual({
			message: 'No available offer passes the filters',
			description:
				'Widen the filters or the GPU count, or try again later. Nothing was deployed.\n2 × does not meet GPU H100\n1 × GPU H100 cannot be checked: the offer shows no name',
		});
		expect(await refusal(new Shop([]))).toEqual({
			message: 'No available offer passes the filters',
			description: 'Widen the filters or the GPU count, or try again later. Nothing was deployed.',
		});
	});

	it('stop it at once where no offer lets them be checked', async () => {
		const shop = new Shop([offer({ name: undefined }), offer({ name: '' })]);
		expect(await refusal(shop, { filters, additionalFields: { keepTryingFor: 5 } })).toEqual({
			message: 'The filters cannot be checked on any available offer',
			description:
				'Remove the filters that cannot be checked, or choose the hardware with Hardware > Get Many and use Deploy. Nothing was deployed.\n2 × GPU H100 cannot be checked: the offer shows no name',
		});
		expect(shop.looks).toHaveLength(1);
	});

	it('are not asked for where the offers cannot be read', async () => {
		const shop = new Shop();
		shop.instead = (request) => (request === 'GET hardware' ? says(403, 'not allowed') : undefined);
		const { message, description } = await refusal(shop, {
			additionalFields: { keepTryingFor: 5 },
		});
		expect(message).toMatch(/^The hardware list could not be read: .*not allowed/);
		expect(description).toMatch(/Nothing was deployed\.$/);
	});
});
