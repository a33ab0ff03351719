import { locator, RETRY } from '../../engine/nodes.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import { byName, HOUR, NAME, running, SHORT, type Steps } from './steps.mts';

const UNKNOWN_ID = '5b0c1d6e-7f3a-4e52-9a0b-1c2d3e4f5a6b';

/** What is there is found, and ended where that is wanted. */
export const teardown = (steps: Steps): ComputeScenario[] => {
	const { product, deploy, destroy, waitFor, getMany } = steps;
	const destroyMany = (namePrefix: string, limit = 50) =>
		steps.destroyMany(namePrefix, limit, RETRY);
	return [
		{
			product,
			name: 'destroy',
			tearsDown: true,
			async play(scene) {
				const ours = scene.add({ name: NAME, hoursAgo: 1 });
				scene.record.meant.add(ours);
				const step = destroy(locator(ours.id), RETRY);
				await scene.run({ Destroy: step, Again: step });
			},
		},
		{
			product,
			name: 'destroy an unknown id',
			tearsDown: true,
			async play(scene) {
				await scene.run({ Destroy: destroy(locator(UNKNOWN_ID)) }, { mayFail: ['Destroy'] });
				await scene.run(
					{ 'Wait For': waitFor(locator(UNKNOWN_ID), 'destroyed') },
					{ mayFail: ['Wait For'] },
				);
			},
		},
		{
			product,
			name: 'destroy a name as id',
			tearsDown: true,
			async play(scene) {
				const ours = scene.add({ name: NAME, hoursAgo: 1 });
				scene.record.meant.add(ours);
				await scene.run({ Destroy: destroy(locator(NAME)) }, { mayFail: ['Destroy'] });
			},
		},
		{
			product,
			name: 'destroy by name',
			tearsDown: true,
			async play(scene) {
				const ours = scene.add({ name: SHORT, hoursAgo: 1 });
				scene.addOthers({ name: 'job-77', hoursAgo: 1 });
				scene.record.meant.add(ours);
				await scene.run({ Destroy: destroy(byName(SHORT)) });
			},
		},
		{
			product,
			name: 'tonight by name, last night has ended',
			tearsDown: true,
			async play(scene) {
				const lastNight = scene.add({ name: SHORT, hours: 2, hoursAgo: 24 });
				const tonight = scene.add({ name: SHORT });
				[lastNight, tonight].forEach((one) => scene.record.meant.add(one));
				await scene.run({ Destroy: destroy(byName(SHORT)) });
			},
		},
		{
			product,
			name: 'deployed, destroyed by name, last night has ended',
			tearsDown: true,
			async play(scene) {
				scene.wish({ name: SHORT, machines: 1 });
				scene.record.meant.add(scene.add({ name: SHORT, hours: 2, hoursAgo: 24 }));
				await scene.run(
					{
						Deploy: deploy({ name: SHORT }),
						Destroy: destroy(byName(SHORT)),
					},
					{ mayFail: ['Destroy'] },
				);
			},
		},
		{
			product,
			name: 'wait for the end of what runs',
			async play(scene) {
				const ours = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
				const ended = waitFor(locator(ours.id), 'destroyed');
				await scene.run({ 'Wait For': ended }, { mayFail: ['Wait For'] });
			},
		},
		{
			product,
			name: 'destroy many by prefix',
			tearsDown: true,
			async play(scene) {
				for (const part of [1, 2, 3])
					scene.record.meant.add(scene.add({ name: `Batch-${part}`, hoursAgo: part }));
				for (const name of ['Batching', 'my-Batch-1', 'batc'])
					scene.addOthers({ name, hoursAgo: 2 });
				await scene.run({ 'Destroy Many': destroyMany('Batch-') });
			},
		},
		{
			product,
			name: 'destroy many above the limit',
			tearsDown: true,
			async play(scene) {
				for (const part of [1, 2, 3])
					scene.record.meant.add(scene.add({ name: `Batch-${part}`, hoursAgo: part }));
				scene.record.prefixes.push('Batch-');
				await scene.run({ 'Destroy Many': destroyMany('Batch-', 2) });
			},
		},
		{
			product,
			name: 'destroy what is old',
			tearsDown: true,
			async play(scene) {
				const add = (hoursAgo: number, offerId?: string) =>
					scene.add({ name: `guarded-${hoursAgo}`, hours: 2_000, hoursAgo, offerId });
				const old = [add(13), add(700, '8__us-west-2')];
				// Eight GPUs for two hours are sixteen hours of GPUs
				for (const hoursAgo of [2, 3])
					scene.addOthers({
						name: `guarded-${hoursAgo}`,
						hoursAgo,
						offerId: '8__us-west-2',
					});
				old.forEach((one) => scene.record.meant.add(one));
				await scene.run({
					'Get Many': getMany({ olderThanHours: 12, status: 'running', namePrefix: 'guarded-' }),
					Destroy: destroy(locator('={{ $json.deployment_id }}'), RETRY),
				});
			},
		},
		{
			product,
			name: 'get many',
			async play(scene) {
				scene.add({ name: NAME, hoursAgo: 1 });
				await scene.pass(10 * 60_000);
				const before = scene.sandbox.books.seeded.filter(running);
				await scene.run({ 'Get Many': getMany() });
				const { items, problems } = scene.record;
				if (problems.length > 0) return;
				const wanted = before.filter((one) => one.order.kind === product && running(one));
				scene.list(
					items.map(({ json }) => String(json.deployment_id)),
					wanted.map(({ id }) => id),
				);
			},
		},
		{
			product,
			name: 'two days later, destroy',
			tearsDown: true,
			async play(scene) {
				const ours = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
				scene.record.meant.add(ours);
				await scene.pass(48 * HOUR);
				const { node } = destroy(locator(ours.id));
				await scene.run({ Destroy: { operation: 'destroy what has ended', node } });
			},
		},
	];
};
