import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture({ firstPage: 1, refusesPageBelowFirst: true });
let deploymentId: string;

beforeEach(async () => {
	deploymentId = String(
		onlyJson(await fixture.run(deployment('deploy', deployParameters()))).deployment_id,
	);
	fixture.sandbox.requests.length = 0;
});

const waitFor = async (parameters: IDataObject = {}) =>
	await fixture.run(
		deployment('waitFor', {
			deploymentId,
			waitUntil: 'running',
			pollInterval: 10,
			timeout: 600,
			onTimeout: 'error',
			...parameters,
		}),
	);
const list = async (filters: IDataObject) =>
	jsonOf(await fixture.run(deployment('getAll', { returnAll: true, filters })));

describe('waitFor', () => {
	it('returns within one look after the state is reached', async () => {
		expect(onlyJson(await waitFor())).toMatchObject({
			deployment_id: deploymentId,
			status: 'running',
			reached: true,
			waited_seconds: 30,
		});
		expect(fixture.sandbox.requests).toHaveLength(4);
	});

	it('until every machine has an SSH address', async () => {
		expect(onlyJson(await waitFor({ waitUntil: 'ssh' }))).toMatchObject({ reached: true });
		expect(fixture.sent('GET', /\/vms$/).length).toBeGreaterThan(0);
	});

	it.each([['destroyed'], ['final']])('until %s', async (waitUntil) => {
		await fixture.run(deployment('destroy', { deploymentId }));
		expect(onlyJson(await waitFor({ waitUntil }))).toMatchObject({
			reached: true,
			status: 'destroyed',
			waited_seconds: 20,
		});
	});

	it('ends at once when a final state makes waiting useless', async () => {
		fixture.sandbox.fail(deploymentId);
		const error = errorOf(await waitFor());
		expect(error.message).toBe(
			`Deployment ${deploymentId} is "failed" and will not become running`,
		);
		expect(error.context.known).toMatchObject({ deployment_id: deploymentId, status: 'failed' });
		expect(fixture.time.waits).toEqual([]);
	});

	it('a deployment that the service does not know will not run', async () => {
		expect(errorOf(await waitFor({ deploymentId: 'nope' })).message).toContain(
			'will not become running',
		);
	});

	it('when the time is up: an error with the last state and the id', async () => {
		const error = errorOf(await waitFor({ timeout: 25 }));
		expect(error.message).toBe(
			`Deployment ${deploymentId} was still "deployment requested" after 25 seconds`,
		);
		expect(fixture.time.waits).toEqual([10_000, 10_000, 5_000]);
	});

	it('when the time is up: by choice an item with reached: false', async () => {
		expect(onlyJson(await waitFor({ timeout: 0, onTimeout: 'output' }))).toMatchObject({
			reached: false,
			status: 'deployment requested',
			deployment_id: deploymentId,
		});
	});
});

