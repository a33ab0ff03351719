import { describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters, RETRY } from '../engine/nodes.mts';
import { errorOf, jsonOf, onlyJson } from '../engine/results.mts';
import { errorForms } from '../sandbox/index.mts';
import { cloud } from '../sandbox/testing/client.mts';
import { sampleDeploy } from '../sandbox/testing/samples.mts';
import { DEPLOY, deploysOf } from './deploys.mts';
import { EMPTY_COPY } from './ordered.mts';

const fixture = useFixture();
const { deploy, deploysSent } = deploysOf(fixture);

describe('deploy: refusals', () => {
	it('a 422 names every field, and a retry may send again', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...errorForms.detailList() });
		const run = await deploy();
		expect(errorOf(run).message).toBe(
			'location_ids: only a single location is supported; gpus_per_vm: must be at most 8',
		);
		fixture.sandbox.faults.add({ match: DEPLOY, ...errorForms.detailList() });
		expect(onlyJson(await deploy({}, RETRY))).toMatchObject({ resource_private_name: 'job' });
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
	});

	it('a 429 is not tried again', async () => {
		fixture.sandbox.faults.add({ match: DEPLOY, ...errorForms.tooManyRequests(1) });
		expect(errorOf(await deploy()).message).toContain('429');
		expect(deploysSent()).toHaveLength(1);
	});
});

describe('deploy: Safety', () => {
	it('a dry run returns the request and the price, and deploys nothing', async () => {
		const output = onlyJson(await deploy({ safety: { dryRun: true } }));
		expect(output).toMatchObject({ dry_run: true, resource_private_name: 'job', currency: 'usdc' });
		expect(output.total_price).toBeGreaterThan(0);
		expect(output.request).toMatchObject({
			resource_private_name: 'job',
			location_ids: [expect.any(String)],
		});
		expect(fixture.sandbox.requests.every(({ method }) => method === 'GET')).toBe(true);
	});

	it('above the maximum price: an error with both prices', async () => {
		const { total_price: total } = onlyJson(await deploy({ safety: { dryRun: true } }));
		const below = Number(total) - 0.01;
		const error = errorOf(await deploy({ safety: { maxPrice: below } }));
		expect(error.message).toBe(
			`The price of ${String(total)} usdc is above the Maximum Price of ${below} usdc`,
		);
		expect(deploysSent()).toHaveLength(0);
		expect(onlyJson(await deploy({ safety: { maxPrice: total as number } })).total_price).toBe(
			total,
		);
	});

	it('above the maximum hourly price: an error with both prices', async () => {
		const { hourly_price: hourly } = onlyJson(await deploy({ safety: { dryRun: true } }));
		const error = errorOf(await deploy({ safety: { maxHourlyPrice: Number(hourly) / 2 } }));
		expect(error.message).toContain(
			`The hourly price of ${String(hourly)} usdc is above the Maximum Hourly Price of`,
		);
		expect(deploysSent()).toHaveLength(0);
	});

	it.each([
		['names no total', { status: 200, body: { data: { discount: 0 } } }],
		[
			'names a total that is no number',
			{ status: 200, body: { data: { total_cost_usdc: 'cheap' } } },
		],
		['is an HTML page', { status: 200, rawBody: '<html></html>', contentType: 'text/html' }],
		['is a 500', { ...errorForms.empty(500), times: Infinity }],
	])('a price response that %s: nothing is deployed under a price limit', async (_, fault) => {
		fixture.sandbox.faults.add({ match: { path: '/vmaas/price' }, ...fault });
		expect(errorOf(await deploy({ safety: { maxPrice: 1_000 } })).message).toMatch(
			/price limit cannot be checked|not a JSON object|Server error/,
		);
		expect(deploysSent()).toHaveLength(0);
	});

	it('a price limit that an expression leaves empty is an error', async () => {
		expect(
			errorOf(await deploy({ safety: { maxPrice: '={{ $json.nothing }}' } })).message,
		).toContain('Maximum Price must be a number, got nothing');
		expect(fixture.sandbox.requests).toHaveLength(0);
	});

	it('If Name Exists = Error, the default, names ID and state', async () => {
		const first = onlyJson(await deploy());
		const error = errorOf(await deploy());
		expect(error.message).toBe(
			`A deployment named "job" already exists (${String(first.deployment_id)}, deployment requested)`,
		);
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
	});

	it('nothing is bought under a taken name where one copy of the service has no deployments', async () => {
		const other = cloud(fixture.sandbox, 'vmaas');
		await other.post('/deploy', { ...sampleDeploy, resource_private_name: 'job' });
		await other.close();
		fixture.sandbox.faults.add(EMPTY_COPY);
		expect(errorOf(await deploy()).message).toContain('A deployment named "job" already exists');
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
	});

	it('a second item of the same name: the advice is not to buy as many as there are items', async () => {
		const items = [{}, {}, {}];
		const error = errorOf(await fixture.run(deployment('deploy', deployParameters()), items));
		expect(error.context.itemIndex).toBe(1);
		expect(error.description).toMatch(
			/^This execution has deployed it\. .* turn on Execute Once .* Nothing was deployed for this item\.\nItem 0 was done/,
		);
		expect(fixture.sandbox.books.deployments).toHaveLength(1);
	});

	it('If Name Exists = Use Existing, Deploy Anyway', async () => {
		const first = onlyJson(await deploy());
		expect(onlyJson(await deploy({ safety: { ifNameExists: 'useExisting' } }))).toMatchObject({
			deployment_id: first.deployment_id,
			existing: true,
		});
		expect(onlyJson(await deploy({ safety: { ifNameExists: 'deploy' } })).deployment_id).not.toBe(
			first.deployment_id,
		);
		expect(fixture.sandbox.books.deployments).toHaveLength(2);
	});

	it('a deployment that has ended does not hold its name', async () => {
		const first = onlyJson(await deploy());
		const options = { verify: false };
		await fixture.run(deployment('destroy', { deploymentId: first.deployment_id, options }));
		expect(
			errorOf(await deploy({ safety: { ifNameExists: 'useExisting' } })).description,
		).toContain('being destroyed');
		fixture.sandbox.clock.advance(60_000);
		expect(onlyJson(await deploy()).deployment_id).not.toBe(first.deployment_id);
	});

	it('a unique name is that of this execution, node and item', async () => {
		const names: string[] = [];
		for (const executionId of ['77', '78']) {
			const run = await fixture.run(
				deployment('deploy', deployParameters({ safety: { uniqueName: true } })),
				[{}, {}],
				{ executionId },
			);
			names.push(...jsonOf(run).map((json) => String(json.resource_private_name)));
		}
		for (const name of names) expect(name).toMatch(/^job-[0-9a-f]{10}$/);
		expect(new Set(names).size).toBe(4);
	});

	it('returns ID, name, prices and end', async () => {
		const output = onlyJson(await deploy({ safety: { maxPrice: 1_000 } }));
		expect(Object.keys(output)).toEqual(
			expect.arrayContaining([
				'deployment_id',
				'resource_private_name',
				'hourly_price',
				'total_price',
				'currency',
				'expires_at',
			]),
		);
	});
});
