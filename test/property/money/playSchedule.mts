import type { ComputeWorld } from '../../sandbox/worlds/computeWorld.mts';
import type { ComputeRecord, ComputeScenario, Wish } from '../../worlds/computeRecord.mts';
import type { ComputeScene } from '../../worlds/computeScene.mts';
import { compute } from '../../worlds/playCompute.mts';
import { wishOf } from '../../worlds/scenarios/steps.mts';
import type { Stage } from '../../worlds/stage.mts';
import type { FaultSchedule } from './faults.mts';
import {
	DURATION_HOURS,
	GPU_MEMORY,
	isPurchase,
	nameOf,
	nodeOf,
	worldOperation,
	type Schedule,
} from './schedule.mts';

/** Between two executions: what is held or late happens, and everybody has given up. */
const PAUSE_MS = 1_000_000;

/** Deployments of others at most: the worlds of large accounts play with so many, since they differ in size alone. */
const MOST_RESIDENTS = 500;

/** Plays a schedule in a world. */
export async function playSchedule(
	stage: Stage,
	world: ComputeWorld,
	schedule: Schedule,
	faults: FaultSchedule,
): Promise<ComputeRecord> {
	const scenario: ComputeScenario = {
		product: schedule.what.product,
		name: 'a schedule of faults',
		async play(scene) {
			const items = isPurchase(schedule) ? wish(scene, schedule) : target(scene, schedule);
			const step = { operation: worldOperation(schedule), node: nodeOf(schedule) };
			faults.start(schedule.faults);
			for (let run = 0; run < runsOf(schedule); run++) {
				await scene.run(
					{ Node: step },
					{
						items: items.map((item, index) => ({ ...item, change: `${run}-${index}` })),
						mayFail: ['Node'],
					},
				);
				faults.stop();
				await scene.pass(PAUSE_MS);
			}
		},
	};
	faults.start([]);
	const residents = world.residents?.slice(-MOST_RESIDENTS);
	return await compute.play(stage, { ...world, residents }, scenario);
}

const runsOf = ({ runsAgain }: Schedule) => (runsAgain ? 2 : 1);

/** How many items are about the same name or deployment. */
const sharing = ({ items, sharesTarget }: Schedule) => (sharesTarget ? items : 1);

/** What each item is about, by its number. */
const targetsOf = ({ items, sharesTarget }: Schedule) =>
	Array.from({ length: items }, (_, item) => (sharesTarget ? 0 : item));

/** Deployments are wanted: one for each name, or with Deploy Anyway or Unique Name one for each item of each execution. */
function wish(scene: ComputeScene, schedule: Schedule) {
	const { ifNameExists, uniqueName, maxHourlyPrice, what } = schedule;
	const isAnyway = ifNameExists === 'deploy' || uniqueName;
	const machines = isAnyway ? runsOf(schedule) * sharing(schedule) : 1;
	const common = wishOf(machines, { maxHourlyPrice });
	const mismatch: Wish['mismatch'] = (order) => {
		const offer = scene.sandbox.hardware.find(({ id }) => id === order.offerId);
		if (what.operation === 'deployCheapest' && !(Number(offer?.vram_per_card) >= GPU_MEMORY))
			return `${offer?.vram_per_card} GB`;
		return common.mismatch?.(order);
	};
	const targets = targetsOf(schedule);
	for (const item of new Set(targets)) scene.wish({ ...common, name: nameOf(item), mismatch });
	return targets.map((item) => ({ id: String(item) }));
}

/** Deployments from before are there to be extended, updated or destroyed. */
function target(scene: ComputeScene, schedule: Schedule) {
	const { maxHourlyPrice = Infinity, hoursAgo, what } = schedule;
	const times = runsOf(schedule) * sharing(schedule);
	const targets = targetsOf(schedule);
	const ids = [...new Set(targets)].map((item) => {
		const ours = scene.add({ name: nameOf(item), hours: 5, hoursAgo });
		const isAffordable = ours.order.hourlyPrice <= maxHourlyPrice;
		const { meant, updates, extensions } = scene.record;
		if (what.operation === 'destroy') meant.add(ours);
		else if (what.operation === 'update') updates.set(ours, times);
		else extensions.set(ours, isAffordable ? times * DURATION_HOURS : 0);
		return ours.id;
	});
	return targets.map((item) => ({ id: ids[item] ?? '' }));
}
