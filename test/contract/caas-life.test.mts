import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { caas, locator } from '../engine/nodes.mts';
import { errorOf, onlyJson } from '../engine/results.mts';
import { at } from '../sandbox/testing/client.mts';
import { sampleContainerDeploy } from '../sandbox/testing/samples.mts';

/** beyond-the-spec.md section 2: what changes, prolongs and ends containers, and what they serve. */
const fixture = useFixture({ part: 'caas' });
const BASE = '/enterprise/v1/svc-cloud/caas';

const on = (operation: string, deploymentId: unknown, parameters: IDataObject = {}) =>
	caas('deployment', operation, { deploymentId: locator(deploymentId), ...parameters });

/** A deployment of 3 hours that an independent client has made. */
async function deployed(): Promise<string> {
	const { json } = await fixture.client.post('/deploy', sampleContainerDeploy);
	fixture.sandbox.requests.length = 0;
	return String(at(json, 'deployment_id'));
}

describe('update', () => {
	it('[caas.update] PATCH …/caas/deployment/{id}: only what is set, at the top level', async () => {
		const id = await deployed();
		const item = onlyJson(
			await fixture.run(
				on('update', id, {
					updateFields: {
						imageUrl: 'registry.example/web:2',
						trafficPort: 9090,
						environment: { variables: [{ name: 'MODE', value: 'slow' }] },
						command: 'python3 server.py',
					},
				}),
			),
		);
		const [patch] = fixture.sent('PATCH', /./);
		expect(patch).toMatchObject({ path: `${BASE}/deployment/${id}`, query: {}, status: 200 });
		expect(patch?.body).toEqual({
			image_url: 'registry.example/web:2',
			traffic_port: 9090,
			env_variables: { MODE: 'slow' },
			command: 'python3 server.py',
		});
		expect(item).toMatchObject({
			deployment_id: id,
			updated: true,
			updated_fields: ['env_variables', 'image_url', 'traffic_port', 'command'],
		});
		const shown = at((await fixture.client.get(`/deployment/${id}`)).json, 'data');
		expect(shown).toMatchObject({ container_config: { traffic_port: 9090 } });
	});

	it('of nothing is an error before anything is sent', async () => {
		expect(
			errorOf(await fixture.run(on('update', 'some-id', { updateFields: {} }))).message,
		).toMatch(/Update Fields must have one field at least/);
		expect(fixture.sandbox.requests).toEqual([]);
	});
});

describe('extend and destroy', () => {
	it('[caas.extend] POST …/caas/deployment/{id}/extend with duration_hours', async () => {
		const id = await deployed();
		const item = onlyJson(await fixture.run(on('extend', id, { durationHours: 2, safety: {} })));
		expect(fixture.sent('POST', /./)).toMatchObject([
			{ path: `${BASE}/deployment/${id}/extend`, body: { duration_hours: 2 }, status: 200 },
		]);
		expect(item).toMatchObject({ deployment_id: id, added_hours: 2 });
		expect(fixture.sandbox.books.find(id)?.extensions).toEqual([2]);
	});

	it('[caas.extend.limit] a limit is checked with the hardware, size and locations of its details', async () => {
		const id = await deployed();
		const error = errorOf(
			await fixture.run(on('extend', id, { durationHours: 2, safety: { maxPrice: 1 } })),
		);
		expect(error.message).toMatch(/is above the Maximum Price of 1 usdc/);
		expect(fixture.sent('GET', /\/caas\/price$/)).toMatchObject([
			{ query: { hardware_id: ['12'], gpus_per_container: ['8'], location_ids: ['[2]'] } },
		]);
		expect(fixture.sandbox.books.find(id)?.extensions).toEqual([]);
	});

	it('[caas.destroy] DELETE …/caas/deployment/{id}, until the end is seen', async () => {
		const id = await deployed();
		const item = onlyJson(await fixture.run(on('destroy', id, { options: {} })));
		expect(fixture.sent('DELETE', /./)).toMatchObject([
			{ path: `${BASE}/deployment/${id}`, status: 200 },
		]);
		expect(item).toMatchObject({ deleted: true, deployment_id: id, verified: true });
		expect(fixture.sandbox.books.find(id)?.state).toBe('destroyed');
	});

	it('by name, and never the VMs of the same name', async () => {
		const id = await deployed();
		const name = { __rl: true, mode: 'name', value: sampleContainerDeploy.resource_private_name };
		await fixture.run(caas('deployment', 'destroy', { deploymentId: name, options: {} }));
		expect(fixture.sandbox.books.find(id)?.state).toBe('destroyed');
		expect(fixture.sent('DELETE', /vmaas/)).toEqual([]);
	});
});

describe('wait for the public URL', () => {
	it('[caas.public_url] is reached once every container answers', async () => {
		const id = await deployed();
		const item = onlyJson(
			await fixture.run(
				on('waitFor', id, {
					waitUntil: 'reachable',
					healthPath: '/',
					pollInterval: 5,
					timeout: 300,
					onTimeout: 'error',
				}),
			),
		);
		expect(item).toMatchObject({ deployment_id: id, reached: true, status: 'running' });
		expect(item.public_urls).toEqual([item.public_url]);
		const asked = fixture.sent('GET', /\/public\//);
		expect(asked.map(({ status }) => status).at(-1)).toBe(200);
		// Without any credential
		expect(asked.every(({ headers }) => headers['x-api-key'] === undefined)).toBe(true);
	});

	it.each(['/a b', '/../admin', '/x#y', '/é'])('does not take %s for a path', async (path) => {
		const waiting = on('waitFor', 'some-id', { waitUntil: 'reachable', healthPath: path });
		expect(errorOf(await fixture.run(waiting)).message).toMatch(
			/^Health Path must be a path such as \/health/,
		);
		expect(fixture.sandbox.requests).toEqual([]);
	});

	it('says what the URL answers when the time is over', async () => {
		const id = await deployed();
		const error = errorOf(
			await fixture.run(
				on('waitFor', id, {
					waitUntil: 'reachable',
					healthPath: 'health',
					pollInterval: 1,
					timeout: 32,
					onTimeout: 'error',
				}),
			),
		);
		expect(error.message).toMatch(/after 32 seconds: http:\S+\/health answers with 503/);
	});
});
