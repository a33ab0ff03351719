import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, locator, RETRY, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { startFixture } from '../engine/start.mts';
import { at, cloud, listAt, violations } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

/** beyond-the-spec.md section 1: answers of a deploy, a lost deploy, details, machines, final states, filters with several values. */
const fixture = useFixture();
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

const deploy = (changes: IDataObject = {}, settings = {}) =>
	vmaas('deployment', 'deploy', deployParameters(changes), settings);
const deploys = () => fixture.sent('POST', /\/vmaas\/deploy$/);
async function deployed(): Promise<string> {
	return String(at((await fixture.client.post('/deploy', sampleDeploy)).json, 'deployment_id'));
}

describe('deploy', () => {
	it.each(['flat', 'data', 'empty'] as const)(
		'[deploy.answer.%s] is a success with the ID',
		async (deployAnswer) => {
			const { sandbox, engine } = await startFixture({ deployAnswer });
			const direct = cloud(sandbox, 'vmaas');
			try {
				const { status, text, json } = await direct.post('/deploy', sampleDeploy);
				expect([status, text === '']).toEqual([200, deployAnswer === 'empty']);
				expect(
					typeof at(json, ...(deployAnswer === 'data' ? ['data', 'id'] : ['deployment_id'])),
				).toBe(deployAnswer === 'empty' ? 'undefined' : 'string');
				const output = onlyJson(await engine.run(deploy({ resourcePrivateName: 'other' })));
				expect(output.deployment_id).toBe(sandbox.books.byName('other')[0]?.id);
			} finally {
				await direct.close();
				await sandbox.close();
			}
		},
	);

	it('[deploy.once] a lost answer: no second request, whatever the retries of the node', async () => {
		fixture.sandbox.faults.add({ match: { method: 'POST' }, drop: 'after' });
		// Both pages that tell, twice, that the name is free, and then nothing can be looked up
		fixture.sandbox.faults.add({
			match: { method: 'GET', path: '/deployments' },
			skip: 4,
			status: 500,
			times: Infinity,
		});
		const error = errorOf(await fixture.run(deploy({ gpusPerVm: 1 }, RETRY)));
		expect(error.message).toContain('outcome unknown');
		expect(error.context.known).toMatchObject({ resource_private_name: 'job' });
		expect(deploys()).toHaveLength(1);
		expect(fixture.sandbox.books.byName('job')).toHaveLength(1);
	});

	it('[deploy.lookup] the deployment of a lost answer is found by its name', async () => {
		fixture.sandbox.faults.add({ match: { method: 'POST' }, drop: 'after' });
		const output = onlyJson(await fixture.run(deploy()));
		expect(output).toMatchObject({
			deployment_id: fixture.sandbox.books.byName('job')[0]?.id,
			resource_private_name: 'job',
		});
		expect(deploys()).toHaveLength(1);
		expect(fixture.sent('GET', /\/deployments$/).length).toBeGreaterThan(0);
	});

	it('[deploy.gpus_per_vm.type] integer', async () => {
		onlyJson(await fixture.run(deploy({ gpusPerVm: '={{ "1" }}' })));
		expect(at(deploys()[0]?.body, 'gpus_per_vm')).toBe(1);
		expect(
			violations(await fixture.client.post('/deploy', { ...sampleDeploy, gpus_per_vm: '1' })),
		).toEqual(['body.gpus_per_vm: int_type']);
		expect(errorOf(await fixture.run(deploy({ gpusPerVm: 1.5 }))).message).toContain(
			'GPUs per VM must be a whole number from 0 to 8, got 1.5',
		);
	});
});

