import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import project from '../../vitest.config.mts';
import { LastingThread } from './lastingThread.mts';

/** A mutant is tried until a test fails: first those that the last one made fail, since it was close by, then the shortest. */
class ShortestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const longestFirst = await super.sort(files);
		const { cache } = this.ctx;
		const hasFailed = ({ project, moduleId }: TestSpecification) =>
			cache.getFileTestResults(`${project.name}:${path.relative(this.ctx.config.root, moduleId)}`)
				?.failed ?? false;
		const failed = longestFirst.filter(hasFailed);
		return [...failed, ...longestFirst.filter((file) => !hasFailed(file)).reverse()];
	}
}

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
		sequence: { sequencer: ShortestFirst },
		testTimeout: 60_000,
	},
});
