import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, locator, SSH_KEY, vmaas } from '../engine/nodes.mts';
import { errorOf } from '../engine/results.mts';
import { violations } from '../sandbox/testing/client.mts';
import { sampleDeploy, sampleSshKeys } from '../sandbox/testing/samples.mts';

/** compute-api.md: Deploy VMs, Limits; beyond-the-spec.md section 1, "Deploy". */
const fixture = useFixture();
const POOL = '0b9f6c1e-5a3d-4c7b-8e21-9d4f0a6b7c35';

const deploy = async (changes: IDataObject = {}) =>
	await fixture.run(vmaas('deployment', 'deploy', deployParameters(changes)));
const sent = () => fixture.sent('POST', /\/vmaas\/deploy$/);
/** The body of the only deploy that was sent. */
const bodyOf = async (changes: IDataObject = {}) => {
	expect((await deploy(changes)).data.resultData.error).toBeUndefined();
	expect(sent()).toHaveLength(1);
	return sent()[0]?.body as IDataObject;
};
/** What the sandbox says to a body of an independent client. */
const refusal = async (changes: object) =>
	violations(await fixture.client.post('/deploy', { ...sampleDeploy, ...changes }));
const refuses = async (changes: IDataObject, message: string) => {
	expect(errorOf(await deploy(changes)).message).toContain(message);
	expect(fixture.sandbox.requests).toHaveLength(0);
};
const without = (key: keyof typeof sampleDeploy) =>
	Object.fromEntries(Object.entries(sampleDeploy).filter(([name]) => name !== key));