describe('details and VMs', () => {
	it('[deployment.dates] ISO 8601; started_at and finished_at are null until then', async () => {
		const id = await deployed();
		const details = async () =>
			onlyJson(await fixture.run(vmaas('deployment', 'get', { deploymentId: locator(id) })));
		expect(await details()).toMatchObject({
			created_at: expect.stringMatching(ISO),
			started_at: null,
			finished_at: null,
		});
		fixture.sandbox.clock.advance(30_000);
		expect(await details()).toMatchObject({
			started_at: expect.stringMatching(ISO),
			finished_at: null,
		});
	});

	it('[vms.fields] id, hardware, state, events, network services, ssh_access, as sent and split', async () => {
		const network = { web: { port: 443, protocol: 'tcp', whitelist: ['10.0.0.0/8'] } };
		const { json } = await fixture.client.post('/deploy', {
			...sampleDeploy,
			network_services: network,
		});
		const id = String(at(json, 'deployment_id'));
		fixture.sandbox.clock.advance(30_000);
		const [vm] = jsonOf(
			await fixture.run(vmaas('vm', 'getAll', { deploymentId: locator(id), returnAll: true })),
		);
		expect(vm).toEqual({
			...(listAt(
				(await fixture.client.get(`/deployment/${id}/vms`)).json,
				'data',
				'workers',
			)[0] as object),
			ssh_user: 'ubuntu',
			ssh_host: expect.stringMatching(/^203\.0\.113\.\d+$/),
			ssh_port: 22,
			deployment_id: id,
		});
		expect(Object.keys(vm ?? {})).toEqual(
			expect.arrayContaining([
				'device_id',
				'vm_id',
				'hardware',
				'brand_name',
				'created_at',
				'uptime_percent',
				'gpus_per_vm',
				'status',
				'vm_events',
				'network_services',
				'ssh_access',
				'is_external',
			]),
		);
		expect(at(vm, 'network_services', 'web')).toMatchObject({
			...network.web,
			public_port: expect.any(Number),
			public_ip: expect.any(String),
			srv_record: expect.any(String),
		});
	});

	it('[vms.events.null] no events may be null', async () => {
		fixture.sandbox.faults.add({
			status: 200,
			body: { data: { total: 1, workers: [{ vm_id: 'v', vm_events: null }] } },
			times: Infinity,
		});
		expect(
			jsonOf(
				await fixture.run(vmaas('vm', 'getAll', { deploymentId: locator('d'), returnAll: true })),
			),
		).toEqual([{ vm_id: 'v', vm_events: null, deployment_id: 'd' }]);
	});

	it.each([
		['completed', true],
		['failed', true],
		['destroyed', true],
		['termination requested', false],
		['hibernating', false],
	])('[deployment.status.final] %s is final: %s', async (status, isFinal) => {
		fixture.sandbox.faults.add({
			status: 200,
			body: { data: { id: 'd', status } },
			times: Infinity,
		});
		const node = vmaas('deployment', 'waitFor', {
			deploymentId: locator('d'),
			waitUntil: 'final',
			pollInterval: 1,
			timeout: 2,
			onTimeout: 'output',
		});
		expect(onlyJson(await fixture.run(node)).reached).toBe(isFinal);
	});
});

describe('hardware list', () => {
	it('[hardware.filter.several] several regions and models: a key for each, and one match is enough', async () => {
		const filters = { regions: ['us-east-1', 'FI'], gpuFamily: ['H100 SXM5', 'L4'] };
		const both = async (given: IDataObject) =>
			jsonOf(
				await fixture.run(
					vmaas('hardware', 'getAll', { returnAll: true, filters: given, options: {} }),
				),
			);
		const found = await both({ regions: filters.regions });
		expect(fixture.sandbox.requests[0]?.query).toEqual({ regions: ['us-east-1', 'FI'] });
		expect(new Set(found.map(({ location }) => location))).toEqual(new Set(['us-east-1', 'FI']));
		expect((await both({ gpuFamily: filters.gpuFamily })).length).toBeGreaterThan(0);
		expect(fixture.sandbox.requests[1]?.query).toEqual({ gpu_family: ['H100 SXM5', 'L4'] });
	});
});
