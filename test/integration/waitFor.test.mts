import { isMainThread } from 'node:worker_threads';
import type { IDataObject } from 'n8n-workflow';
import { beforeEach, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { at } from '../sandbox/testing/client.mts';

const fixture = useFixture({ ssh: true, firstPage: 1, refusesPageBelowFirst: true });
const GET = { method: 'GET', path: /vmaas\/deployment\/[^/]+$/ };
const LIST = { path: '/vmaas/deployments' };
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
	it('returns with the first check after the state is reached', async () => {
		expect(onlyJson(await waitFor())).toMatchObject({
			deployment_id: deploymentId,
			status: 'running',
			reached: true,
			waited_seconds: 30,
		});
		expect(fixture.sandbox.requests).toHaveLength(4);
	});

	it('until every VM has an SSH address', async () => {
		expect(onlyJson(await waitFor({ waitUntil: 'ssh' }))).toMatchObject({ reached: true });
		expect(fixture.sent('GET', /\/vms$/).length).toBeGreaterThan(0);
	});

	it.each([['destroyed'], ['final']])('until %s', async (waitUntil) => {
		await fixture.run(deployment('destroy', { deploymentId, options: { verify: false } }));
		expect(onlyJson(await waitFor({ waitUntil }))).toMatchObject({
			reached: true,
			status: 'destroyed',
			waited_seconds: 20,
		});
	});

	it.each([['running'], ['ssh']])(
		'an error at once where it ends already (%s)',
		async (waitUntil) => {
			await fixture.run(deployment('destroy', { deploymentId, options: { verify: false } }));
			const error = errorOf(await waitFor({ waitUntil }));
			expect(error.message).toMatch(/ and will not become running$/);
			expect(error.description).toBe(
				'Waiting longer would not help. See Deployment > Get and VM > Get Many for what happened.',
			);
			expect(fixture.time.waits).toEqual([]);
		},
	);

	it('an error at once where it has ended, but not by a destroy', async () => {
		fixture.sandbox.fail(deploymentId);
		expect(errorOf(await waitFor({ waitUntil: 'destroyed' })).message).toBe(
			`Deployment ${deploymentId} is "failed" and will not become destroyed`,
		);
	});

	it('an error at once where a final state rules it out', async () => {
		fixture.sandbox.fail(deploymentId);
		const error = errorOf(await waitFor());
		expect(error.message).toBe(
			`Deployment ${deploymentId} is "failed" and will not become running`,
		);
		expect(error.context.known).toMatchObject({ deployment_id: deploymentId, status: 'failed' });
		expect(fixture.time.waits).toEqual([]);
	});

	it.each(['running', 'ssh', 'destroyed', 'final'])(
		'one that was never seen is looked for for two minutes, then an error (%s)',
		async (waitUntil) => {
			const error = errorOf(await waitFor({ deploymentId: 'nope', waitUntil }));
			expect(error.message).toBe('There is no deployment nope');
			expect(error.description).toContain('did not show it for two minutes');
			expect(fixture.time.waits.reduce((sum, ms) => sum + ms, 0)).toBe(120_000);
		},
	);

	it('one that is too young to show is waited for', async () => {
		const nothing = { times: Infinity, status: 404, body: {} };
		fixture.sandbox.faults.add({ match: GET, ...nothing });
		fixture.sandbox.faults.add({
			match: LIST,
			times: Infinity,
			status: 200,
			body: { data: { deployments: [], total: 0 } },
		});
		const shown = fixture.sandbox.clock.now() + 60_000;
		fixture.time.onWait = () => {
			if (fixture.sandbox.clock.now() >= shown) fixture.sandbox.faults.clear();
		};
		expect(onlyJson(await waitFor())).toMatchObject({ reached: true, status: 'running' });
	});

	it('what the service no longer shows is gone a minute later, and only if it was seen', async () => {
		fixture.sandbox.faults.add({ match: GET, skip: 1, times: Infinity, status: 404, body: {} });
		fixture.sandbox.faults.add({
			match: LIST,
			times: Infinity,
			status: 200,
			body: { data: { deployments: [], total: 0 } },
		});
		expect(onlyJson(await waitFor({ waitUntil: 'destroyed' }))).toMatchObject({
			reached: true,
			status: 'unknown to the service',
			waited_seconds: 70,
		});
	});

	it.each(['destroyed', 'final'])(
		'what shows nowhere for half a minute has not ended (%s)',
		async (waitUntil) => {
			const start = fixture.sandbox.clock.now();
			const vanish = () => {
				fixture.sandbox.faults.add({ match: GET, times: Infinity, status: 404, body: {} });
				const body = { data: { deployments: [], total: 0 } };
				fixture.sandbox.faults.add({ match: LIST, times: Infinity, status: 200, body });
			};
			// Twice, with one look in between that sees it
			fixture.time.onWait = () => {
				const seconds = (fixture.sandbox.clock.now() - start) / 1_000;
				fixture.sandbox.faults.clear();
				if ((seconds >= 30 && seconds < 60) || (seconds >= 80 && seconds < 110)) vanish();
			};
			expect(onlyJson(await waitFor({ waitUntil, onTimeout: 'output' }))).toMatchObject({
				reached: false,
				status: 'running',
			});
		},
	);

	it.each([
		['running', 'Running'],
		['destroyed', 'DESTROYED'],
		['final', 'Completed'],
	])('until %s, where the service says "%s"', async (waitUntil, status) => {
		const body = { data: { id: deploymentId, status } };
		fixture.sandbox.faults.add({ match: GET, times: Infinity, status: 200, body });
		expect(onlyJson(await waitFor({ waitUntil }))).toMatchObject({ reached: true, status });
	});

	it('VMs that were replaced or have ended do not count for SSH', async () => {
		fixture.sandbox.clock.advance(60_000);
		const { json } = await fixture.client.get(`/deployment/${deploymentId}/vms`);
		const ssh_access = at(json, 'data', 'workers', 0, 'ssh_access');
		const workers = [
			{ vm_id: 1, status: 'Terminated' },
			{ vm_id: 2, status: 'replaced', ssh_access: null },
			{ vm_id: 3, status: 'running', ssh_access },
		];
		fixture.sandbox.faults.add({
			match: { path: /\/vms$/ },
			times: Infinity,
			status: 200,
			body: { data: { workers } },
		});
		expect(onlyJson(await waitFor({ waitUntil: 'ssh', timeout: 60 }))).toMatchObject({
			reached: true,
			waited_seconds: 0,
		});
	});

	it('by name: the one that has not ended, and ended ones where that is the goal', async () => {
		const named = { deploymentId: { __rl: true, mode: 'name', value: 'job' } };
		expect(onlyJson(await waitFor(named))).toMatchObject({
			reached: true,
			deployment_id: deploymentId,
			resource_private_name: 'job',
		});
		await fixture.run(deployment('destroy', { deploymentId }));
		for (const waitUntil of ['destroyed', 'final'])
			expect(onlyJson(await waitFor({ ...named, waitUntil }))).toMatchObject({
				reached: true,
				status: 'destroyed',
			});
		expect(errorOf(await waitFor(named)).message).toBe(
			'Deployment "job" is "destroyed" and will not become running',
		);
	});

	it('waits 300 seconds at most', async () => {
		const body = { data: { id: deploymentId, status: 'deployment requested' } };
		fixture.sandbox.faults.add({ match: GET, times: Infinity, status: 200, body });
		expect(errorOf(await waitFor({ timeout: 600 })).message).toBe(
			`Deployment ${deploymentId} was still "deployment requested" after 300 seconds. The node waits 300 seconds at most`,
		);
		expect(onlyJson(await waitFor({ timeout: 600, onTimeout: 'output' }))).toMatchObject({
			reached: false,
			waited_seconds: 300,
			hint: 'The timeout is 600 seconds, but the node waits 300 at most.',
		});
	});

	it('timeout: an error with the last state and the ID', async () => {
		const error = errorOf(await waitFor({ timeout: 25 }));
		expect(error.message).toBe(
			`Deployment ${deploymentId} was still "deployment requested" after 25 seconds`,
		);
		expect(fixture.time.waits).toEqual([10_000, 10_000, 5_000]);
	});

	it('timeout with On Timeout = Output: an item with reached: false', async () => {
		expect(onlyJson(await waitFor({ timeout: 0, onTimeout: 'output' }))).toMatchObject({
			reached: false,
			status: 'deployment requested',
			deployment_id: deploymentId,
		});
	});
});

