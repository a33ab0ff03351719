import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The end-to-end tests that take longest. Where vitest has no times of a former run it begins with the largest files, and these are
 * among the smallest: the last of them would run alone.
 */
const LONGEST = ['examples', 'logs-trigger-restarts', 'forms-marketplace', 'forms-rag'].map(
	(name) => path.join('e2e', `${name}.test.mts`),
);

/** These first, and all others in vitest's own order. */
export class LongestFirst extends BaseSequencer {
	override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
		const sorted = await super.sort(files);
		const isLong = ({ moduleId }: TestSpecification) =>
			LONGEST.some((file) => path.normalize(moduleId).endsWith(file));
		return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
	}
}
