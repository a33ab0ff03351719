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
		// The tests of the shared code itself, and the fastest of those that use all of it
		include: [
			'test/unit/*.test.mts',
			'test/integration/{request,stream,pages,operation,http,execute,bad-answers,bad-input,oauth2,deploy,tool,rag-documents,rag-groups}.test.mts',
		],
		// They measure a time, which changed code does not keep, and build packages of their own
		exclude: ['test/unit/pattern-time.test.mts', 'test/unit/build.test.mts'],
		setupFiles: ['test/mutation/setup.mts'],
		isolate: false,
		testTimeout: 15_000,
	},
});
