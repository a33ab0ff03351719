import { RETRY } from '../../engine/nodes.mts';
import type { Product } from '../../sandbox/index.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import type { ComputeScene } from '../computeScene.mts';
import { byName, containers, idOf, NAME, SHORT, vmaas, wishOf } from './steps.mts';

const vm = idOf('VM');
const container = idOf('Containers');

/** One deployment of each product, of the same name. */
function wishBoth(scene: ComputeScene, name = NAME): void {
	scene.wish(wishOf(1, { product: 'vmaas', name }));
	scene.wish(wishOf(1, { product: 'caas', name }));
}

const hasBought = ({ sandbox }: ComputeScene, product: Product) =>
	sandbox.books.deployments.some(({ order }) => order.kind === product);

/** What a product has must not be destroyed. */
function keep({ sandbox, record }: ComputeScene, product: Product): void {
	for (const one of sandbox.books.deployments) if (one.order.kind === product) record.kept.add(one);
}

/** VMs and containers of the same name, in one account and execution, are never taken for each other. */
export const products: readonly ComputeScenario[] = [
	{
		product: 'caas',
		name: 'VM and containers, whole lives',
		tearsDown: true,
		async play(scene) {
			wishBoth(scene);
			await scene.run({
				VM: vmaas.deploy(),
				Containers: containers.deploy(),
				'Wait For VM': vmaas.waitFor(vm),
				'Wait For Containers': containers.waitFor(container, 'reachable'),
				'Extend VM': vmaas.extend(vm),
				'Extend Containers': containers.extend(container),
				'Destroy Containers': containers.destroy(container, RETRY),
				'Destroy VM': vmaas.destroy(vm, RETRY),
			});
			for (const bought of scene.sandbox.books.deployments) scene.record.extensions.set(bought, 2);
		},
	},
	...([vmaas, containers] as const).map(({ product, destroy }): ComputeScenario => ({
		product,
		name: `VM and containers, those of ${product} destroyed by name`,
		async play(scene) {
			wishBoth(scene, SHORT);
			const name = SHORT;
			await scene.run({ VM: vmaas.deploy({ name }), Containers: containers.deploy({ name }) });
			keep(scene, product === 'vmaas' ? 'caas' : 'vmaas');
			if (!hasBought(scene, product)) return;
			// A rival of the same name makes the name ambiguous
			const mayFail = scene.record.world.rival ? ['Destroy'] : [];
			await scene.run({ Destroy: destroy(byName(name), RETRY) }, { mayFail });
		},
	})),
	{
		product: 'vmaas',
		name: 'destroy by name what the other product has',
		async play(scene) {
			scene.addOthers({ name: NAME, hoursAgo: 1 });
			await scene.run(
				{ Destroy: containers.destroy(byName(NAME), RETRY) },
				{ mayFail: ['Destroy'] },
			);
		},
	},
	...(['error', 'useExisting'] as const).map((ifNameExists): ComputeScenario => ({
		product: 'vmaas',
		name: `containers of a name that a VM has: ${ifNameExists}`,
		async play(scene) {
			scene.add({ name: NAME, hoursAgo: 1 });
			scene.wish(wishOf(1, { product: 'caas' }));
			const { node } = containers.deploy({ safety: { ifNameExists } });
			const operation = ifNameExists === 'error' ? 'deploy' : 'use the existing';
			await scene.run({ Deploy: { operation, node } });
			if (!hasBought(scene, 'caas'))
				scene.record.refusals.push({ operation, reason: 'nothing was bought' });
		},
	})),
	{
		product: 'vmaas',
		name: 'containers not made, a VM of the name is',
		faults: [{ match: { method: 'POST', path: /caas\/deploy$/ }, drop: 'before' }],
		async play(scene) {
			wishBoth(scene);
			await scene.run(
				{ VM: vmaas.deploy(), Containers: containers.deploy({}, RETRY) },
				{ mayFail: ['Containers'] },
			);
		},
	},
	{
		product: 'caas',
		name: 'a VM whose answer is lost, containers of the name',
		faults: [{ match: { method: 'POST', path: /vmaas\/deploy$/ }, drop: 'after' }],
		async play(scene) {
			wishBoth(scene);
			const { node } = vmaas.deploy({}, RETRY);
			await scene.run({
				Containers: containers.deploy(),
				VM: { operation: 'find a lost deploy', node },
			});
		},
	},
];
