import { describe, expect, it } from 'vitest';
import { fresh } from './purchase-parts.mts';
import { bought, costs, offer, offers, refusal, says, Shop } from './shop-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const minutes = (keepTryingFor: number) => ({ additionalFields: { keepTryingFor } });

function soldOut(): Shop {
	const shop = new Shop();
	shop.refuse = () => says(409, 'Sold out');
	return shop;
}

describe('Deploy Cheapest that keeps trying', () => {
	it('looks each minute and once at the end, and says how often', async () => {
		const shop = soldOut();
		const begunAt = Date.now();
		expect(await refusal(shop, minutes(2.5))).toEqual({
			message: 'None of the 1 cheapest offers could be deployed',
			description:
				'H100 (ID 7) in us-west-2: Sold out.\nNothing was deployed.\nLooked 4 times in 3 minutes.',
			tried: ['Sold out'],
		});
		expect(shop.looks).toHaveLength(4);
		expect(Date.now() - begunAt).toBe(150_000);
	});

	it('buys what is free again', async () => {
		const shop = soldOut();
		shop.refuse = () => (shop.looks.length < 3 ? says(409, 'Sold out') : undefined);
		expect(await bought(shop, minutes(5))).toMatchObject({ deployment_id: 'd3', tried: [] });
	});

	it('buys what passes the filters in a later look', async () => {
		const shop = new Shop([]);
		const find = shop.answer.bind(shop);
		shop.answer = (sent) => {
			if (shop.looks.length === 1) shop.offers = [offer()];
			return find(sent);
		};
		expect(await bought(shop, minutes(5))).toMatchObject({ deployment_id: 'd1' });
		expect(shop.looks).toHaveLength(2);
	});

	it('buys what is below the price limit in a later look', async () => {
		const shop = new Shop();
		shop.price = () => costs(shop.looks.length < 2 ? 5 : 4);
		const safety = { maxPrice: 4 };
		expect(await bought(shop, { ...minutes(5), safety })).toMatchObject({ total_price: 4 });
	});

	it('outlasts an outage of the service', async () => {
		const shop = new Shop();
		const begunAt = Date.now();
		shop.instead = (request) =>
			request === 'GET hardware' && Date.now() - begunAt < 90_000
				? says(503, 'Try again')
				: undefined;
		expect(await bought(shop, minutes(10))).toMatchObject({ deployment_id: 'd1' });
	});

	it('stops where others have taken the name meanwhile', async () => {
		const shop = soldOut();
		const resourcePrivateName = fresh('shop');
		const named = { resource_private_name: resourcePrivateName };
		setTimeout(() => shop.add('other', named), 90_000);
		expect((await refusal(shop, { ...minutes(5), resourcePrivateName })).message).toBe(
			`A deployment named "${resourcePrivateName}" already exists (other, running)`,
		);
		expect(shop.looks).toHaveLength(2);
	});

	it('stops when the execution is cancelled', async () => {
		const shop = soldOut();
		const controller = new AbortController();
		setTimeout(() => controller.abort(), 70_000);
		await expect(bought(shop, minutes(5), {}, controller.signal)).rejects.toThrow(/cancelled/i);
		expect(shop.looks).toHaveLength(2);
	});

	it.each([
		['without minutes', {}],
		['in a dry run', { ...minutes(5), safety: { dryRun: true, maxPrice: 1 } }],
	])('looks once %s', async (_, changes) => {
		const shop = soldOut();
		expect((await refusal(shop, changes)).description).toMatch(/Nothing was deployed\.$/);
		expect(shop.looks).toHaveLength(1);
	});
});

describe('a total that is far from the list price', () => {
	const hint = async (total: number, changes = {}, price = 2) => {
		const shop = new Shop([offer({ price })]);
		shop.price = ({ currency }) => ({
			json: { data: { [`total_cost_${String(currency).toLowerCase()}`]: total } },
		});
		return (await bought(shop, changes)).hint;
	};

	it.each([
		[
			'is just as far',
			6,
			{},
			2,
			'The total of 6 usdc is 1.5 times the 4 USD of the hardware list.',
		],
		[
			'is as far below',
			2,
			{},
			1.5,
			'The total of 2 usdc is 0.67 times the 3 USD of the hardware list.',
		],
		['is nearer', 5.99, {}, 2, undefined],
		['is nearer from below', 2.01, {}, 1.5, undefined],
		[
			'is that of sums',
			3,
			{ durationHours: 3 },
			0.1,
			'The total of 3 usdc is 10 times the 0.3 USD of the hardware list.',
		],
		[
			'is in dollars',
			60,
			{ safety: { currency: 'USD' } },
			2,
			'The total of 60 USD is 15 times the 4 USD of the hardware list.',
		],
		['is in another currency', 60, { safety: { currency: 'xusd' } }, 2, undefined],
	])('is told in the output where it %s', async (_, total, changes, price, text) => {
		expect(await hint(total, changes, price)).toBe(text);
	});

	it('is that of all VMs', async () => {
		const shop = new Shop();
		shop.price = () => costs(8, { replica_count: 2 });
		const item = await bought(shop, { additionalFields: { vmsQty: 2 } });
		expect(item).not.toHaveProperty('hint');
	});

	it('is not told of an offer without a price', async () => {
		const shop = new Shop(offers(1));
		shop.price = () => ({ json: { data: {} } });
		const item = await bought(shop);
		expect(item).not.toHaveProperty('hint');
		expect(item).not.toHaveProperty('total_price');
	});
});
