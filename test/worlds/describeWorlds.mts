import { afterAll, beforeAll, describe, it } from 'vitest';
import { useRandom, WORLDS_SEED } from '../engine/random.mts';
import { startFixture } from '../engine/start.mts';
import { VirtualTime } from '../engine/virtualTime.mts';
import { manualClock } from '../sandbox/index.mts';
import type { World } from '../sandbox/worlds/world.mts';
import { WORLDS_SHARE, type Share } from './loadWorlds.mts';
import type { Kind, Scenario, Stage } from './stage.mts';

/** Time for all disconnects of one scenario, also a thousand of them on a busy machine. */
const SCENARIO_MS = 1_800_000;

/** Engine and sandbox on a clock that jumps; only inside a test file. */
export function useStage(): () => Stage {
	let stage: (Stage & { time: VirtualTime }) | undefined;
	beforeAll(async () => {
		const clock = manualClock();
		const { sandbox, engine } = await startFixture({ clock, ssh: true });
		stage = {
			sandbox,
			engine,
			time: new VirtualTime(clock, sandbox.heldRequests, sandbox.vms.isBusy),
		};
	});
	afterAll(async () => {
		stage?.time.restore();
		await stage?.sandbox.close();
	});
	return () => {
		if (!stage) throw new Error('The stage is not there yet');
		return stage;
	};
}

/** The scenarios that touch a world. */
export const playedIn = <S extends Scenario>(
	{ scenarios: wanted }: World,
	scenarios: readonly S[],
): S[] => scenarios.filter(({ name }) => wanted?.includes(name) ?? true);

/**
 * A share of the scenarios of a world. Neighbouring worlds have other ones, so that each scenario is played in such a share of the
 * worlds. The first world is the documented one, and is played whole, as is a world that only a few scenarios touch.
 */
export function shareOf<S extends Scenario>(
	world: World,
	indexOfWorld: number,
	scenarios: readonly S[],
	{ part, parts }: Share = WORLDS_SHARE,
): S[] {
	const played = playedIn(world, scenarios);
	const hasFew = world.scenarios !== undefined && played.length < parts;
	if (indexOfWorld === 0 || hasFew) return played;
	return played.filter((_, index) => (index + indexOfWorld) % parts === part - 1);
}

/**
 * Tests every law in these worlds: a row of the table for each world, a cell for each law. What is random in a scenario is the
 * same again with the same `WORLDS_SEED`.
 */
export function describeWorlds<W extends World, S extends Scenario, R>(
	kind: Kind<W, S, R>,
	worlds: readonly W[],
	...scenarios: readonly S[]
): void {
	const stage = useStage();
	for (const [index, world] of worlds.entries()) {
		const played = shareOf(world, index, scenarios);
		// A group without a test is an error of vitest
		if (played.length > 0) describeScenarios(kind, stage, world, played);
	}
}

/**
 * Tests every law in one world.
 * @param row of the table; a row that sums up several worlds names them in its scenarios
 */
export function describeScenarios<W extends World, S extends Scenario, R>(
	{ laws, play }: Kind<W, S, R>,
	stage: () => Stage,
	world: W,
	scenarios: readonly S[],
	row = world.name,
): void {
	const titleOf = ({ name }: S) => (row === world.name ? name : `${world.name}, ${name}`);
	describe(row, () => {
		describe.each(scenarios.map((scenario) => [titleOf(scenario), scenario] as const))(
			'%s',
			(_title, scenario) => {
				let record: R;
				let problem: unknown;
				beforeAll(async () => {
					const { restore } = useRandom(`${WORLDS_SEED} ${world.name} ${scenario.name}`);
					// A scenario that breaks off breaks every law: a failed hook would only skip the tests
					record = await play(stage(), world, scenario)
						.catch((error: unknown) => {
							problem = error;
							return undefined as never;
						})
						.finally(restore);
				}, SCENARIO_MS);
				for (const { name, broken } of laws) {
					it(name, ({ skip }) => {
						if (problem !== undefined) throw problem;
						const relaxed = world.relaxed?.find(
							(one) => one.law === name && (one.scenario ?? scenario.name) === scenario.name,
						);
						if (relaxed) skip(relaxed.why);
						const problems = broken(record);
						if (problems.length > 0) throw new Error(problems.join('\n'));
					});
				}
			},
		);
	});
}
