import type { IDataObject, INodeProperties } from 'n8n-workflow';
import type { Parameters } from '../shared/operation/parameters';

/** Who may log in to a VM and connect to it (compute-api.md "Deploy VMs"; beyond-the-spec.md section 1 "Deploy"). */

const PROTOCOLS = ['tcp', 'udp'] as const;

/** RSA, ECDSA or ED25519 (compute-api.md "Deploy VMs"): the key types of the OpenSSH public key format. */
const SSH_KEY_TYPES = [
	'ssh-rsa',
	'ssh-ed25519',
	'ecdsa-sha2-nistp256',
	'ecdsa-sha2-nistp384',
	'ecdsa-sha2-nistp521',
];

export const sshKeysField: INodeProperties = {
	displayName: 'SSH Keys',
	name: 'sshKeys',
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		fixedCollection: { itemTitle: '={{ $collection.item.value.name }}' },
	},
	placeholder: 'Add SSH Key',
	required: true,
	default: { keys: [{ name: '', publicKey: '' }] },
	description: 'Public keys that can log in to the VMs: RSA, ECDSA or ED25519',
	options: [
		{
			displayName: 'Key',
			name: 'keys',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. laptop',
					description: 'Any name for this key',
				},
				{
					displayName: 'Public Key',
					name: 'publicKey',
					type: 'string',
					typeOptions: { rows: 2 },
					default: '',
					placeholder: 'e.g. ssh-ed25519 AAAAC3NzaC1lZDI1NTE5... me@laptop',
					description: 'Content of the .pub file, never the private key',
				},
			],
		},
	],
};

/** Optional, so that saved workflows send what they sent. */
export const useSshCredentialField: INodeProperties = {
	displayName: 'Use Public Key of SSH Credential',
	name: 'useSshCredential',
	type: 'boolean',
	default: false,
	description:
		'Whether the key of the credential Compute SSH API can log in to the VMs, as Run Command, Upload File and Download File do. SSH Keys may then be empty.',
};

/** The name of that key among the keys of the deployment. */
export const OWN_ENTRY_NAME = 'n8n-ssh-credential';

export const networkServicesField: INodeProperties = {
	displayName: 'Network Services',
	name: 'networkServices',
	type: 'fixedCollection',
	typeOptions: {
		multipleValues: true,
		fixedCollection: { itemTitle: '={{ $collection.item.value.name }}' },
	},
	placeholder: 'Add Network Service',
	default: {},
	description: 'Ports of the VMs that can be reached from outside',
	options: [
		{
			displayName: 'Service',
			name: 'services',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. jupyter',
					description: 'Any name for this service',
				},
				{
					displayName: 'Port',
					name: 'port',
					type: 'number',
					typeOptions: { minValue: 1, maxValue: 65535, numberPrecision: 0 },
					default: 8888,
					description: 'Port on the VM, 1 to 65535',
				},
				{
					displayName: 'Protocol',
					name: 'protocol',
					type: 'options',
					options: [
						{ name: 'TCP', value: 'tcp' },
						{ name: 'UDP', value: 'udp' },
					],
					default: 'tcp',
					description: 'Transport protocol of the service',
				},
				{
					displayName: 'Allowed Addresses',
					name: 'whitelist',
					type: 'string',
					typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Address Range' },
					default: [],
					placeholder: 'e.g. 203.0.113.0/24',
					description: 'Address ranges in CIDR notation that may connect; at least one',
				},
			],
		},
	],
};

/** For any other shape: the service does not show one (compute-api.md "Deploy VMs"). */
export const networkServicesJsonField: INodeProperties = {
	displayName: 'Network Services (JSON)',
	name: 'networkServicesJson',
	type: 'json',
	default: '{}',
	placeholder: 'e.g. {"jupyter": {"port": 8888, "protocol": "tcp", "whitelist": ["0.0.0.0/0"]}}',
	description:
		'The network services as the service takes them, sent as they are. Use either this or Network Services.',
};

/**
 * `ssh_keys`: a map from a key's name to the public key.
 * @param isOptional where another key comes from elsewhere: then a row that nobody has filled in is none
 */
