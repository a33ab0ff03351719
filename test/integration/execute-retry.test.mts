import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, RETRY, deployParameters, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';

const fixture = useFixture();

const DEPLOY = { method: 'POST', path: /vmaas\/deploy$/ };
const FIVE = [1, 2, 3, 4, 5].map((number) => ({ name: `job-${number}` }));

const deployEach = vmaas(
	'deployment',
	'deploy',
	deployParameters({ resourcePrivateName: '={{ $json.name }}' }),
);
const deploys = () => fixture.sent('POST', /\/vmaas\/deploy$/);
const namesSent = () => deploys().map(({ body }) => (body as IDataObject).resource_private_name);
/** Every third and later deploy is refused. */
const refuseThird = (times: number) =>
	fixture.sandbox.faults.add({ match: DEPLOY, skip: 2, times, ...errorForms.detailList() });
const idOf = (name: string) => fixture.sandbox.books.byName(name)[0]?.id;

describe('Retry On Fail deploys nothing twice', () => {
	it('the third is refused once: five deployments, and only the refused deploy is sent twice', async () => {
		refuseThird(1);
		const output = jsonOf(await fixture.run({ ...deployEach, ...RETRY }, FIVE));
		expect(namesSent()).toEqual(['job-1', 'job-2', 'job-3', 'job-3', 'job-4', 'job-5']);
		expect(output.map((json) => json.deployment_id)).toEqual(FIVE.map(({ name }) => idOf(name)));
		expect(fixture.sandbox.books.deployments).toHaveLength(5);
	});

	it('the third is refused each time: two deployments, both in the error', async () => {
		refuseThird(Infinity);
		const error = errorOf(await fixture.run({ ...deployEach, ...RETRY }, FIVE));
		expect(namesSent()).toEqual(['job-1', 'job-2', 'job-3', 'job-3', 'job-3']);
		expect(error.description).toContain(
			`deployment_id ${idOf('job-1')}, resource_private_name job-1`,
		);
		expect(error.description).toContain(
			`deployment_id ${idOf('job-2')}, resource_private_name job-2`,
		);
		expect(fixture.sandbox.books.deployments).toHaveLength(2);
	});

	it('what an earlier try bought has failed meanwhile: an error that names it, and no other is bought', async () => {
		refuseThird(1);
		fixture.sandbox.onRequest = () => {
			const [first] = fixture.sandbox.books.byName('job-1');
			if (deploys().length === 3 && first?.state !== 'failed')
				fixture.sandbox.fail(String(first?.id));
		};
		const error = errorOf(await fixture.run({ ...deployEach, ...RETRY }, FIVE));
		expect(error.message).toContain(
			`Deployment ${idOf('job-1')}, which an earlier try of this item has bought, has ended`,
		);
		expect(namesSent().filter((name) => name === 'job-1')).toHaveLength(1);
	});

	it('On Error = Continue, and the first item failed: n8n retries, and the other four are not deployed again', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...errorForms.detailList() });
		const output = jsonOf(await fixture.run({ ...deployEach, ...RETRY, ...CONTINUE }, FIVE));
		expect(namesSent()).toEqual([...FIVE.map(({ name }) => name), 'job-1']);
		expect(output.map((json) => json.deployment_id)).toEqual(FIVE.map(({ name }) => idOf(name)));
		expect(fixture.sandbox.books.deployments).toHaveLength(5);
	});

	it('On Error = Continue, and a later item failed: n8n does not retry', async () => {
		refuseThird(1);
		const output = jsonOf(await fixture.run({ ...deployEach, ...RETRY, ...CONTINUE }, FIVE));
		expect(namesSent()).toEqual(FIVE.map(({ name }) => name));
		expect(output.filter((json) => 'error' in json)).toHaveLength(1);
	});

	it.each(['none', 'late'])(
		'a success with a top-level error field is no failure for n8n: %s',
		async (error) => {
			fixture.sandbox.faults.add({
				match: DEPLOY,
				afterWork: true,
				status: 200,
				body: { deployment_id: 'd-1', error },
			});
			const output = jsonOf(await fixture.run({ ...deployEach, ...RETRY }, FIVE.slice(0, 1)));
			// An error that says nothing leaves the answer a success, whose ID counts
			const id = error === 'none' ? 'd-1' : fixture.sandbox.books.deployments[0]?.id;
			expect(output).toMatchObject([{ deployment_id: id }]);
			expect(deploys()).toHaveLength(1);
		},
	);

	it('each round of a loop is an intent of its own', async () => {
		const place = { typeVersion: 1, position: [0, 0] as [number, number] };
		const node = (name: string) => ({
			...place,
			id: name,
			name,
			...vmaas(
				'deployment',
				'deploy',
				deployParameters({ resourcePrivateName: `={{ "${name}-" + $runIndex }}` }),
			),
		});
		const start = {
			...place,
			id: 'Start',
			name: 'Start',
			type: 'n8n-nodes-base.manualTrigger',
			parameters: {},
		};
		const to = (name: string) => ({ node: name, type: 'main' as const, index: 0 });
		const json = {
			nodes: [start, node('A'), node('B')],
			connections: { Start: { main: [[to('A'), to('B')]] }, A: { main: [[to('B')]] } },
		};
		const run = await fixture.engine.runWorkflow(json);
		expect(run.data.resultData.error).toBeUndefined();
		expect(namesSent().sort()).toEqual(['A-0', 'B-0', 'B-1']);
	});
});
