import { expect, test } from 'vitest';
import { outputOf } from '../../engine/engine.mts';
import { CONTINUE, deployment, locator, RETRY } from '../../engine/nodes.mts';
import { HOUR, openService, type Answer, type Deployment, type Service } from './service.mts';

/** What the service does with a request to destroy. */
type Ending = (one: Deployment, tries: number, service: Service) => Answer;

const done = (one: Deployment, service: Service) => void (one.endedAt || service.end(one.id));
const taken: Answer = { status: 202, json: { status: 'termination requested' } };

const WORLDS: Array<[what: string, ending: Ending]> = [
	['done, answered with 500 each time', (one, _, service) => (done(one, service), { status: 500 })],
	[
		'done, answered with 409',
		(one, _, service) => (done(one, service), { status: 409, json: { detail: 'in progress' } }),
	],
	['not done, answered with 409', () => ({ status: 409, json: { detail: 'locked' } })],
	['not done, answered with 404', () => ({ status: 404, json: { detail: 'Not found' } })],
	['not done, answered with 202 each time', () => taken],
	[
		'not done, answered with 200 that says no',
		() => ({ status: 200, json: { success: false, error: 'locked' } }),
	],
	[
		'not done, answered with 200 and a failed envelope',
		() => ({ status: 200, json: { data: null, status: 'failed' } }),
	],
	['not done, 401', () => ({ status: 401, json: { detail: 'key' } })],
	['not done, 429 for an hour', () => ({ status: 429, headers: { 'retry-after': '3600' } })],
	['done at the third request', (one, tries, service) => (tries >= 2 && done(one, service), taken)],
	['ends for ever', (one) => ((one.status = 'Termination_Requested'), taken)],
	['fails to end', (one) => ((one.status = 'termination failed'), taken)],
];

for (const id of ['gpu', '4711', 'a/b c', 'größe-№1'])
	for (const [what, ending] of id === 'gpu' ? WORLDS : WORLDS.slice(9, 10))
		test(`what Destroy calls gone is gone: ${what}, ID ${id}`, async () => {
			const service = await openService();
			const one = service.add(id, { createdAt: service.now - HOUR });
			let tries = 0;
			service.odd = ({ method }) =>
				method === 'DELETE' ? ending(one, tries++, service) : undefined;
			const run = await service.engine.run(
				deployment('destroy', { deploymentId: locator(id), options: {} }, RETRY),
			);
			const { error } = run.data.resultData;
			const [item] = error ? [] : outputOf(run);
			expect(item?.json.deleted === true).toBe(one.status === 'destroyed');
			if (error) expect(`${error.message} ${error.description}`).toContain(id);
		});

test('Destroy Many touches nothing of others, and tells what it left', async () => {
	const service = await openService();
	for (const name of ['job-1', 'job-2', 'Job-3', ' job-4', 'jobs', 'other'])
		service.add(`id of ${name}`, { name, createdAt: service.now - HOUR });
	const parameters = { namePrefix: 'job-', match: 'prefix', limit: 1, dryRun: false, options: {} };
	const run = await service.engine.run(deployment('destroyMany', parameters, CONTINUE));
	const items = outputOf(run).map(({ json }) => json);
	const ended = [...service.deployments.values()].filter(({ endedAt }) => endedAt);
	expect(ended.map(({ name }) => name)).toEqual(['job-1']);
	expect(items.at(-1)).toMatchObject({ reason: 'limit', deployment_ids: ['id of job-2'] });
});

test('Wait For reaches nothing by a name that was cut off, or another case', async () => {
	const service = await openService();
	service.add('other', { name: 'JOB', createdAt: service.now - HOUR });
	const run = await service.engine.run(
		deployment('waitFor', {
			deploymentId: locator('job', 'name'),
			waitUntil: 'running',
			pollInterval: 10,
			timeout: 300,
			onTimeout: 'output',
		}),
	);
	expect(run.data.resultData.error?.message).toContain('similar name');
});
