import { expect } from 'vitest';
import { openCanvas } from './browser.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import type { Rest } from './rest.mts';
import { until } from './until.mts';
import { itemsOf } from './workflow.mts';

/** n8n polls once a minute at most */
const TEST_MS = 600_000;
const POLL_MS = 150_000;

/** Events of a node by its kind and an ID */
type Seen = Record<string, unknown>;

const FINISHED = 'Told';

function workflowOf(name: string, parameters: object, credentials: object) {
	const trigger = {
		id: 'trigger',
		name: 'Compute Trigger',
		type: `${packageName}.computeTrigger`,
		typeVersion: 1,
		position: [0, 0],
		parameters: { ...parameters, pollTimes: { item: [{ mode: 'everyMinute' }] } },
		credentials,
	};
	const told = {
		id: 'told',
		name: FINISHED,
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		position: [240, 0],
		parameters: {},
	};
	return {
		name,
		nodes: [trigger, told],
		connections: {
			[trigger.name]: { main: [[{ node: FINISHED, type: 'main', index: 0 }]] },
		},
	};
}

async function eventsOf(rest: Rest, workflowId: string): Promise<Seen[]> {
	const executions = await rest.executions({ workflowId, includeData: 'true' });
	return executions
		.toSorted((a, b) => Number(a.id) - Number(b.id))
		.flatMap((execution) => itemsOf(execution, FINISHED))
		.filter((item) => item.sample === undefined);
}

test(
	'each event arrives once in an active workflow, and the canvas shows a sample',
	{ timeout: TEST_MS },
	async ({ rest, sandbox, credentials, editor }) => {
		const key = {
			computeMarketplaceApi: {
				id: credentials.computeMarketplaceApi,
				name: 'computeMarketplaceApi',
			},
		};
		const token = {
			computeMarketplaceTokenApi: {
				id: credentials.computeMarketplaceTokenApi,
				name: 'computeMarketplaceTokenApi',
			},
		};
		const device = 'watched-device';
		// Days before the base line are no news
		const today = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
		const downtime = (seconds: number) => {
			sandbox.faults.clear();
			sandbox.faults.add({
				match: { path: new RegExp(`${device}/details$`) },
				times: Infinity,
				status: 200,
				body: {
					status: 'succeeded',
					data: { device_id: device, downtime_by_date: { [today]: { downtime: seconds } } },
				},
			});
		};
		downtime(60);
		const drafts = {
			changed: workflowOf('changed', { event: 'deploymentStateChanged', product: 'both' }, key),
			expires: workflowOf('expires', { event: 'deploymentExpiresSoon', minutes: 30 }, key),
			offer: workflowOf('offer', { event: 'offerMatches', maxHourlyPrice: 0.02 }, key),
			down: workflowOf(
				'down',
				{ authentication: 'accessToken', event: 'deviceDown', deviceIds: [device] },
				token,
			),
		};
		const ids: Record<string, string> = {};
		for (const [name, draft] of Object.entries(drafts))
			ids[name] = await rest.createWorkflow(draft);
		const changed = ids.changed ?? '';

		await openCanvas(editor, changed, FINISHED);
		await editor.pictures.window('canvas of the Compute Trigger');
		await rest.run(changed, 'Compute Trigger');
		await until(
			'the sample is there',
			async () => {
				const [sample] = await rest.executions({ workflowId: changed, includeData: 'true' });
				return sample !== undefined && itemsOf(sample, FINISHED)[0]?.sample === true;
			},
			POLL_MS,
		);

		for (const id of Object.values(ids)) await rest.activate(id);
		// It shows that it is older than the base line, so its state has not changed
		const ending = sandbox.addResident({ name: 'ending', hours: 2, hoursAgo: 1.75 });
		const made = sandbox.addResident({ name: 'made' });
		const container = sandbox.addResident({ name: 'container', kind: 'caas' });
		const [offer] = sandbox.hardware;
		Object.assign(offer ?? {}, { price: 0.01, capacity: 1_000 });
		downtime(1_260);
		const count = async (name: string) => (await eventsOf(rest, ids[name] ?? '')).length;
		await until('the first events', async () => (await count('changed')) >= 2, POLL_MS);
		sandbox.fail(container.id);
		await until('the next event', async () => (await count('changed')) >= 3, POLL_MS);
		for (const id of Object.values(ids)) await rest.deactivate(id);

		const told = await eventsOf(rest, changed);
		expect(told).toMatchObject([
			{ deployment_id: made.id, product: 'vmaas', state: 'running', former_state: null },
			{ deployment_id: container.id, product: 'caas', state: 'running', former_state: null },
			{ deployment_id: container.id, status: 'failed', former_status: 'running' },
		]);
		expect(new Set(told.map(({ event_id: id }) => id)).size).toBe(3);
		expect(await eventsOf(rest, ids.expires ?? '')).toMatchObject([{ deployment_id: ending.id }]);
		expect(await eventsOf(rest, ids.offer ?? '')).toMatchObject([{ id: offer?.id, price: 0.01 }]);
		expect(await eventsOf(rest, ids.down ?? '')).toMatchObject([
			{ device_id: device, downtime: 1_260 },
		]);
		for (const id of Object.values(ids))
			expect(await rest.executions({ workflowId: id, status: 'error' })).toEqual([]);
	},
);
