import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, deployParameters, explorer, locator, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';

const fixture = useFixture();

/** n8n itself refuses a required field that is empty; what an expression gives only the node sees. */
const EMPTY = '={{ "" }}';
const hardware = (filters: IDataObject) =>
	vmaas('hardware', 'getAll', { returnAll: true, filters, options: {} });
const price = (changes: IDataObject) =>
	vmaas('price', 'get', {
		hardwareId: locator(7),
		locationId: locator('us-west-2'),
		durationHours: 2,
		gpusPerVm: 1,
		currency: 'usdc',
		replicaCount: 1,
		...changes,
	});

const cheapest = (filters: IDataObject, changes: IDataObject = {}) => {
	const { resourcePrivateName, durationHours, sshKeys } = deployParameters();
	return vmaas('deployment', 'deployCheapest', {
		resourcePrivateName,
		durationHours,
		sshKeys,
		filters,
		gpusPerVm: 0,
		maxTries: 3,
		safety: {},
		additionalFields: {},
		...changes,
	});
};

type Row = [what: string, node: ReturnType<typeof vmaas>, message: string];

const HOURS = 'Duration (Hours) must be a whole number from 1 to 8760, got';
const GPUS = 'GPUs per VM must be a whole number from 0 to 8, got';
const PATH_ID = 'must contain only letters, digits and . _ ~ : @ + = -, got';

const filterRows: Row[] = [
	...['gpuMemoryMin', 'gpuMemoryMax'].map((name): Row => [
		`${name} -1`,
		hardware({ [name]: -1 }),
		'must be a whole number of at least 0, got -1',
	]),
	...[
		'cpuCoresMin',
		'cpuCoresMax',
		'deviceMemoryMin',
		'deviceMemoryMax',
		'storageMin',
		'storageMax',
	].map((name): Row => [
		`${name} 0`,
		hardware({ [name]: 0 }),
		'must be a whole number of at least 1, got 0',
	]),
	[
		'CPU Cores Min above max',
		hardware({ cpuCoresMin: 8, cpuCoresMax: 4 }),
		'Filters: CPU Cores Min must not be above the maximum of 4, got 8',
	],
	[
		'an unknown supplier',
		hardware({ supplier: 'neighbour' }),
		'Filters: Supplier must be one of internal, external, got "neighbour"',
	],
	[
		'limit 0',
		vmaas('hardware', 'getAll', { returnAll: false, limit: 0, filters: {}, options: {} }),
		'Limit must be a whole number of at least 1, got 0',
	],
	[
		'an unknown sort order',
		vmaas('hardware', 'getAll', { returnAll: true, filters: {}, options: { sort: 'beauty' } }),
		'Options: Sort must be one of none, price, pricePerGpu, vram, got "beauty"',
	],
	['price of 0 hours', price({ durationHours: 0 }), `${HOURS} 0`],
	['price of 9 GPUs', price({ gpusPerVm: 9 }), `${GPUS} 9`],
	[
		'price of 0 replicas',
		price({ replicaCount: 0 }),
		'Replica Count must be a whole number of at least 1, got 0',
	],
	[
		'price without a currency',
		price({ currency: EMPTY }),
		'Currency is required and must not be empty',
	],
	[
		'price of two locations',
		price({ locationId: locator('={{ ["us-west-2", "FI"] }}') }),
		'Location must be exactly one value, got 2',
	],
];

const cheapestRows: Row[] = [
	['gpu', 'GPU', EMPTY],
	['gpu', 'GPU', ' '],
	['gpu', 'GPU', '={{ null }}'],
	['gpuFamily', 'GPU Family', []],
	['gpuFamily', 'GPU Family', ['']],
	['regions', 'Regions', []],
	['regions', 'Regions', '={{ $json.regions ?? [] }}'],
	['regions', 'Regions', EMPTY],
	['regions', 'Regions', ','],
	['supplier', 'Supplier', EMPTY],
].map(([name, label, value]): Row => [
	`deploy cheapest: ${String(name)} ${JSON.stringify(value)}`,
	cheapest({ [String(name)]: value as string }),
	`Filters: ${String(label)} must not be empty; remove the filter to include everything`,
]);

/** A Destroy may follow what they let pass. */
const deploymentRows: Row[] = [
	['status', 'Status'],
	['namePrefix', 'Name Prefix'],
].flatMap(([name, label]) =>
	[EMPTY, '={{ " " }}', '={{ null }}', '={{ $json.nothing }}'].map((value): Row => [
		`get deployments: ${String(name)} ${value}`,
		vmaas('deployment', 'getAll', { returnAll: true, filters: { [String(name)]: value } }),
		`Filters: ${String(label)} must not be empty; remove the filter to include everything`,
	]),
);

