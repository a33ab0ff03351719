import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';

const fixture = useFixture();

const PRICE = { path: '/vmaas/price' };
const {
	hardwareId: _hardware,
	placement: _placement,
	locationId: _location,
	...common
} = deployParameters();

/** Each operation that spends money, under these limits; `existing` is a deployment to extend. */
const PURCHASES: Array<[string, (safety: IDataObject, existing: string) => IDataObject]> = [
	['deploy', (safety) => deployParameters({ safety, resourcePrivateName: 'other' })],
	[
		'deployCheapest',
		(safety) => ({ ...common, resourcePrivateName: 'other', safety, filters: {}, maxTries: 1 }),
	],
	['extend', (safety, existing) => ({ deploymentId: existing, durationHours: 2, safety })],
];

describe.each(PURCHASES)('%s: price limits in a currency', (operation, parameters) => {
	const buy = async (safety: IDataObject, changes: IDataObject = {}) => {
		const { deployment_id: existing } = onlyJson(
			await fixture.run(
				deployment('deploy', deployParameters({ safety: { ifNameExists: 'useExisting' } })),
			),
		);
		fixture.sandbox.requests.length = 0;
		return await fixture.run(
			deployment(operation, { ...parameters(safety, String(existing)), ...changes }),
		);
	};
	const priced = (total: IDataObject) =>
		fixture.sandbox.faults.add({
			match: PRICE,
			times: Infinity,
			status: 200,
			body: { data: total },
		});
	const bought = () => fixture.sent('POST', /./).length;

	it('a total in usdc does not count for another currency: nothing is sent', async () => {
		const error = errorOf(await buy({ maxPrice: 1_000, currency: 'tok' }));
		expect(`${error.message} ${String(error.description)}`).toContain(
			'The price limit cannot be checked: the service shows no total price in tok',
		);
		expect(error.description).toMatch(/Nothing was (deployed|extended)\./);
		expect(bought()).toBe(0);
	});

	it('the total in that currency counts', async () => {
		priced({ total_cost_usdc: 1, total_cost_tok: 50 });
		const error = errorOf(await buy({ maxPrice: 49, currency: 'TOK' }));
		expect(`${error.message} ${String(error.description)}`).toContain(
			'The price of 50 TOK is above the Maximum Price of 49 TOK',
		);
		expect(bought()).toBe(0);
		expect(onlyJson(await buy({ maxHourlyPrice: 25, currency: 'tok' }))).toMatchObject({
			total_price: 50,
			hourly_price: 25,
			currency: 'tok',
		});
	});

	it('an hourly price equal to the limit is within it', async () => {
		priced({ total_cost_usdc: 12.3 });
		const error = errorOf(await buy({ maxHourlyPrice: 4.0999 }, { durationHours: 3 }));
		expect(`${error.message} ${String(error.description)}`).toContain(
			'The hourly price of 4.1 usdc is above the Maximum Hourly Price of 4.0999 usdc',
		);
		expect(onlyJson(await buy({ maxHourlyPrice: 4.1 }, { durationHours: 3 }))).toMatchObject({
			total_price: 12.3,
			hourly_price: 4.1,
		});
	});

	it('usdc in any case', async () => {
		priced({ total_cost_usdc: 3 });
		expect(onlyJson(await buy({ maxPrice: 3, currency: 'USDC' }))).toMatchObject({
			total_price: 3,
			currency: 'USDC',
		});
	});
});
