import type { IDataObject, IRun, NodeApiError } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import {
	caas,
	containerParameters,
	deployParameters,
	locator,
	RETRY,
	vmaas,
} from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { at } from '../sandbox/testing/client.mts';
import { sampleContainerDeploy } from '../sandbox/testing/samples.mts';

/** Containers cost and end as VMs do: the same mechanisms, and nothing of one is taken for the other. */
const fixture = useFixture({ part: 'caas' });
const SECRETS = ['hf_sEcReT_4711', 'registry-pa55word', 'a "quoted" secret\nof two lines'];

const deploy = (changes: IDataObject = {}) =>
	caas('deployment', 'deploy', containerParameters(changes));
const secretly = (changes: IDataObject = {}) =>
	deploy({
		secretEnvironment: { variables: [{ name: 'HF_TOKEN', value: SECRETS[0] }] },
		additionalFields: {
			secretEnvironmentJson: { OTHER: SECRETS[2] },
			registryUsername: 'me',
			registrySecret: SECRETS[1],
		},
		...changes,
	});
const made = () => fixture.sandbox.books.deployments;

async function deployed(): Promise<string> {
	const { json } = await fixture.client.post('/deploy', sampleContainerDeploy);
	fixture.sandbox.requests.length = 0;
	return String(at(json, 'deployment_id'));
}

/** The next update is made, and its answer is lost. */
function loseUpdate(): void {
	fixture.sandbox.faults.add({
		match: { method: 'PATCH' },
		times: 1,
		afterWork: true,
		...errorForms.empty(502),
	});
}

/** What this package gives n8n to show, save or log of a run; the form itself is saved by n8n as it was typed. */
function seen({ data: { resultData, executionData } }: IRun): string {
	const { message, description, context } = (resultData.error ?? {}) as Partial<NodeApiError>;
	const outputs = Object.values(resultData.runData).flatMap((tasks) =>
		tasks.map(({ data }) => data),
	);
	return JSON.stringify([
		outputs,
		message,
		description,
		context,
		executionData?.contextData,
		fixture.log,
	]);
}

function expectNoSecrets(run: IRun): void {
	const text = seen(run);
	for (const secret of SECRETS) expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
}

describe('a lost answer', () => {
	it('is looked up, and nothing is bought twice', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: /\/caas\/deploy$/ },
			times: 1,
			afterWork: true,
			...errorForms.empty(504),
		});
		const item = onlyJson(await fixture.run(deploy()));
		expect(item).toMatchObject({ recovered: true, deployment_id: made()[0]?.id });
		expect(made()).toHaveLength(1);
	});

	it('of an update is looked up in the details', async () => {
		const id = await deployed();
		loseUpdate();
		const update = caas('deployment', 'update', {
			deploymentId: locator(id),
			updateFields: { trafficPort: 9191 },
		});
		expect(onlyJson(await fixture.run(update))).toMatchObject({ updated: true, recovered: true });
		expect(fixture.sent('PATCH', /./)).toHaveLength(1);
	});

	it('of an update that changes secrets alone stays unknown, also for a retry', async () => {
		const id = await deployed();
		loseUpdate();
		const run = await fixture.run(
			caas(
				'deployment',
				'update',
				{
					deploymentId: locator(id),
					updateFields: {
						secretEnvironment: { variables: [{ name: 'HF_TOKEN', value: SECRETS[0] }] },
					},
				},
				RETRY,
			),
		);
		expect(errorOf(run).message).toMatch(/^Update of \S+: outcome unknown/);
		expect(fixture.sent('PATCH', /./)).toHaveLength(1);
		expectNoSecrets(run);
	});
});

