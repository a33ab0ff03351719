import type { IRun } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { errorForms, type Fault } from '../sandbox/index.mts';

const fixture = useFixture();

const hardware = vmaas('hardware', 'getAll', { returnAll: true, filters: {}, options: {} });

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
		'Authentication failed (401): Invalid API key',
		'Check the key or token in the credential',
	],
	[
		'402',
		() => errorForms.errorObject(402, 'plan too low'),
		'Payment required (402): plan too low',
		'credits',
	],
	[
		'403',
		() => errorForms.detailMessage(403, 'not for you'),
		'Permission denied (403): not for you',
		'permission for this part',
	],
	['404 as text', () => errorForms.plainText(404, 'Not found'), 'Not found (404)', 'Check the ID'],
	[
		'404 with words of its own',
		() => errorForms.detailString(404, 'no such offer'),
		'Not found (404): no such offer',
		'service segment',
	],
	['409', () => errorForms.messageAndType(409, 'busy'), 'Conflict (409): busy', 'current state'],
	['413', () => errorForms.empty(413), 'Request too large (413)', 'fewer'],
	[
		'418 with a page',
		() => errorForms.html(418, 'Teapot'),
		'Request rejected (418): an HTML page titled "418 Teapot" instead of JSON',
		'Check the values',
	],
	[
		'422 with a list',
		() => errorForms.detailList(),
		'location_ids: only a single location is supported; gpus_per_vm: must be at most 8',
		'Correct the fields that are named',
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
	['422 without a body', () => errorForms.empty(422), 'Validation failed (422)', ''],
	[
		'429 over a minute',
		() => errorForms.tooManyRequests(3_600, 'Hourly limit'),
		'Rate limit or quota exceeded (429): Hourly limit',
		'Retry after 60 minutes.',
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
		'Server error (500): Internal Server Error',
		'on the side of the service',
	],
	[
		'502 as a page',
		() => errorForms.html(502),
		'Server error (502): an HTML page titled "502 Bad Gateway" instead of JSON',
		'',
	],
	['503 without a body', () => errorForms.empty(503), 'Server error (503)', ''],
	[
		'504 with a detail',
		() => errorForms.detailString(504, 'upstream'),
		'Server error (504): upstream',
		'',
	],
	[
		'a body that is cut',
		() => ({ cutBodyAt: 4 }),
		'The connection was lost while reading the response',
		'response is incomplete',
	],
	[
		'no answer at all',
		() => ({ drop: 'after' }),
		'was lost before a response arrived',
		'response is incomplete',
	],
];

const strange: Row[] = [
	[
		'a JSON list',
		() => ({ status: 200, body: ['a', 'b'] }),
		'The response is not a JSON object: a; b',
		'Check the Base URL',
	],
	['a JSON number', () => ({ status: 200, body: 7 }), 'The response is not a JSON object: 7', ''],
	[
		'JSON null',
		() => ({ status: 200, rawBody: 'null', contentType: 'application/json' }),
		'The response is empty; a JSON object was expected',
		'',
	],
	[
		'a page',
		() => ({
			status: 200,
			rawBody: '<!doctype html><title>Log in</title>',
			contentType: 'text/html',
		}),
		'The response is not a JSON object: an HTML page titled "Log in" instead of JSON',
		'login page',
	],
	[
		'nothing',
		() => ({ status: 200, rawBody: '' }),
		'The response is empty; a JSON object was expected',
		'',
	],
	[
		'JSON without its end',
		() => ({ status: 200, rawBody: '{"data": {', contentType: 'application/json' }),
		'The response is not a JSON object: {"data": {',
		'',
	],
];

describe('responses that are no success', () => {
	it.each([...refusals, ...strange])(
		'%s: one request, and an error in the words of the service',
		async (_, fault, message, description) => {
			fixture.sandbox.faults.add({ times: Infinity, ...fault() });
			const run = await fixture.run(hardware);
			expect(errorOf(run).message).toBe(message);
			expect(errorOf(run).description).toContain(description);
			expect(errorOf(run).context.itemIndex).toBe(0);
			expect(fixture.sandbox.requests).toHaveLength(1);
			expectNoSecret(run);
		},
	);

	it.each(passing)(
		'%s: three tries, then an error in the words of the service',
		async (_, fault, message, description) => {
			fixture.sandbox.faults.add({ times: Infinity, ...fault() });
			const run = await fixture.run(hardware);
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
	])('%s: waited for, then tried again', async (_, retryAfter, waitMs) => {
		fixture.sandbox.clock.advance(
			Math.max(0, Date.parse('2026-01-01T00:00:00Z') - fixture.sandbox.clock.now()),
		);
		const passed = fixture.sandbox.clock.now() - Date.parse('2026-01-01T00:00:00Z');
		const header = retryAfter.includes('GMT')
			? new Date(Date.parse(retryAfter) + passed).toUTCString()
			: retryAfter;
		const refusal = errorForms.tooManyRequests(header);
		// A date is of the clock of its answer
		const date = new Date(fixture.sandbox.clock.now()).toUTCString();
		fixture.sandbox.faults.add({ ...refusal, headers: { ...refusal.headers, date } });
		expect(jsonOf(await fixture.run(hardware)).length).toBeGreaterThan(10);
		expect(fixture.time.waits.map((ms) => Math.ceil(ms / 1_000) * 1_000)).toEqual([waitMs]);
		expect(fixture.sandbox.requests).toHaveLength(2);
	});

	it('60 seconds are waited for, 61 are an error at once', async () => {
		fixture.sandbox.faults.add(errorForms.tooManyRequests(60));
		await fixture.run(hardware);
		expect(fixture.time.waits).toEqual([60_000]);
		fixture.sandbox.faults.add(errorForms.tooManyRequests(61));
		const error = errorOf(await fixture.run(hardware));
		expect(error.description).toContain('Retry after 61 seconds.');
		expect(fixture.time.waits).toEqual([60_000]);
	});
});
