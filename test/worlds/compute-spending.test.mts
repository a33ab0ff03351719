import type { IDataObject } from 'n8n-workflow';
import { describe, expect, it } from 'vitest';
import { caas, deployment } from '../engine/nodes.mts';
import { jsonOf } from '../engine/results.mts';
import type { Product } from '../sandbox/index.mts';
import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { useStage } from './describeWorlds.mts';
import { loadWorlds } from './loadWorlds.mts';

const stage = useStage();
const worlds = await loadWorlds<ComputeWorld>('compute');

const NODES = {
	vmaas: (parameters: IDataObject) => deployment('getSpending', parameters),
	caas: (parameters: IDataObject) => caas('deployment', 'getSpending', parameters),
};
const HOUR = 3_600_000;
/** Without it, the large accounts would take minutes. */
const MOST_RESIDENTS = 100;

/** What the books say of all that the list shows. */
function truthOf(kind: Product, isHidden: boolean) {
	const shown = stage()
		.sandbox.books.seeded.filter(({ order }) => order.kind === kind)
		.filter(({ isGone }) => !isHidden || !isGone);
	const running = shown.filter(({ isGone }) => !isGone);
	return {
		deployments: shown.length,
		paid: shown.reduce((sum, one) => sum + one.charged - one.refunded, 0),
		perHour: running.reduce((sum, { order }) => sum + order.hourlyPrice, 0),
	};
}

const named = worlds.map((world) => [world.name, world] as const);

describe.each(named)('%s', (_, { habits = {}, faults, residents }) => {
	describe.each(['vmaas', 'caas'] as const)('spending %s', (kind) => {
		it('the sum is that of the books, or says what of it is not known', async () => {
			const { sandbox, engine, time } = stage();
			sandbox.reset();
			sandbox.adopt(habits);
			for (const fault of faults ?? []) sandbox.faults.add(fault);
			for (const one of residents?.slice(-MOST_RESIDENTS) ?? [])
				sandbox.addResident({ kind, ...one });
			sandbox.addResident({ kind, name: 'over', hours: 4, hoursAgo: 5 });
			sandbox.addResident({ kind, name: 'small', hours: 4, hoursAgo: 1 });
			sandbox.addResident({ kind, name: 'large', hours: 9, hoursAgo: 2, offerId: '12__2' });
			const node = NODES[kind]({ groupBy: 'none', filters: {}, options: {} });
			const run = await time.during(engine.run(node), HOUR);
			const error = run.data.resultData.error;
			if (error) {
				expect(error.message).toMatch(/./);
				expect(habits.withoutList ?? habits.moves ?? habits.ignoresPage ?? faults).toBeDefined();
				return;
			}
			const truth = truthOf(kind, habits.hidesEnded === true);
			const [said] = jsonOf(run);
			expect(said?.paid).toBeLessThanOrEqual(truth.paid + 0.01);
			expect(said?.cost_per_hour).toBeLessThanOrEqual(truth.perHour * 1.03);
			if (said?.is_complete !== true || habits.moves !== undefined) return;
			expect(said.deployments).toBe(truth.deployments);
			expect(said.paid).toBeCloseTo(truth.paid, 2);
			expect(said.cost_per_hour).toBeGreaterThanOrEqual(truth.perHour * 0.97);
		});
	});
});
