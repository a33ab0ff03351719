import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { outputOf } from '../engine/engine.mts';
import { useFixture } from '../engine/fixture.mts';
import { CONTINUE, deployParameters, explorer, vmaas } from '../engine/nodes.mts';
import { errorOf, jsonOf } from '../engine/results.mts';
import { until } from '../engine/time.mts';
import { devices, errorForms } from '../sandbox/index.mts';

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

/** Runs something while it counts how many requests wait for their answer at the same time. */
async function mostAtOnce(running: Promise<unknown>, tick: () => void): Promise<number> {
	let most = 0;
	let ended = false;
	void running.finally(() => (ended = true));
	await until(() => {
		most = Math.max(
			most,
			fixture.sandbox.requests.filter(({ status }) => status === undefined).length,
		);
		tick();
		return ended;
	});
	return most;
}

describe('reads', () => {
	it('run at most five at once, and come out in the order of their items', async () => {
		const items = Array.from({ length: 15 }, (_, index) => ({
			id: devices[index % devices.length]?.device_id,
			index,
		}));
		// The later an item, the sooner its answer
		items.forEach((_, index) => fixture.sandbox.faults.add({ delayMs: 200 - index * 10 }));
		const running = fixture.run(
			explorer('get', { deviceId: '={{ $json.id }}', output: 'device' }),
			items,
		);
		await until(() => fixture.sandbox.requests.length === 5);
		const most = await mostAtOnce(running, () => fixture.sandbox.clock.advance(1));
		expect(most).toBe(5);
		const output = outputOf(await running);
		expect(output.map(({ json }) => json.device_id)).toEqual(items.map(({ id }) => id));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	});

	it('end with the error of an item; no more are started after it', async () => {
		const items = Array.from({ length: 40 }, () => ({ id: devices[0]?.device_id }));
		fixture.sandbox.faults.add({ ...errorForms.detailString(403, 'not yours') });
		const run = await fixture.run(
			explorer('get', { deviceId: '={{ $json.id }}', output: 'device' }),
			items,
		);
		expect(errorOf(run).message).toContain('not yours');
		expect(errorOf(run).context.itemIndex).toBe(0);
		expect(fixture.sandbox.requests.length).toBeLessThan(items.length);
	});

	it('of several failing items the first is the error, and the others are named', async () => {
		fixture.sandbox.faults.add({ times: 2, ...errorForms.detailString(403, 'not yours') });
		const error = errorOf(
			await fixture.run(explorer('get', { deviceId: devices[0]?.device_id, output: 'device' }), [
				{},
				{},
			]),
		);
		expect(error.context.itemIndex).toBe(0);
		expect(error.description).toContain('Item 1 failed too: Permission denied (403): not yours');
	});

	it('no items: no request', async () => {
		const node = explorer('get', { deviceId: 'x', output: 'device' });
		const run = await fixture.run(node, []);
		expect(run.data.resultData.error).toBeUndefined();
		expect(run.data.resultData.runData.Node).toBeUndefined();
		expect(fixture.sandbox.requests).toHaveLength(0);
	});
});

