import { defineConfig } from 'vitest/config';
import project from '../../vitest.config.mts';
import { LastingThread } from './lastingThread.mts';

export default defineConfig({
	...project,
	plugins: [
		{
			name: 'lasting thread',
			configureVitest({ project: { config } }) {
				config.pool = 'lasting';
				config.poolRunner = {
					name: 'lasting',
					createPoolWorker: (options) => new LastingThread(options),
				};
			},
		},
	],
	test: {
		...project.test,
		// One thread has room for one project
		projects: undefined,
		include: [
			'test/unit/*.test.mts',
			...(JSON.parse(process.env.MUTATION_TESTS ?? '[]') as string[]),
		],
		// They measure a time, which changed code does not keep, build packages of their own, or are about the sandbox
		exclude: ['test/unit/{pattern-time,build,release,worlds-*}.test.mts'],
		setupFiles: ['test/mutation/setup.mts'],
		isolate: false,
		testTimeout: 60_000,
	},
});
