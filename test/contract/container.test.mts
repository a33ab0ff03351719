import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, locator } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { at, listAt, violations } from '../sandbox/testing/client.mts';

/** beyond-the-spec.md section 2: `GET …/deployment/{id}/containers-jobs/{container_id}`. */
const fixture = useFixture({ part: 'caas' });
const BASE = '/enterprise/v1/svc-cloud/caas/deployment';

/** A container of a deployment that ran before, as an independent client sees it. */
async function running(): Promise<{
	deploymentId: string;
	containerId: string;
	path: string;
	entry: unknown;
}> {
	const deploymentId = String(
		fixture.sandbox.books.seeded.find(({ order }) => order.name === 'inference-api')?.id,
	);
	const entry = at(
		(await fixture.client.get(`/deployment/${deploymentId}/containers`)).json,
		'data',
		'workers',
		1,
	);
	const containerId = String(at(entry, 'container_id'));
	fixture.sandbox.requests.length = 0;
	return {
		deploymentId,
		containerId,
		path: `/deployment/${deploymentId}/containers-jobs/${containerId}`,
		entry,
	};
}

const getJobs = (
	deploymentId: string,
	containerId: string,
	limits: IDataObject = { returnAll: true },
) =>
	caas('container', 'getJobs', {
		deploymentId: locator(deploymentId),
		containerId: locator(containerId),
		...limits,
	});
const answer = (...workers: IDataObject[]) =>
	fixture.sandbox.faults.add({ status: 200, body: { data: { total: workers.length, workers } } });
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ job: index }));
const pages = () => fixture.sandbox.requests.map(({ query }) => query.page?.[0]);

describe('jobs of a container', () => {
	it('[container.jobs.path] GET …/deployment/{deployment_id}/containers-jobs/{container_id} with the API key', async () => {
		const { deploymentId, containerId } = await running();
		await fixture.run(getJobs(deploymentId, containerId));
		expect(fixture.sandbox.requests[0]).toMatchObject({
			method: 'GET',
			path: `${BASE}/${deploymentId}/containers-jobs/${containerId}`,
			status: 200,
		});
		expect(fixture.sandbox.requests[0]?.headers['x-api-key']).toBe(fixture.sandbox.keys.apiKey);
	});

	it('[container.jobs.page] page from 0, which is the default, page_size up to 100', async () => {
		const { deploymentId, containerId, path } = await running();
		await fixture.run(getJobs(deploymentId, containerId));
		expect(fixture.sandbox.requests[0]?.query).toEqual({ page: ['0'], page_size: ['100'] });
		const first = await fixture.client.get(`${path}?page=0&page_size=100`);
		expect(listAt(first.json, 'data', 'workers')).toHaveLength(1);
		expect((await fixture.client.get(path)).json).toEqual(first.json);
		expect(violations(await fixture.client.get(`${path}?page=-1`))).toEqual([
			'query.page: greater_than_equal',
		]);
		expect(violations(await fixture.client.get(`${path}?page_size=101`))).toEqual([
			'query.page_size: less_than_equal',
		]);
	});

	it('[container.jobs.entry] every field of an entry is passed on, with both IDs', async () => {
		const { deploymentId, containerId, entry } = await running();
		expect(jsonOf(await fixture.run(getJobs(deploymentId, containerId)))).toEqual([
			{ ...Object(entry), deployment_id: deploymentId, container_id: containerId },
		]);
		const job = { anything: { deep: [1, null, ''] }, finished_at: null, minutes: 0 };
		answer(job);
		expect(jsonOf(await fixture.run(getJobs(deploymentId, containerId)))[0]).toEqual({
			...job,
			deployment_id: deploymentId,
			container_id: containerId,
		});
	});

	it('[container.jobs.all] Return All reads page after page, also where the service counts from 1', async () => {
		answer(...numbered(100));
		answer(...numbered(100));
		answer({ job: 100 });
		answer();
		expect(jsonOf(await fixture.run(getJobs('d', 'c'))).map(({ job }) => job)).toEqual(
			numbered(101).map(({ job }) => job),
		);
		expect(pages()).toEqual(['0', '1', '2', '3']);
	});

	it('[container.jobs.entry] two equal jobs are two items; a repeated page adds none', async () => {
		answer({ job: 1 }, { job: 2 }, { job: 1 });
		answer({ job: 1 }, { job: 2 }, { job: 1 });
		answer();
		expect(jsonOf(await fixture.run(getJobs('d', 'c'))).map(({ job }) => job)).toEqual([1, 2, 1]);
	});

	it('[container.jobs.limit] Limit ends the reading', async () => {
		answer(...numbered(100));
		expect(
			jsonOf(await fixture.run(getJobs('d', 'c', { returnAll: false, limit: 7 }))),
		).toHaveLength(7);
		expect(pages()).toEqual(['0']);
	});

	it('[container.jobs.none] a container without jobs: no item', async () => {
		fixture.sandbox.faults.add({
			times: Infinity,
			status: 200,
			body: { data: { total: 0, workers: [] } },
		});
		expect(jsonOf(await fixture.run(getJobs('d', 'c')))).toEqual([]);
	});

	it('[container.jobs.list] an answer without the list is an error, not an empty list', async () => {
		fixture.sandbox.faults.add({ status: 200, body: { data: { total: 0 } } });
		expect(errorOf(await fixture.run(getJobs('d', 'c'))).message).toBe(
			'The response does not contain the expected list',
		);
	});

	it('[container.jobs.404] an unknown container, and one of an unknown deployment', async () => {
		const { deploymentId, containerId } = await running();
		expect(errorOf(await fixture.run(getJobs(deploymentId, 'nobody'))).message).toBe(
			'Not found (404)',
		);
		expect(errorOf(await fixture.run(getJobs('nobody', containerId))).message).toBe(
			'Not found (404): Deployment not found',
		);
	});
});
