import type { Order } from '../../sandbox/compute/deployment.mts';
import type { Deployment } from '../../sandbox/index.mts';
import { DEPLOY } from '../../sandbox/worlds/computeWorld.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import { HOUR, idOf, NAME, wishOf, type Steps, type Wanted } from './steps.mts';

/** What is wrong with an existing deployment for an order of one GPU for two hours. */
function misfit(existing: Deployment, now: number): string | undefined {
	const hours = existing.hiredHours - existing.servedHours(now);
	return hours < 2 ? `${hours.toFixed(2)} h are left of it` : undefined;
}

const smaller = ({ gpusPerWorker }: Order, gpus: number) =>
	gpusPerWorker < gpus ? `it has ${gpusPerWorker} GPUs` : undefined;

/** One name, and several wishes for it. */
export const names = ({ product, deploy, destroy, waitFor }: Steps): ComputeScenario[] => {
	const useExisting = (wanted: Wanted = {}) => ({
		...deploy({ ...wanted, safety: { ifNameExists: 'useExisting' } }),
		operation: 'use the existing' as const,
	});
	return [
		{
			product,
			name: 'nightly',
			async play(scene) {
				scene.wish(wishOf(1, { mismatch: () => undefined }));
				for (let night = 0; night < 3; night++) {
					await scene.run({ Deploy: useExisting({ hours: night === 0 ? 80 : 2 }) });
					// Where nothing was bought for all nights, each night may buy its own
					if (scene.sandbox.books.deployments.length === 0) return;
					await scene.pass(24 * HOUR);
				}
			},
		},
		{
			product,
			name: 'nightly, stop with an error',
			async play(scene) {
				scene.wish(wishOf(1, { mismatch: () => undefined }));
				for (let night = 0; night < 3; night++) {
					await scene.run(
						{ Deploy: deploy({ hours: 80 }) },
						{ mayFail: night > 0 ? ['Deploy'] : [] },
					);
					await scene.pass(24 * HOUR);
				}
			},
		},
		{
			product,
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
			product,
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
			product,
			name: 'two items, one name, deploy anyway',
			async play(scene) {
				scene.wish(wishOf(2));
				const safety = { ifNameExists: 'deploy' };
				await scene.run({ Deploy: deploy({ safety }) }, { items: [{ item: 1 }, { item: 2 }] });
			},
		},
		{
			product,
			name: 'two items, deploy anyway, the second is lost and not made',
			async play(scene) {
				scene.wish(wishOf(2));
				scene.sandbox.faults.add({ match: DEPLOY, skip: 1, drop: 'before' });
				const step = deploy({ safety: { ifNameExists: 'deploy' } });
				const items = [{ item: 1 }, { item: 2 }];
				await scene.run({ Deploy: step }, { items, mayFail: ['Deploy'] });
			},
		},
		{
			product,
			name: 'lost answer, then a fallback node',
			faults: [{ match: DEPLOY, drop: 'after' }],
			async play(scene) {
				scene.wish(wishOf(1));
				const onError = 'continueRegularOutput' as const;
				await scene.run(
					{ Deploy: deploy({}, { onError }), Fallback: deploy() },
					{ mayFail: ['Deploy', 'Fallback'] },
				);
			},
		},
		{
			product,
			name: 'three calls of an agent',
			async play(scene) {
				scene.wish(wishOf(1));
				await scene.call(deploy({ safety: { maxHourlyPrice: 2 } }), [{}, {}, {}]);
			},
		},
		{
			product,
			name: 'three calls of an agent, deploy anyway',
			async play(scene) {
				scene.wish(wishOf(3));
				const safety = { ifNameExists: 'deploy', maxHourlyPrice: 2 };
				await scene.call(deploy({ safety }), [{}, {}, {}]);
			},
		},
		{
			product,
			name: 'two equal calls of an agent, the first is lost',
			faults: [{ match: DEPLOY, drop: 'after' }],
			async play(scene) {
				scene.wish(wishOf(1));
				await scene.call(deploy({ safety: { maxHourlyPrice: 2 } }), [{}, {}]);
			},
		},
		{
			product,
			name: 'two nodes, one name',
			async play(scene) {
				scene.wish(wishOf(1));
				await scene.run({ First: deploy(), Second: deploy() }, { mayFail: ['Second'] });
			},
		},
		{
			product,
			name: 'two nodes, one name, waited for in between',
			async play(scene) {
				scene.wish(wishOf(1));
				await scene.run(
					{ First: deploy(), 'Wait For': waitFor(idOf('First')), Second: deploy() },
					{ mayFail: ['Second'] },
				);
			},
		},
		{
			product,
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
			product,
			name: 'two executions at once',
			async play(scene) {
				scene.wish(wishOf(1));
				const run = async () => await scene.run({ Deploy: deploy() }, { mayFail: ['Deploy'] });
				await Promise.all([run(), run()]);
			},
		},
		{
			product,
			name: 'one execution after the other',
			async play(scene) {
				scene.wish(wishOf(1));
				await scene.run({ Deploy: deploy() });
				await scene.run({ Deploy: deploy() }, { mayFail: ['Deploy'] });
			},
		},
		{
			product,
			name: 'one execution after the other, deploy anyway, the second is lost and not made',
			async play(scene) {
				scene.wish(wishOf(2));
				scene.sandbox.faults.add({ match: DEPLOY, skip: 1, drop: 'before' });
				const step = deploy({ safety: { ifNameExists: 'deploy' } });
				await scene.run({ Deploy: step });
				await scene.run({ Deploy: step }, { mayFail: ['Deploy'] });
			},
		},
		{
			product,
			name: 'exists: stop with an error',
			async play(scene) {
				scene.add({ name: NAME, hoursAgo: 1 });
				scene.wish(wishOf(0));
				await scene.run({ Deploy: deploy() }, { mayFail: ['Deploy'] });
			},
		},
		{
			product,
			name: 'exists: use it',
			async play(scene) {
				scene.add({ name: NAME, hoursAgo: 1 });
				scene.wish(wishOf(0));
				await scene.run({ Deploy: useExisting() });
			},
		},
		{
			product,
			name: 'exists: deploy anyway',
			async play(scene) {
				scene.add({ name: NAME, hoursAgo: 1 });
				scene.wish(wishOf(1));
				await scene.run({ Deploy: deploy({ safety: { ifNameExists: 'deploy' } }) });
			},
		},
		{
			product,
			name: 'exists: use it, three minutes are left',
			async play(scene) {
				scene.add({ name: NAME, hours: 5, hoursAgo: 4.95 });
				scene.wish(wishOf(1, { misfit }));
				await scene.run({ Deploy: useExisting() }, { mayFail: ['Deploy'] });
			},
		},
		{
			product,
			name: 'exists: use it, it is smaller',
			async play(scene) {
				scene.add({ name: NAME, hoursAgo: 1 });
				scene.wish(
					wishOf(1, { misfit: ({ order }) => smaller(order, 8), mismatch: () => undefined }),
				);
				await scene.run(
					{ Deploy: useExisting({ hardwareId: 8, gpus: 8 }) },
					{ mayFail: ['Deploy'] },
				);
			},
		},
		{
			product,
			name: 'existed: use it',
			async play(scene) {
				scene.add({ name: NAME, hours: 2, hoursAgo: 30 });
				scene.wish(wishOf(1));
				await scene.run({ Deploy: useExisting() });
				if (scene.sandbox.books.deployments.length === 0)
					scene.record.refusals.push({
						operation: 'use the existing',
						reason: 'nothing was bought',
					});
			},
		},
	];
};
