/**
 * `npm run test:money [-- --schedules N --seed N --world NAME --mutant]`: `money.test.mts` with as many schedules as a release has to
 * pass. With `--mutant` the reconciliation of a purchase is taken out of the package, and an invariant must break in several worlds.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage } from '../../build.mts';

const { values: options } = parseArgs({
	options: {
		schedules: { type: 'string', default: '10000' },
		seed: { type: 'string' },
		world: { type: 'string' },
		mutant: { type: 'boolean', default: false },
	},
});
const folder = mkdtempSync(path.join(os.tmpdir(), 'compute-mutant-'));
const env = {
	...process.env,
	MONEY_SCHEDULES: options.schedules,
	...(options.seed !== undefined && { MONEY_SEED: options.seed }),
	...(options.world !== undefined && { MONEY_WORLD: options.world }),
};
try {
	if (options.mutant) {
		await buildPackage(folder, {
			changes: [
				{
					file: 'nodes/marketplace/purchase.ts',
					from: 'const noted = context.journal.intent() as PurchaseNote | undefined;',
					to: 'const noted = undefined as PurchaseNote | undefined;',
				},
			],
			hasTestClock: true,
		});
		// The engine loads the package when it starts, so the mutant has to be there before
		Object.assign(env, { MONEY_MUTANT: '1', COMPUTE_PACKAGE: folder });
	}
	const vitest = [
		'node_modules/vitest/vitest.mjs',
		'run',
		'--project=property',
		'test/property/money.test.mts',
	];
	const { status } = spawnSync(process.execPath, vitest, { env, stdio: 'inherit' });
	process.exitCode = status ?? 1;
} finally {
	rmSync(folder, { recursive: true, force: true });
}
