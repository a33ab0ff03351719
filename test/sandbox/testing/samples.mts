/** One field of a key's data, prefixed with its length (RFC 4253 section 6.6). */
function field(value: string | Buffer): Buffer {
	const bytes = Buffer.from(value);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(bytes.length);
	return Buffer.concat([length, bytes]);
}

function line(type: string, ...fields: (string | Buffer)[]): string {
	return `${type} ${Buffer.concat([type, ...fields].map(field)).toString('base64')} ${type}@example`;
}

/** Well-formed public keys of the three kinds that a deploy takes; no private key belongs to them. */
export const sampleSshKeys = {
	rsa: line(
		'ssh-rsa',
		Buffer.from([1, 0, 1]),
		Buffer.concat([Buffer.from([0]), Buffer.alloc(256, 0xa7)]),
	),
	ecdsa: line(
		'ecdsa-sha2-nistp256',
		'nistp256',
		Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 0x3c)]),
	),
	ed25519: line('ssh-ed25519', Buffer.alloc(32, 0x5e)),
} as const;

/** A body that the deploy accepts: 8 cards of hardware 12 in location `2`, 9.52 an hour, for 3 hours. */
export const sampleDeploy = {
	resource_private_name: 'training-1',
	duration_hours: 3,
	gpus_per_vm: 8,
	hardware_id: 12,
	location_ids: ['2'],
	ssh_keys: { laptop: sampleSshKeys.ed25519 },
} as const;

/** As {@link sampleDeploy}, as one container of CaaS. */
export const sampleContainerDeploy = {
	resource_private_name: 'training-1',
	duration_hours: 3,
	gpus_per_container: 8,
	hardware_id: 12,
	location_ids: [2],
	container_config: { replica_count: 1, traffic_port: 8080 },
	registry_config: { image_url: 'registry.example/training:1' },
} as const;