const hostile = ['a/b', '../x', '..', '.', 'a b', 'ä', 'a%2Fb', 'a?b', 'a#b', 'a\\b', 'a\r\nb'];
const idRows: Row[] = hostile.flatMap((id): Row[] => [
	[
		`deployment ${JSON.stringify(id)}`,
		vmaas('deployment', 'destroy', { deploymentId: locator(id), options: {} }),
		`Deployment ${PATH_ID} ${JSON.stringify(id).replaceAll('\\\\', '\\').replaceAll('\\r\\n', '\r\n')}`,
	],
	[
		`device ${JSON.stringify(id)}`,
		explorer('get', { deviceId: id, output: 'device' }),
		`Device ID ${PATH_ID} `,
	],
	[
		`VM ${JSON.stringify(id)}`,
		vmaas('vm', 'getJobs', { deploymentId: locator('d'), vmId: id, returnAll: true }),
		`VM ${PATH_ID} `,
	],
	[
		`container ${JSON.stringify(id)}`,
		caas('container', 'getJobs', {
			deploymentId: locator('d'),
			containerId: locator(id),
			returnAll: true,
		}),
		`Container ${PATH_ID} `,
	],
]);

const otherRows: Row[] = [
	...[EMPTY, '={{ null }}'].map((gpusPerVm): Row => [
		`deploy cheapest: GPUs ${gpusPerVm}`,
		cheapest({}, { gpusPerVm }),
		'GPUs per VM must not be empty; 0 accepts any number',
	]),
	...[0, 21, 1.5].map((maxTries): Row => [
		`deploy cheapest: ${maxTries} tries`,
		cheapest({}, { maxTries }),
		`Max Tries must be a whole number from 1 to 20, got ${maxTries}`,
	]),
	[
		'no deployment',
		vmaas('deployment', 'extend', { deploymentId: locator(EMPTY), durationHours: 1, safety: {} }),
		'Deployment is required: choose one from the list or enter its ID',
	],
	[
		'two deployments to extend',
		vmaas('deployment', 'extend', {
			deploymentId: locator('={{ ["a", "b"] }}'),
			durationHours: 1,
			safety: {},
		}),
		'Deployment must be exactly one value, got 2',
	],
	[
		'an empty list to destroy',
		vmaas('deployment', 'destroy', { deploymentId: locator('={{ [] }}'), options: {} }),
		'Deployment is required: the list of IDs is empty',
	],
	[
		'one wrong id in a list to destroy',
		vmaas('deployment', 'destroy', { deploymentId: locator('={{ ["a", "b/c"] }}'), options: {} }),
		`Deployment ${PATH_ID} "b/c"`,
	],
	[
		'a dry run that an expression did not find',
		vmaas('deployment', 'destroyMany', {
			namePrefix: 'a',
			limit: 1,
			dryRun: '={{ $json.dryRun }}',
			options: {},
		}),
		'Dry Run must be true or false, got nothing',
	],
	[
		'a day that is no date',
		explorer('getBlockRewards', { deviceId: 'd', fromDate: '2026-02-30', toDate: '2026-03-01' }),
		'From Date must be a date in the format YYYY-MM-DD, got "2026-02-30"',
	],
	[
		'days in the wrong order',
		explorer('getBlockRewards', { deviceId: 'd', fromDate: '2026-03-02', toDate: '2026-03-01' }),
		'From Date must not be after To Date (2026-03-01), got 2026-03-02',
	],
	[
		'an unknown output',
		explorer('get', { deviceId: 'd', output: '={{ "all" }}' }),
		'Output must be one of device, jobs, downtime, got "all"',
	],
];

describe('wrong parameters: an error with field, value and limit, and no request', () => {
	it.each([...filterRows, ...cheapestRows, ...deploymentRows, ...idRows, ...otherRows])(
		'%s',
		async (_, node, message) => {
			const run = await fixture.run(node);
			expect(errorOf(run).message).toContain(message);
			expect(fixture.sandbox.requests).toHaveLength(0);
		},
	);

	it('0 is a valid limit of GPU memory', async () => {
		await fixture.run(hardware({ gpuMemoryMin: 0, gpuMemoryMax: 0 }));
		expect(fixture.sandbox.requests[0]?.query).toEqual({
			gpu_memory_min: ['0'],
			gpu_memory_max: ['0'],
		});
	});

	it('an empty filter of the hardware list is no filter', async () => {
		await fixture.run(hardware({ gpu: EMPTY, gpuFamily: [], regions: [''], supplier: EMPTY }));
		expect(fixture.sandbox.requests[0]?.query).toEqual({});
	});

	it('a comma is a name prefix', async () => {
		expect(
			jsonOf(
				await fixture.run(
					vmaas('deployment', 'getAll', { returnAll: true, filters: { namePrefix: ',' } }),
				),
			),
		).toEqual([]);
		expect(fixture.sandbox.requests).not.toEqual([]);
	});

	it('GPUs per VM of Deploy Cheapest: any number by default', async () => {
		const node = cheapest({});
		delete node.parameters.gpusPerVm;
		expect(jsonOf(await fixture.run(node))).toMatchObject([{ deployment_id: expect.any(String) }]);
	});

	it('an unknown currency is sent', async () => {
		expect(jsonOf(await fixture.run(price({ currency: 'gold' })))).toHaveLength(1);
		expect(fixture.sandbox.requests[0]?.query.currency).toEqual(['gold']);
	});
});
