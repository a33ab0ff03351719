import { beforeEach, describe, expect, it } from 'vitest';
import { errorOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { DETAILS, useOrdered } from './ordered.mts';

const ordered = useOrdered();
const { fixture, waitFor } = ordered;
let deploymentId: string;
beforeEach(() => void ({ deploymentId } = ordered));

describe('waitFor, when the deployment cannot be read', () => {
	/** Of details and list alike: one tells where the other fails. */
	const outage = (fault: object, match: object = { path: /vmaas\/deployments?(\/[^/]+)?$/ }) =>
		fixture.sandbox.faults.add({ match, skip: 1, times: Infinity, ...fault });

	it('details that cannot be read: the list tells', async () => {
		outage(errorForms.empty(500), DETAILS);
		expect(onlyJson(await waitFor())).toMatchObject({ reached: true, status: 'running' });
	});

	it('an outage that passes is waited for', async () => {
		outage({ times: 4, ...errorForms.empty(503) });
		expect(onlyJson(await waitFor())).toMatchObject({ reached: true, status: 'running' });
	});

	it('so is one while the SSH address is read', async () => {
		outage({ times: 4, skip: 0, drop: 'before' }, { path: /\/vms$/ });
		expect(onlyJson(await waitFor({ waitUntil: 'ssh' }))).toMatchObject({ reached: true });
	});

	it.each([
		['a 503', errorForms.empty(503), 'Server error (503)'],
		[
			'a 429 that opens again soon',
			errorForms.tooManyRequests(1),
			'Rate limit or quota exceeded (429)',
		],
		['a connection that breaks', { drop: 'before' }, 'was lost before a response arrived'],
	])(
		'%s that does not pass: the timeout names the deployment that bills on',
		async (_, fault, words) => {
			outage(fault);
			const error = errorOf(await waitFor({ waitUntil: 'destroyed', timeout: 60 }));
			expect(error.message).toMatch(new RegExp(`^Deployment ${deploymentId} could not be read: `));
			expect(error.message).toContain(words);
			expect(error.description).toContain('It goes on and bills.');
			expect(error.context.known).toEqual({ deployment_id: deploymentId });
			expect(fixture.time.waits.reduce((sum, ms) => sum + ms)).toBeGreaterThanOrEqual(60_000);
		},
	);

	it.each([
		[0, 'could not be read within 40 seconds'],
		[2, 'was still "deployment requested" after 40 seconds'],
	])('a look does not go on after the timeout (%d looks before)', async (skip, words) => {
		outage({ skip, ...errorForms.tooManyRequests(60) });
		const error = errorOf(await waitFor({ waitUntil: 'destroyed', timeout: 40 }));
		expect(error.message).toBe(`Deployment ${deploymentId} ${words}`);
		expect(fixture.time.waits.filter((ms) => ms === 60_000)).toHaveLength(1);
		// Neither another try nor the list after it
		expect(fixture.sandbox.requests).toHaveLength(skip + 1);
	});

	it('On Timeout = Output: an item with the last state that was read, or unknown', async () => {
		const item = { reached: false, deployment_id: deploymentId };
		outage(errorForms.empty(503));
		expect(
			onlyJson(await waitFor({ timeout: 60, waitUntil: 'destroyed', onTimeout: 'output' })),
		).toMatchObject({ ...item, status: 'deployment requested' });
		expect(onlyJson(await waitFor({ timeout: 60, onTimeout: 'output' }))).toEqual({
			...item,
			status: 'unknown',
			waited_seconds: expect.any(Number),
		});
	});

	it.each([
		['401', errorForms.empty(401)],
		['403', errorForms.empty(403)],
		['422', errorForms.empty(422)],
		['429 that opens again in an hour', errorForms.tooManyRequests(3_600)],
		['web page', { status: 200, rawBody: '<html></html>', contentType: 'text/html' }],
	])('a %s is an error at once, with the ID', async (_, fault) => {
		outage(fault);
		const error = errorOf(await waitFor());
		expect(error.message).toMatch(new RegExp(`^Deployment ${deploymentId} could not be read: `));
		expect(error.context.known).toEqual({ deployment_id: deploymentId });
		expect(fixture.time.waits).toEqual([10_000]);
	});
});
