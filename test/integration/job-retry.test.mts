import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jobParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, jobNode, useJobs } from './jobFixture.mts';

const jobs = useJobs();

/** No VM shows an address, so that every try fails after its purchase. */
const noSsh = () =>
	jobs.sandbox.faults.add({
		match: { path: /\/vms$/ },
		times: Infinity,
		status: 200,
		body: { data: { workers: [] } },
	});

beforeEach(noSsh);
afterEach(() => {
	jobs.sandbox.onRequest = undefined;
});

/** The error of a job that is tried once, and once more by Retry On Fail. */
const twice = async () =>
	errorOf(
		await jobs.run(
			jobNode('start', jobParameters({ options: { waitTimeout: 60 } }), { ...RETRY, maxTries: 2 }),
		),
	);

/** The deploy is done, and does not show in the list for so many milliseconds. */
function hideDeploy(forMs: number): void {
	const { sandbox } = jobs;
	const { faults, clock } = sandbox;
	let shows: number | undefined;
	sandbox.onRequest = ({ method, path }) => {
		if (method === 'POST' && path.endsWith('/deploy') && shows === undefined) {
			shows = clock.now() + forMs;
			const body = { data: { deployments: [], total: 0 } };
			const match = { method: 'GET', path: /\/deployments$/ };
			faults.addFirst({ match, times: Infinity, status: 200, body });
		}
		if (shows === undefined || clock.now() < shows) return;
		faults.clear();
		noSsh();
	};
}

const DESTROY = { method: 'DELETE', path: /./ };
const DEPLOY = { method: 'POST', path: /\/deploy$/ };

describe('a retry of a job', () => {
	it('buys nothing while what an earlier try has bought cannot be destroyed', async () => {
		jobs.sandbox.faults.add({ match: DESTROY, times: Infinity, status: 500 });
		const { message, description, context } = await twice();
		const [deployment] = jobs.bought;
		expect(message).toContain('An earlier try of this job may have left its deployment');
		expect(message).toContain(`Deployment ${deployment?.id}`);
		expect(description).toContain('may still run and bill');
		expect(context.known).toMatchObject({ deployment_id: deployment?.id, destroyed: null });
		expect(jobs.states).toEqual(['running']);
	});

	it('buys another VM after what an earlier try has bought is destroyed', async () => {
		// As long as the first try asks for it, or a little longer
		jobs.sandbox.faults.add({ match: DESTROY, times: 200, status: 500 });
		expect((await twice()).message).toContain('did not answer over SSH');
		expect(jobs.states).toEqual(['destroyed', 'destroyed']);
	});

	it('goes on with a deploy whose answer was lost, once it shows', async () => {
		jobs.sandbox.faults.add({ match: DEPLOY, drop: 'after' });
		// The first try looks for it for six minutes
		hideDeploy(400_000);
		expect((await twice()).message).toContain('did not answer over SSH');
		expect(jobs.states).toEqual(['destroyed']);
	});

	it('destroys a deploy that was confirmed without an ID, once it shows, and does not use it', async () => {
		jobs.sandbox.faults.add({ match: DEPLOY, status: 200, body: {}, afterWork: true });
		// The first try looks for it for two minutes, and for six more to destroy it
		hideDeploy(520_000);
		// The name is free for the second try, which ends as the first
		expect((await twice()).message).toContain('did not answer over SSH');
		const [first] = jobs.bought;
		expect(jobs.states).toEqual(['destroyed', 'destroyed']);
		expect(jobs.sandbox.requests.some(({ path }) => path.includes(`${first?.id}/vms`))).toBe(false);
	});
});
