import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployParameters, locator, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { at, violations } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';

/** compute-api.md: Extend cluster, Destroy deployment, First hour of usage; beyond-the-spec.md section 1, "Extend" and "Destroy". */
const fixture = useFixture();
const HOUR = 3_600_000;
const BASE = '/enterprise/v1/svc-cloud/vmaas/deployment';

/** A deployment of 3 hours at 9.52 an hour, made by an independent client. */
async function deployed(): Promise<string> {
	const { json } = await fixture.client.post('/deploy', sampleDeploy);
	fixture.sandbox.requests.length = 0;
	return String(at(json, 'deployment_id'));
}
const extend = (deploymentId: unknown, durationHours: unknown, safety: IDataObject = {}) =>
	vmaas('deployment', 'extend', {
		deploymentId: locator(deploymentId),
		durationHours: durationHours as number,
		safety,
	});
const destroy = (deploymentId: unknown, options: IDataObject = {}) =>
	vmaas('deployment', 'destroy', { deploymentId: locator(deploymentId), options });

describe('extend', () => {
	it('[extend.path] [extend.method] POST /enterprise/v1/svc-cloud/vmaas/deployment/{deployment_id}/extend with duration_hours alone', async () => {
		const id = await deployed();
		await fixture.run(extend(id, 5));
		expect(fixture.sent('POST', /./)).toMatchObject([
			{ method: 'POST', path: `${BASE}/${id}/extend`, query: {}, status: 200 },
		]);
		expect(fixture.sent('POST', /./)[0]?.body).toEqual({ duration_hours: 5 });
		expect(fixture.sent('POST', /./)[0]?.headers['x-api-key']).toBe(fixture.sandbox.keys.apiKey);
	});

	it('[extend.adds] the hours are added to what is there, and charged', async () => {
		const id = await deployed();
		const output = onlyJson(await fixture.run(extend(id, 5)));
		expect(output).toMatchObject({
			deployment_id: id,
			added_hours: 5,
			compute_minutes_remaining: 480,
		});
		expect(fixture.sandbox.books.find(id)).toMatchObject({
			hiredHours: 8,
			extensions: [5],
			charged: 76.16,
		});
	});

	it('[extend.duration_hours] integer > 0', async () => {
		const id = await deployed();
		for (const wrong of [0, -1, 1.5, 'ten']) {
			expect(
				errorOf(await fixture.run(extend(id, `={{ ${JSON.stringify(wrong)} }}`))).message,
			).toMatch(/Additional Hours must be a (whole )?number/);
		}
		expect(fixture.sandbox.requests).toHaveLength(0);
		expect(
			violations(await fixture.client.post(`/deployment/${id}/extend`, { duration_hours: 0 })),
		).toEqual(['body.duration_hours: greater_than_equal']);
		expect(
			violations(await fixture.client.post(`/deployment/${id}/extend`, { duration_hours: 1.5 })),
		).toEqual(['body.duration_hours: int_from_float']);
		expect(violations(await fixture.client.post(`/deployment/${id}/extend`, {}))).toEqual([
			'body.duration_hours: missing',
		]);
	});

	it('[extend.no-upper-bound] the bound of 8760 applies to deploy alone', async () => {
		const id = await deployed();
		await fixture.run(extend(id, 8761));
		expect(fixture.sandbox.books.find(id)?.extensions).toEqual([8761]);
	});

	it('[extend.404] an unknown deployment is named, and nothing is sent', async () => {
		expect(errorOf(await fixture.run(extend('made-up', 1)))).toMatchObject({
			message: 'There is no deployment made-up',
			context: { known: { deployment_id: 'made-up' } },
		});
		expect(fixture.sent('POST', /./)).toHaveLength(0);
		expect(
			(await fixture.client.post('/deployment/made-up/extend', { duration_hours: 1 })).status,
		).toBe(404);
	});

	it('[extend.422] the validation error body', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({
			match: { method: 'POST' },
			status: 422,
			body: {
				detail: [{ loc: ['body', 'duration_hours'], msg: 'must be at most 100', type: 'x' }],
			},
		});
		expect(errorOf(await fixture.run(extend(id, 101))).message).toBe(
			'duration_hours: must be at most 100',
		);
	});

	it('[extend.not-idempotent] a second extension adds again', async () => {
		const id = await deployed();
		await fixture.run(extend(id, 1));
		await fixture.run(extend(id, 1));
		expect(fixture.sandbox.books.find(id)?.extensions).toEqual([1, 1]);
	});
});

