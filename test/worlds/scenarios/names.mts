import type { ComputeScenario } from '../computeRecord.mts';
import { deploy, destroy, HOUR, idOf, NAME, wishOf } from './steps.mts';

const useExisting = (hours = 2) => ({
	...deploy({ durationHours: hours, safety: { ifNameExists: 'useExisting' } }),
	operation: 'use the existing' as const,
});

/** One name, and several wishes for it. */
export const names: readonly ComputeScenario[] = [
	{
		name: 'nightly',
		async play(scene) {
			scene.wish(wishOf(1, { mismatch: () => undefined }));
			for (let night = 0; night < 3; night++) {
				await scene.run({ Deploy: useExisting(80) });
				await scene.pass(24 * HOUR);
			}
		},
	},
	{
		name: 'nightly, stop with an error',
		async play(scene) {
			scene.wish(wishOf(1, { mismatch: () => undefined }));
			for (let night = 0; night < 3; night++) {
				await scene.run(
					{ Deploy: deploy({ durationHours: 80 }) },
					{ mayFail: night > 0 ? ['Deploy'] : [] },
				);
				await scene.pass(24 * HOUR);
			}
		},
	},
	{
		name: 'nightly, torn down',
		tearsDown: true,
		async play(scene) {
			scene.wish(wishOf(3));
			for (let night = 0; night < 3; night++) {
				await scene.run({ Deploy: deploy(), Destroy: destroy(idOf('Deploy')) });
				await scene.pass(24 * HOUR);
			}
		},
	},
	{
		name: 'two items, one name',
		async play(scene) {
			scene.wish(wishOf(1));
			const onError = 'continueRegularOutput' as const;
			await scene.run(
				{ Deploy: deploy({}, { onError }) },
				{ items: [{ item: 1 }, { item: 2 }], mayFail: ['Deploy'] },
			);
		},
	},
	{
		name: 'two items, one name, deploy anyway',
		async play(scene) {
			scene.wish(wishOf(2));
			const safety = { ifNameExists: 'deploy' };
			await scene.run({ Deploy: deploy({ safety }) }, { items: [{ item: 1 }, { item: 2 }] });
		},
	},
	{
		name: 'two nodes, one name',
		async play(scene) {
			scene.wish(wishOf(1));
			await scene.run({ First: deploy(), Second: deploy() }, { mayFail: ['Second'] });
		},
	},
	{
		name: 'two nodes, unique names',
		async play(scene) {
			scene.wish(wishOf(2));
			const safety = { uniqueName: true };
			const { node } = deploy({ safety });
			const step = { operation: 'deploy anyway' as const, node };
			await scene.run({ First: step, Second: step });
		},
	},
	{
		name: 'two executions at once',
		async play(scene) {
			scene.wish(wishOf(1));
			const run = async () => await scene.run({ Deploy: deploy() }, { mayFail: ['Deploy'] });
			await Promise.all([run(), run()]);
		},
	},
	{
		name: 'exists: stop with an error',
		async play(scene) {
			scene.add({ name: NAME, hoursAgo: 1 });
			scene.wish(wishOf(0));
			await scene.run({ Deploy: deploy() }, { mayFail: ['Deploy'] });
		},
	},
	{
		name: 'exists: use it',
		async play(scene) {
			scene.add({ name: NAME, hoursAgo: 1 });
			scene.wish(wishOf(0));
			await scene.run({ Deploy: useExisting() });
		},
	},
	{
		name: 'exists: deploy anyway',
		async play(scene) {
			scene.add({ name: NAME, hoursAgo: 1 });
			scene.wish(wishOf(1));
			await scene.run({ Deploy: deploy({ safety: { ifNameExists: 'deploy' } }) });
		},
	},
	{
		name: 'existed: use it',
		async play(scene) {
			scene.add({ name: NAME, hours: 2, hoursAgo: 30 });
			scene.wish(wishOf(1));
			await scene.run({ Deploy: useExisting() });
			if (scene.sandbox.books.deployments.length === 0)
				scene.record.refusals.push({ operation: 'use the existing', reason: 'nothing was bought' });
		},
	},
];
