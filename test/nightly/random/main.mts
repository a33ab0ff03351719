/**
 * `npm run test:nightly -- random`: the tests with random input, with more of it than a change has to pass. Their results are
 * counted from what vitest prints.
 */
import { spawnSync } from 'node:child_process';

const FILES = [
	'test/integration/rag-examples.test.mts',
	'test/unit/log-overlap.test.mts',
	'test/unit/regex-equality.test.mts',
	'test/property',
];
const AMOUNTS = {
	HOSTILE_VALUES: '12',
	MONEY_SCHEDULES: '10000',
	OVERLAP_RUNS: '20000',
	REGEX_RUNS: '3000',
	REINDEX_FILES: '2000',
};
const HOUR_MS = 3_600_000;

const { status } = spawnSync(
	process.execPath,
	['node_modules/vitest/vitest.mjs', 'run', `--testTimeout=${HOUR_MS}`, ...FILES],
	{ env: { ...process.env, ...AMOUNTS }, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
