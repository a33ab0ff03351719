import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { cheapestParameters, deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { at } from '../sandbox/testing/client.mts';

const fixture = useFixture();

const PRICE = { path: '/vmaas/price' };

/** Each operation that spends money, under these limits; `existing` is a deployment to extend. */
const PURCHASES: Array<[string, (safety: IDataObject, existing: string) => IDataObject]> = [
	['deploy', (safety) => deployParameters({ safety, resourcePrivateName: 'other' })],
	['deployCheapest', (safety) => cheapestParameters({ safety, resourcePrivateName: 'other' })],
	['extend', (safety, existing) => ({ deploymentId: existing, durationHours: 2, safety })],
];

/** Answers that show no price of an order of one VM with one GPU for two hours in usdc. */
const OTHER_PRICES: Array<[IDataObject, string]> = [
	[{ total_cost_usdc: 0 }, 'the service shows no total price in usdc'],
	[{ total_cost_usdc: null }, 'the service shows no total price in usdc'],
	[{ total_cost_usdc: -1 }, 'the service shows no total price in usdc'],
	[{ total_cost_usdc: '1,250.00' }, 'the service shows no total price in usdc'],
	[{ total_cost_tok: 1 }, 'the service shows no total price in usdc, only in tok'],
	[{ total_cost_usdc: 1, currency: 'tok' }, 'gave the price in tok instead of usdc'],
	[{ total_cost_usdc: 1, replica_count: 2 }, 'gave the price for replica_count 2 instead of 1'],
	[{ total_cost_usdc: 1, gpus_per_vm: '8' }, 'gave the price for gpus_per_vm "8" instead of 1'],
	[{ total_cost_usdc: 1, gpus_per_vm: 'one' }, 'gave the price for gpus_per_vm "one" instead of 1'],
	[{ total_cost_usdc: 1, status: 'failed' }, 'the service says no: failed'],
	[{ total_cost_usdc: 1, error: 'no quote' }, 'the service says no: no quote'],
	[{ total_cost_usdc: 1, duration_hours: 1 }, 'gave the price for duration_hours 1 instead of 2'],
];

describe.each(PURCHASES)('%s: price limits', (operation, parameters) => {
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
	it('a limit that is left empty in the form is none', async () => {
		priced({ total_cost_usdc: 1_000 });
		const items = await buy({ maxPrice: '', maxHourlyPrice: '' });
		expect(onlyJson(items)).toHaveProperty('deployment_id');
	});

	it.each(['maxPrice', 'maxHourlyPrice'])(
		'%s: an expression that gives nothing lifts no limit',
		async (limit) => {
			const { message } = errorOf(await buy({ maxPrice: '', [limit]: '={{ "" }}' }));
			expect(message).toMatch(/^Safety: Maximum (Hourly )?Price must be a number, got ""/);
			expect(fixture.sandbox.requests).toEqual([]);
		},
	);

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

	it.each(OTHER_PRICES)(
		'%j is not the price of this order: nothing is sent',
		async (answer, problem) => {
			priced(answer);
			for (const safety of [{ maxPrice: 1_000 }, { maxHourlyPrice: 1_000 }]) {
				const error = errorOf(await buy(safety));
				const text = `${error.message} ${String(error.description)}`;
				expect(text).toContain('The price limit cannot be checked: ');
				expect(text).toContain(problem);
			}
			expect(bought()).toBe(0);
		},
	);

	it('without a limit, it is no error and not in the output', async () => {
		priced({ total_cost_usdc: 1, replica_count: 2 });
		const output = onlyJson(await buy({}));
		expect(output).not.toHaveProperty('total_price');
		expect(bought()).toBe(1);
	});

	it('what was asked for may be repeated, as text too', async () => {
		priced({
			total_cost_usdc: '3',
			currency: 'USDC',
			replica_count: '1',
			gpus_per_vm: 1,
			duration_hours: null,
		});
		expect(onlyJson(await buy({ maxPrice: 3 }))).toMatchObject({ total_price: 3 });
	});
});

describe('the price of several VMs', () => {
	const order = async (safety: IDataObject) =>
		await fixture.run(
			deployment('deploy', deployParameters({ safety, additionalFields: { vmsQty: 4 } })),
		);
	/** @param total by the count that was asked for */
	const answers = (...totals: number[]) =>
		totals.forEach((total_cost_usdc) =>
			fixture.sandbox.faults.add({
				match: PRICE,
				status: 200,
				body: { data: { total_cost_usdc } },
			}),
		);
	const asked = () => fixture.sent('GET', /price$/).flatMap(({ query }) => query.replica_count);

	it('is for all of them', async () => {
		expect(errorOf(await order({ maxPrice: 2.7 })).message).toContain(
			'The price of 2.72 usdc is above the Maximum Price of 2.7 usdc',
		);
		expect(onlyJson(await order({ maxPrice: 2.72 }))).toMatchObject({ total_price: 2.72 });
		expect(asked()).toEqual(['4', '4']);
	});

	it('an answer that names no count is compared with the price of one', async () => {
		answers(0.68, 0.68, 0.68);
		expect(errorOf(await order({ maxPrice: 1 })).message).toBe(
			'The price limit cannot be checked: the service does not show that its price is for all 4 VMs',
		);
		expect(fixture.sent('POST', /./)).toEqual([]);
		answers(2.5, 0.68, 2.5);
		expect(onlyJson(await order({ maxPrice: 3 }))).toMatchObject({ total_price: 2.5 });
		expect(asked()).toEqual(['4', '1', '4', '4', '1', '4']);
	});
});

describe('a private node pool has no price', () => {
	const order = async (safety: IDataObject) =>
		await fixture.run(
			deployment(
				'deploy',
				deployParameters({
					gpusPerVm: 1,
					placement: 'nodePool',
					nodePoolId: '0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35',
					safety,
				}),
			),
		);

	it.each([{ maxPrice: 100 }, { maxHourlyPrice: 100, dryRun: true }, { maxRunningCost: 100 }])(
		'%j cannot be checked, and nothing is deployed',
		async (safety) => {
			const { message, description } = errorOf(await order(safety));
			expect(message).toBe('The price limit cannot be checked for a private node pool');
			expect(description).toMatch(/prices for locations only.* Nothing was deployed\./);
			expect(fixture.sent('POST', /./)).toEqual([]);
		},
	);

	it('a dry run without a limit shows none', async () => {
		const output = onlyJson(await order({ dryRun: true }));
		expect(output).toMatchObject({ dry_run: true, resource_private_name: 'job' });
		expect(output).not.toHaveProperty('total_price');
		expect(fixture.sent('GET', /price$/)).toEqual([]);
	});
});

describe('extend prices the size that the details show', () => {
	const DETAILS = { method: 'GET', path: /\/deployment\/[^/]+$/ };
	const extend = async (changes: IDataObject, safety: IDataObject = { maxPrice: 1_000 }) => {
		const parameters = deployParameters({ additionalFields: { vmsQty: 4 } });
		const { deployment_id: deploymentId } = onlyJson(
			await fixture.run(deployment('deploy', parameters)),
		);
		const { json } = await fixture.client.get(`/deployment/${String(deploymentId)}`);
		fixture.sandbox.requests.length = 0;
		fixture.sandbox.faults.add({
			match: DETAILS,
			status: 200,
			body: { data: { ...(at(json, 'data') as IDataObject), ...changes } },
		});
		return await fixture.run(deployment('extend', { deploymentId, durationHours: 2, safety }));
	};
	const priced = () =>
		fixture
			.sent('GET', /price$/)
			.map(({ query }) => [query.replica_count, query.gpus_per_vm].flat().join(' × '));
	const extended = () => fixture.sent('POST', /extend$/).length;

	it.each<[IDataObject]>([
		[{}],
		[{ total_vms: '4', gpus_per_vm: '1', total_gpus: '4' }],
		[{ total_vms: undefined }],
		[{ gpus_per_vm: null }],
		[{ total_gpus: null }],
	])('%j: four VMs with one GPU', async (changes) => {
		onlyJson(await extend(changes));
		expect(priced()).toEqual(['4 × 1']);
		expect(extended()).toBe(1);
	});

	it.each<[IDataObject]>([
		[{ total_vms: null, total_gpus: undefined }],
		[{ total_vms: 0 }],
		[{ total_vms: 1 }],
		[{ gpus_per_vm: null, total_gpus: null }],
		[{ gpus_per_vm: 8 }],
		[{ total_vms: undefined, gpus_per_vm: 3 }],
		[{ hardware_id: null }],
		[{ locations: [] }],
	])('%j: the price limit cannot be checked, and nothing is extended', async (changes) => {
		expect(errorOf(await extend(changes)).message).toContain(
			'The price limit cannot be checked: the details of the deployment do not show',
		);
		expect([priced(), extended()]).toEqual([[], 0]);
		fixture.sandbox.reset();
		onlyJson(await extend(changes, {}));
		expect(extended()).toBe(1);
	});

	it.each([
		['7__us-west-2', '7'],
		['8H100.80S__FI', '8H100.80S'],
		['8H100.80S', '8H100.80S'],
	])('hardware that is shown as %j is priced as %s', async (shown, priced) => {
		await extend({ hardware_id: shown });
		expect(fixture.sent('GET', /price$/).map(({ query }) => query.hardware_id)).toEqual([[priced]]);
	});
});
