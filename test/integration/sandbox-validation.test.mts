import { FormData } from 'undici';
import { afterAll, describe, expect, it } from 'vitest';
import { Client, cloud, violations } from '../sandbox/testing/client.mts';
import { sampleDeploy, sampleSshKeys } from '../sandbox/testing/samples.mts';
import { useSandbox } from '../sandbox/testing/useSandbox.mts';

/** The 422 answers that no contract test shows, and the translation of zod's issues to them. */
const [sandbox, vmaas] = await useSandbox((service) => cloud(service, 'vmaas'));
const intelligence = new Client(`${sandbox.intelligenceUrl}/api`, {
	authorization: `Bearer ${sandbox.keys.intelligenceKey}`,
});
afterAll(() => intelligence.close());

describe('the validation error body', () => {
	it('lists all violations, each with loc, msg and type', async () => {
		const { status, json } = await vmaas.post('/deploy', {
			resource_private_name: '',
			duration_hours: 1.5,
			gpus_per_vm: '8',
			hardware_id: null,
			location_ids: ['2', 'FI'],
			ssh_keys: [],
			node_pool_id: 'pool-1',
			vms_qty: 0,
			github_ids: ['octocat', 7],
			vm_image_type: 'gaming',
			network_services: { web: { port: 65_536, whitelist: ['10.0.0.0/33'], extra: 1 } },
			colour: 'red',
			zone: 'a',
		});
		const web = ['network_services', 'web'];
		const entries = [
			[['resource_private_name'], 'must have at least 1 character', 'string_too_short'],
			[
				['duration_hours'],
				'must be an integer, got a number with a fractional part',
				'int_from_float',
			],
			[['gpus_per_vm'], 'must be an integer', 'int_type'],
			[['hardware_id'], 'must be an integer or a string', 'union_type'],
			[['location_ids'], 'only a single location is supported', 'too_long'],
			[['ssh_keys'], 'must be an object', 'dict_type'],
			[['node_pool_id'], 'must be a valid UUID', 'uuid_parsing'],
			[['vms_qty'], 'must be at least 1', 'greater_than_equal'],
			[['github_ids', 1], 'must be a string', 'string_type'],
			[['vm_image_type'], "must be 'general' or 'datascience'", 'enum'],
			[[...web, 'port'], 'must be at most 65535', 'less_than_equal'],
			[[...web, 'protocol'], 'Field required', 'missing'],
			[[...web, 'whitelist', 0], 'must be an address range in CIDR form', 'value_error'],
			[[...web, 'extra'], 'Extra inputs are not permitted', 'extra_forbidden'],
			[['colour'], 'Extra inputs are not permitted', 'extra_forbidden'],
			[['zone'], 'Extra inputs are not permitted', 'extra_forbidden'],
			[['node_pool_id'], 'cannot be combined with location_ids', 'value_error'],
		] as const;
		expect(status).toBe(422);
		expect(json).toEqual({
			detail: entries.map(([path, msg, type]) => ({ loc: ['body', ...path], msg, type })),
		});
		expect(sandbox.books.deployments).toEqual([]);
	});

	it('refuses a body that is not a JSON object', async () => {
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

	it('lists the violations of a multipart body', async () => {
		const form = new FormData();
		const fields = { raw_text: 'a', id: 'x', metadata: '{', collection_ids: '["x"]', chunks: '7' };
		for (const [name, value] of Object.entries(fields)) form.set(name, value);
		const answer = await intelligence.call('/rag/v3/documents', { method: 'POST', raw: form });
		expect([answer.status, violations(answer)]).toEqual([
			422,
			[
				'body.id: uuid_parsing',
				'body.collection_ids.0: uuid_parsing',
				'body.metadata: json_invalid',
				'body.chunks: list_type',
			],
		]);
	});
});

describe('deploy', () => {
	it.each([
		[{ hardware_id: 999 }, 'body.hardware_id: value_error'],
		[{ location_ids: ['FI'] }, 'body.location_ids.0: value_error'],
		[{ ssh_keys: { a: 'ssh-ed25519 AAAA' } }, 'body.ssh_keys.a: value_error'],
		[
			{ ssh_keys: { a: `ssh-rsa ${sampleSshKeys.ed25519.split(' ')[1]}` } },
			'body.ssh_keys.a: value_error',
		],
		[{ ssh_keys: { a: '-----BEGIN OPENSSH PRIVATE KEY-----' } }, 'body.ssh_keys.a: value_error'],
	])('refuses %j', async (changes, violation) => {
		const answer = await vmaas.post('/deploy', { ...sampleDeploy, ...changes });
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
		expect(sandbox.books.deployments).toEqual([]);
	});
});

describe('queries', () => {
	const price =
		'/price?hardware_id=12&gpus_per_vm=8&duration_hours=3&currency=usdc&location_ids=["2"]&replica_count=1';

	it.each([
		['duration_hours=0', 'query.duration_hours: greater_than_equal'],
		['location_ids=2', 'query.location_ids: list_type'],
		['location_ids=["FI"]', 'query.location_ids: value_error'],
		['hardware_id=999', 'query.hardware_id: value_error'],
	])('of a repeated key the last value counts: %s', async (last, violation) => {
		expect((await vmaas.get(`${price}&unknown=1`)).status).toBe(200);
		const answer = await vmaas.get(`${price}&${last}`);
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
	});
});

describe('chat', () => {
	it.each([
		[{ max_completion_tokens: 0 }, 'body.max_completion_tokens: greater_than_equal'],
		[{ stream: 'yes' }, 'body.stream: bool_type'],
		[{ temperature: 'hot' }, 'body.temperature: float_type'],
		[{ messages: [{ role: 'user', content: 1 }] }, 'body.messages.0.content: union_type'],
	])('refuses %j', async (changes, violation) => {
		const body = {
			model: 'meta-llama/Llama-3.3-70B-Instruct',
			messages: [{ role: 'user', content: 'Why?' }],
		};
		const answer = await intelligence.post('/v1/chat/completions', { ...body, ...changes });
		expect([answer.status, violations(answer)]).toEqual([422, [violation]]);
	});
});
