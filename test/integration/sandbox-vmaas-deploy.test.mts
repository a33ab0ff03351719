import { describe, expect, it } from 'vitest';
import { manualClock, startSandbox } from '../sandbox/index.mts';
import { at, cloud, violations } from '../sandbox/testing/client.mts';
import { sampleDeploy, sampleSshKeys } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'));

const without = (key: string) =>
	Object.fromEntries(Object.entries(sampleDeploy).filter(([name]) => name !== key));
const POOL = '3f2b1c9e-8a74-4d5e-9b60-1f2e3d4c5b6a';

describe('deploy', () => {
	it('makes a cluster and charges it', async () => {
		const { status, json } = await vmaas.post('/deploy', sampleDeploy);
		const [cluster] = sandbox.books.deployments;
		expect(status).toBe(200);
		expect(json).toEqual({ status: 'succeeded', deployment_id: cluster?.id });
		expect(cluster).toMatchObject({
			resource_private_name: 'training-1',
			state: 'deployment requested',
			charged: 28.56,
			refunded: 0,
		});
		expect(cluster?.charges).toEqual([
			{ at: sandbox.clock.now(), reason: 'deploy', hours: 3, amount: 28.56 },
		]);
		expect(cluster?.order.request).toEqual(sampleDeploy);
	});

	it.each([
		{ duration_hours: 1 },
		{ duration_hours: 8760 },
		{ gpus_per_vm: 1, hardware_id: 4, location_ids: ['us-east-1'] },
		{ hardware_id: '8H100.80S.176V', location_ids: ['FI'] },
		{ ssh_keys: sampleSshKeys },
		{ vms_qty: 2, github_ids: ['somebody'], vm_image_type: 'general' },
		{ vm_image_type: 'datascience' },
		{
			network_services: {
				web: { port: 65535, protocol: 'tcp', whitelist: ['0.0.0.0/0'] },
				dns: { port: 1, protocol: 'udp', whitelist: ['::/0', '10.0.0.0/8'] },
			},
		},
	])('accepts %j', async (changes) => {
		expect((await vmaas.post('/deploy', { ...sampleDeploy, ...changes })).status).toBe(200);
		expect(sandbox.books.deployments).toHaveLength(1);
	});

	it('accepts a private pool instead of a location, never both, never neither', async () => {
		const pool = { ...without('location_ids'), node_pool_id: POOL };
		expect((await vmaas.post('/deploy', pool)).status).toBe(200);
		expect(violations(await vmaas.post('/deploy', { ...pool, location_ids: ['2'] }))).toEqual([
			'body.node_pool_id: value_error',
		]);
		expect(violations(await vmaas.post('/deploy', without('location_ids')))).toEqual([
			'body.location_ids: missing',
		]);
		expect(violations(await vmaas.post('/deploy', { ...pool, node_pool_id: 'pool-1' }))).toEqual([
			'body.node_pool_id: uuid_parsing',
		]);
	});

	it.each(['resource_private_name', 'duration_hours', 'gpus_per_vm', 'hardware_id', 'ssh_keys'])(
		'requires %s',
		async (key) => {
			const answer = await vmaas.post('/deploy', without(key));
			expect([answer.status, violations(answer)]).toEqual([422, [`body.${key}: missing`]]);
		},
	);

	const service = { port: 22, protocol: 'tcp', whitelist: ['10.0.0.0/8'] };
	it.each([
		[{ duration_hours: 0 }, 'body.duration_hours: greater_than_equal'],
		[{ duration_hours: 8761 }, 'body.duration_hours: less_than_equal'],
		[{ duration_hours: 1.5 }, 'body.duration_hours: int_from_float'],
		[{ duration_hours: '3' }, 'body.duration_hours: int_type'],
		[{ gpus_per_vm: 0 }, 'body.gpus_per_vm: greater_than_equal'],
		[{ gpus_per_vm: 9 }, 'body.gpus_per_vm: less_than_equal'],
		[{ gpus_per_vm: 7 }, 'body.gpus_per_vm: value_error'],
		[{ resource_private_name: '' }, 'body.resource_private_name: string_too_short'],
		[{ resource_private_name: 7 }, 'body.resource_private_name: string_type'],
		[{ hardware_id: '12' }, 'body.hardware_id: value_error'],
		[{ hardware_id: 999 }, 'body.hardware_id: value_error'],
		[{ hardware_id: null }, 'body.hardware_id: union_type'],
		[{ location_ids: [] }, 'body.location_ids: too_short'],
		[{ location_ids: ['2', 'us-east-1'] }, 'body.location_ids: too_long'],
		[{ location_ids: '2' }, 'body.location_ids: list_type'],
		[{ location_ids: [2] }, 'body.location_ids.0: string_type'],
		[{ location_ids: ['FI'] }, 'body.location_ids.0: value_error'],
		[{ ssh_keys: [] }, 'body.ssh_keys: dict_type'],
		[{ ssh_keys: { a: 'ssh-dss AAAA' } }, 'body.ssh_keys.a: value_error'],
		[{ ssh_keys: { a: 'ssh-ed25519 AAAA' } }, 'body.ssh_keys.a: value_error'],
		[
			{ ssh_keys: { a: `ssh-rsa ${sampleSshKeys.ed25519.split(' ')[1]}` } },
			'body.ssh_keys.a: value_error',
		],
		[{ ssh_keys: { a: '-----BEGIN OPENSSH PRIVATE KEY-----' } }, 'body.ssh_keys.a: value_error'],
		[{ vms_qty: 0 }, 'body.vms_qty: greater_than_equal'],
		[{ github_ids: 'somebody' }, 'body.github_ids: list_type'],
		[{ vm_image_type: 'gaming' }, 'body.vm_image_type: enum'],
		[
			{ network_services: { web: { ...service, port: 0 } } },
			'body.network_services.web.port: greater_than_equal',
		],
		[
			{ network_services: { web: { ...service, port: 65536 } } },
			'body.network_services.web.port: less_than_equal',
		],
		[
			{ network_services: { web: { ...service, protocol: 'icmp' } } },
			'body.network_services.web.protocol: enum',
		],
		[
			{ network_services: { web: { ...service, whitelist: [] } } },
			'body.network_services.web.whitelist: too_short',
		],
		[
			{ network_services: { web: { ...service, whitelist: ['10.0.0.0/33'] } } },
			'body.network_services.web.whitelist.0: value_error',
		],
		[
			{ network_services: { web: { ...service, whitelist: ['10.0.0.0'] } } },
			'body.network_services.web.whitelist.0: value_error',
		],
		[{ replica_count: 1 }, 'body.replica_count: extra_forbidden'],
	])('refuses %j', async (changes, violation) => {
		const answer = await vmaas.post('/deploy', { ...sampleDeploy, ...changes });
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
		expect(sandbox.books.deployments).toHaveLength(0);
	});

	it('lists all violations in one answer, each with loc, msg and type', async () => {
		const { json } = await vmaas.post('/deploy', {
			...sampleDeploy,
			gpus_per_vm: 9,
			location_ids: ['2', 'FI'],
			colour: 'red',
		});
		expect(json).toEqual({
			detail: [
				{ loc: ['body', 'gpus_per_vm'], msg: 'must be at most 8', type: 'less_than_equal' },
				{
					loc: ['body', 'location_ids'],
					msg: 'only a single location is supported',
					type: 'too_long',
				},
				{ loc: ['body', 'colour'], msg: 'Extra inputs are not permitted', type: 'extra_forbidden' },
			],
		});
	});

	it('refuses a body that is no JSON object', async () => {
		const json = { 'content-type': 'application/json' };
		const send = async (raw: string, headers: Record<string, string>) =>
			violations(await vmaas.call('/deploy', { method: 'POST', raw, headers }));
		expect(await send('{"a":', json)).toEqual(['body: json_invalid']);
		expect(await send('[]', json)).toEqual(['body: dict_type']);
		expect(await send('', json)).toEqual(['body: missing']);
		expect(await send(JSON.stringify(sampleDeploy), { 'content-type': 'text/plain' })).toEqual([
			'body: dict_type',
		]);
	});

	it('refuses what is sold out or not there in that number, and charges nothing', async () => {
		const soldOut = await vmaas.post('/deploy', { ...sampleDeploy, location_ids: ['eu-north-1'] });
		expect([soldOut.status, at(soldOut.json, 'detail')]).toEqual([
			409,
			'Not enough capacity: hardware 12 is sold out in eu-north-1',
		]);
		expect((await vmaas.post('/deploy', { ...sampleDeploy, vms_qty: 5 })).status).toBe(409);
		expect((await vmaas.post('/deploy', { ...sampleDeploy, vms_qty: 4 })).status).toBe(200);
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(409);
		expect(sandbox.books.deployments).toHaveLength(1);
	});

	it('refuses what a test has marked as sold out', async () => {
		const offer = sandbox.hardware.find(({ id }) => id === '12__2');
		if (offer) offer.sold_out = true;
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(409);
	});

	it('has machines again when they are given back', async () => {
		const { json } = await vmaas.post('/deploy', { ...sampleDeploy, vms_qty: 4 });
		await vmaas.delete(`/deployment/${String(at(json, 'deployment_id'))}`);
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(409);
		sandbox.clock.advance(20_000);
		expect((await vmaas.post('/deploy', sampleDeploy)).status).toBe(200);
	});

	it('deploys the same name twice: there is no idempotency', async () => {
		await vmaas.post('/deploy', sampleDeploy);
		await vmaas.post('/deploy', sampleDeploy);
		expect(new Set(sandbox.books.byName('training-1').map(({ id }) => id)).size).toBe(2);
		expect(sandbox.books.totals()).toEqual({ charged: 57.12, refunded: 0 });
	});
});

describe('other plausible services', () => {
	it.each(['empty', 'data'] as const)(
		'may answer a deploy with the %s form',
		async (deployAnswer) => {
			const other = await startSandbox({ clock: manualClock(), deployAnswer });
			const client = cloud(other, 'vmaas');
			const { status, text, json } = await client.post('/deploy', sampleDeploy);
			expect(status).toBe(200);
			if (deployAnswer === 'empty') expect(text).toBe('');
			else expect(at(json, 'data', 'id')).toBe(other.books.deployments[0]?.id);
			await client.close();
			await other.close();
		},
	);
});
