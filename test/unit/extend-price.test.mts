import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CAAS } from '../../nodes/marketplace/product.ts';
import { Extending, extending, SHOWN } from './extend-parts.mts';
import { productContext, refusalOf, REFUSED } from './market-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

const LIMITED = { priceLimits: { currency: 'usdc', maxPrice: 4 } };

describe('an extension under a price limit', () => {
	it('is priced as its deployment is', async () => {
		const locations = [{ id: 'eu' }, 'us', 4, null];
		const shop = new Extending({ ...SHOWN, total_vms: 2, gpus_per_vm: 4, locations });
		const { instead } = shop;
		shop.instead = (request) => {
			const answer = instead(request);
			return answer && { json: { data: { total_cost_usdc: 4, replica_count: 2 } } };
		};
		expect(await extending(shop, LIMITED)).toMatchObject({
			added_hours: 2,
			total_price: 4,
			hourly_price: 2,
			currency: 'usdc',
		});
		expect(shop.queries).toEqual([
			{
				hardware_id: 12,
				gpus_per_vm: 4,
				duration_hours: 2,
				currency: 'usdc',
				location_ids: '["eu","us",4]',
				replica_count: 2,
			},
		]);
	});

	it('is not sent above it', async () => {
		const shop = new Extending();
		shop.price = 3;
		expect(await refusalOf(extending(shop, LIMITED))).toMatchObject({
			message: 'The price of 6 usdc is above the Maximum Price of 4 usdc',
			description: 'It is 6 usdc in all for 2 hours. Nothing was extended.',
			known: { deployment_id: shop.id },
		});
		expect(shop.bodies).toEqual([]);
	});

	it('is not sent where the price cannot be read', async () => {
		const shop = new Extending();
		shop.instead = (request) => (request === 'GET price' ? REFUSED : undefined);
		const refusal = await refusalOf(extending(shop, LIMITED));
		expect(refusal?.message).toMatch(/^The price could not be read: /);
		expect(shop.bodies).toEqual([]);
	});

	it.each<[unknown, unknown]>([
		['12__US', 12],
		['8H100.80S__eu', '8H100.80S'],
		['a__b__c', 'a__b'],
		['12__', '12__'],
		['__1', '__1'],
		['12', '12'],
		[12, 12],
	])('is priced for the hardware of an offer: %j as %j', async (shown, hardware) => {
		const shop = new Extending({ ...SHOWN, hardware_id: shown as string });
		await extending(shop, LIMITED);
		expect(shop.queries).toMatchObject([{ hardware_id: hardware }]);
	});

	it.each<[string, IDataObject]>([
		['hardware', { hardware_id: true }],
		['size', { total_vms: undefined }],
		['location', { locations: [] }],
		['list of locations', { locations: 'eu' }],
		['known location', { locations: [null, true] }],
	])('is not sent where its details show no %s', async (_, changes) => {
		const shop = new Extending({ ...SHOWN, ...changes });
		expect(await refusalOf(extending(shop, LIMITED))).toMatchObject({
			message:
				'The price limit cannot be checked: the details of the deployment do not show its hardware, its location, or how many VMs and GPUs it has',
			description: 'Remove the price limit to extend it without this check. Nothing was extended.',
		});
		expect(shop.bodies).toEqual([]);
		expect(await extending(shop)).toMatchObject({ added_hours: 2 });
	});

	it('says of containers what their details do not show', async () => {
		const refusal = await refusalOf(extending(new Extending(), { ...LIMITED, product: CAAS }));
		expect(refusal?.message).toMatch(/how many containers and GPUs it has$/);
	});

	it('waits for the size of a young deployment, which is not needed without a limit', async () => {
		const young = new Extending({ ...SHOWN, hardware_id: undefined });
		expect(await ended(extending(young))).toMatchObject({ seconds: 0 });
		const shop = new Extending({ ...SHOWN, hardware_id: undefined });
		const { instead } = shop;
		shop.instead = (request) => {
			if (shop.asked.length === 3) shop.hide(shop.id, SHOWN);
			return instead(request);
		};
		expect(await ended(extending(shop, LIMITED))).toMatchObject({
			seconds: 6,
			value: { added_hours: 2 },
		});
		const never = new Extending({ ...SHOWN, hardware_id: undefined });
		expect(await ended(refusalOf(extending(never, LIMITED)))).toMatchObject({ seconds: 120 });
	});
});

describe('an AI agent', () => {
	const agentOf = async (shop: Extending, flow = {}) => {
		const context = await productContext(shop, { flow });
		const node = context.functions.getNode();
		context.functions.getNode = () => ({ ...node, rewireOutputLogTo: 'ai_tool' });
		return context;
	};

	it('extends nothing without the limit of a person', async () => {
		const shop = new Extending();
		const refusal = await refusalOf(extending(shop, { context: await agentOf(shop) }));
		expect(refusal?.message).toMatch(/^An AI agent may spend money only under a price limit/);
		expect(shop.asked).toEqual([]);
	});

	it('is told what became of an extension that was sent', async () => {
		const shop = new Extending();
		const context = await agentOf(shop);
		context.journal.note({
			product: 'vmaas',
			deployment_id: shop.id,
			added_hours: 2,
			before: { minutes: 0, remaining: 0, readAt: Date.now(), paid: 0 },
			prices: {},
		});
		const refusal = await ended(refusalOf(extending(shop, { context })));
		expect(refusal.value?.message).toMatch(/^Extension of .* outcome unknown/);
	});
});
