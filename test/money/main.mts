/**
 * `npm run test:money [-- --schedules N --seed N --mutant]`: random schedules of faults against deploy, deployCheapest, extend
 * and destroy, in n8n's engine with Retry On Fail, on the sandbox's clock, judged by the sandbox's books.
 * With `--mutant` the look-up of what an earlier try has sent is taken out, and the laws must break.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { buildPackage } from '../../build.mts';
import { deployParameters, vmaas } from '../engine/nodes.mts';
import { startFixture } from '../engine/start.mts';
import { useSandboxTime } from '../engine/time.mts';
import { FaultSchedule } from './faults.mts';
import { parametersOf, schedule, type Operation, type Schedule } from './intents.mts';
import { brokenLaws } from './laws.mts';

const { values: options } = parseArgs({
	options: {
		schedules: { type: 'string', default: '10000' },
		seed: { type: 'string', default: '20260101' },
		mutant: { type: 'boolean', default: false },
	},
});

// The engine loads the package when it starts, so the mutant has to be there before
if (options.mutant) {
	const folder = mkdtempSync(path.join(os.tmpdir(), 'compute-mutant-'));
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
	await buildPackage(folder, [
		{
			file: 'nodes/Vmaas/purchase.ts',
			from: 'const open = call.journal.open();',
			to: 'const open = undefined;',
		},
	]);
	process.env.COMPUTE_PACKAGE = folder;
}

const { sandbox, engine } = await startFixture();
const time = useSandboxTime(sandbox);
const faults = await FaultSchedule.install(sandbox);
const met = {
	schedules: 0,
	faults: 0,
	sequences: new Set<string>(),
	operations: new Map<Operation, number>(),
};

/** Plays one schedule and returns the laws that it broke. */
async function play(plan: Schedule): Promise<string[]> {
	sandbox.reset();
	faults.start([]);
	const targets: string[] = [];
	if (plan.operation === 'extend' || plan.operation === 'destroy') {
		for (let item = 0; item < (plan.sharesTarget ? 1 : plan.items); item++) {
			const run = await engine.run(
				vmaas('deployment', 'deploy', deployParameters({ resourcePrivateName: `target-${item}` })),
			);
			targets.push(
				String(run.data.resultData.runData.Node?.[0]?.data?.main?.[0]?.[0]?.json.deployment_id),
			);
		}
		sandbox.clock.advance(60_000);
	}
	const bookedBefore = sandbox.books.deployments.length;
	const items = Array.from({ length: plan.items }, (_, item) => (plan.sharesTarget ? 0 : item)).map(
		(item) => ({ id: targets[item] ?? String(item) }),
	);
	const node = vmaas('deployment', plan.operation, parametersOf(plan), {
		retryOnFail: true,
		maxTries: plan.maxTries,
		waitBetweenTries: 1,
		onError: plan.onError,
	});
	faults.start(plan.faults);
	const runs = [await faults.drive(engine.run(node, items, { executionId: '1' }))];
	note(plan);
	await faults.settle();
	if (plan.runsAgain) runs.push(await faults.drive(engine.run(node, items, { executionId: '2' })));
	return brokenLaws({ schedule: plan, sandbox, runs, targets, bookedBefore });
}

function note(plan: Schedule): void {
	met.schedules++;
	met.faults += faults.met.filter((name) => name !== 'none').length;
	met.sequences.add(`${plan.operation}:${faults.met.join(',')}`);
	met.operations.set(plan.operation, (met.operations.get(plan.operation) ?? 0) + 1);
}

const property = fc.asyncProperty(schedule, async (plan) => {
	const broken = await play(plan);
	if (broken.length > 0) throw new Error(broken.join('; '));
});
const result = await fc.check(property, {
	numRuns: Number(options.schedules),
	seed: Number(options.seed),
	endOnFailure: options.mutant,
});

faults.uninstall();
time.restore();
await sandbox.close();

const operations = [...met.operations].map(([name, count]) => `${name} ${count}`).join(', ');
console.log(
	`schedules ${met.schedules} (${operations}); faults met ${met.faults}; distinct fault sequences ${met.sequences.size}; seed ${options.seed}`,
);
if (result.failed) {
	console.log(
		`broken after ${result.numRuns} schedules: ${result.errorInstance instanceof Error ? result.errorInstance.message : 'no message'}`,
	);
	console.log(JSON.stringify(result.counterexample));
}
const asExpected = result.failed === options.mutant;
console.log(
	options.mutant
		? `without the look-up the laws ${result.failed ? 'break, as they must' : 'HOLD: the test is blind'}`
		: `the laws of money ${result.failed ? 'are BROKEN' : 'hold'}`,
);
process.exitCode = asExpected ? 0 : 1;
