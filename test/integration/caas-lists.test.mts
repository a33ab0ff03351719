import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, containerParameters, locator } from '../engine/nodes.mts';
import { catalogue, offer } from '../engine/offers.mts';

/** The lists of the form of Deploy, for answers that the sandbox does not give. */
const fixture = useFixture();

const form = (changes: IDataObject = {}) =>
	caas('deployment', 'deploy', containerParameters(changes));

it('hardware whose ID is no number alone is none', async () => {
	catalogue(
		fixture.sandbox,
		offer({ deploy_id: '14' }),
		offer({ deploy_id: 'gpu-13' }),
		offer({ deploy_id: '15-gpu' }),
	);
	const { results } = await fixture.engine.search(form(), 'searchHardware');
	expect(results.map(({ value }) => value)).toEqual(['14']);
});

describe('locations', () => {
	const load = async (changes: IDataObject = {}) =>
		await fixture.engine.options(form({ hardwareId: locator(12), ...changes }), 'loadLocations');
	const answered = (...data: unknown[]) =>
		fixture.sandbox.faults.add({
			match: { path: /\/available-replicas$/ },
			times: Infinity,
			status: 200,
			body: { data },
		});
	const asked = () => fixture.sent('GET', /\/available-replicas$/).map(({ query }) => query);

	it('those with most room first, and last those that do not show it', async () => {
		answered(
			{ id: 1, name: 'Oslo', available_replicas: 2 },
			{ id: 2, name: 'Rome' },
			{ id: 3, name: 'Bern', available_replicas: '11' },
			{ id: 4, name: 'Kyiv', available_replicas: 3 },
		);
		expect(await load()).toEqual([
			{ name: 'Bern · 11 free · ID 3', value: 3 },
			{ name: 'Kyiv · 3 free · ID 4', value: 4 },
			{ name: 'Oslo · 2 free · ID 1', value: 1 },
			{ name: 'Rome · unknown free · ID 2', value: 2 },
		]);
	});

	it('one without a name has its country; one without an ID cannot be chosen', async () => {
		answered(
			{ id: 'fi-1', name: '', iso2: 'FI', available_replicas: 3 },
			{ id: 5, name: { en: 'Oslo' }, iso2: null, available_replicas: 2 },
			{ id: 6, available_replicas: 1 },
			{ id: null, name: 'Rome' },
			{ name: 'Bern' },
		);
		expect(await load()).toEqual([
			{ name: 'FI · 3 free · ID fi-1', value: 'fi-1' },
			{ name: 'Location · 2 free · ID 5', value: 5 },
			{ name: 'Location · 1 free · ID 6', value: 6 },
		]);
	});

	it('are asked for with the GPUs of a container', async () => {
		for (const gpusPerContainer of [1, 4]) await load({ gpusPerContainer });
		expect(asked()).toMatchObject([
			{ hardware_id: ['12'], hardware_qty: ['1'] },
			{ hardware_id: ['12'], hardware_qty: ['4'] },
		]);
	});

	it.each([
		{ gpusPerContainer: 0 },
		{ gpusPerContainer: 'two' },
		{ hardwareId: locator('gpu-13') },
	])('%j: there are none, and the service is not asked', async (changes) => {
		expect(await load(changes)).toEqual([]);
		expect(asked()).toEqual([]);
	});
});
