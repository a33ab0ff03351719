import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { loadLocations, searchHardware } from '../../nodes/Caas/listSearch.ts';
import { functionsOf, type Asked } from './log-parts.mts';
import { ended, useStillTime } from './still-time.mts';

useStillTime();

/** What the form of a node with these values gets, at a service with this answer. */
function formWith(values: IDataObject, json: unknown) {
	const asked: unknown[] = [];
	/** What it answers before that. */
	const statuses: number[] = [];
	const functions = functionsOf(
		({ method, url, qs }: Asked & { method?: string }) => {
			asked.push([`${method} ${new URL(url).pathname}`, qs]);
			return { status: statuses.shift(), json };
		},
		{
			getCurrentNodeParameter: (name: string, options?: { extractValue: boolean }) =>
				name === 'hardwareId' && !options?.extractValue ? { value: values[name] } : values[name],
		},
	) as unknown as ILoadOptionsFunctions;
	return { asked, statuses, functions };
}

describe('the hardware of containers', () => {
	const hardware = [
		{ deploy_id: 7, name: 'H100', num_cards: 1, price: 2, vram_per_card: 80 },
		{ deploy_id: '12', name: 'A100', num_cards: 1, price: 1 },
		{ deploy_id: '8H100.80S', name: 'H100', num_cards: 8, price: 9 },
		{ deploy_id: 'B200', name: 'B200', num_cards: 1, price: 9 },
		{ deploy_id: '7b', name: 'B200', num_cards: 1, price: 9 },
	];

	it('is that of VMs whose ID is a whole number, without their sizes and prices', async () => {
		const { asked, functions } = formWith({}, { data: { hardware } });
		expect(await searchHardware.call(functions)).toEqual({
			results: [
				{ name: 'A100 · ID 12', value: '12' },
				{ name: 'H100 · 80 GB each · ID 7', value: 7 },
			],
		});
		expect(asked).toEqual([['GET /enterprise/v1/svc-cloud/vmaas/hardware', undefined]]);
	});

	it('is found by its words', async () => {
		const { functions } = formWith({}, { data: { hardware } });
		const { results } = await searchHardware.call(functions, '7 h100');
		expect(results.map(({ value }) => value)).toEqual([7]);
	});
});

describe('the locations of containers', () => {
	const data = [
		{ id: 1, name: '', iso2: 'US', available_replicas: 2 },
		{ id: '2', name: 'Frankfurt', iso2: 'DE', available_replicas: '9' },
		{ id: 3, name: null, available_replicas: 'some' },
		{ id: 4, name: 7, iso2: 'NL', available_replicas: 1 },
		{ id: 5, name: 'Oslo', available_replicas: 3 },
		{ id: null, name: 'Nowhere', available_replicas: 8 },
	];

	it('are those of the chosen hardware, that with most free replicas first', async () => {
		const { asked, functions } = formWith({ hardwareId: '7', gpusPerContainer: 4 }, { data });
		expect(await loadLocations.call(functions)).toEqual([
			{ name: 'Frankfurt · 9 free · ID 2', value: '2' },
			{ name: 'Oslo · 3 free · ID 5', value: 5 },
			{ name: 'US · 2 free · ID 1', value: 1 },
			{ name: 'NL · 1 free · ID 4', value: 4 },
			{ name: 'Location · unknown free · ID 3', value: 3 },
		]);
		expect(asked).toEqual([
			['GET /enterprise/v1/svc-cloud/caas/available-replicas', { hardware_id: 7, hardware_qty: 4 }],
		]);
	});

	it('are asked for again where the service is busy', async () => {
		const form = formWith({ hardwareId: 7, gpusPerContainer: 1 }, { data });
		form.statuses.push(503);
		const { value } = await ended(loadLocations.call(form.functions));
		expect(value).toHaveLength(5);
		expect(form.asked).toHaveLength(2);
	});

	it('are an error where the service stays busy for three tries', async () => {
		const form = formWith({ hardwareId: 7, gpusPerContainer: 1 }, { data });
		form.statuses.push(503, 503, 503, 503);
		const { error } = await ended(loadLocations.call(form.functions));
		expect(error?.httpCode).toBe('503');
		expect(form.asked).toHaveLength(3);
	});

	it('are for one GPU where none are chosen yet', async () => {
		const { asked, functions } = formWith({ hardwareId: 7 }, { data: [] });
		expect(await loadLocations.call(functions)).toEqual([]);
		expect(asked).toMatchObject([[expect.anything(), { hardware_qty: 1 }]]);
	});

	it.each<[IDataObject]>([
		[{}],
		[{ hardwareId: '', gpusPerContainer: 1 }],
		[{ hardwareId: '8H100', gpusPerContainer: 1 }],
		[{ hardwareId: 1.5, gpusPerContainer: 1 }],
		[{ hardwareId: 7, gpusPerContainer: 0 }],
		[{ hardwareId: 7, gpusPerContainer: '={{ $json.x }}' }],
	])('are none, and nothing is asked for, with %j', async (values) => {
		const { asked, functions } = formWith(values, { data });
		expect(await loadLocations.call(functions)).toEqual([]);
		expect(asked).toEqual([]);
	});
});
