import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useRandom } from '../engine/random.mts';
import { stableNumber } from '../sandbox/core/ids.mts';
import type { ComputeWorld } from '../sandbox/worlds/computeWorld.mts';
import { useStage } from '../worlds/describeWorlds.mts';
import { loadWorlds } from '../worlds/loadWorlds.mts';
import { FaultSchedule } from './money/faults.mts';
import { brokenInvariants } from './money/invariants.mts';
import { playSchedule } from './money/playSchedule.mts';
import { schedules, type Schedule } from './money/schedule.mts';
import { Tally } from './money/tally.mts';

/**
 * Cost safety: random schedules of faults against the operations that spend money or end it, in n8n's engine with Retry On
 * Fail and in every world of VMaaS and CaaS, judged by what the sandbox has really made. `npm run test:money` runs many.
 */

/** Schedules in all; one alone is shrunk to the smallest that breaks an invariant. */
const SCHEDULES = Number(process.env.MONEY_SCHEDULES ?? 40);
const SEED = Number(process.env.MONEY_SEED ?? 20260101);
/** The only world to play in. */
const WORLD = process.env.MONEY_WORLD;
/** The package was built without the reconciliation of a purchase (main.mts). */
const IS_MUTANT = process.env.MONEY_MUTANT !== undefined;
/** Worlds in which an invariant has to break without it. */
const BROKEN_WORLDS = WORLD === undefined ? 3 : 1;
/** Without it only these are played: there an answer is lost after the work was done, so a retry meets what it has bought. */
const LOST_ANSWERS = /^done, |^another buys/;

const LARGEST_SEED = 2 ** 31;

const stage = useStage();
let faults: FaultSchedule;
beforeAll(async () => {
	faults = await FaultSchedule.install(stage().sandbox);
});
afterAll(() => faults.uninstall());

/** Each schedule has a seed of its own, which plays it again alone. */
const seedOf = (index: number) =>
	index === 0 ? SEED : stableNumber(`${SEED} ${index}`, LARGEST_SEED);

/** The worlds, each as often as any other. */
async function worldsToPlay(): Promise<ComputeWorld[]> {
	const worlds = await loadWorlds<ComputeWorld>('compute');
	const isPlayed = (name: string) => !IS_MUTANT || LOST_ANSWERS.test(name);
	const chosen = worlds.filter(({ name }) => (WORLD ? name === WORLD : isPlayed(name)));
	if (chosen.length === 0) throw new Error(`There is no world "${WORLD}"`);
	return chosen;
}

/** Whether only the reconciliation keeps it from buying twice: the name does not, and Retry On Fail runs it again. */
const mayBuyTwice = ({ what, uniqueName, ifNameExists, onError }: Schedule) =>
	what.operation === 'deploy' &&
	onError === 'stopWorkflow' &&
	(uniqueName || ifNameExists === 'deploy');

/** Plays one schedule in a world, or in fewer steps the smallest one that breaks an invariant where it is the only one. */
async function play(world: ComputeWorld, seed: number, tally: Tally): Promise<string | undefined> {
	let broken: string[] = [];
	const played = IS_MUTANT ? schedules.filter(mayBuyTwice) : schedules;
	const property = fc.asyncProperty(played, async (schedule: Schedule) => {
		const { restore } = useRandom(String(seed));
		const record = await playSchedule(stage(), world, schedule, faults).finally(restore);
		const problems = brokenInvariants(record, schedule);
		tally.add(record, faults.met, problems.length > 0);
		if (problems.length > 0) broken = [...problems, `faults met: ${faults.met.join(', ')}`];
		return problems.length === 0;
	});
	const options = { seed, numRuns: 1, unbiased: true, endOnFailure: SCHEDULES > 1 };
	const { failed, counterexample, errorInstance } = await fc.check(property, options);
	if (!failed) return undefined;
	const what = (broken.length > 0 ? broken : [String(errorInstance)]).join('\n  ');
	const again = `--schedules 1 --seed ${seed} --world '${world.name}'`;
	return `${again}\n  ${JSON.stringify(counterexample?.[0])}\n  ${what}`;
}

it(
	IS_MUTANT ? 'without reconciliation an invariant breaks' : 'the invariants hold whatever fails',
	async () => {
		const worlds = await worldsToPlay();
		const tally = new Tally();
		const failures: string[] = [];
		const isEnough = () => IS_MUTANT && tally.brokenWorlds >= BROKEN_WORLDS;
		for (let index = 0; index < SCHEDULES && !isEnough(); index++) {
			const world = worlds[index % worlds.length];
			const failure = world && (await play(world, seedOf(index), tally));
			if (failure === undefined) continue;
			failures.push(failure);
			console.log(failure);
		}
		console.log(`${tally.toString()}; seed ${SEED}`);
		if (IS_MUTANT) expect(tally.brokenWorlds).toBeGreaterThanOrEqual(BROKEN_WORLDS);
		else expect(failures).toEqual([]);
	},
	Infinity,
);
