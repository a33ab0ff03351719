import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);

export default defineConfig({
	resolve: {
		// One copy of n8n-workflow for tests, nodes and engine: with two, `instanceof NodeApiError` is false
		alias: { 'n8n-workflow': require.resolve('n8n-workflow') },
	},
	test: {
		include: ['test/{unit,integration,contract}/**/*.test.mts'],
		globalSetup: ['test/engine/userFolder.mts'],
		env: { N8N_LOG_LEVEL: 'silent' },
		// No judgement on speed: a busy machine takes many times as long as an idle one
		testTimeout: 120_000,
		hookTimeout: 60_000,
		maxWorkers: 2,
		// Every file uses the engine: loading it once a worker, and not once a file, is three quarters of the time
		isolate: false,
	},
});