describe('waitFor, when the deployment cannot be read', () => {
	const GET = { method: 'GET', path: /vmaas\/deployment\/[^/]+$/ };
	const outage = (fault: object, match: object = GET) =>
		fixture.sandbox.faults.add({ match, skip: 1, times: Infinity, ...fault });

	it('an outage that passes is waited for', async () => {
		outage({ times: 4, ...errorForms.empty(503) });
		expect(onlyJson(await waitFor())).toMatchObject({ reached: true, status: 'running' });
	});

	it('also while SSH is looked for', async () => {
		outage({ times: 4, skip: 0, drop: 'before' }, { path: /\/vms$/ });
		expect(onlyJson(await waitFor({ waitUntil: 'ssh' }))).toMatchObject({ reached: true });
	});

	it.each([
		['a 503', errorForms.empty(503), 'The service could not answer (503)'],
		[
			'a 429 that opens again soon',
			errorForms.tooManyRequests(1),
			'The limit of requests or credits is used up (429)',
		],
		['a connection that breaks', { drop: 'before' }, 'broke before an answer came'],
	])(
		'%s that does not pass: when the time is up, the error names the machine that bills on',
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

	it('by choice an item with the last state that was read, or none', async () => {
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
	])('a %s will not pass: at once, with the machine', async (_, fault) => {
		outage(fault);
		const error = errorOf(await waitFor());
		expect(error.message).toMatch(new RegExp(`^Deployment ${deploymentId} could not be read: `));
		expect(error.context.known).toEqual({ deployment_id: deploymentId });
		expect(fixture.time.waits).toEqual([10_000]);
	});
});

describe('getAll deployments', () => {
	it('all pages where the first page is 1 and page 0 is refused; each deployment once', async () => {
		for (let i = 0; i < 12; i++)
			await fixture.run(
				deployment('deploy', deployParameters({ resourcePrivateName: `more-${i}` })),
			);
		const found = await list({ namePrefix: 'more-' });
		expect(new Set(found.map((entry) => entry.deployment_id)).size).toBe(12);
		expect(found[0]).toMatchObject({
			resource_private_name: expect.stringMatching(/^more-/),
			expires_at: expect.any(String),
		});
	});

	it('filters by state', async () => {
		const running = await list({ status: 'running' });
		expect(running.every(({ status }) => status === 'running')).toBe(true);
		expect(
			(await list({ status: 'deployment requested' })).map((entry) => entry.deployment_id),
		).toEqual([deploymentId]);
	});

	it('finds what is older than some hours', async () => {
		expect(await list({ namePrefix: 'job', olderThanHours: 1 })).toEqual([]);
		fixture.sandbox.clock.advance(3_600_000 + 1_000);
		expect(
			(await list({ namePrefix: 'job', olderThanHours: 1 })).map((entry) => entry.deployment_id),
		).toEqual([deploymentId]);
	});

	it.each(['Asia/Tokyo', 'America/New_York'])(
		'a time without a zone is UTC, also where n8n runs in %s',
		async (zone) => {
			const { TZ } = process.env;
			process.env.TZ = zone;
			try {
				expect(new Date(0).getTimezoneOffset()).not.toBe(0);
				const created = new Date(fixture.sandbox.clock.now() - 2 * 3_600_000).toISOString();
				const deployments = [
					created.slice(0, -1),
					created.slice(0, 19).replace('T', ' '),
					created.slice(0, 16),
					created,
				].map((time, id) => ({ id, created_at: time }));
				fixture.sandbox.faults.add({
					match: { path: '/vmaas/deployments' },
					times: Infinity,
					status: 200,
					body: { data: { deployments } },
				});
				expect(await list({ olderThanHours: 1.9 })).toHaveLength(4);
				expect(await list({ olderThanHours: 2.1 })).toEqual([]);
			} finally {
				if (TZ === undefined) delete process.env.TZ;
				else process.env.TZ = TZ;
			}
		},
	);

	it('the name prefix is taken with its blanks', async () => {
		await fixture.run(deployment('deploy', deployParameters({ resourcePrivateName: 'job s' })));
		expect(
			(await list({ namePrefix: 'job ' })).map((entry) => entry.resource_private_name),
		).toEqual(['job s']);
		expect(
			errorOf(
				await fixture.run(deployment('getAll', { returnAll: true, filters: { namePrefix: ' ' } })),
			).message,
		).toContain('Name Prefix must not be empty');
	});

	it.each(['', ' ', '={{ "" }}', '={{ $json.nothing }}'])(
		'an added name prefix that is %j lists nothing: a Destroy may follow',
		async (namePrefix) => {
			const error = errorOf(
				await fixture.run(deployment('getAll', { returnAll: true, filters: { namePrefix } })),
			);
			expect(error.message).toMatch(
				/^Filters: Name Prefix must (not be empty; remove the filter to let everything pass|be a list of texts, got nothing)$/,
			);
			expect(fixture.sandbox.requests).toHaveLength(0);
		},
	);
});
