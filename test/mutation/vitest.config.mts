import { defineConfig } from 'vitest/config';
import project from '../../vitest.config.mts';
import { LastingThread } from './lastingThread.mts';

export default defineConfig({
	...project,
	plugins: [{
		name: 'lasting thread',
		configureVitest({ project: { config } }) {
			config.pool = 'lasting';
			config.poolRunner = { name: 'lasting', createPoolWorker: (options) => new LastingThread(options) };
		},
	}],
	test: {
		...project.test,
		include: ['test/unit/*.test.mts', 'test/integration/{http,execute,bad-answers,bad-input,cancel}.test.mts'],
		// Measures a time, which changed code does not keep
		exclude: ['test/unit/pattern-time.test.mts'],
		setupFiles: ['test/mutation/setup.mts'],
		isolate: false,
		testTimeout: 120_000,
	},
});