describe('a name', () => {
	it('is that of containers or of VMs: neither stops the other, and each ends its own', async () => {
		const vms = onlyJson(
			await fixture.run(
				vmaas('deployment', 'deploy', deployParameters({ resourcePrivateName: 'web' })),
			),
		);
		const containers = onlyJson(await fixture.run(deploy()));
		expect(made().map(({ order }) => order.kind)).toEqual(['vmaas', 'caas']);
		expect(errorOf(await fixture.run(deploy())).message).toMatch(
			new RegExp(`"web" already exists \\(${String(containers.deployment_id)}`),
		);
		const byName = { deploymentId: { __rl: true, mode: 'name', value: 'web' }, options: {} };
		await fixture.run(caas('deployment', 'destroy', byName));
		expect(fixture.sandbox.books.find(String(containers.deployment_id))?.isGone).toBe(true);
		expect(fixture.sandbox.books.find(String(vms.deployment_id))?.isGone).toBe(false);
	});

	it('may be used again: the existing containers are returned', async () => {
		const first = onlyJson(await fixture.run(deploy()));
		const second = onlyJson(await fixture.run(deploy({ safety: { ifNameExists: 'useExisting' } })));
		expect(second).toMatchObject({ existing: true, deployment_id: first.deployment_id });
		expect(
			errorOf(
				await fixture.run(deploy({ safety: { ifNameExists: 'useExisting' }, replicaCount: 2 })),
			).message,
		).toMatch(/has 1 containers, and 2 are ordered/);
		expect(made()).toHaveLength(1);
	});

	it('is the prefix of those that Destroy Many ends', async () => {
		await fixture.run(deploy({ resourcePrivateName: 'batch-1' }));
		await fixture.run(deploy({ resourcePrivateName: 'batch-2' }));
		const run = await fixture.run(
			caas('deployment', 'destroyMany', {
				namePrefix: 'batch-',
				match: 'prefix',
				limit: 10,
				dryRun: false,
				options: {},
			}),
		);
		expect(jsonOf(run)).toMatchObject([{ deleted: true }, { deleted: true }]);
		expect(made().every(({ isGone }) => isGone)).toBe(true);
	});
});

it('a dry run shows what is set, and no key of what is not', async () => {
	const run = await fixture.run(
		caas('deployment', 'deploy', containerParameters({ safety: { dryRun: true } })),
	);
	expect(onlyJson(run).request).toStrictEqual({
		resource_private_name: 'web',
		duration_hours: 2,
		gpus_per_container: 1,
		hardware_id: 7,
		location_ids: [3],
		container_config: { replica_count: 1, traffic_port: 8080 },
		registry_config: { image_url: 'registry.example/web:1' },
	});
});

describe('secrets', () => {
	it('are sent, and are in no output, error, log or saved data', async () => {
		const run = await fixture.run(secretly());
		expect(fixture.sent('POST', /\/deploy$/)[0]?.body).toMatchObject({
			container_config: { secret_env_variables: { HF_TOKEN: SECRETS[0], OTHER: SECRETS[2] } },
			registry_config: { registry_secret: SECRETS[1] },
		});
		expectNoSecrets(run);
	});

	it('are masked in a dry run, with the names of the variables', async () => {
		const run = await fixture.run(secretly({ safety: { dryRun: true } }));
		expect(onlyJson(run).request).toMatchObject({
			container_config: { secret_env_variables: { HF_TOKEN: '***', OTHER: '***' } },
			registry_config: { registry_username: 'me', registry_secret: '***' },
		});
		expectNoSecrets(run);
	});

	it('that the service repeats in an error are masked', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'POST', path: /\/deploy$/ },
			times: 1,
			...errorForms.detailString(422, `cannot use ${SECRETS[0]} with ${SECRETS[1]}`),
		});
		const run = await fixture.run(secretly());
		expect(errorOf(run).message).toContain('cannot use *** with ***');
		expectNoSecrets(run);
	});

	it('that details repeat are masked in every output', async () => {
		fixture.sandbox.adopt({ echoesSecrets: true });
		const id = String(onlyJson(await fixture.run(secretly())).deployment_id);
		const shown = at((await fixture.client.get(`/deployment/${id}`)).json, 'data');
		expect(JSON.stringify(shown)).toContain(SECRETS[0]);
		const parameters = { deploymentId: locator(id) };
		for (const node of [
			caas('deployment', 'get', parameters),
			caas('deployment', 'extend', { ...parameters, durationHours: 1, safety: {} }),
			caas('deployment', 'waitFor', {
				...parameters,
				waitUntil: 'running',
				pollInterval: 5,
				timeout: 60,
				onTimeout: 'error',
			}),
		]) {
			const run = await fixture.run(node);
			expect(onlyJson(run)).toMatchObject({
				container_config: { secret_env_variables: { HF_TOKEN: '***' } },
			});
			expectNoSecrets(run);
		}
	});

	it('that are ordinary words do not hide the state', async () => {
		const run = await fixture.run(
			deploy({
				secretEnvironment: { variables: [{ name: 'STATE', value: 'deployment requested' }] },
				safety: { ifNameExists: 'useExisting' },
			}),
		);
		expect(onlyJson(run).status).not.toBe('***');
		const again = await fixture.run(
			deploy({
				secretEnvironment: { variables: [{ name: 'STATE', value: 'deployment requested' }] },
				safety: { ifNameExists: 'useExisting' },
			}),
		);
		expect(onlyJson(again)).toMatchObject({ existing: true });
		expect(made()).toHaveLength(1);
	});
});
