import { locator, RETRY } from '../../engine/nodes.mts';
import { UPDATE } from '../../sandbox/worlds/computeWorld.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import type { ComputeScene } from '../computeScene.mts';
import {
	byName,
	containers,
	HOUR,
	idOf,
	IMAGE,
	NAME,
	secretEnvironment,
	secretFields,
	SHORT,
	update,
	wishOf,
} from './steps.mts';

const { product, deploy, waitFor, extend, destroy } = containers;

const UNKNOWN_ID = '5b0c1d6e-7f3a-4e52-9a0b-1c2d3e4f5a6b';
const id = idOf('Deploy');

/** Of what is bought, two more hours and so many updates are wanted. */
function wishChanges({ sandbox, record }: ComputeScene, hours: number, updates: number): void {
	for (const bought of sandbox.books.deployments) {
		record.extensions.set(bought, hours);
		record.updates.set(bought, updates);
	}
}

/** One deployment from before, which may be updated so often. */
function existing(scene: ComputeScene, updates: number) {
	const ours = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
	scene.record.updates.set(ours, updates);
	return locator(ours.id);
}

/** What CaaS has alone. */
export const containerLife: readonly ComputeScenario[] = [
	{
		product,
		name: 'deployed, reachable, updated, extended, destroyed by name',
		tearsDown: true,
		async play(scene) {
			scene.wish(wishOf(1, { name: SHORT }));
			const steps = {
				Deploy: deploy({ name: SHORT }),
				'Wait For': waitFor(id, 'reachable'),
				Update: update(id, { imageUrl: `${IMAGE}-next`, secretEnvironment }),
				Extend: extend(id),
				Destroy: destroy(byName(SHORT), RETRY),
			};
			// A rival of the same name makes the name ambiguous
			await scene.run(steps, { mayFail: scene.record.world.rival ? ['Destroy'] : [] });
			wishChanges(scene, 2, 1);
		},
	},
	{
		product,
		name: 'dry run',
		async play(scene) {
			scene.wish(wishOf(0));
			await scene.run(
				{ Deploy: deploy({ safety: { dryRun: true, maxHourlyPrice: 2 } }) },
				{ mayFail: ['Deploy'] },
			);
		},
	},
	{
		product,
		name: 'refused with its secrets',
		async play(scene) {
			scene.wish(wishOf(0));
			const { node } = deploy();
			Object.assign(node.parameters, { locationIds: [4] });
			await scene.run({ Deploy: { operation: 'deploy', node } }, { mayFail: ['Deploy'] });
		},
	},
	{
		product,
		name: 'what has secrets is read',
		async play(scene) {
			scene.wish(wishOf(1));
			await scene.run({ Deploy: deploy() });
			const bought = scene.sandbox.books.deployments[0];
			await scene.pass(HOUR / 60);
			if (!bought) return;
			const deploymentId = locator(bought.id);
			await scene.run({ Get: containers.get(deploymentId), List: containers.getMany() });
			await scene.run({ 'Wait For': waitFor(deploymentId, 'reachable') });
		},
	},
	{
		product,
		name: 'update, lost answer, retried',
		faults: [{ match: UPDATE, drop: 'after' }],
		async play(scene) {
			const { node } = update(existing(scene, 1), undefined, RETRY);
			await scene.run({ Update: { operation: 'find a lost update', node } });
		},
	},
	{
		product,
		name: 'update of secrets alone, lost answer, retried',
		faults: [{ match: UPDATE, drop: 'after' }],
		async play(scene) {
			const step = update(existing(scene, 1), secretFields, RETRY);
			// Nothing shows such an update
			await scene.run({ Update: step }, { mayFail: ['Update'] });
		},
	},
	{
		product,
		name: 'update, not made, retried',
		faults: [{ match: UPDATE, drop: 'before' }],
		async play(scene) {
			const step = update(existing(scene, 1), undefined, RETRY);
			await scene.run({ Update: step }, { mayFail: ['Update'] });
		},
	},
	{
		product,
		name: 'two items update',
		async play(scene) {
			const step = update(existing(scene, 2), { imageUrl: `=${IMAGE}-{{ $json.item }}` });
			await scene.run({ Update: step }, { items: [{ item: 1 }, { item: 2 }] });
		},
	},
	{
		product,
		name: 'update by name, another has a longer one',
		async play(scene) {
			scene.addOthers({ name: `${NAME}7`, hoursAgo: 1 });
			existing(scene, 1);
			await scene.run({ Update: update(byName(NAME)) }, { mayFail: ['Update'] });
		},
	},
	{
		product,
		name: 'update an unknown id',
		async play(scene) {
			await scene.run({ Update: update(locator(UNKNOWN_ID)) }, { mayFail: ['Update'] });
		},
	},
	{
		product,
		name: 'two days later, update',
		async play(scene) {
			const ended = existing(scene, 0);
			await scene.pass(48 * HOUR);
			await scene.run({ Update: update(ended) }, { mayFail: ['Update'] });
		},
	},
];