describe('waitFor, when the deployment cannot be read', () => {
	/** Of details and list alike: one tells where the other fails. */
	const outage = (fault: object, match: object = { path: /vmaas\/deployments?(\/[^/]+)?$/ }) =>
		fixture.sandbox.faults.add({ match, skip: 1, times: Infinity, ...fault });

	it('details that cannot be read: the list tells', async () => {
		outage(errorForms.empty(500), GET);
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

describe('getAll deployments', () => {
	// A thread has no time zone of its own
	it.runIf(isMainThread).each(['Asia/Tokyo', 'America/New_York'])(
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

	const HOUR = 3_600_000;
	/** The list has one deployment, and its details say no more. */
	const serve = (entry: IDataObject) => {
		for (const [match, body] of [
			[LIST, { data: { deployments: [{ id: 'd', ...entry }], total: 1 } }],
			[GET, { data: { id: 'd', ...entry } }],
		] as const)
			fixture.sandbox.faults.add({ match, times: Infinity, status: 200, body });
	};
	const ago = (hours: number) => fixture.sandbox.clock.now() - hours * HOUR;

	it.each([
		['seconds', (ms: number) => ms / 1000],
		['seconds as text', (ms: number) => String(ms / 1000)],
		['milliseconds', (ms: number) => ms],
		['milliseconds as text', (ms: number) => String(ms)],
		[
			'ISO with another zone',
			(ms: number) => new Date(ms + 2 * HOUR).toISOString().replace('Z', '+02:00'),
		],
	])('the age is read from %s', async (_, form) => {
		serve({ created_at: form(ago(13)) });
		expect(await list({ olderThanHours: 12 })).toMatchObject([
			{ deployment_id: 'd', age_hours: 13 },
		]);
		expect(await list({ olderThanHours: 14 })).toEqual([]);
	});

	it('the date counts, and not minutes that are summed over GPUs', async () => {
		serve({ created_at: new Date(ago(2)).toISOString(), compute_minutes_served: 8 * 120 });
		expect(await list({ olderThanHours: 12 })).toEqual([]);
	});

	it.each([['22/11/2026 10:00'], [null], [''], [17], ['yesterday']])(
		'an age that cannot be read (%j) is seen, but not taken for an old one',
		async (created) => {
			serve({ created_at: created, compute_minutes_served: 8 * 120, hardware_quantity: 8 });
			const unknown = { id: 'd', deployment_id: null, age_hours: null };
			expect(await list({ olderThanHours: 12 })).toMatchObject([unknown]);
			expect(await list({ olderThanHours: 1.9 })).toMatchObject([
				{ deployment_id: 'd', age_hours: 2 },
			]);
		},
	);

	it.each(['Running', 'RUNNING'])('a state that the service spells "%s"', async (status) => {
		fixture.sandbox.faults.add({
			match: LIST,
			times: 2,
			status: 200,
			body: { data: { deployments: [] } },
		});
		serve({ status });
		expect(await list({ status: 'running' })).toMatchObject([{ deployment_id: 'd', status }]);
	});

	it('whitespace in the name prefix is significant', async () => {
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
});
