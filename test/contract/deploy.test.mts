import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, SSH_KEY, vmaas } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { violations } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

/** compute-api.md: Deploy VMs, Limits; beyond-the-spec.md section 1, "Deploy". */
const fixture = useFixture();
const PATH = '/enterprise/v1/svc-cloud/vmaas/deploy';

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

describe('deploy: the endpoint', () => {
	it('[deploy.path] POST /enterprise/v1/svc-cloud/vmaas/deploy, no query', async () => {
		await deploy();
		expect(sent()).toMatchObject([{ method: 'POST', path: PATH, query: {}, status: 200 }]);
		expect(
			(await fixture.client.call('/deploy', { method: 'PUT', body: sampleDeploy })).status,
		).toBe(404);
	});

	it('[deploy.headers] Content-Type: application/json and x-api-key, each once; no Authorization', async () => {
		await deploy();
		const { headers } = sent()[0] ?? {};
		expect(headers?.['content-type']).toMatch(/^application\/json(;|$)/);
		expect(headers?.['x-api-key']).toBe(fixture.sandbox.keys.apiKey);
		expect(headers).not.toHaveProperty('authorization');
		expect(
			(
				await fixture.client.call('/deploy', {
					method: 'POST',
					body: sampleDeploy,
					headers: { 'x-api-key': 'wrong' },
				})
			).status,
		).toBe(401);
		expect(
			(
				await fixture.client.call('/deploy', {
					method: 'POST',
					raw: JSON.stringify(sampleDeploy),
					headers: { 'content-type': 'text/plain' },
				})
			).status,
		).toBe(422);
	});

	it('[deploy.body] [deploy.optional] exactly the keys that are set, in their JSON types', async () => {
		expect(await bodyOf()).toEqual({
			resource_private_name: 'job',
			duration_hours: 2,
			gpus_per_vm: 1,
			hardware_id: 7,
			location_ids: ['us-west-2'],
			ssh_keys: { laptop: SSH_KEY },
		});
	});

	it('[deploy.body.all] every optional field', async () => {
		const additionalFields = {
			githubIds: ['octocat', '583231'],
			networkServices: {
				services: [
					{
						name: 'web',
						port: 443,
						protocol: 'tcp',
						whitelist: ['203.0.113.0/24', '2001:db8::/32'],
					},
					{ name: 'dns', port: 53, protocol: 'udp', whitelist: ['0.0.0.0/0'] },
				],
			},
			vmImageType: 'datascience',
			vmsQty: 2,
		};
		expect(await bodyOf({ additionalFields })).toEqual({
			resource_private_name: 'job',
			duration_hours: 2,
			gpus_per_vm: 1,
			hardware_id: 7,
			location_ids: ['us-west-2'],
			ssh_keys: { laptop: SSH_KEY },
			github_ids: ['octocat', '583231'],
			network_services: {
				web: { port: 443, protocol: 'tcp', whitelist: ['203.0.113.0/24', '2001:db8::/32'] },
				dns: { port: 53, protocol: 'udp', whitelist: ['0.0.0.0/0'] },
			},
			vm_image_type: 'datascience',
			vms_qty: 2,
		});
		expect(fixture.sandbox.books.deployments[0]?.order.workers).toBe(2);
	});

	it('[deploy.body.unknown] an unknown key is a 422', async () => {
		expect(await refusal({ colour: 'red' })).toEqual(['body.colour: extra_forbidden']);
	});

	it('[deploy.422] the validation error body: every entry is read, each with its field', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST' },
			status: 422,
			body: {
				detail: [
					{ loc: ['body', 'ssh_keys', 'laptop'], msg: 'bad key', type: 'value_error' },
					{ loc: ['body'], msg: 'no credits', type: 'value_error' },
					{ loc: ['body', 'location_ids', 0], msg: 'gone', type: 'x' },
				],
			},
		});
		expect(errorOf(await deploy()).message).toBe(
			'ssh_keys.laptop: bad key; body: no credits; location_ids.0: gone',
		);
	});

	it('[deploy.200] any JSON, possibly empty: the item has id and name', async () => {
		const output = onlyJson(await deploy());
		expect(output).toMatchObject({
			deployment_id: fixture.sandbox.books.deployments[0]?.id,
			resource_private_name: 'job',
			expires_at: expect.any(String),
		});
	});
});
