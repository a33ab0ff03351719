import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { locator, vmaas } from '../engine/nodes.mts';
import { jsonOf, onlyJson } from '../engine/results.mts';
import { at, violations } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

/** beyond-the-spec.md section 1: deployments and VMs. */
const fixture = useFixture();
const HOUR = 3_600_000;
const BASE = '/enterprise/v1/svc-cloud/vmaas/deployment';

/** A deployment of 3 hours at 9.52 an hour, made by an independent client. */
async function deployed(): Promise<string> {
	const { json } = await fixture.client.post('/deploy', sampleDeploy);
	fixture.sandbox.requests.length = 0;
	return String(at(json, 'deployment_id'));
}
const destroy = (deploymentId: unknown, options: IDataObject = {}) =>
	vmaas('deployment', 'destroy', { deploymentId: locator(deploymentId), options });

describe('deployments and VMs (beyond-the-spec.md section 1)', () => {
	const get = (deploymentId: string) =>
		vmaas('deployment', 'get', { deploymentId: locator(deploymentId) });
	const getAll = (filters: IDataObject = {}) =>
		vmaas('deployment', 'getAll', { returnAll: true, filters });

	it('[deployment.get] GET …/deployment/{deployment_id}: every field of the details, as sent', async () => {
		const id = await deployed();
		const output = onlyJson(await fixture.run(get(id)));
		expect(fixture.sandbox.requests).toMatchObject([
			{ method: 'GET', path: `${BASE}/${id}`, query: {} },
		]);
		const details = at((await fixture.client.get(`/deployment/${id}`)).json, 'data') as IDataObject;
		expect(output).toMatchObject(details);
		expect(Object.keys(details).sort()).toEqual([
			'amount_paid',
			'brand_name',
			'completed_percent',
			'compute_minutes_remaining',
			'compute_minutes_served',
			'created_at',
			'finished_at',
			'github_ids',
			'gpus_per_vm',
			'hardware_id',
			'hardware_name',
			'id',
			'locations',
			'ssh_keys',
			'started_at',
			'status',
			'total_gpus',
			'total_vms',
		]);
	});

	it('[deployment.status] [deployment.status.open] deployment requested, running, completed, failed, termination requested, destroyed, and whatever comes', async () => {
		const id = await deployed();
		const status = async () => onlyJson(await fixture.run(get(id))).status;
		expect(await status()).toBe('deployment requested');
		fixture.sandbox.clock.advance(30_000);
		expect(await status()).toBe('running');
		await fixture.run(destroy(id, { verify: false }));
		expect(await status()).toBe('termination requested');
		fixture.sandbox.clock.advance(20_000);
		expect(await status()).toBe('destroyed');
		fixture.sandbox.faults.add({ status: 200, body: { data: { id, status: 'hibernating' } } });
		expect(await status()).toBe('hibernating');
	});

	it.each([
		[0, false],
		[1, false],
		[1, true],
	] as const)(
		'[deployments.page] [deployments.page_size] [deployments.path] all pages, when the first page is %d (page 0 refused: %s)',
		async (firstPage, refusesPageBelowFirst) => {
			for (let made = 0; made < 3; made++) await deployed();
			const entries = Array.from({ length: 250 }, (_, index) => ({
				id: `d-${index}`,
				status: 'running',
				name: `n-${index}`,
			}));
			const page = (number: number) => ({
				status: 200,
				body: {
					data: {
						deployments: entries.slice(number * 100, number * 100 + 100),
						total: 250,
						statuses: [],
					},
				},
			});
			if (firstPage === 1)
				fixture.sandbox.faults.add(
					refusesPageBelowFirst ? { status: 422, body: { detail: [] } } : page(0),
				);
			for (const number of [0, 1, 2, 3]) fixture.sandbox.faults.add(page(number));
			expect(jsonOf(await fixture.run(getAll())).map(({ id }) => id)).toEqual(
				entries.map(({ id }) => id),
			);
			expect(fixture.sandbox.requests.map(({ query }) => query.page?.[0])).toEqual(
				firstPage === 1 ? ['0', '1', '2', '3', '4'] : ['0', '1', '2', '3'],
			);
			expect(
				fixture.sandbox.requests.every(
					({ query, path }) =>
						query.page_size?.[0] === '100' && path === '/enterprise/v1/svc-cloud/vmaas/deployments',
				),
			).toBe(true);
		},
	);

	it('[deployments.status] query status, sent where it is set, and applied where the service ignores it', async () => {
		await deployed();
		await fixture.run(getAll({ status: 'termination requested' }));
		expect(fixture.sandbox.requests[0]?.query.status).toEqual(['termination requested']);
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				data: {
					deployments: [
						{ id: 'a', status: 'running' },
						{ id: 'b', status: 'failed' },
					],
				},
			},
		});
		expect(jsonOf(await fixture.run(getAll({ status: 'failed' })))).toEqual([
			{ id: 'b', status: 'failed', deployment_id: 'b' },
		]);
	});

	it.each(['name', 'resource_private_name'])(
		'[deployments.name] the name may be called %s',
		async (key) => {
			fixture.sandbox.faults.add({
				status: 200,
				body: {
					data: {
						deployments: [
							{ id: 'a', [key]: 'night-1' },
							{ id: 'b', [key]: 'day-1' },
						],
					},
				},
			});
			expect(jsonOf(await fixture.run(getAll({ namePrefix: 'night-' })))).toMatchObject([
				{ deployment_id: 'a', resource_private_name: 'night-1' },
			]);
		},
	);

	it('[deployments.older] older than N hours: by the minutes served, else by the details', async () => {
		const id = await deployed();
		fixture.sandbox.clock.advance(2 * HOUR);
		expect(jsonOf(await fixture.run(getAll({ olderThanHours: 1.5 })))).toMatchObject([
			{ deployment_id: id },
		]);
		expect(jsonOf(await fixture.run(getAll({ olderThanHours: 2.5 })))).toEqual([]);
	});

	it('[vms.get] [vms.ssh_access] GET …/deployment/{id}/vms, page from 1, page_size up to 100', async () => {
		const id = await deployed();
		fixture.sandbox.clock.advance(30_000);
		const [vm] = jsonOf(
			await fixture.run(vmaas('vm', 'getAll', { deploymentId: locator(id), returnAll: true })),
		);
		expect(fixture.sandbox.requests[0]).toMatchObject({
			method: 'GET',
			path: `${BASE}/${id}/vms`,
			query: { page: ['1'], page_size: ['100'] },
		});
		expect(vm).toMatchObject({
			deployment_id: id,
			status: 'running',
			ssh_access: expect.stringMatching(/^\w+@\d/),
			vm_events: [{ message: 'deployment requested' }, { message: 'running' }],
		});
		expect(violations(await fixture.client.get(`/deployment/${id}/vms?page=0`))).toEqual([
			'query.page: greater_than_equal',
		]);
		expect(violations(await fixture.client.get(`/deployment/${id}/vms?page_size=101`))).toEqual([
			'query.page_size: less_than_equal',
		]);
	});

	it('[vms.jobs] GET …/deployment/{id}/vms-jobs/{vm_id}', async () => {
		const id = await deployed();
		const [vm] = jsonOf(
			await fixture.run(vmaas('vm', 'getAll', { deploymentId: locator(id), returnAll: true })),
		);
		fixture.sandbox.requests.length = 0;
		const jobs = jsonOf(
			await fixture.run(
				vmaas('vm', 'getJobs', { deploymentId: locator(id), vmId: vm?.vm_id, returnAll: true }),
			),
		);
		expect(fixture.sandbox.requests[0]).toMatchObject({
			path: `${BASE}/${id}/vms-jobs/${String(vm?.vm_id)}`,
			query: { page: ['1'], page_size: ['100'] },
		});
		expect(jobs).toMatchObject([{ deployment_id: id, vm_id: vm?.vm_id }]);
	});

	it('[vms.limit] Limit ends the reading', async () => {
		const workers = Array.from({ length: 100 }, (_, index) => ({ vm_id: `v-${index}` }));
		fixture.sandbox.faults.add({ status: 200, body: { data: { total: 300, workers } } });
		expect(
			jsonOf(
				await fixture.run(
					vmaas('vm', 'getAll', { deploymentId: locator('d'), returnAll: false, limit: 7 }),
				),
			),
		).toHaveLength(7);
		expect(fixture.sandbox.requests).toHaveLength(1);
	});
});
