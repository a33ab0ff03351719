import { locator, RETRY } from '../../engine/nodes.mts';
import { DEPLOY, EXTEND } from '../../sandbox/worlds/computeWorld.mts';
import type { ComputeScenario } from '../computeRecord.mts';
import type { ComputeScene } from '../computeScene.mts';
import { deployCheapest, HOUR, idOf, NAME, vmaas, wishOf, type Steps } from './steps.mts';

const id = idOf('Deploy');

/** Two more hours are wanted of what was bought. */
function wishTwoHours({ sandbox, record }: ComputeScene): void {
	for (const bought of sandbox.books.deployments) record.extensions.set(bought, 2);
}

/** From a purchase to its end, with and without lost answers. */
export const life = ({ product, deploy, waitFor, extend, destroy }: Steps): ComputeScenario[] => [
	{
		product,
		name: 'whole life',
		tearsDown: true,
		async play(scene) {
			scene.wish(wishOf(1));
			await scene.run({
				Deploy: deploy(),
				'Wait For': waitFor(id),
				Extend: extend(id),
				Destroy: destroy(id, RETRY),
			});
			wishTwoHours(scene);
		},
	},
	{
		product,
		name: 'life without a look',
		tearsDown: true,
		async play(scene) {
			scene.wish(wishOf(1));
			await scene.run({
				Deploy: deploy({ safety: { ifNameExists: 'deploy' } }),
				Extend: extend(id),
				Destroy: destroy(id, RETRY),
			});
			wishTwoHours(scene);
		},
	},
	{
		product,
		name: 'lost answer, retried',
		faults: [{ match: DEPLOY, drop: 'after' }],
		async play(scene) {
			scene.wish(wishOf(1));
			await scene.run({ Deploy: { ...deploy({}, RETRY), operation: 'find a lost deploy' } });
		},
	},
	{
		product,
		name: 'lost answer, deploy anyway, retried',
		faults: [{ match: DEPLOY, drop: 'after' }],
		async play(scene) {
			scene.wish(wishOf(1));
			const { node } = deploy({ safety: { ifNameExists: 'deploy' } }, RETRY);
			await scene.run({ Deploy: { operation: 'find a lost deploy', node } });
		},
	},
	{
		product,
		name: 'lost and not made, retried',
		faults: [{ match: DEPLOY, drop: 'before' }],
		async play(scene) {
			scene.wish(wishOf(1));
			await scene.run({ Deploy: deploy({}, RETRY) }, { mayFail: ['Deploy'] });
		},
	},
	{
		product,
		name: 'extend, lost answer, retried',
		faults: [{ match: EXTEND, drop: 'after' }],
		async play(scene) {
			const existing = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
			scene.record.extensions.set(existing, 2);
			const { node } = extend(locator(existing.id), {}, RETRY);
			await scene.run({ Extend: { operation: 'find a lost extension', node } });
		},
	},
	{
		product,
		name: 'extend while it starts, not made, retried',
		tearsDown: true,
		faults: [{ match: EXTEND, drop: 'before' }],
		async play(scene) {
			scene.wish(wishOf(1));
			const onError = 'continueRegularOutput' as const;
			await scene.run(
				{
					Deploy: deploy(),
					Extend: extend(id, {}, { ...RETRY, onError }),
					Destroy: destroy(id, RETRY),
				},
				{ mayFail: ['Extend'] },
			);
			wishTwoHours(scene);
		},
	},
	{
		product,
		name: 'no fault, retried',
		async play(scene) {
			scene.wish(wishOf(1));
			await scene.run({
				Deploy: deploy({ safety: { ifNameExists: 'deploy' } }, RETRY),
				Extend: extend(id, {}, RETRY),
			});
			wishTwoHours(scene);
		},
	},
	{
		product,
		name: 'extend, not made, another extends',
		async play(scene) {
			const existing = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
			scene.record.extensions.set(existing, 2);
			scene.record.othersHours.set(existing, 3);
			scene.sandbox.faults.add({ match: EXTEND, drop: 'before' });
			scene.sandbox.onRequest = ({ path }) => {
				const isFirst = existing.extensions.length === 0;
				if (isFirst && path.endsWith('/extend')) existing.extend(3, scene.sandbox.clock.now());
			};
			const step = extend(locator(existing.id), {}, RETRY);
			await scene.run({ Extend: step }, { mayFail: ['Extend'] });
		},
	},
	{
		product,
		name: 'two calls of an agent extend, the second is lost and not made',
		async play(scene) {
			const existing = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
			scene.record.extensions.set(existing, 4);
			scene.sandbox.faults.add({ match: EXTEND, skip: 1, drop: 'before' });
			await scene.call(extend(locator(existing.id), { maxPrice: 6 }), [{}, {}]);
		},
	},
	{
		product,
		name: 'two items extend',
		async play(scene) {
			const existing = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
			scene.record.extensions.set(existing, 4);
			await scene.run(
				{ Extend: extend(locator(existing.id)) },
				{ items: [{ item: 1 }, { item: 2 }], mayFail: ['Extend'] },
			);
		},
	},
	{
		product,
		name: 'extend within a limit',
		async play(scene) {
			const dear = scene.add({
				name: NAME,
				hours: 5,
				hoursAgo: 1,
				offerId: '8__us-west-2',
			});
			scene.record.extensions.set(dear, 2);
			// 2 h × $2.64
			await scene.run({ Extend: extend(locator(dear.id), { maxPrice: 6 }) });
		},
	},
	{
		product,
		name: 'extend above a limit',
		async play(scene) {
			const dear = scene.add({
				name: NAME,
				hours: 5,
				hoursAgo: 1,
				offerId: '8__us-west-2',
			});
			scene.record.extensions.set(dear, 0);
			await scene.run(
				{ Extend: extend(locator(dear.id), { maxPrice: 5 }) },
				{ mayFail: ['Extend'] },
			);
		},
	},
	{
		product,
		name: 'four replicas within a limit',
		async play(scene) {
			scene.wish(wishOf(1, { maxHourlyPrice: 2, mismatch: () => undefined }));
			await scene.run({ Deploy: deploy({ workers: 4, safety: { maxHourlyPrice: 2 } }) });
		},
	},
	{
		product,
		name: 'four replicas above a limit',
		async play(scene) {
			scene.wish(wishOf(0, { maxHourlyPrice: 1 }));
			await scene.run(
				{ Deploy: deploy({ workers: 4, safety: { maxHourlyPrice: 1 } }) },
				{ mayFail: ['Deploy'] },
			);
		},
	},
	{
		product,
		name: 'two days later',
		async play(scene) {
			const existing = scene.add({ name: NAME, hours: 5, hoursAgo: 1 });
			await scene.pass(48 * HOUR);
			scene.record.extensions.set(existing, 0);
			const ended = locator(existing.id);
			await scene.run({ Extend: extend(ended) }, { mayFail: ['Extend'] });
		},
	},
];

