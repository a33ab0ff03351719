import path from 'node:path';
import { defineConfig } from 'vitest/config';
import {
	BaseSequencer,
	type Reporter,
	type TestModule,
	type TestSpecification,
	type Vitest,
} from 'vitest/node';
import project from '../../vitest.config.mts';
import { LastingThread } from './lastingThread.mts';

/** The longest time that each file has taken: a mutant's run ends with the first test that fails, so its own say little. */
const longest = new Map<string, number>();

/** A longer one may take all the time that a mutant has. */
const SHORT_MS = 1_000;

/**
 * A mutant is tried until a test fails: first those of functions alone, then the others; of each the short ones that the last
 * mutant made fail, since it was close by, then the shortest.
 */
class ShortestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const known = files.map((file) => {
			const { hasFailed, duration } = this.resultOf(file);
			const time = Math.max(duration, longest.get(file.moduleId) ?? 0);
			longest.set(file.moduleId, time);
			const isUnit = file.moduleId.includes('/test/unit/');
			return { file, rank: [isUnit ? 0 : 1, hasFailed && time < SHORT_MS ? 0 : 1, time] };
		});
		return known.sort((one, other) => compare(one.rank, other.rank)).map(({ file }) => file);
	}

	private resultOf({ project, moduleId }: TestSpecification) {
		const { cache, config } = this.ctx;
		const key = `${project.name}:${path.relative(config.root, moduleId)}`;
		const { failed: hasFailed = false, duration = 0 } = cache.getFileTestResults(key) ?? {};
		return { hasFailed, duration };
	}
}

/** Two lists of numbers, by the first that differ. */
function compare(one: number[], other: number[]): number {
	return one.map((rank, index) => rank - (other[index] ?? 0)).find((order) => order !== 0) ?? 0;
}

/** Stryker goes on without a test file that could not be read, and what it would notice would count as not noticed. */
class RefuseUnread implements Reporter {
	private vitest?: Vitest;

	onInit(vitest: Vitest): void {
		this.vitest = vitest;
	}

	onTestRunEnd(files: readonly TestModule[]): void {
		for (const file of files)
			for (const { message } of file.errors()) {
				const unread = new Error(`${file.relativeModuleId} could not be read: ${message}`);
				this.vitest?.state.catchError(unread, 'Unread test file');
			}
	}
}

export default defineConfig({
	...project,
	// Of the sandbox alone: other runs have other times
	cacheDir: '.vite',
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
		// They measure a time, which changed code does not keep, build packages of their own, or are about the sandbox or the docs
		exclude: ['test/unit/{pattern-time,build,release,pages,worlds-*}.test.mts'],
		setupFiles: ['test/mutation/setup.mts'],
		isolate: false,
		sequence: { sequencer: ShortestFirst },
		reporters: [new RefuseUnread()],
		testTimeout: 60_000,
	},
});
