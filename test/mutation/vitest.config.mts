import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Of the sandbox alone: other runs have other times. */
const CACHE = '.vite';
/** How long each test file takes, in milliseconds, as a JSON object by its path. */
const DURATIONS = `${CACHE}/durations.json`;

/** How many of the last mutants each test file has noticed, the older ones with less weight. */
const noticed = new Map<string, number>();

/** What is left of the weight of a mutant with each later one. */
const LEFT = 0.95;
/** Of mutants that a file never noticed, so that short files come before long ones. */
const LEAST_NOTICED = 0.05;

/**
 * A mutant is tried until a test fails. First come the files that have the best chance for their time: one that noticed mutants close by
 * will notice this one rather than others. The time is that of the run without a mutant: one that makes the tests of a file wait
 * tells nothing of the next one.
 */
class LikeliestFirst extends BaseSequencer {
	private durations?: Record<string, number>;

	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		// The first run is that which measures them
		if (!existsSync(DURATIONS)) return files;
		const durations = (this.durations ??= JSON.parse(readFileSync(DURATIONS, 'utf8')) as Record<
			string,
			number
		>);
		for (const [file, count] of noticed) noticed.set(file, count * LEFT);
		const ranked = files.map((file) => ({ file, rank: this.rankOf(file, durations) }));
		return ranked.sort((one, other) => one.rank - other.rank).map(({ file }) => file);
	}

	private rankOf(file: TestSpecification, durations: Record<string, number>): number {
		const { project, moduleId } = file;
		const { cache, config } = this.ctx;
		const name = path.relative(config.root, moduleId);
		const hasFailed = cache.getFileTestResults(`${project.name}:${name}`)?.failed ?? false;
		const count = (noticed.get(name) ?? 0) + Number(hasFailed);
		noticed.set(name, count);
		return (durations[name] ?? 0) / (count + LEAST_NOTICED);
	}
}

/** Keeps how long each test file takes without a mutant. */
class Durations implements Reporter {
	onTestRunEnd(files: readonly TestModule[]): void {
		if (existsSync(DURATIONS)) return;
		const durations = files.map((file) => [file.relativeModuleId, file.diagnostic().duration]);
		mkdirSync(CACHE, { recursive: true });
		writeFileSync(DURATIONS, JSON.stringify(Object.fromEntries(durations)));
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
	cacheDir: CACHE,
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
		include: JSON.parse(process.env.MUTATION_TESTS ?? '[]') as string[],
		// They measure a time, which changed code does not keep, build packages of their own, or are about the sandbox or the docs
		exclude: ['test/unit/{pattern-time,build,release,pages,worlds-*}.test.mts'],
		setupFiles: ['test/mutation/setup.mts'],
		isolate: false,
		sequence: { sequencer: LikeliestFirst },
		reporters: [new RefuseUnread(), new Durations()],
		testTimeout: 60_000,
	},
});
