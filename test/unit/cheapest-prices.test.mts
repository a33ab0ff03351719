import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import type { Answered } from './log-parts.mts';
import { bought, costs, offer, offers, refusal, says, Shop } from './shop-parts.mts';
import { useStillTime } from './still-time.mts';

useStillTime();

const LIMIT = { safety: { maxPrice: 4 } };
const DRY_RUN = { safety: { dryRun: true } };
const SOLD_OUT = 'sold out, according to its price';

/** A service with these answers to questions for prices, by hardware ID; an offer that costs less than the one before. */
function priced(...answers: Array<Answered | Answered[]>): Shop {
	const shop = new Shop(offers(...answers.map((_, index) => index + 1)));
	const queues = answers.map((answer) => [answer].flat());
	shop.price = ({ hardware_id: id }) => {
		const queue = queues[Number(id) - 1] ?? [];
		const [next = {}] = queue;
		if (queue.length > 1) queue.shift();
		return next;
	};
	return shop;
}

const reasons = (item: IDataObject) =>
	(item.tried as IDataObject[]).map(({ hardware_id: id, reason }) => [id, reason]);

describe('a price limit of Deploy Cheapest', () => {
	it('leaves out what is above it', async () => {
		const shop = priced(costs(4.5), costs(4));
		const item = await bought(shop, LIMIT);
		expect(item.tried).toEqual([
			{
				hardware_id: 1,
				location: 'us-west-2',
				hardware_name: 'GPU 1',
				offer_price: 1,
				reason: 'The price of 4.5 usdc is above the Maximum Price of 4 usdc',
			},
		]);
		expect(shop.ordered).toEqual([2]);
	});

	it('is checked again just before the order, where the price may have risen', async () => {
		const shop = priced([costs(3), costs(5)], costs(4));
		expect(reasons(await bought(shop, LIMIT))).toEqual([
			[1, 'The price of 5 usdc is above the Maximum Price of 4 usdc'],
		]);
		expect([shop.priced, shop.ordered]).toEqual([[1, 2, 1, 2], [2]]);
	});

	it('takes the price of that moment for the output', async () => {
		const shop = priced([costs(3), costs(3.5)]);
		expect(await bought(shop, LIMIT)).toMatchObject({ total_price: 3.5 });
		expect(shop.queries).toMatchObject(Array(2).fill({ location_ids: '["us-west-2"]' }));
	});

	it('stops the order where the price cannot be read again', async () => {
		const shop = priced([costs(3), says(403, 'not allowed')], costs(4));
		expect((await refusal(shop, LIMIT)).message).toMatch(
			/^The price could not be read: .*not allowed/,
		);
		expect(shop.ordered).toEqual([]);
	});

	it('tells each reason where nothing is below it', async () => {
		expect(await refusal(priced(costs(5), costs(6)), LIMIT)).toEqual({
			message: 'None of the 2 cheapest offers could be deployed',
			description:
				'GPU 1 (ID 1) in us-west-2: The price of 5 usdc is above the Maximum Price of 4 usdc.\nGPU 2 (ID 2) in us-west-2: The price of 6 usdc is above the Maximum Price of 4 usdc.\nNothing was deployed.',
			tried: [
				'The price of 5 usdc is above the Maximum Price of 4 usdc',
				'The price of 6 usdc is above the Maximum Price of 4 usdc',
			],
		});
	});
});

describe('a price answer that says how many are free', () => {
	it.each<[string, IDataObject[string], number, boolean]>([
		['none', [0], 1, true],
		['fewer than are ordered in each place', [1, '1'], 2, true],
		['enough in one place', [0, 2], 2, false],
		['nothing that can be read', [null], 1, false],
		['no place', [], 1, false],
		['it in another way', { us: 0 }, 1, false],
	])('%s', async (_, available_replica_count, vmsQty, isSoldOut) => {
		const shop = priced(costs(8, { available_replica_count, replica_count: vmsQty }), costs(9));
		const item = await bought(shop, { additionalFields: { vmsQty } });
		expect(reasons(item)).toEqual(isSoldOut ? [[1, SOLD_OUT]] : []);
		expect(shop.ordered).toEqual([isSoldOut ? 2 : 1]);
	});
});