/** What VMaaS alone has. */
export const vmPurchases: readonly ComputeScenario[] = [
	{
		product: 'vmaas',
		name: 'deploy cheapest',
		async play(scene) {
			const wanted = { gpuMemoryMin: 40, supplier: 'internal' };
			const { surcharges = {} } = scene.record.world.habits ?? {};
			const cheapest = Math.min(
				...scene.sandbox.hardware
					.filter((one) => one.num_cards === 1 && one.vram_per_card >= 40)
					.filter((one) => one.supplier === 'internal' && !one.sold_out && one.price > 0)
					.map(({ id: offer, price }) => price * (surcharges[offer] ?? 1)),
			);
			scene.wish(
				wishOf(1, {
					maxHourlyPrice: 2,
					mismatch({ gpusPerWorker, hourlyPrice, isExternal, offerId }) {
						const offer = scene.sandbox.hardware.find((one) => one.id === offerId);
						const fits = !isExternal && gpusPerWorker === 1 && Number(offer?.vram_per_card) >= 40;
						if (fits && hourlyPrice === cheapest) return undefined;
						return `${offer?.name} ${offer?.vram_per_card} GB, ${hourlyPrice} an hour`;
					},
				}),
			);
			await scene.run({
				Deploy: deployCheapest({ filters: wanted, safety: { maxHourlyPrice: 2 } }),
			});
		},
	},
	{
		product: 'vmaas',
		name: 'size left empty',
		async play(scene) {
			// The form shows the cheapest size
			scene.wish(wishOf(1));
			const { node } = vmaas.deploy({ gpus: 0 });
			await scene.run({ Deploy: { operation: 'deploy without a size', node } });
		},
	},
];
