import { deployment, locator, RETRY } from '../../engine/nodes.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import type { Step } from '../computeScene.mts';
import { deploy, destroy, HOUR, NAME, running, waitFor } from './steps.mts';

const UNKNOWN_ID = '5b0c1d6e-7f3a-4e52-9a0b-1c2d3e4f5a6b';

const byName = (name: string) => ({ __rl: true, mode: 'name', value: name });

const getMany = (filters: object = {}): Step => ({
	operation: Object.keys(filters).length > 0 ? 'find old ones' : 'get many',
	node: deployment('getAll', { returnAll: true, filters: { ...filters } }),
});

const destroyMany = (namePrefix: string, limit = 50): Step => ({
	operation: 'destroy many',
	node: deployment(
		'destroyMany',
		{ namePrefix, limit, dryRun: false, options: { verify: true, verifyTimeout: 120 } },
		RETRY,
	),
});

/** What is there is found, and ended where that is wanted. */
export const teardown: readonly ComputeScenario[] = [
	{
		name: 'destroy',
		tearsDown: true,
		async play(scene) {
			const { id } = scene.add({ name: NAME, hoursAgo: 1 });
			scene.record.meant.add(id);
			const step = destroy(locator(id), RETRY);
			await scene.run({ Destroy: step, Again: step });
		},
	},
	{
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
		name: 'destroy a name as id',
		tearsDown: true,
		async play(scene) {
			const { id } = scene.add({ name: NAME, hoursAgo: 1 });
			scene.record.meant.add(id);
			await scene.run({ Destroy: destroy(locator(NAME)) }, { mayFail: ['Destroy'] });
		},
	},
	{
		name: 'destroy by name',
		tearsDown: true,
		async play(scene) {
			const { id } = scene.add({ name: 'job-7', hoursAgo: 1 });
			scene.sandbox.addResident({ name: 'job-77', hoursAgo: 1 });
			scene.record.meant.add(id);
			await scene.run({ Destroy: destroy(byName('job-7')) });
		},
	},
	{
		name: 'tonight by name, last night has ended',
		tearsDown: true,
		async play(scene) {
			const lastNight = scene.add({ name: 'job-7', hours: 2, hoursAgo: 24 });
			const tonight = scene.add({ name: 'job-7' });
			[lastNight, tonight].forEach(({ id }) => scene.record.meant.add(id));
			await scene.run({ Destroy: destroy(byName('job-7')) });
		},
	},
	{
		name: 'deployed, destroyed by name, last night has ended',
		tearsDown: true,
		async play(scene) {
			scene.wish({ name: 'job-7', machines: 1 });
			scene.record.meant.add(scene.add({ name: 'job-7', hours: 2, hoursAgo: 24 }).id);
			await scene.run(
				{
					Deploy: deploy({ resourcePrivateName: 'job-7' }),
					Destroy: destroy(byName('job-7')),
				},
				{ mayFail: ['Destroy'] },
			);
		},
	},
	{
		name: 'wait for the end of what runs',
		async play(scene) {
			const { id } = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
			const ended = waitFor(locator(id), 'destroyed');
			await scene.run({ 'Wait For': ended }, { mayFail: ['Wait For'] });
		},
	},
	{
		name: 'destroy many by prefix',
		tearsDown: true,
		async play(scene) {
			for (const part of [1, 2, 3])
				scene.record.meant.add(scene.add({ name: `Batch-${part}`, hoursAgo: part }).id);
			for (const name of ['Batching', 'my-Batch-1', 'batc'])
				scene.sandbox.addResident({ name, hoursAgo: 2 });
			await scene.run({ 'Destroy Many': destroyMany('Batch-') });
		},
	},
	{
		name: 'destroy many above the limit',
		tearsDown: true,
		async play(scene) {
			for (const part of [1, 2, 3])
				scene.record.meant.add(scene.add({ name: `Batch-${part}`, hoursAgo: part }).id);
			scene.record.prefixes.push('Batch-');
			await scene.run({ 'Destroy Many': destroyMany('Batch-', 2) });
		},
	},
	{
		name: 'destroy what is old',
		tearsDown: true,
		async play(scene) {
			const add = (hoursAgo: number, offerId?: string) =>
				scene.add({ name: `guarded-${hoursAgo}`, hours: 2_000, hoursAgo, offerId }).id;
			const old = [add(13), add(700, '8__us-west-2')];
			// Eight GPUs for two hours are sixteen hours of GPUs
			for (const hoursAgo of [2, 3])
				scene.sandbox.addResident({
					name: `guarded-${hoursAgo}`,
					hoursAgo,
					offerId: '8__us-west-2',
				});
			old.forEach((id) => scene.record.meant.add(id));
			await scene.run({
				'Get Many': getMany({ olderThanHours: 12, status: 'running', namePrefix: 'guarded-' }),
				Destroy: destroy(locator('={{ $json.deployment_id }}'), RETRY),
			});
		},
	},
	{
		name: 'get many',
		async play(scene) {
			scene.add({ name: NAME, hoursAgo: 1 });
			await scene.pass(10 * 60_000);
			const before = scene.sandbox.books.seeded.filter(running);
			await scene.run({ 'Get Many': getMany() });
			const { items, problems } = scene.record;
			if (problems.length > 0) return;
			const wanted = before.filter((one) => one.order.kind === 'vmaas' && running(one));
			scene.list(
				items.map(({ json }) => String(json.deployment_id)),
				wanted.map(({ id }) => id),
			);
		},
	},
	{
		name: 'two days later, destroy',
		tearsDown: true,
		async play(scene) {
			const { id } = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
			scene.record.meant.add(id);
			await scene.pass(48 * HOUR);
			const { node } = destroy(locator(id));
			await scene.run({ Destroy: { operation: 'destroy what has ended', node } });
		},
	},
];