describe('writes', () => {
	it('are sent one after the other, in the order of the items', async () => {
		FIVE.forEach((_, index) =>
			fixture.sandbox.faults.add({ match: DEPLOY, delayMs: 100 - index * 20 }),
		);
		const running = fixture.run(deployEach, FIVE);
		const most = await mostAtOnce(running, () => fixture.sandbox.clock.advance(1));
		expect(most).toBe(1);
		expect(jsonOf(await running).map((json) => json.resource_private_name)).toEqual(
			FIVE.map(({ name }) => name),
		);
		expect(namesSent()).toEqual(FIVE.map(({ name }) => name));
	});

	it('the third of five gets a 422: the error names the two deployments before it', async () => {
		refuseThird(1);
		const error = errorOf(await fixture.run(deployEach, FIVE));
		expect(namesSent()).toEqual(['job-1', 'job-2', 'job-3']);
		expect(
			fixture.sandbox.books.deployments.map(({ resource_private_name: name }) => name),
		).toEqual(['job-1', 'job-2']);
		expect(error.message).toBe(
			'location_ids: only a single location is supported; gpus_per_vm: must be at most 8',
		);
		expect(error.context.itemIndex).toBe(2);
		expect(error.description).toContain(
			`Item 0 was done: deployment_id ${idOf('job-1')}, resource_private_name job-1`,
		);
		expect(error.description).toContain(
			`Item 1 was done: deployment_id ${idOf('job-2')}, resource_private_name job-2`,
		);
		expect(error.context.done).toMatchObject([
			{ item: 0, json: { deployment_id: idOf('job-1') } },
			{ item: 1, json: { deployment_id: idOf('job-2') } },
		]);
	});

	it('the third of five gets a 422 with On Error = Continue: four deployments and an error, paired', async () => {
		refuseThird(1);
		const output = outputOf(await fixture.run({ ...deployEach, ...CONTINUE }, FIVE));
		expect(namesSent()).toEqual(FIVE.map(({ name }) => name));
		expect(output.map(({ pairedItem }) => pairedItem)).toEqual(FIVE.map((_, item) => ({ item })));
		expect(output.map(({ json }) => json.deployment_id)).toEqual([
			idOf('job-1'),
			idOf('job-2'),
			undefined,
			idOf('job-4'),
			idOf('job-5'),
		]);
		expect(output[2]?.json).toEqual({
			error: 'location_ids: only a single location is supported; gpus_per_vm: must be at most 8',
			details: {
				resource_private_name: 'job-3',
				description: expect.stringContaining('Correct the fields that are named'),
			},
		});
	});

	it('with an error output the failed item goes there with its input', async () => {
		refuseThird(1);
		const run = await fixture.run({ ...deployEach, onError: 'continueErrorOutput' }, FIVE);
		const outputs = run.data.resultData.runData.Node?.[0]?.data?.main ?? [];
		expect(outputs[0]?.map(({ json }) => json.resource_private_name)).toEqual([
			'job-1',
			'job-2',
			'job-4',
			'job-5',
		]);
		expect(outputs[1]?.map(({ json }) => [json.name, json.error])).toEqual([
			[
				'job-3',
				'location_ids: only a single location is supported; gpus_per_vm: must be at most 8',
			],
		]);
	});

	it('an invalid item with On Error = Continue: only that item is left out', async () => {
		const node = vmaas(
			'deployment',
			'deploy',
			deployParameters({
				resourcePrivateName: '={{ $json.name }}',
				durationHours: '={{ $json.hours }}',
			}),
			CONTINUE,
		);
		const items = FIVE.map((item, index) => ({ ...item, hours: index === 3 ? 8761 : 1 }));
		const output = jsonOf(await fixture.run(node, items));
		expect(namesSent()).toEqual(['job-1', 'job-2', 'job-3', 'job-5']);
		expect(output[3]).toEqual({
			error: 'Duration (Hours) must be a whole number from 1 to 8760, got 8761',
			details: { description: null },
		});
	});
});

describe('as a tool of an AI agent', () => {
	it.each(['vmaas', 'explorer', 'caas'])('%s can be used, and describes each operation', (name) => {
		const { description } = fixture.engine.nodeType(name);
		expect(description.usableAsTool).toBe(true);
		expect(description.description.length).toBeGreaterThan(40);
		const operations = description.properties
			.filter((property) => property.name === 'operation')
			.flatMap((property) => property.options ?? []);
		const sentences = operations.map((option) =>
			'description' in option ? String(option.description) : '',
		);
		expect(operations.length).toBeGreaterThan(3);
		expect(sentences.filter((sentence) => sentence.length < 40)).toEqual([]);
		expect(new Set(sentences).size).toBe(sentences.length);
	});

	it('an operation that spends money says so', () => {
		const operations = fixture.engine
			.nodeType('vmaas')
			.description.properties.filter(({ name }) => name === 'operation')
			.flatMap((property) => property.options ?? []);
		const spending = operations.filter(
			(option) =>
				'value' in option && ['deploy', 'deployCheapest', 'extend'].includes(String(option.value)),
		);
		expect(spending).toHaveLength(3);
		for (const option of spending)
			expect(option).toMatchObject({ description: expect.stringContaining('This spends money') });
	});
});
