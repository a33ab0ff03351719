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

/** What is known of a test file. */
interface Known {
	/** The longest time that it has taken, in milliseconds: a mutant's run ends with the first test that fails, so its own say little. */
	longest: number;
	/** How many of the last mutants it has noticed, the older ones with less weight. */
	noticed: number;
}

const known = new Map<string, Known>();

/** What is left of the weight of a mutant with each later one. */
const LEFT = 0.95;
/** Of mutants that a file never noticed, so that short files come before long ones. */
const LEAST_NOTICED = 0.05;

/**
 * A mutant is tried until a test fails. First come the files that have the best chance for their time: one that noticed mutants close by
 * will notice this one rather than others.
 */
class LikeliestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		for (const one of known.values()) one.noticed *= LEFT;
		const ranked = files.map((file) => ({ file, rank: this.rankOf(file) }));
		return ranked.sort((one, other) => one.rank - other.rank).map(({ file }) => file);
	}

	private rankOf(file: TestSpecification): number {
		const { hasFailed, duration } = this.resultOf(file);
		const { longest = 0, noticed = 0 } = known.get(file.moduleId) ?? {};
		const now = { longest: Math.max(duration, longest), noticed: noticed + Number(hasFailed) };
		known.set(file.moduleId, now);
		return now.longest / (now.noticed + LEAST_NOTICED);
	}

	private resultOf({ project, moduleId }: TestSpecification) {
		const { cache, config } = this.ctx;
		const key = `${project.name}:${path.relative(config.root, moduleId)}`;
		const { failed: hasFailed = false, duration = 0 } = cache.getFileTestResults(key) ?? {};
		return { hasFailed, duration };
	}
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
		sequence: { sequencer: LikeliestFirst },
		reporters: [new RefuseUnread()],
		testTimeout: 60_000,
	},
});
