/**
 * For `main.mts`. Changes the sources in every way that Stryker knows, one at a time. The package is built once, from sources that
 * hold all changes and turn on one of them at run time, so tests of the built package notice them as unit tests do.
 */
export default {
	testRunner: 'vitest',
	plugins: ['@stryker-mutator/vitest-runner'],
	vitest: { configFile: 'test/mutation/vitest.config.mts', related: false },
	buildCommand: 'node --import tsx build.mts',
	// Which test reaches which of some thousand mutants: 4 GB for a sixth of the largest room
	testRunnerNodeArgs: ['--max-old-space-size=10240'],
	coverageAnalysis: 'perTest',
	// What runs only while the package is loaded would need a new process for each change
	ignoreStatic: true,
	concurrency: 2,
	// All tests once, one after the other; those of logs wait in real time
	dryRunTimeoutMinutes: 60,
	// The tests of a mutant have limits of their own (setup.mts): this one is for what never comes to an end
	timeoutMS: 45_000,
	timeoutFactor: 0,
	cleanTempDir: 'always',
	ignorePatterns: ['/dist', '/dist-test', '/docs', '/test/e2e/shots'],
	packageManager: 'npm',
	reporters: ['clear-text', 'progress-append-only'],
	clearTextReporter: { logTests: false, reportTests: false },
	thresholds: { break: 85 },
};