describe('destroy', () => {
	it('[destroy.path] [destroy.method] DELETE /enterprise/v1/svc-cloud/vmaas/deployment/{deployment_id}, no body', async () => {
		const id = await deployed();
		await fixture.run(destroy(id));
		const sent = fixture.sandbox.requests.filter(({ method }) => method !== 'GET');
		expect(sent).toMatchObject([
			{ method: 'DELETE', path: `${BASE}/${id}`, query: {}, body: undefined, status: 200 },
		]);
		expect(sent[0]?.headers['x-api-key']).toBe(fixture.sandbox.keys.apiKey);
	});

	it('[destroy.output] { deleted: true, deployment_id, already_gone, verified }', async () => {
		const id = await deployed();
		expect(onlyJson(await fixture.run(destroy(id)))).toEqual({
			deleted: true,
			deployment_id: id,
			already_gone: false,
			verified: true,
			status: 'succeeded',
		});
	});

	it('[destroy.empty] an empty 200 is a success', async () => {
		const id = await deployed();
		fixture.sandbox.faults.add({ match: { method: 'DELETE' }, emptyBody: true });
		expect(onlyJson(await fixture.run(destroy(id)))).toEqual({
			deleted: true,
			deployment_id: id,
			already_gone: false,
			verified: true,
		});
	});

	it('[destroy.404] already gone is a success', async () => {
		const id = await deployed();
		await fixture.client.delete(`/deployment/${id}`);
		fixture.sandbox.clock.advance(HOUR);
		expect((await fixture.client.delete(`/deployment/${id}`)).status).toBe(404);
		expect(onlyJson(await fixture.run(destroy(id, { verify: true })))).toEqual({
			deleted: true,
			deployment_id: id,
			already_gone: true,
			verified: true,
		});
	});

	it('[destroy.idempotent] asked again while it goes down, nothing more happens', async () => {
		const id = await deployed();
		await fixture.run(destroy(id));
		const before = fixture.sandbox.books.totals();
		await fixture.run(destroy(id));
		expect(fixture.sandbox.books.totals()).toEqual(before);
	});

	it('[destroy.422] the validation error body', async () => {
		fixture.sandbox.faults.add({
			match: { method: 'DELETE' },
			times: Infinity,
			status: 422,
			body: { detail: [{ loc: ['path', 'deployment_id'], msg: 'must be a UUID', type: 'x' }] },
		});
		expect(errorOf(await fixture.run(destroy('x'))).message).toBe('deployment_id: must be a UUID');
	});
});

describe('the first hour', () => {
	it.each([
		['[first_hour.never] destroyed at once: the first hour is charged all the same', 0, 19.04],
		['[first_hour.within] destroyed after half an hour: the first hour is charged', 0.5, 19.04],
		[
			'[first_hour.edge] destroyed after exactly an hour: nothing but the hour is charged',
			1,
			19.04,
		],
		[
			'[first_hour.after] [destroy.early] destroyed after 1.2 of 3 hours: 1.2 charged, 1.8 refunded',
			1.2,
			17.136,
		],
		['[first_hour.end] destroyed after 2.5 of 3 hours: half an hour refunded', 2.5, 4.76],
	])('%s', async (_, hours, refunded) => {
		const id = await deployed();
		fixture.sandbox.clock.advance(30_000 + hours * HOUR);
		await fixture.run(destroy(id));
		expect(fixture.sandbox.books.totals()).toEqual({ charged: 28.56, refunded });
	});
});

describe('the typical flow', () => {
	it('[flow] hardware list → price → deploy → extend → destroy with deploy_id, num_cards and location of one offer', async () => {
		const [offer] = jsonOf(
			await fixture.run(
				vmaas('hardware', 'getAll', {
					returnAll: true,
					filters: { gpu: 'H200' },
					options: { sort: 'price' },
				}),
			),
		);
		const choice = {
			hardwareId: locator(offer?.deploy_id),
			gpusPerVm: offer?.num_cards as number,
			locationId: locator(offer?.location),
			durationHours: 2,
		};
		const price = onlyJson(
			await fixture.run(vmaas('price', 'get', { ...choice, currency: 'usdc', replicaCount: 1 })),
		);
		const { deployment_id: id } = onlyJson(
			await fixture.run(vmaas('deployment', 'deploy', deployParameters(choice))),
		);
		expect(price.total_cost_usdc).toBe(fixture.sandbox.books.totals().charged);
		await fixture.run(extend(id, 1));
		await fixture.run(destroy(id));
		expect(fixture.sandbox.books.deployments).toMatchObject([
			{
				hiredHours: 3,
				state: 'destroyed',
				order: { hardwareId: offer?.deploy_id, gpusPerWorker: offer?.num_cards },
			},
		]);
	});
});
