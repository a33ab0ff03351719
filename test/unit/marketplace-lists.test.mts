import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { loadContainers, searchContainers } from '../../nodes/marketplace/log/listSearch.ts';
import {
	searchDeployments,
	searchHardware,
	searchLocations,
	searchVms,
} from '../../nodes/Vmaas/listSearch.ts';
import { functionsOf } from './log-parts.mts';

/** What a list search gets where the form has this value in its other field, at a service of these lists. */
function at(chosen: unknown, lists: Record<string, IDataObject>) {
	const asked: string[] = [];
	const functions = functionsOf(
		({ url }) => {
			const path = new URL(url).pathname.replace(/^.*-cloud\/[a-z]+\//, '');
			asked.push(path);
			return path in lists ? { json: { data: lists[path] } } : { status: 404 };
		},
		{
			getCurrentNodeParameter: (name: string) =>
				['hardwareId', 'deploymentId'].includes(name) ? chosen : undefined,
		},
	) as unknown as ILoadOptionsFunctions;
	return { asked, functions };
}

const vmsOf = (...workers: IDataObject[]) => ({ workers });

describe('the VMs that are listed for a choice', () => {
	const lists = {
		'deployment/d1/vms': vmsOf(
			{ vm_id: 1, hardware: 'H100', status: 'running', ssh_access: 'ubuntu@192.0.2.1' },
			{ vm_id: 'two', hardware: null, status: 'pending', ssh_access: null },
			{ vm_id: 3 },
		),
	};

	it('show what is known of each, and are found by it', async () => {
		const { functions } = at({ mode: 'id', value: ' d1 ' }, lists);
		expect(await searchVms.call(functions)).toEqual({
			results: [
				{ name: '1 · H100 · running · ubuntu@192.0.2.1', value: '1' },
				{ name: 'two · pending', value: 'two' },
				{ name: '3', value: '3' },
			],
		});
		expect(await searchVms.call(functions, 'pend')).toEqual({
			results: [{ name: 'two · pending', value: 'two' }],
		});
	});

	it.each([7, '7', { mode: 'list', value: 7 }])(
		'are those of the deployment %j',
		async (chosen) => {
			const seven = { 'deployment/7/vms': vmsOf({ vm_id: 1 }) };
			const { functions } = at(chosen, seven);
			expect(await searchVms.call(functions)).toEqual({ results: [{ name: '1', value: '1' }] });
		},
	);

	it.each(['', '  ', undefined, null, { mode: 'list', value: '' }])(
		'are none, and nothing is asked for, where %j is chosen',
		async (chosen) => {
			const { asked, functions } = at(chosen, lists);
			expect(await searchVms.call(functions)).toEqual({ results: [] });
			expect(asked).toEqual([]);
		},
	);

	it('are those of the deployments that have the name and have not ended', async () => {
		const { asked, functions } = at(
			{ mode: 'name', value: 'train' },
			{
				deployments: {
					deployments: [
						{ deployment_id: 'd1', name: 'train', status: 'running' },
						{ deployment_id: 'd2', name: 'train', status: 'destroyed' },
						{ deployment_id: 'd3', name: 'other', status: 'running' },
					],
					total: 3,
				},
				...lists,
			},
		);
		const { results } = await searchVms.call(functions, 'H100');
		expect(results.map(({ value }) => value)).toEqual(['1']);
		expect(new Set(asked)).toEqual(new Set(['deployments', 'deployment/d1/vms']));
	});
});

describe('the containers that are listed for a choice', () => {
	const ID = '0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35';
	const lists = {
		'deployment/7/containers': vmsOf(
			{ container_id: ID, hardware: 'H100', status: 'running' },
			{ container_id: 12 },
		),
	};
	const rows = [
		{ name: '1 · H100 · running · 0b9f6c1e', value: ID },
		{ name: '2 · hardware unknown · state unknown · 12', value: '12' },
	];

	it('show what is known of each, and are found by the whole ID', async () => {
		const { functions } = at(7, lists);
		expect(await loadContainers.call(functions)).toEqual(rows);
		expect(await searchContainers.call(functions)).toEqual({ results: rows });
		expect(await searchContainers.call(functions, '9d4f0a6b7c35')).toEqual({ results: [rows[0]] });
	});

	it.each([undefined, ''])('are none where %j is chosen', async (chosen) => {
		const { asked, functions } = at(chosen, lists);
		expect(await loadContainers.call(functions)).toEqual([]);
		expect(asked).toEqual([]);
	});
});

describe('the locations that are listed for a choice', () => {
	const offers = [
		{ deploy_id: 7, name: 'H100', num_cards: 8, price: 4.4, location: 'us-west-2' },
		{ deploy_id: 7, name: 'H100', num_cards: 1, price: 0.55, location: 'us-west-2' },
		{ deploy_id: 7, name: 'H100', num_cards: 2, price: 1.1, location: 'eu-1', sold_out: true },
		{ deploy_id: 8, name: 'A100', num_cards: 1, price: 0.3, location: 'ap-1' },
		{ deploy_id: 7, name: 'H100', num_cards: 1, price: 0.1, location: null },
	];

	it('show the price of each size, and what is sold out comes last', async () => {
		const { functions } = at(7, { hardware: { hardware: offers } });
		expect(await searchLocations.call(functions)).toEqual({
			results: [
				{ name: 'us-west-2 · 1 × $0.55/h, 8 × $4.40/h', value: 'us-west-2' },
				{ name: 'eu-1 · $1.10/h · sold out', value: 'eu-1' },
			],
		});
	});

	it.each(['', undefined])('show the lowest price of any where %j is chosen', async (chosen) => {
		const { functions } = at(chosen, { hardware: { hardware: offers } });
		const { results } = await searchLocations.call(functions);
		expect(results.map(({ name }) => name)).toEqual([
			'ap-1 · $0.30/h',
			'us-west-2 · $0.55/h',
			'eu-1 · $1.10/h · sold out',
		]);
	});

	it('show a size that the service does not tell', async () => {
		const unknown = { deploy_id: 7, name: 'H100', price: 0.55, location: 'us-west-2' };
		const { functions } = at(7, { hardware: { hardware: [...offers.slice(0, 1), unknown] } });
		const { results } = await searchLocations.call(functions);
		expect(results.map(({ name }) => name)).toEqual(['us-west-2 · 8 × $4.40/h, ? × $0.55/h']);
	});
});

describe('the hardware that is listed for a choice', () => {
	it('is shown with its lowest price, and found by its name', async () => {
		const hardware = [
			{ deploy_id: 7, name: 'H100', num_cards: 1, price: 0.55, location: 'us-west-2' },
			{ deploy_id: 8, name: 'A100', num_cards: 1, price: 0.3, location: 'ap-1' },
		];
		const { functions } = at(undefined, { hardware: { hardware } });
		const [a100, h100] = [
			{ name: '1 × A100 · from $0.30/h', value: 8 },
			{ name: '1 × H100 · from $0.55/h', value: 7 },
		];
		expect(await searchHardware.call(functions)).toEqual({ results: [a100, h100] });
		expect(await searchHardware.call(functions, 'h1')).toEqual({ results: [h100] });
	});
});

describe('the deployments that are listed for a choice', () => {
	it('are those of VMs, and what has ended comes last', async () => {
		const deployments = [
			{ deployment_id: 'd1', name: 'train', status: 'destroyed' },
			{ deployment_id: 'd2', name: 'train', status: 'running' },
		];
		const { asked, functions } = at(undefined, { deployments: { deployments, total: 2 } });
		expect(await searchDeployments.call(functions)).toEqual({
			results: [
				{ name: 'train · running', value: 'd2' },
				{ name: 'train · destroyed', value: 'd1' },
			],
		});
		expect(await searchDeployments.call(functions, 'destr')).toEqual({
			results: [{ name: 'train · destroyed', value: 'd1' }],
		});
		expect(new Set(asked)).toEqual(new Set(['deployments']));
	});
});
