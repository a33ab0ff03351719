import { readFileSync } from 'node:fs';
import { PROJECT, type WorkflowJson } from '../../engine/engine.mts';
import type { ComputeOperation } from '../../sandbox/worlds/computeWorld.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import type { ComputeScene } from '../computeScene.mts';
import { HOUR, running } from './steps.mts';

const OPERATIONS: Record<string, ComputeOperation> = {
	deploy: 'deploy within a limit',
	deployCheapest: 'deploy cheapest',
	waitFor: 'wait for',
	extend: 'extend within a limit',
	destroy: 'destroy',
	destroyMany: 'destroy many',
	getAll: 'find old ones',
	get: 'get',
};

/** Runs a workflow of examples/ as it is shipped, with n8n's pauses between tries taken out. */
async function runExample(scene: ComputeScene, name: string, mayFail = false): Promise<void> {
	const workflow = JSON.parse(
		readFileSync(`${PROJECT}/examples/${name}.json`, 'utf8'),
	) as WorkflowJson;
	const operations: Record<string, ComputeOperation | undefined> = {};
	for (const node of workflow.nodes) {
		if (node.waitBetweenTries !== undefined) node.waitBetweenTries = 1;
		if (node.parameters.resource === 'deployment')
			operations[node.name] = OPERATIONS[String(node.parameters.operation)];
	}
	await scene.execute(workflow, operations, { mayFail: mayFail ? Object.keys(operations) : [] });
}

/** The examples that cost money. */
export const examples: readonly ComputeScenario[] = [
	{
		product: 'vmaas',
		name: 'example: nightly-training',
		tearsDown: true,
		async play(scene) {
			scene.sandbox.addResident({ name: 'nightly-training-eu', hoursAgo: 1 });
			scene.wish({ name: 'nightly-training', machines: 2, maxHourlyPrice: 2 });
			await runExample(scene, 'nightly-training');
			await scene.pass(24 * HOUR);
			await runExample(scene, 'nightly-training');
		},
	},
	{
		product: 'vmaas',
		name: 'example: nightly-training, nothing within the limit',
		tearsDown: true,
		async play(scene) {
			scene.sandbox.addResident({ name: 'nightly-training-eu', hoursAgo: 1 });
			for (const offer of scene.sandbox.hardware) offer.price *= 10;
			scene.wish({ name: 'nightly-training', machines: 0, maxHourlyPrice: 2 });
			await runExample(scene, 'nightly-training', true);
		},
	},
	{
		product: 'vmaas',
		name: 'example: weekend-guard',
		tearsDown: true,
		async play(scene) {
			scene.add({ name: 'forgotten', hours: 2_000, hoursAgo: 30 });
			scene.sandbox.addResident({ name: 'young', hoursAgo: 2, offerId: '8__us-west-2' });
			const isOld = scene.sandbox.clock.now() - 12 * HOUR;
			for (const one of scene.sandbox.books.seeded)
				if (one.order.kind === 'vmaas' && running(one) && one.createdAt < isOld)
					scene.record.meant.add(one);
			await runExample(scene, 'weekend-guard');
		},
	},
	{
		product: 'vmaas',
		name: 'example: deploy-extend-destroy',
		async play(scene) {
			scene.wish({ name: 'quick-start', machines: 1, maxPrice: 200 });
			await runExample(scene, 'deploy-extend-destroy');
		},
	},
];
