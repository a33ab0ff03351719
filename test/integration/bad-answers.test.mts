import type { IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, deployParameters, explorer, locator, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { devices, errorForms, type Fault } from '../sandbox/index.mts';

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

type Row = [what: string, fault: () => Fault, message: string, description: string];

const refusals: Row[] = [
	[
		'401',
		() => errorForms.detailString(401, 'Invalid API key'),
		'The service did not accept the credential (401): Invalid API key',
		'Check the key or token in the credential',
	],
	[
		'402',
		() => errorForms.errorObject(402, 'plan too low'),
		'The plan does not cover this request (402): plan too low',
		'credits',
	],
	[
		'403',
		() => errorForms.detailMessage(403, 'not for you'),
		'The account may not do this (403): not for you',
		'right to use',
	],
	['404 as text', () => errorForms.plainText(404, 'Not found'), 'Not found (404)', 'Check the ID'],
	[
		'404 with words of its own',
		() => errorForms.detailString(404, 'no such offer'),
		'Not found (404): no such offer',
		'service segment',
	],
	[
		'409',
		() => errorForms.messageAndType(409, 'busy'),
		'The service reports a conflict (409): busy',
		'present state',
	],
	['413', () => errorForms.empty(413), 'The request is too large for the service (413)', 'fewer'],
	[
		'418 with a page',
		() => errorForms.html(418, 'Teapot'),
		'The service refused the request (418): an HTML page titled "418 Teapot" instead of JSON',
		'Check the values',
	],
	[
		'422 with a list',
		() => errorForms.detailList(),
		'location_ids: only a single location is supported; gpus_per_vm: must be at most 8',
		'Change the ones that are named',
	],
	[
		'422 with numbers in loc',
		() =>
			errorForms.detailList(422, [
				{ loc: ['query', 'gpu_family', 1], msg: 'must be text', type: 'string_type' },
			]),
		'gpu_family.1: must be text',
		'',
	],
	[
		'422 without a body',
		() => errorForms.empty(422),
		'The service found a field that is not valid (422)',
		'',
	],
	[
		'429 over a minute',
		() => errorForms.tooManyRequests(3_600, 'Hourly limit'),
		'The limit of requests or credits is used up (429): Hourly limit',
		'It opens again in 60 minutes.',
	],
	[
		'a redirect',
		() => ({ status: 302, headers: { location: 'https://login.example/' }, rawBody: '' }),
		'The service redirects to another address (302)',
		'Set the Base URL',
	],
];

const passing: Row[] = [
	[
		'500',
		() => errorForms.plainText(500, 'Internal Server Error'),
		'The service could not answer (500): Internal Server Error',
		'on the side of the service',
	],
	[
		'502 as a page',
		() => errorForms.html(502),
		'The service could not answer (502): an HTML page titled "502 Bad Gateway" instead of JSON',
		'',
	],
	['503 without a body', () => errorForms.empty(503), 'The service could not answer (503)', ''],
	[
		'504 with a detail',
		() => errorForms.detailString(504, 'upstream'),
		'The service could not answer (504): upstream',
		'',
	],
	[
		'a body that is cut',
		() => ({ cutBodyAt: 4 }),
		'The connection broke in the middle of the answer',
		'did not arrive whole',
	],
	[
		'no answer at all',
		() => ({ drop: 'after' }),
		'broke before an answer came',
		'did not arrive whole',
	],
];

const strange: Row[] = [
	[
		'a JSON list',
		() => ({ status: 200, body: ['a', 'b'] }),
		'The answer is not a JSON object: a; b',
		'Check the Base URL',
	],
	['a JSON number', () => ({ status: 200, body: 7 }), 'The answer is not a JSON object: 7', ''],
	[
		'JSON null',
		() => ({ status: 200, rawBody: 'null', contentType: 'application/json' }),
		'The answer is empty where a JSON object was expected',
		'',
	],
	[
		'a page',
		() => ({
			status: 200,
			rawBody: '<!doctype html><title>Log in</title>',
			contentType: 'text/html',
		}),
		'The answer is not a JSON object: an HTML page titled "Log in" instead of JSON',
		'login page',
	],
	[
		'nothing',
		() => ({ status: 200, rawBody: '' }),
		'The answer is empty where a JSON object was expected',
		'',
	],
	[
		'JSON without its end',
		() => ({ status: 200, rawBody: '{"data": {', contentType: 'application/json' }),
		'The answer is not a JSON object: {"data": {',
		'',
	],
];

describe.each([
	['VMaaS', hardware],
	['Explorer', device],
])('%s: answers that are no success', (_, node) => {
	it.each([...refusals, ...strange])(
		'%s: one request, a readable message with the words of the service',
		async (_, fault, message, description) => {
			fixture.sandbox.faults.add({ times: Infinity, ...fault() });
			const run = await fixture.run(node);
			expect(errorOf(run).message).toBe(message);
			expect(errorOf(run).description).toContain(description);
			expect(errorOf(run).context.itemIndex).toBe(0);
			expect(fixture.sandbox.requests).toHaveLength(1);
			expectNoSecret(run);
		},
	);

	it.each(passing)(
		'%s: a read is sent three times, then a readable message',
		async (_, fault, message, description) => {
			// The made-up device answers 404 where the fault only shapes the answer
			fixture.sandbox.faults.add({ times: Infinity, ...fault() });
			const run = await fixture.run(node);
			expect(errorOf(run).message).toContain(message);
			expect(errorOf(run).description).toContain(description);
			expect(fixture.sandbox.requests).toHaveLength(3);
			expect(fixture.time.waits).toHaveLength(2);
			expectNoSecret(run);
		},
	);
});

describe('429 with Retry-After', () => {
	it.each([
		['in seconds', '7', 7_000],
		['as a date', 'Thu, 01 Jan 2026 00:00:09 GMT', 9_000],
	])('%s: waited for, then sent again', async (_, retryAfter, waitMs) => {
		fixture.sandbox.clock.advance(
			Math.max(0, Date.parse('2026-01-01T00:00:00Z') - fixture.sandbox.clock.now()),
		);
		const passed = fixture.sandbox.clock.now() - Date.parse('2026-01-01T00:00:00Z');
		const header = retryAfter.includes('GMT')
			? new Date(Date.parse(retryAfter) + passed).toUTCString()
			: retryAfter;
		fixture.sandbox.faults.add(errorForms.tooManyRequests(header));
		expect(jsonOf(await fixture.run(hardware)).length).toBeGreaterThan(10);
		expect(fixture.time.waits.map((ms) => Math.ceil(ms / 1_000) * 1_000)).toEqual([waitMs]);
		expect(fixture.sandbox.requests).toHaveLength(2);
	});

	it('of exactly 60 seconds is waited for, of 61 is given up at once with the time when it opens', async () => {
		fixture.sandbox.faults.add(errorForms.tooManyRequests(60));
		await fixture.run(hardware);
		expect(fixture.time.waits).toEqual([60_000]);
		fixture.sandbox.faults.add(errorForms.tooManyRequests(61));
		const error = errorOf(await fixture.run(hardware));
		expect(error.description).toContain('It opens again in 61 seconds.');
		expect(fixture.time.waits).toEqual([60_000]);
	});
});

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
	])('an answer that repeats the key %s shows *** instead', async (_, fault) => {
		fixture.sandbox.faults.add({ times: Infinity, ...fault(fixture.sandbox.keys.apiKey) });
		const run = await fixture.run(hardware);
		expect(errorOf(run).message).toContain('***');
		expectNoSecret(run);
	});

	it('an answer with status 200 that repeats the token hands on *** instead', async () => {
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

	it('a service that is not there is named by host, without the key', async () => {
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

describe('a device whose envelope says no', () => {
	it.each([
		[
			'another status',
			{ status: 'failed', message: 'the device is being indexed' },
			'The service reports "failed" for device d-1: the device is being indexed',
		],
		['no status', { data: { device_id: 'd-1' } }, 'The service reports "no status" for device d-1'],
		[
			'no data',
			{ status: 'succeeded', data: null },
			'The service reports "succeeded" for device d-1',
		],
	])('%s is an error with its words', async (_, body, message) => {
		fixture.sandbox.faults.add({ status: 200, body });
		expect(errorOf(await fixture.run(device)).message).toContain(message);
	});
});

describe('a hardware list that is none', () => {
	it.each([[{}], [{ data: {} }], [{ data: { hardware: { id: 1 } } }], [{ data: [] }]])(
		'%j is an error, not "nothing on offer"',
		async (body) => {
			fixture.sandbox.faults.add({ status: 200, body });
			expect(errorOf(await fixture.run(hardware)).message).toBe(
				'The answer does not hold the list that was expected',
			);
		},
	);
});

describe('when the node continues on failure', () => {
	it('a failed read is an item with error and details, paired; the others succeed', async () => {
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
			error: expect.stringContaining('Device ID may only hold'),
			details: { description: null },
		});
		expectNoSecret(run);
	});

	it('a failed destroy names the machine that may still bill', async () => {
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
			error: 'The account may not do this (403): no',
			details: {
				deployment_id: id,
				description: expect.stringContaining('may still run and bill'),
			},
		});
	});
});
