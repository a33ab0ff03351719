import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/e2e/longestFirst.mts';

const require = createRequire(import.meta.url);

const CHAT_MODEL = ['test/integration/{chat-model,memory}*.test.mts'];
/**
 * What takes minutes: commands, files and jobs of VMs start many processes; logs that end, break off or come in pieces, or whose n8n
 * is started again, wait in real time; the laws of the worlds; patterns beside the language's own engine; 1,000 polls of the
 * trigger; hostile values in each form, hostile answers to each operation.
 */
const LONG = [
	'test/integration/{ssh-commands,ssh-errors,ssh-files,job-run,job-failures,job-collect}.test.mts',
	'test/integration/logs-{equal,chunks,answers,ids,lives,restart*,siblings,deactivation,gaps,ends}.test.mts',
	'test/unit/{worlds-laws,regex-equality}.test.mts',
	'test/integration/compute-trigger-polls.test.mts',
	'test/property/hostile-*.test.mts',
];

/** For files that share a process */
const SHARED = { isolate: false, setupFiles: ['test/engine/endOfFile.mts'] };

/** Where `.ci/run` finds the results of each run of vitest as JSON, in a file of its own */
const results = process.env.TEST_RESULTS;

export default defineConfig({
	resolve: {
		// One copy of n8n-workflow for tests, nodes and engine: with two, `instanceof NodeApiError` is false
		alias: { 'n8n-workflow': require.resolve('n8n-workflow') },
	},
	test: {
		...(results !== undefined && {
			reporters: ['default', 'json'],
			outputFile: { json: `${results}/${process.pid}.json` },
		}),
		globalSetup: ['test/engine/userFolder.mts'],
		env: { N8N_LOG_LEVEL: 'silent' },
		// No judgement on speed: a busy machine takes many times as long as an idle one
		testTimeout: 120_000,
		hookTimeout: 60_000,
		// How long n8n may take to stop after the end-to-end tests
		teardownTimeout: 30_000,
		// Logs are followed in real time: many tests wait
		maxWorkers: 3,
		sequence: { sequencer: LongestFirst },
		projects: [
			// Every file uses the engine: loading it once a worker, and not once a file, is three quarters of the time
			{
				extends: true,
				test: {
					name: 'engine',
					include: ['test/{unit,integration,contract}/**/*.test.mts'],
					exclude: [...CHAT_MODEL, ...LONG],
					...SHARED,
				},
			},
			// Random input from a seed: hostile values, hostile answers, schedules of faults
			{
				extends: true,
				test: {
					name: 'property',
					include: ['test/property/**/*.test.mts'],
					exclude: LONG,
					...SHARED,
				},
			},
			// Every law in every world of the sandbox. `npm test` leaves it out: `npm run test:worlds` prints its table
			{
				extends: true,
				test: { name: 'worlds', include: ['test/worlds/**/*.test.mts'], ...SHARED },
			},
			// Worlds of reviews that knew the specifications alone, each with a service of its own. `npm test` leaves it out
			{
				extends: true,
				test: { name: 'review', include: ['test/review/**/*.test.mts'], ...SHARED },
			},
			// With the SDK of a real n8n, what stands in for it, and without it: what one process has loaded, it has
			{ extends: true, test: { name: 'chat model', include: CHAT_MODEL } },
			// `npm test` leaves it out
			{ extends: true, test: { name: 'long', include: LONG, ...SHARED } },
			// With OpenSSH's own server, which not every machine has. `npm test` leaves it out
			{ extends: true, test: { name: 'sshd', include: ['test/sshd/**/*.test.mts'] } },
			// In one n8n. Browsers and what restarts n8n leave a core idle for most of their time, so three files at once. `npm test` leaves it out
			{
				extends: true,
				test: {
					name: 'e2e',
					include: ['test/e2e/**/*.test.mts'],
					globalSetup: ['test/e2e/setup.mts'],
					// Several waits of a browser, each of them for a condition
					testTimeout: 300_000,
					hookTimeout: 300_000,
				},
			},
		],
	},
});
