import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { CAAS, type ProductContext } from '../../nodes/marketplace/product.ts';
import { reserve } from '../../nodes/marketplace/runningCost.ts';
import { Market, productContext, REFUSED, refusalOf } from './market-parts.mts';
import { pass, setWallClock, useStillTime } from './still-time.mts';

useStillTime();

/** An account with deployments of VMs and of containers. */
class Shown extends Market {
	readonly caas = new Market();

	override async answer(sent: Parameters<Market['answer']>[0]) {
		const { pathname } = new URL(sent.url);
		return pathname.includes('/caas/') ? await this.caas.answer(sent) : await super.answer(sent);
	}
}

let accounts = 0;

/** What is bought is remembered by account: each test has one of its own. */
async function account(market = new Shown()) {
	const apiKey = `key of account ${accounts++}`;
	return await productContext(market, {
		functions: {
			getCredentials: async () =>
				await Promise.resolve({ baseUrl: 'https://service.test', service: 'svc', apiKey }),
		},
	});
}

/** Four hours that were paid for cost so much an hour. */
const costing = (perHour: number): IDataObject => ({
	amount_paid: perHour * 4,
	compute_minutes_served: 0,
	compute_minutes_remaining: 240,
});

async function buy(
	context: ProductContext,
	perHour: number,
	maxRunningCost?: number,
	currency = 'usdc',
) {
	const prices = { hourly_price: perHour, total_price: 2 * perHour, currency };
	const quote = async () => await Promise.resolve({ prices });
	const reserved = await reserve(context, { maxRunningCost, currency }, quote);
	if ('problem' in reserved) throw new Error('It has a price');
	expect(reserved.prices).toBe(prices);
	return reserved.reservation;
}

/** What runs in an account costs so much an hour: a purchase for 1 is as much as the limit allows. */
async function expectRunning(context: ProductContext, sum: number): Promise<void> {
	const least = await refusalOf(buy(context, 1, 0));
	expect(least?.message).toBe(
		`What runs costs ${sum} an hour already, and with this deployment ${sum + 1}: that is above the Maximum Running Cost of 0`,
	);
}

describe('Maximum Running Cost', () => {
	it('stops a purchase above it, with what runs: VMs and containers', async () => {
		const market = new Shown().add('d1', costing(2)).add('d2', costing(0.1));
		market.caas.add('c1', costing(3));
		const context = await account(market);
		expect(await refusalOf(buy(context, 0.2, 5.29))).toEqual({
			message:
				'What runs costs 5.1 an hour already, and with this deployment 5.3: that is above the Maximum Running Cost of 5.29',
			description: 'Nothing was deployed. Destroy what is not needed, or raise the limit.',
			known: {},
		});
		// 5.1 + 0.2 is 5.3, whatever the language makes of it
		(await buy(context, 0.2, 5.3)).release();
	});

	it('asks for nothing where there is none', async () => {
		const market = new Shown().add('d1', costing(2));
		await buy(await account(market), 1_000);
		expect(market.asked).toEqual([]);
	});

	it('does not count what has ended by the list or by its details', async () => {
		const market = new Shown()
			.add('d1', { ...costing(2), status: 'destroyed' })
			.add('d2', costing(3))
			.hide('d2', { ...costing(3), status: 'failed' })
			.add('d3', costing(4));
		await expectRunning(await account(market), 4);
		expect(market.asked.filter((one) => one.includes('deployment/'))).toEqual([
			'GET deployment/d2',
			'GET deployment/d3',
		]);
	});

	it.each<[string, IDataObject, string]>([
		['deployment', { resource_private_name: 'job' }, 'deployment "job", d1'],
		['deployment without a name', { resource_private_name: '' }, 'deployment d1'],
	])('stops a purchase where the cost of a %s is not shown', async (_, shown, what) => {
		const refusal = await refusalOf(buy(await account(new Shown().add('d1', shown)), 1, 100));
		expect(refusal).toEqual({
			message: `Maximum Running Cost cannot be checked: what the ${what} costs an hour is not known`,
			description:
				'The service does not show what was paid for it and for how long, or it has only just begun. Nothing was deployed. Try again in some minutes.',
			known: {},
		});
	});

	it('stops a purchase where the details of one cannot be read', async () => {
		const market = new Shown();
		market.caas.add('c1', { ...costing(2), name: 'job' }).details.clear();
		const refusal = await refusalOf(buy(await account(market), 1, 100));
		expect(refusal?.message).toBe(
			'Maximum Running Cost cannot be checked: what the container deployment "job", c1 costs an hour is not known',
		);
	});

	it('stops a purchase where a list cannot be read', async () => {
		const market = new Shown();
		market.caas.instead = () => REFUSED;
		const refusal = await refusalOf(buy(await account(market), 1, 100));
		expect(refusal?.message).toMatch(
			/^Maximum Running Cost cannot be checked: the list of container deployments could not be read: .*not allowed/,
		);
		expect(refusal?.description).toMatch(/\S Nothing was deployed\.$/);
	});

	it('stops a purchase whose price is in another currency', async () => {
		expect(await refusalOf(buy(await account(), 1, 100, 'eur'))).toEqual({
			message: 'Maximum Running Cost cannot be checked with a price in eur',
			description: 'What deployments have cost is shown in usdc. Nothing was deployed.',
			known: {},
		});
	});

	it('lets a problem of the price pass, and counts nothing of it', async () => {
		const context = await account();
		const problem = { message: 'too expensive', description: '' };
		const quote = async () => await Promise.resolve({ problem });
		expect(await reserve(context, { maxRunningCost: 9, currency: 'usdc' }, quote)).toEqual({
			problem,
		});
		await expectRunning(context, 0);
	});

	it('is not checked with a list that is empty and was not ten minutes ago', async () => {
		const market = new Shown().add('d1', costing(2));
		const context = await account(market);
		await expectRunning(context, 2);
		market.listed = [];
		await pass(599_000);
		expect(await refusalOf(buy(context, 1, 100))).toEqual({
			message:
				'Maximum Running Cost cannot be checked: the list of deployments is empty, and was not some minutes ago',
			description: 'Nothing was deployed. Try again in some minutes.',
			known: {},
		});
		await pass(1_000);
		await expectRunning(context, 0);
	});
});

