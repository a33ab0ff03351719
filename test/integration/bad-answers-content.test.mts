import type { IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, deployParameters, explorer, locator, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { devices, errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

const hardware = vmaas('hardware', 'getAll', { returnAll: true, filters: {}, options: {} });
const device = explorer('get', { deviceId: 'd-1', output: 'device' });

/** Nothing that n8n would save or show of a run holds a key of the sandbox. */
function expectNoSecret(run: IRun): void {
	const everything = JSON.stringify(run, (_, value: unknown) =>
		value instanceof Error ? { ...value, message: value.message, stack: value.stack } : value,
	);
	for (const secret of Object.values(fixture.sandbox.keys))
		expect(everything).not.toContain(secret);
	expect(everything.length).toBeGreaterThan(200);
}

describe('secrets', () => {
	it.each([
		['as it is', (key: string) => ({ status: 403, body: { detail: `key ${key} has no credits` } })],
		['in JSON text', (key: string) => ({ status: 500, rawBody: `{"detail": "${key}` })],
		[
			'in a page title',
			(key: string) => ({
				status: 502,
				contentType: 'text/html',
				rawBody: `<html><title>${key}</title>`,
			}),
		],
		[
			'URL-encoded',
			(key: string) => ({ status: 400, body: { detail: `bad ${encodeURIComponent(key)}` } }),
		],
	])('an error that repeats the key %s is redacted', async (_, fault) => {
		fixture.sandbox.faults.add({ times: Infinity, ...fault(fixture.sandbox.keys.apiKey) });
		const run = await fixture.run(hardware);
		expect(errorOf(run).message).toContain('***');
		expectNoSecret(run);
	});

	it('an output that repeats the token is redacted', async () => {
		fixture.sandbox.faults.add({
			status: 200,
			body: {
				status: 'succeeded',
				data: { device_id: 'd-1', echo: `Bearer ${fixture.sandbox.keys.accessToken}` },
			},
		});
		const run = await fixture.run(device);
		expect(jsonOf(run)).toEqual([{ device_id: 'd-1', echo: 'Bearer ***' }]);
		expectNoSecret(run);
	});

	it('a service that cannot be reached is named by its host', async () => {
		await fixture.sandbox.refuseNext();
		const run = await fixture.run(hardware);
		await fixture.sandbox.listenAgain();
		expect(errorOf(run).message).toBe(
			`The service at ${new URL(fixture.sandbox.url).host} cannot be reached (ECONNREFUSED)`,
		);
		expect(errorOf(run).description).toContain('Nothing was sent.');
		expectNoSecret(run);
	});
});

describe('a device response without success', () => {
	it.each([
		[
			'another status',
			{ status: 'failed', data: null, message: 'the device is being indexed' },
			'The service reports "failed" for device d-1: the device is being indexed',
		],
		[
			'a status without its data',
			{ status: 'failed', message: 'the device is being indexed' },
			'The service answered 200, but says no: the device is being indexed',
		],
		['no status and no data', {}, 'The service reports "no status" for device d-1'],
		[
			'no status and an error',
			{ data: {}, error: 'not indexed' },
			'The service reports "no status" for device d-1: not indexed',
		],
		[
			'no data',
			{ status: 'succeeded', data: null },
			'The service reports "succeeded" for device d-1',
		],
	])('%s is an error', async (_, body, message) => {
		fixture.sandbox.faults.add({ status: 200, body });
		expect(errorOf(await fixture.run(device)).message).toContain(message);
	});

	it.each([undefined, null, 'Succeeded', 'SUCCEEDED'])(
		'status %j with the device is none',
		async (status) => {
			fixture.sandbox.faults.add({ status: 200, body: { status, data: { device_id: 'd-1' } } });
			expect(jsonOf(await fixture.run(device))).toEqual([{ device_id: 'd-1' }]);
		},
	);
});

describe('a hardware list of another shape', () => {
	it.each([[{}], [{ data: {} }], [{ data: { hardware: { id: 1 } } }], [{ data: [] }]])(
		'%j is an error, not "nothing on offer"',
		async (body) => {
			fixture.sandbox.faults.add({ status: 200, body });
			expect(errorOf(await fixture.run(hardware)).message).toBe(
				'The response does not contain the expected list',
			);
		},
	);
});

describe('On Error = Continue', () => {
	it('a failed read is an item with error and details; the others succeed', async () => {
		const ids = [devices[0], devices[1], devices[2]].map((one) => ({ id: one?.device_id }));
		const node = explorer('get', { deviceId: '={{ $json.id }}', output: 'device' }, CONTINUE);
		const run = await fixture.run(node, [
			ids[0] ?? {},
			{ id: 'made-up' },
			ids[1] ?? {},
			{ id: 'a/b' },
			ids[2] ?? {},
		]);
		const output = outputOf(run);
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 1, 2, 3, 4].map((item) => ({ item })),
		);
		expect(output.filter((_, index) => index % 2 === 0).map(({ json }) => json.device_id)).toEqual(
			ids.map(({ id }) => id),
		);
		expect(output[1]?.json).toEqual({
			error: 'Not found (404)',
			details: { description: expect.stringContaining('Check the ID') },
		});
		expect(output[3]?.json).toEqual({
			error: expect.stringContaining('Device ID must contain only'),
			details: { description: null },
		});
		expectNoSecret(run);
	});

	it('a failed destroy names the deployment that may still bill', async () => {
		await fixture.run(vmaas('deployment', 'deploy', deployParameters()));
		const id = fixture.sandbox.books.deployments[0]?.id;
		fixture.sandbox.faults.add({
			match: { method: 'DELETE' },
			...errorForms.detailString(403, 'no'),
		});
		const [output] = jsonOf(
			await fixture.run(
				vmaas('deployment', 'destroy', { deploymentId: locator(id), options: {} }, CONTINUE),
			),
		);
		expect(output).toEqual({
			error: 'Permission denied (403): no',
			details: {
				deployment_id: id,
				description: expect.stringContaining('may still run and bill'),
			},
		});
	});
});
