import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useFixture } from '../engine/fixture.mts';
import { deployment, deployParameters } from '../engine/nodes.mts';
import { onlyJson } from '../engine/results.mts';
import { FaultSchedule } from './money/faults.mts';
import { brokenInvariants } from './money/invariants.mts';
import { parametersOf, schedules, type Operation, type Schedule } from './money/schedule.mts';

/**
 * Cost safety: random schedules of faults against the operations that spend money or end it, in n8n's engine with Retry On
 * Fail, judged by what the sandbox has really made. `npm run test:money` runs many.
 */

/** Schedules in all. */
const SCHEDULES = Number(process.env.MONEY_SCHEDULES ?? 100);
const SEED = Number(process.env.MONEY_SEED ?? 20260101);
/** The package was built without the reconciliation of a purchase (main.mts). */
const IS_MUTANT = process.env.MONEY_MUTANT !== undefined;

const OPERATIONS: Array<[Operation, share: number]> = [
	['deploy', 0.4],
	['deployCheapest', 0.2],
	['extend', 0.2],
	['destroy', 0.2],
];

const fixture = useFixture();
let faults: FaultSchedule;
const met = { schedules: 0, faults: 0, sequences: new Set<string>() };

beforeAll(async () => {
	faults = await FaultSchedule.install(fixture.sandbox);
});
afterAll(() => {
	faults.uninstall();
	console.log(
		`schedules ${met.schedules}; faults met ${met.faults}; distinct fault sequences ${met.sequences.size}; seed ${SEED}`,
	);
});

/** Plays one schedule. Returns the invariants that it broke, in words. */
async function play(plan: Schedule): Promise<string[]> {
	const { sandbox } = fixture;
	sandbox.reset();
	faults.start([]);
	const targets: string[] = [];
	if (plan.operation === 'extend' || plan.operation === 'destroy') {
		for (let item = 0; item < (plan.sharesTarget ? 1 : plan.items); item++) {
			const parameters = deployParameters({ resourcePrivateName: `target-${item}` });
			const { deployment_id: id } = onlyJson(await fixture.run(deployment('deploy', parameters)));
			targets.push(String(id));
		}
		sandbox.clock.advance(60_000);
	}
	const bookedBefore = sandbox.books.deployments.length;
	const items = Array.from({ length: plan.items }, (_, item) => (plan.sharesTarget ? 0 : item)).map(
		(item) => ({ id: targets[item] ?? String(item) }),
	);
	const node = deployment(plan.operation, parametersOf(plan), {
		retryOnFail: true,
		maxTries: plan.maxTries,
		waitBetweenTries: 1,
		onError: plan.onError,
	});
	const execute = async (executionId: string) =>
		await faults.drive(fixture.run(node, items, { executionId }));
	faults.start(plan.faults);
	const runs = [await execute('1')];
	met.schedules++;
	met.faults += faults.met.filter((name) => name !== 'none').length;
	met.sequences.add(`${plan.operation}:${faults.met.join(',')}`);
	await faults.settle();
	if (plan.runsAgain) runs.push(await execute('2'));
	return brokenInvariants({ schedule: plan, sandbox, runs, targets, bookedBefore });
}

const holds = (operation: Operation) =>
	fc.asyncProperty(schedules(operation), async (plan) => {
		expect(await play(plan)).toEqual([]);
	});

describe.skipIf(IS_MUTANT)('the invariants of cost safety hold whatever fails', () => {
	it.each(OPERATIONS)(
		'%s',
		async (operation, share) => {
			await fc.assert(holds(operation), { numRuns: Math.ceil(SCHEDULES * share), seed: SEED });
		},
		Infinity,
	);
});

describe.runIf(IS_MUTANT)('without reconciliation', () => {
	it(
		'an invariant breaks',
		async () => {
			const options = { numRuns: SCHEDULES, seed: SEED, endOnFailure: true };
			const { failed, counterexample } = await fc.check(holds('deploy'), options);
			console.log(JSON.stringify(counterexample));
			expect(failed).toBe(true);
		},
		Infinity,
	);
});