describe('a purchase that the service does not show yet', () => {
	it('is counted while it is sent, and not once it was not made', async () => {
		const context = await account();
		const [first, second] = [await buy(context, 2), await buy(context, 3, 5)];
		await pass(1_000_000);
		await expectRunning(context, 5);
		first.release();
		await expectRunning(context, 3);
		first.release();
		await expectRunning(context, 3);
		second.keep();
		await expectRunning(context, 3);
	});

	it('is counted for two minutes after it was made', async () => {
		const context = await account();
		(await buy(context, 2)).keep('d1');
		(await buy(context, 4)).keep();
		setWallClock(3_600_000);
		await pass(119_999);
		await expectRunning(context, 6);
		await pass(1);
		await expectRunning(context, 0);
	});

	it('is counted once where the list shows it, by what was paid', async () => {
		const market = new Shown();
		const context = await account(market);
		(await buy(context, 2)).keep('d1');
		market.add('d1', costing(7));
		await expectRunning(context, 7);
		market.hide('d1');
		market.listed = [{ deployment_id: 'd1', status: 'running' }];
		await expectRunning(context, 2);
	});

	it('is counted by its details for a quarter of an hour where the list leaves it out', async () => {
		const market = new Shown();
		const context = await account(market);
		(await buy(context, 2)).keep('d1');
		(await buy(context, 3)).keep('d2');
		market.hide('d1', costing(5));
		await pass(120_000);
		await expectRunning(context, 5);
		expect(market.asked.filter((one) => one.includes('deployment/'))).toEqual([
			'GET deployment/d1',
			'GET deployment/d2',
		]);
		await pass(779_999);
		await expectRunning(context, 5);
		await pass(1);
		await expectRunning(context, 0);
	});

	it('is counted with the product that it is of', async () => {
		const market = new Shown();
		const context = await account(market);
		(await buy({ ...context, product: CAAS }, 2)).keep('d1');
		market.add('d1', costing(5));
		await expectRunning(context, 7);
	});

	it('stops others where its price was not in usdc', async () => {
		const context = await account();
		const reservation = await buy(context, 1, undefined, 'eur');
		expect((await refusalOf(buy(context, 1, 100)))?.message).toBe(
			'Maximum Running Cost cannot be checked: what the deployment that was just sent costs an hour is not known',
		);
		reservation.keep('d1');
		expect((await refusalOf(buy(context, 1, 100)))?.message).toBe(
			'Maximum Running Cost cannot be checked: what the deployment d1 costs an hour is not known',
		);
	});

	it('is of one account alone', async () => {
		await buy(await account(), 50);
		await expectRunning(await account(), 0);
	});

	it('is one of the thousand newest ones', async () => {
		const context = await account();
		const first = await buy(context, 5);
		for (let count = 0; count < 1_000; count++) await buy(context, 1);
		await expectRunning(context, 1_000);
		first.release();
		await expectRunning(context, 1_000);
	});

	it('is counted by its age when the lists were asked for, however slow they are', async () => {
		const market = new Shown();
		const context = await account(market);
		(await buy(context, 2)).keep('d1');
		await pass(100_000);
		market.caas.instead = async () => {
			await new Promise((resolve) => setTimeout(resolve, 30_000));
			return undefined;
		};
		const late = expectRunning(context, 2);
		await pass(200_000);
		await late;
	});
});
