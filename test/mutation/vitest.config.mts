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
		// They measure a time, which changed code does not keep, build packages of their own, are about the sandbox, or count on the stack of a main thread
		exclude: ['test/unit/{pattern-time,build,release,worlds-*,jsonSchema-patterns}.test.mts'],
		setupFiles: ['test/mutation/setup.mts'],
		isolate: false,
		testTimeout: 60_000,
	},
});