export function readSshKeys(parameters: Parameters, isOptional: boolean): IDataObject {
	const rows = parameters
		.rows('sshKeys', 'keys')
		.filter((row) => row.has('name') || row.has('publicKey'));
	if (rows.length === 0 && !isOptional)
		parameters.fail(
			'sshKeys',
			'must contain at least one public key',
			'Whoever has a key of these can log in to the VM. Enter a name and the content of a .pub file, or turn on Use Public Key of SSH Credential. To make a key: ssh-keygen -t ed25519 -f n8n-key',
		);
	return Object.fromEntries(unique(rows).map(({ name, row }) => [name, readPublicKey(row)]));
}

/** A key's text never goes into an error: it may be a private one. */
function readPublicKey(row: Parameters): string {
	const key = row.text('publicKey');
	if (/PRIVATE KEY/.test(key)) {
		row.fail(
			'publicKey',
			'holds a private key',
			'Paste the content of the file that ends in .pub. Treat this private key as compromised and create a new one.',
		);
	}
	const [type = '', data = ''] = key.split(/\s+/);
	if (/[\r\n]/.test(key) || !SSH_KEY_TYPES.includes(type) || !isKeyData(data, type)) {
		row.fail(
			'publicKey',
			'must be a public SSH key of type RSA, ECDSA or ED25519, on one line',
			`It starts with one of ${SSH_KEY_TYPES.join(', ')}.`,
		);
	}
	return key;
}

/** The data of a public key is a row of fields, each behind its length, and the first repeats the type (RFC 4253 section 6.6). */
function isKeyData(data: string, type: string): boolean {
	if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return false;
	const bytes = Buffer.from(data, 'base64');
	const fields: string[] = [];
	let at = 0;
	while (at + 4 <= bytes.length) {
		const start = at + 4;
		at = start + bytes.readUInt32BE(at);
		fields.push(bytes.toString('latin1', start, at));
	}
	// A key whose end was not copied stops in the middle of a field
	return at === bytes.length && fields.length > 1 && fields[0] === type;
}

/** `network_services`: JSON as it was entered, or a map from a service's name to port, protocol and allowed addresses; undefined when there is none. */
export function readNetworkServices(extra: Parameters): IDataObject | undefined {
	const rows = extra.rows('networkServices', 'services');
	const json =
		extra.value('networkServicesJson') === undefined
			? {}
			: extra.json('networkServicesJson', 'object');
	if (Object.keys(json).length > 0) {
		if (rows.length > 0)
			extra.fail('networkServicesJson', 'cannot be combined with Network Services');
		return json;
	}
	if (rows.length === 0) return undefined;
	return Object.fromEntries(
		unique(rows).map(({ name, row }) => {
			const whitelist = row.texts('whitelist');
			if (whitelist.length === 0)
				row.fail('whitelist', 'must contain at least one address range, such as 203.0.113.0/24');
			const wrong = whitelist.find((range) => !isCidr(range));
			if (wrong !== undefined)
				row.fail(
					'whitelist',
					`must contain address ranges in CIDR notation, such as 203.0.113.0/24, got "${wrong}"`,
				);
			return [
				name,
				{
					port: row.integer('port', { min: 1, max: 65535 }),
					protocol: row.choice('protocol', PROTOCOLS),
					whitelist,
				},
			];
		}),
	);
}

/** Rows become an object by their names, so a duplicate name would lose the first row in silence. */
function unique(rows: Parameters[]): Array<{ name: string; row: Parameters }> {
	const seen = new Set<string>();
	return rows.map((row) => {
		const name = row.text('name');
		if (seen.has(name)) row.fail('name', `must be unique, got "${name}" twice`);
		seen.add(name);
		return { name, row };
	});
}

function isCidr(range: string): boolean {
	const [, address = '', prefix = ''] = /^([^/]+)\/(\d{1,3})$/.exec(range) ?? [];
	const octets = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/.exec(
		address,
	);
	if (octets) return octets.slice(1).every((octet) => Number(octet) <= 255) && Number(prefix) <= 32;
	return (
		/^[0-9a-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]/`) && Number(prefix) <= 128
	);
}
