import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, locator, SSH_KEY, vmaas } from '../engine/nodes.mts';
import { errorOf } from '../engine/results.mts';
import { sampleSshKeys } from '../sandbox/testing/samples.mts';

const fixture = useFixture();

const PRIVATE_KEY =
	'-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n-----END OPENSSH PRIVATE KEY-----';
const POOL = '0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35';

/** n8n itself refuses a required field that is empty; what an expression gives only the node sees. */
const EMPTY = '={{ "" }}';

const deploy = (changes: IDataObject) => vmaas('deployment', 'deploy', deployParameters(changes));
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

type Row = [what: string, node: ReturnType<typeof vmaas>, message: string];

const HOURS = 'Duration (Hours) must be a whole number from 1 to 8760, got';
const GPUS = 'GPUs per VM must be a whole number from 0 to 8, got';
const UUID = `Node Pool ID must be a UUID such as ${POOL}, got`;
const KEY =
	'SSH Keys 1: Public Key must be a public SSH key of type RSA, ECDSA or ED25519, on one line';
const PORT =
	'Additional Fields: Network Services 1: Port must be a whole number from 1 to 65535, got';
const RANGE =
	'Additional Fields: Network Services 1: Allowed Addresses must contain address ranges in CIDR notation, such as 203.0.113.0/24, got';

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
		'Allowed Addresses must contain at least one address range, such as 203.0.113.0/24',
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
	['no SSH key', deploy(keys()), 'SSH Keys must contain at least one public key'],
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

describe('deploy: an error with field, value and limit, and no request', () => {
	it.each([...deployRows, ...keyRows])('%s', async (_, node, message) => {
		const run = await fixture.run(node);
		expect(errorOf(run).message).toContain(message);
		expect(fixture.sandbox.requests).toHaveLength(0);
	});

	it('a private key: the error does not repeat it, and advises a new one', async () => {
		const error = errorOf(
			await fixture.run(deploy(keys(['mine', '={{ $json.key }}'])), [{ key: PRIVATE_KEY }]),
		);
		expect(error.description).toContain('create a new one');
		expect(`${error.message} ${error.description} ${JSON.stringify(error)}`).not.toContain(
			'b3BlbnNzaC1rZXktdjEAAAAABG5vbmU',
		);
	});

	it('a required parameter that is empty: n8n names it and executes nothing', async () => {
		await expect(
			fixture.run(deploy({ resourcePrivateName: '', locationId: locator('') })),
		).rejects.toThrow(/"Name" is required[^]*"Location" is required/);
		expect(fixture.sandbox.requests).toHaveLength(0);
	});

	it('a hidden parameter is ignored, whatever it holds', async () => {
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
});