describe('deploy: its fields', () => {
	it.each([
		'resource_private_name',
		'duration_hours',
		'gpus_per_vm',
		'hardware_id',
		'ssh_keys',
	] as const)('[deploy.%s.required] the service refuses a deploy without it', async (key) => {
		expect(violations(await fixture.client.post('/deploy', without(key)))).toEqual([
			`body.${key}: missing`,
		]);
	});

	it('[deploy.resource_private_name] string, the name of the deployment', async () => {
		const name = 'Größe "1"\\ / 名';
		expect((await bodyOf({ resourcePrivateName: `  ${name} ` })).resource_private_name).toBe(name);
		expect(fixture.sandbox.books.byName(name)).toHaveLength(1);
	});

	it('[deploy.duration_hours.max] 8760 is accepted, 8761 is not', async () => {
		expect((await bodyOf({ durationHours: 8760 })).duration_hours).toBe(8760);
		fixture.sandbox.reset();
		await refuses(
			{ durationHours: 8761 },
			'Duration (Hours) must be a whole number from 1 to 8760, got 8761',
		);
		expect(
			(await fixture.client.post('/deploy', { ...sampleDeploy, duration_hours: 8760 })).status,
		).toBe(200);
		expect(await refusal({ duration_hours: 8761 })).toEqual([
			'body.duration_hours: less_than_equal',
		]);
	});

	it('[deploy.duration_hours.type] integer', async () => {
		expect((await bodyOf({ durationHours: '={{ "24" }}' })).duration_hours).toBe(24);
		fixture.sandbox.reset();
		await refuses({ durationHours: 1.5 }, 'got 1.5');
		expect(await refusal({ duration_hours: '24' })).toEqual(['body.duration_hours: int_type']);
		expect(await refusal({ duration_hours: 1.5 })).toEqual(['body.duration_hours: int_from_float']);
	});

	it('[deploy.gpus_per_vm.max] 8 is accepted, 9 is not', async () => {
		const eight = { hardwareId: locator(12), locationId: locator('2') };
		expect((await bodyOf({ ...eight, gpusPerVm: 8 })).gpus_per_vm).toBe(8);
		fixture.sandbox.reset();
		await refuses(
			{ ...eight, gpusPerVm: 9 },
			'GPUs per VM must be a whole number from 0 to 8, got 9',
		);
		expect(await refusal({ gpus_per_vm: 9 })).toEqual(['body.gpus_per_vm: less_than_equal']);
	});

	it('[deploy.gpus_per_vm.min] 1 is accepted; 0 means num_cards of the hardware and is never sent', async () => {
		expect((await bodyOf({ gpusPerVm: 1 })).gpus_per_vm).toBe(1);
		expect(await refusal({ gpus_per_vm: 0 })).toEqual(['body.gpus_per_vm: greater_than_equal']);
		fixture.sandbox.reset();
		await refuses({ gpusPerVm: -1 }, 'got -1');
	});

	it('[deploy.gpus_per_vm.num_cards] equals num_cards of the chosen hardware', async () => {
		expect((await bodyOf({ hardwareId: locator(15), gpusPerVm: 0 })).gpus_per_vm).toBe(4);
		expect(await refusal({ gpus_per_vm: 4 })).toEqual(['body.gpus_per_vm: value_error']);
	});

	it('[deploy.hardware_id] integer or string, as the deploy_id of the chosen hardware', async () => {
		expect((await bodyOf({ hardwareId: locator(7, 'list') })).hardware_id).toBe(7);
		fixture.sandbox.reset();
		expect((await bodyOf({ hardwareId: locator('7') })).hardware_id).toBe(7);
		fixture.sandbox.reset();
		expect(
			(await bodyOf({ hardwareId: locator('8H100.80S.176V', 'list'), locationId: locator('FI') }))
				.hardware_id,
		).toBe('8H100.80S.176V');
		expect(await refusal({ hardware_id: '12' })).toEqual(['body.hardware_id: value_error']);
	});

	it('[deploy.location_ids] [deploy.location_ids.length] exactly 1 element; only a single location is supported', async () => {
		expect(
			(await bodyOf({ hardwareId: locator(12), locationId: locator(2) })).location_ids,
		).toEqual(['2']);
		fixture.sandbox.reset();
		await refuses(
			{ locationId: locator('={{ ["us-west-2", "eu-north-1"] }}') },
			'Location must be exactly one value, got 2',
		);
		expect(await refusal({ location_ids: ['2', 'us-east-1'] })).toEqual([
			'body.location_ids: too_long',
		]);
		expect(await refusal({ location_ids: [] })).toEqual(['body.location_ids: too_short']);
		expect(await refusal({ location_ids: [2] })).toEqual(['body.location_ids.0: string_type']);
	});

	it('[deploy.location_ids.required] unless node_pool_id is used', async () => {
		expect(violations(await fixture.client.post('/deploy', without('location_ids')))).toEqual([
			'body.location_ids: missing',
		]);
		expect(
			(await fixture.client.post('/deploy', { ...without('location_ids'), node_pool_id: POOL }))
				.status,
		).toBe(200);
	});

	it('[deploy.node_pool_id] [deploy.node_pool_id.exclusive] a UUID that cannot be combined with location_ids', async () => {
		const body = await bodyOf({ placement: 'nodePool', nodePoolId: POOL });
		expect(body).toMatchObject({ node_pool_id: POOL });
		expect(body).not.toHaveProperty('location_ids');
		expect(await refusal({ node_pool_id: POOL })).toEqual(['body.node_pool_id: value_error']);
		expect(
			violations(
				await fixture.client.post('/deploy', { ...without('location_ids'), node_pool_id: 'p' }),
			),
		).toEqual(['body.node_pool_id: uuid_parsing']);
		fixture.sandbox.reset();
		await refuses({ placement: 'nodePool', nodePoolId: 'p' }, 'Node Pool ID must be a UUID');
	});

	it('[deploy.ssh_keys] [deploy.ssh_keys.types] map from a key name to a public key: RSA, ECDSA or ED25519', async () => {
		const keys = Object.entries(sampleSshKeys).map(([name, publicKey]) => ({ name, publicKey }));
		expect((await bodyOf({ sshKeys: { keys } })).ssh_keys).toEqual(sampleSshKeys);
		expect(await refusal({ ssh_keys: { old: 'ssh-dss AAAAB3NzaC1kc3MAAACBAP' } })).toEqual([
			'body.ssh_keys.old: value_error',
		]);
		expect(await refusal({ ssh_keys: [SSH_KEY] })).toEqual(['body.ssh_keys: dict_type']);
		fixture.sandbox.reset();
		await refuses(
			{ sshKeys: { keys: [{ name: 'old', publicKey: 'ssh-dss AAAAB3NzaC1kc3MAAACBAP' }] } },
			'must be a public SSH key of type RSA, ECDSA or ED25519',
		);
	});

	it('[deploy.vms_qty] integer, deprecated, as its label says', async () => {
		expect((await bodyOf({ additionalFields: { vmsQty: 3 } })).vms_qty).toBe(3);
		expect(await refusal({ vms_qty: 'three' })).toEqual(['body.vms_qty: int_type']);
		expect(JSON.stringify(fixture.engine.nodeType('vmaas').description.properties)).toContain(
			'"VMs Quantity (Deprecated)"',
		);
	});

	it('[deploy.github_ids] array of string', async () => {
		expect((await bodyOf({ additionalFields: { githubIds: ['octocat'] } })).github_ids).toEqual([
			'octocat',
		]);
		fixture.sandbox.reset();
		expect(await bodyOf({ additionalFields: { githubIds: [] } })).not.toHaveProperty('github_ids');
		expect(await refusal({ github_ids: [1] })).toEqual(['body.github_ids.0: string_type']);
	});

	it.each(['general', 'datascience'])('[deploy.vm_image_type] %s', async (vmImageType) => {
		expect((await bodyOf({ additionalFields: { vmImageType } })).vm_image_type).toBe(vmImageType);
	});

	it('[deploy.vm_image_type.values] [deploy.vm_image_type.default] nothing else; general is the default', async () => {
		await refuses(
			{ additionalFields: { vmImageType: 'gaming' } },
			'VM Image Type must be one of general, datascience, got "gaming"',
		);
		expect(await refusal({ vm_image_type: 'gaming' })).toEqual(['body.vm_image_type: enum']);
		expect(JSON.stringify(fixture.engine.nodeType('vmaas').description.properties)).toMatch(
			/"name":"vmImageType".*?"default":"general"/,
		);
	});

	it.each([1, 65_535])('[deploy.network_services.port] 1..65535: %d', async (port) => {
		const services = [{ name: 'a', port, protocol: 'tcp', whitelist: ['10.0.0.0/8'] }];
		expect(
			(await bodyOf({ additionalFields: { networkServices: { services } } })).network_services,
		).toEqual({ a: { port, protocol: 'tcp', whitelist: ['10.0.0.0/8'] } });
		for (const wrong of [0, 65_536]) {
			expect(
				await refusal({
					network_services: { a: { port: wrong, protocol: 'tcp', whitelist: ['10.0.0.0/8'] } },
				}),
			).toHaveLength(1);
		}
	});

	it('[deploy.network_services] an opaque object: JSON of any shape is sent as it is, instead of the rows', async () => {
		const shape = { ports: [{ from: 1, to: null }], nested: { a: { b: false } } };
		fixture.sandbox.faults.add({ match: { method: 'POST' }, times: 2, status: 200, body: {} });
		const json = JSON.stringify(shape, null, 1);
		for (const networkServicesJson of [json, `={{ ${json} }}`]) {
			fixture.sandbox.requests.length = 0;
			// It answers without an ID, and shows none: others of the name wait for 15 minutes
			fixture.sandbox.clock.advance(15 * 60_000);
			const additionalFields = { networkServicesJson };
			expect((await bodyOf({ additionalFields })).network_services).toEqual(shape);
		}
		fixture.sandbox.reset();
		expect(await bodyOf({ additionalFields: { networkServicesJson: '{}' } })).not.toHaveProperty(
			'network_services',
		);
		const services = [{ name: 'a', port: 1, protocol: 'tcp', whitelist: ['10.0.0.0/8'] }];
		for (const [additionalFields, problem] of [
			[
				{ networkServices: { services }, networkServicesJson: JSON.stringify(shape) },
				'cannot be combined with Network Services',
			],
			[{ networkServicesJson: '[]' }, 'must be a JSON object'],
			[{ networkServicesJson: '={{ null }}' }, 'must be a JSON object'],
			[{ networkServicesJson: '={{ "" }}' }, 'must be valid JSON'],
		] as const)
			expect(errorOf(await deploy({ additionalFields })).message).toContain(
				`Network Services (JSON) ${problem}`,
			);
	});

	it('[deploy.network_services] [deploy.network_services.protocol] [deploy.network_services.whitelist] protocol tcp or udp, whitelist of at least one CIDR', async () => {
		const service = { port: 1, protocol: 'tcp', whitelist: ['10.0.0.0/8'] };
		expect(await refusal({ network_services: { a: { ...service, protocol: 'sctp' } } })).toEqual([
			'body.network_services.a.protocol: enum',
		]);
		expect(await refusal({ network_services: { a: { ...service, whitelist: [] } } })).toEqual([
			'body.network_services.a.whitelist: too_short',
		]);
		expect(
			await refusal({ network_services: { a: { ...service, whitelist: ['10.0.0.0'] } } }),
		).toEqual(['body.network_services.a.whitelist.0: value_error']);
	});

	it('[deploy.first_hour] a notice says that the first hour is non-refundable', () => {
		const notices = fixture.engine
			.nodeType('vmaas')
			.description.properties.filter(({ type }) => type === 'notice');
		const shown = notices
			.filter(({ displayName }) => displayName.includes('first hour is never refunded'))
			.map(({ displayOptions }) => displayOptions?.show?.operation?.[0]);
		expect(shown).toEqual(
			expect.arrayContaining(['deploy', 'deployCheapest', 'destroy', 'destroyMany']),
		);
	});
});
