import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { workerId } from '../sandbox/compute/views.mts';
import { byTestId, nodeOnCanvas, openCanvas } from './browser.mts';
import { test } from './fixture.mts';
import { packageName } from './manifest.mts';
import type { Execution } from './rest.mts';
import { until } from './until.mts';
import { connect, itemsOf, succeeded, type WorkflowFile } from './workflow.mts';

const ARRIVAL_MS = 60_000;
const NAME = 'life-of-a-container';
const SECRET = 'hf_life_sEcReT_4711';
const KEY = 'computeMarketplaceApi';
const TOKEN = 'computeMarketplaceTokenApi';

const byName = { __rl: true, mode: 'name', value: NAME };

function caas(name: string, operation: string, parameters: object): object {
	return {
		name,
		type: `${packageName}.caas`,
		parameters: { authentication: 'apiKey', resource: 'deployment', operation, ...parameters },
		credentials: { [KEY]: { name: KEY } },
	};
}

/** Nodes one after the other, the first of which starts them */
function chain(name: string, ...parts: object[]): WorkflowFile {
	const nodes = parts.map((part, index) => ({
		id: randomUUID(),
		typeVersion: 1,
		position: [index * 220, 0],
		...part,
	})) as unknown as WorkflowFile['nodes'];
	const links = nodes
		.slice(1)
		.map((node, index) => [
			nodes[index]?.name,
			{ main: [[{ node: node.name, type: 'main', index: 0 }]] },
		]);
	return { name, nodes, connections: Object.fromEntries(links) as Record<string, unknown> };
}

const start = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} };

test(
	'a container is deployed, updated, extended and destroyed from the canvas, and the trigger follows its log',
	{ timeout: 240_000 },
	async ({ rest, sandbox, credentials, editor }) => {
		/** Runs a workflow on the canvas, as a person does, until its last node has succeeded */
		const runOnCanvas = async (workflow: WorkflowFile): Promise<Execution> => {
			const last = workflow.nodes.at(-1)?.name ?? '';
			const workflowId = await rest.createWorkflow(connect(workflow, credentials));
			await openCanvas(editor, workflowId, last);
			await byTestId(editor.page, 'execute-workflow-button').first().click();
			await byTestId(nodeOnCanvas(editor.page, last), 'canvas-node-status-success').waitFor();
			await editor.pictures.window(workflow.name);
			const [execution] = await rest.executions({ workflowId, includeData: 'true' });
			if (execution === undefined) throw new Error('n8n has saved no execution');
			return succeeded(execution);
		};

		const deployed = await runOnCanvas(
			chain(
				'caas deployed',
				start,
				caas('Deploy', 'deploy', {
					resourcePrivateName: NAME,
					imageUrl: 'registry.example/web:1',
					trafficPort: 8080,
					hardwareId: { __rl: true, mode: 'id', value: 7 },
					gpusPerContainer: 1,
					locationIds: [3],
					durationHours: 2,
					secretEnvironment: { variables: [{ name: 'HF_TOKEN', value: `={{ "${SECRET}" }}` }] },
					safety: { maxPrice: 5 },
				}),
				caas('Wait', 'waitFor', { deploymentId: byName, waitUntil: 'reachable', pollInterval: 1 }),
			),
		);
		const [waited] = itemsOf(deployed, 'Wait');
		expect(waited).toMatchObject({ reached: true, public_url: expect.stringMatching(/^http/) });
		expect(itemsOf(deployed, 'Deploy')).toMatchObject([{ total_price: 0.68, replica_count: 1 }]);
		expect(JSON.stringify(itemsOf(deployed, 'Deploy'))).not.toContain(SECRET);
		const id = String(waited?.deployment_id);

		const following = await rest.createWorkflow(
			connect(
				chain('caas log', {
					name: 'Logs',
					type: `${packageName}.caasLogsTrigger`,
					parameters: {
						deploymentId: { __rl: true, mode: 'id', value: id },
						containerIds: [workerId(id, 0)],
						streams: ['stdout'],
						startFrom: 'beginning',
						batch: { maxWaitMs: 200 },
					},
					credentials: { [KEY]: { name: KEY }, [TOKEN]: { name: TOKEN } },
				}),
				credentials,
			),
		);
		await rest.activate(following);
		const linesSeen = async () =>
			(await rest.executions({ workflowId: following, includeData: 'true' })).flatMap((execution) =>
				itemsOf(execution, 'Logs').map(({ line }) => String(line)),
			);

		const changed = await runOnCanvas(
			chain(
				'caas updated and extended',
				start,
				caas('Update', 'update', {
					deploymentId: byName,
					updateFields: { imageUrl: 'registry.example/web:2' },
				}),
				caas('Extend', 'extend', { deploymentId: byName, durationHours: 1 }),
			),
		);
		expect(itemsOf(changed, 'Update')).toMatchObject([
			{ deployment_id: id, updated: true, updated_fields: ['image_url'] },
		]);
		expect(itemsOf(changed, 'Extend')).toMatchObject([{ deployment_id: id, added_hours: 1 }]);
		const written = () => sandbox.logs.find(id, workerId(id, 0))?.entries.stdout ?? [];
		expect(written().some((line) => line.includes('web:2'))).toBe(true);

		const destroyed = await runOnCanvas(
			chain('caas destroyed', start, caas('Destroy', 'destroy', { deploymentId: byName })),
		);
		expect(itemsOf(destroyed, 'Destroy')).toMatchObject([{ deleted: true, verified: true }]);
		expect(sandbox.books.find(id)).toMatchObject({ state: 'destroyed', extensions: [1] });

		const all = async () => (await linesSeen()).length >= written().length;
		await until('every line of the container has arrived', all, ARRIVAL_MS);
		expect((await linesSeen()).toSorted()).toEqual([...written()].toSorted());
		await rest.deactivate(following);
	},
);
