import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import {
	caas,
	deployParameters,
	explorer,
	locator,
	SSH_KEY,
	TOKEN,
	vmaas,
} from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { sandboxCredentials } from '../engine/start.mts';
import { sampleSshKeys } from '../sandbox/testing/samples.mts';

const fixture = useFixture();

const PRIVATE_KEY =
	'-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n-----END OPENSSH PRIVATE KEY-----';
const POOL = '0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35';

/** n8n itself refuses a required field that is empty; what an expression gives only the node sees. */
const EMPTY = '={{ "" }}';

const deploy = (changes: IDataObject) => vmaas('deployment', 'deploy', deployParameters(changes));
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
const keys = (...list: Array<[name: string, publicKey: string]>) => ({
	sshKeys: { keys: list.map(([name, publicKey]) => ({ name, publicKey })) },
});
const service = (changes: IDataObject) => ({
	additionalFields: {
		networkServices: {
			services: [
				{ name: 'web', port: 443, protocol: 'tcp', whitelist: ['203.0.113.0/24'], ...changes },
			],
		},
	},
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
const UUID = `Node Pool ID must be a UUID such as ${POOL}, got`;
const KEY =
	'SSH Keys 1: Public Key must be a public SSH key of type RSA, ECDSA or ED25519, on one line';
const PORT =
	'Additional Fields: Network Services 1: Port must be a whole number from 1 to 65535, got';
const RANGE =
	'Additional Fields: Network Services 1: Allowed Addresses must hold address ranges in CIDR notation, such as 203.0.113.0/24, got';
const PATH_ID = 'may only hold letters, digits and . _ ~ : @ + = -, got';

const deployRows: Row[] = [
	['duration 0', deploy({ durationHours: 0 }), `${HOURS} 0`],
	['duration 8761', deploy({ durationHours: 8761 }), `${HOURS} 8761`],
	['duration 1.5', deploy({ durationHours: 1.5 }), `${HOURS} 1.5`],
	[
		'duration "ten"',
		deploy({ durationHours: '={{ "ten" }}' }),
		'Duration (Hours) must be a number, got "ten"',
	],
	[
		'duration that an expression did not find',
		deploy({ durationHours: '={{ $json.hours }}' }),
		'Duration (Hours) must be a number, got nothing',
	],
	['gpus 9', deploy({ gpusPerVm: 9 }), `${GPUS} 9`],
	['gpus -1', deploy({ gpusPerVm: -1 }), `${GPUS} -1`],
	['gpus 1.5', deploy({ gpusPerVm: 1.5 }), `${GPUS} 1.5`],
	[
		'no location',
		deploy({ locationId: locator(EMPTY) }),
		'Location is required: choose one from the list or enter its ID',
	],
	[
		'an expression that gives two locations',
		deploy({ locationId: locator('={{ ["us-west-2", "FI"] }}') }),
		'Location must be exactly one value, got 2',
	],
	[
		'an expression that gives no location',
		deploy({ locationId: locator('={{ $json.location }}') }),
		'Location must be an identifier, got nothing',
	],
	[
		'no hardware',
		deploy({ hardwareId: locator(EMPTY) }),
		'Hardware is required: choose one from the list or enter its ID',
	],
	[
		'two hardware ids',
		deploy({ hardwareId: locator('={{ [7, 8] }}') }),
		'Hardware must be exactly one value, got 2',
	],
	[
		'a pool id that is no UUID',
		deploy({ placement: 'nodePool', nodePoolId: 'pool-1' }),
		`${UUID} "pool-1"`,
	],
	[
		'no pool id',
		deploy({ placement: 'nodePool', nodePoolId: EMPTY }),
		'Node Pool ID is required and must not be empty',
	],
	[
		'an unknown placement',
		deploy({ placement: '={{ "moon" }}', nodePoolId: POOL }),
		'Placement must be one of location, nodePool, got "moon"',
	],
	[
		'an empty name',
		deploy({ resourcePrivateName: EMPTY }),
		'Name is required and must not be empty',
	],
	[
		'a blank name',
		deploy({ resourcePrivateName: '   ' }),
		'Name is required and must not be empty',
	],
	[
		'a name that is no text',
		deploy({ resourcePrivateName: '={{ {a: 1} }}' }),
		'Name must be text, got {"a":1}',
	],
	[
		'an unknown vm_image_type',
		deploy({ additionalFields: { vmImageType: 'gaming' } }),
		'VM Image Type must be one of general, datascience, got "gaming"',
	],
	[
		'vms_qty 0',
		deploy({ additionalFields: { vmsQty: 0 } }),
		'VMs Quantity (Deprecated) must be a whole number of at least 1, got 0',
	],
	['port 0', deploy(service({ port: 0 })), `${PORT} 0`],
	['port 65536', deploy(service({ port: 65536 })), `${PORT} 65536`],
	[
		'an unknown protocol',
		deploy(service({ protocol: 'icmp' })),
		'Protocol must be one of tcp, udp, got "icmp"',
	],
	[
		'an empty whitelist',
		deploy(service({ whitelist: [] })),
		'Allowed Addresses must hold at least one address range, such as 203.0.113.0/24',
	],
	[
		'an address without a prefix',
		deploy(service({ whitelist: ['203.0.113.7'] })),
		`${RANGE} "203.0.113.7"`,
	],
	[
		'a prefix of 33',
		deploy(service({ whitelist: ['10.0.0.0/8', '10.0.0.0/33'] })),
		`${RANGE} "10.0.0.0/33"`,
	],
	['an octet of 256', deploy(service({ whitelist: ['10.0.0.256/8'] })), `${RANGE} "10.0.0.256/8"`],
	[
		'an octet with a leading zero',
		deploy(service({ whitelist: ['010.0.0.0/8'] })),
		`${RANGE} "010.0.0.0/8"`,
	],
	[
		'an IPv6 prefix of 129',
		deploy(service({ whitelist: ['2001:db8::/129'] })),
		`${RANGE} "2001:db8::/129"`,
	],
	[
		'two network services with one name',
		deploy({
			additionalFields: {
				networkServices: {
					services: [22, 23].map((port) => ({
						name: 'web',
						port,
						protocol: 'tcp',
						whitelist: ['0.0.0.0/0'],
					})),
				},
			},
		}),
		'Network Services 2: Name must be unique, got "web" twice',
	],
	[
		'a price limit below 0',
		deploy({ safety: { maxPrice: -1 } }),
		'Safety: Maximum Price must be a number of at least 0, got -1',
	],
];

const keyRows: Row[] = [
	['no SSH key', deploy(keys()), 'SSH Keys must hold at least one public key'],
	[
		'an SSH key without a name',
		deploy(keys(['', SSH_KEY])),
		'SSH Keys 1: Name is required and must not be empty',
	],
	[
		'two SSH keys with one name',
		deploy(keys(['laptop', SSH_KEY], ['laptop', sampleSshKeys.rsa])),
		'SSH Keys 2: Name must be unique, got "laptop" twice',
	],
	['a DSA key', deploy(keys(['old', 'ssh-dss AAAAB3NzaC1kc3MAAACBAP'])), KEY],
	[
		'a key whose data names another type',
		deploy(keys(['odd', `ssh-rsa ${sampleSshKeys.ed25519.split(' ')[1] ?? ''}`])),
		KEY,
	],
	['a key whose end was not copied', deploy(keys(['cut', SSH_KEY.slice(0, 70)])), KEY],
	['two keys in one field', deploy(keys(['both', `${SSH_KEY}\n${sampleSshKeys.rsa}`])), KEY],
	[
		'a private key',
		deploy(keys(['mine', PRIVATE_KEY])),
		'SSH Keys 1: Public Key holds a private key',
	],
];

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
	[EMPTY, '={{ " " }}', '={{ null }}'].map((value): Row => [
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
		`VM ID ${PATH_ID} `,
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
		'extend by 0 hours',
		vmaas('deployment', 'extend', { deploymentId: locator('d'), durationHours: 0, safety: {} }),
		'Additional Hours must be a whole number of at least 1, got 0',
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

describe('bad input: an error that names field, value and limit, and no request', () => {
	it.each([
		...deployRows,
		...keyRows,
		...filterRows,
		...cheapestRows,
		...deploymentRows,
		...idRows,
		...otherRows,
	])('%s', async (_, node, message) => {
		const run = await fixture.run(node);
		expect(errorOf(run).message).toContain(message);
		expect(fixture.sandbox.requests).toHaveLength(0);
	});

	it('the error of a private key does not repeat it, and says that it is not safe any more', async () => {
		const error = errorOf(
			await fixture.run(deploy(keys(['mine', '={{ $json.key }}'])), [{ key: PRIVATE_KEY }]),
		);
		expect(error.description).toContain('create a new one');
		expect(`${error.message} ${error.description} ${JSON.stringify(error)}`).not.toContain(
			'b3BlbnNzaC1rZXktdjEAAAAABG5vbmU',
		);
	});

	it('a required field that is empty: n8n names it and runs nothing', async () => {
		await expect(
			fixture.run(deploy({ resourcePrivateName: '', locationId: locator('') })),
		).rejects.toThrow(/"Name" is required[^]*"Location" is required/);
		expect(fixture.sandbox.requests).toHaveLength(0);
	});

	it('a field that is hidden keeps what was left in it from before, and is ignored', async () => {
		const { data } = await fixture.run(deploy({ placement: 'location', nodePoolId: 'left over' }));
		expect(data.resultData.error).toBeUndefined();
		expect(fixture.sent('POST', /deploy$/)[0]?.body).not.toHaveProperty('node_pool_id');
		await fixture.run(
			deploy({
				resourcePrivateName: 'other',
				placement: 'nodePool',
				nodePoolId: POOL,
				locationId: locator('={{ ["a", "b"] }}'),
				gpusPerVm: 1,
			}),
		);
		expect(fixture.sent('POST', /deploy$/)[1]?.body).not.toHaveProperty('location_ids');
		expect(fixture.sent('POST', /deploy$/)[1]?.body).toHaveProperty('node_pool_id', POOL);
	});

	it('0 is a fine limit of GPU memory', async () => {
		await fixture.run(hardware({ gpuMemoryMin: 0, gpuMemoryMax: 0 }));
		expect(fixture.sandbox.requests[0]?.query).toEqual({
			gpu_memory_min: ['0'],
			gpu_memory_max: ['0'],
		});
	});

	it('where no money follows, an empty filter of the hardware is none', async () => {
		await fixture.run(hardware({ gpu: EMPTY, gpuFamily: [], regions: [''], supplier: EMPTY }));
		expect(fixture.sandbox.requests[0]?.query).toEqual({});
	});

	it('a comma is a filter, too: a name may begin with it', async () => {
		expect(
			jsonOf(
				await fixture.run(
					vmaas('deployment', 'getAll', { returnAll: true, filters: { namePrefix: ',' } }),
				),
			),
		).toEqual([]);
		expect(fixture.sandbox.requests).not.toEqual([]);
	});

	it('GPUs per VM of Deploy Cheapest that nobody has touched take any number', async () => {
		const node = cheapest({});
		delete node.parameters.gpusPerVm;
		expect(jsonOf(await fixture.run(node))).toMatchObject([{ deployment_id: expect.any(String) }]);
	});

	it('an unknown currency is passed on', async () => {
		expect(jsonOf(await fixture.run(price({ currency: 'gold' })))).toHaveLength(1);
		expect(fixture.sandbox.requests[0]?.query.currency).toEqual(['gold']);
	});
});

describe('bad credentials', () => {
	it.each([
		['no base URL', '', 'Base URL in the credential is required and must not be empty'],
		[
			'a base URL without scheme',
			'api.example.com',
			'Base URL in the credential must be a full address that starts with https:// or http://',
		],
		[
			'another scheme',
			'ftp://api.example.com',
			'Base URL in the credential must start with https:// or http://',
		],
		[
			'a user name and a password',
			'https://me:hunter2-secret@api.example.com',
			'Base URL in the credential must not hold a user name or a password',
		],
		[
			'a query',
			'https://api.example.com/?key=hunter2-secret',
			'Base URL in the credential must not hold a query (?) or a fragment (#)',
		],
	])('base URL: %s', async (_, baseUrl, message) => {
		const stored = sandboxCredentials(fixture.sandbox);
		const engine = await startEngine({
			...stored,
			'compute-token': {
				type: 'computeMarketplaceTokenApi',
				data: { service: 'svc', accessToken: 'token-abcdef', baseUrl },
			},
		});
		const run = await engine.run({
			...explorer('get', { deviceId: 'd', output: 'device' }),
			credentials: TOKEN,
		});
		expect(errorOf(run).message).toContain(message);
		expect(JSON.stringify(run)).not.toContain('hunter2-secret');
	});

	it.each(['', 'a/b', '..', 'a b', 'ä'])('service segment %j', async (segment) => {
		const stored = sandboxCredentials(fixture.sandbox);
		const engine = await startEngine({
			...stored,
			'compute-marketplace': {
				type: 'computeMarketplaceApi',
				data: { baseUrl: fixture.sandbox.url, service: segment, apiKey: 'key-abcdef' },
			},
		});
		expect(errorOf(await engine.run(hardware({}))).message).toBe(
			'Service Segment in the credential must be one word of a path: letters, digits and . _ ~ -',
		);
		expect(fixture.sandbox.requests).toHaveLength(0);
	});
});