describe('an offer whose price the service refuses', () => {
	it('is sold out where it says so', async () => {
		const shop = priced(says(409, 'No capacity'), costs(9));
		expect(reasons(await bought(shop))).toEqual([
			[1, expect.stringMatching(/^The price could not be read: .*No capacity/)],
		]);
		expect([shop.priced, shop.ordered]).toEqual([[1, 2], [2]]);
	});

	it('is bought last without a price, where none is needed', async () => {
		const shop = priced(says(404, 'no price'), costs(9), { json: { data: {} } }, costs(8));
		shop.refuse = ({ hardware_id: id }) => (id === 3 ? undefined : says(409, 'Sold out'));
		const item = await bought(shop, { maxTries: 4 });
		expect(item).not.toHaveProperty('total_price');
		expect(shop.priced).toEqual([1, 2, 3, 4]);
		expect(shop.ordered).toEqual([4, 2, 1, 3]);
	});

	it.each([
		['a price limit', { safety: { maxPrice: 50 } }],
		['a dry run', DRY_RUN],
	])('is left out by %s', async (_, changes) => {
		const shop = priced(says(404, 'no price'), costs(9));
		const item = await bought(shop, changes);
		expect(item).toMatchObject({ hardware_id: 2 });
		expect(reasons(item)).toEqual([
			[1, expect.stringMatching(/^The price could not be read: .*no price/)],
		]);
	});

	it('stops what needs a price where all are refused', async () => {
		const shop = priced(says(404, 'no price'), says(404, 'none either'));
		const { message, description, tried } = await refusal(shop, DRY_RUN);
		expect(message).toMatch(/^The price could not be read: .*none either/);
		expect(description).toMatch(/Nothing was deployed\.$/);
		expect(tried).toBeUndefined();
	});
});

describe('a service that answers no question for a price', () => {
	it.each([
		[401, 'who are you'],
		[403, 'not allowed'],
		[429, 'no capacity for so many requests'],
		[500, 'no capacity'],
		[504, 'no capacity'],
	])('with %i is not asked for each offer', async (status, words) => {
		const shop = priced(says(status, words), costs(1), costs(1));
		expect(await bought(shop)).not.toHaveProperty('total_price');
		expect(new Set(shop.priced)).toEqual(new Set([1]));
		expect(shop.ordered).toEqual([1]);
	});

	it('is asked no more, and keeps the prices that it has told', async () => {
		const shop = priced(costs(9), says(403, 'not allowed'), costs(1));
		shop.refuse = () => says(409, 'Sold out');
		await refusal(shop);
		expect([shop.priced, shop.ordered]).toEqual([
			[1, 2],
			[1, 2, 3],
		]);
	});

	it('leaves what was priced to a purchase that needs prices', async () => {
		const shop = priced(costs(3), says(403, 'not allowed'), costs(1));
		const item = await bought(shop, DRY_RUN);
		expect(item).toMatchObject({ hardware_id: 1 });
		expect(reasons(item)).toEqual([
			[2, expect.stringMatching(/not allowed/)],
			[3, expect.stringMatching(/not allowed/)],
		]);
		expect(shop.priced).toEqual([1, 2]);
	});

	it('stops a purchase that needs prices', async () => {
		const shop = priced(says(403, 'not allowed'), costs(1));
		expect((await refusal(shop, LIMIT)).message).toMatch(
			/^The price could not be read: .*not allowed/,
		);
		expect([shop.priced, shop.ordered]).toEqual([[1], []]);
	});

	it('is not asked on by an execution that is cancelled', async () => {
		const shop = priced(costs(1), costs(1));
		const controller = new AbortController();
		const { price } = shop;
		shop.price = (query) => {
			controller.abort();
			return price(query);
		};
		await expect(bought(shop, {}, {}, controller.signal)).rejects.toThrow(/cancelled/i);
		expect([shop.priced, shop.ordered]).toEqual([[1], []]);
	});
});

describe('the offers of one price', () => {
	it('are tried in the order of the list, where none has a total', async () => {
		const shop = new Shop([offer({ deploy_id: 2 }), offer({ deploy_id: 1 })]);
		shop.price = () => ({ json: { data: {} } });
		shop.refuse = () => says(409, 'Sold out');
		await refusal(shop);
		expect(shop.ordered).toEqual([2, 1]);
	});
});
