import { describe, expect, it } from 'vitest';
import { jobParameters } from '../engine/nodes.mts';
import { errorOf, jobNode, useJobs } from './jobFixture.mts';

const jobs = useJobs();

describe('result files', () => {
	it.each([
		[
			'more than 100',
			'i=0; while [ $i -lt 101 ]; do : > $i.txt; i=$((i + 1)); done',
			'101 files match Result Files, and 100 are downloaded at most',
		],
		['one above 100 MiB', 'truncate -s 104857601 big.txt', 'is larger than 104857600 bytes'],
	])('%s: an error, and its VM is destroyed', async (_, command, message) => {
		const parameters = jobParameters({ command, resultFiles: '*.txt' });
		expect(errorOf(await jobs.run(jobNode('run', parameters))).message).toContain(message);
		expect(jobs.states).toEqual(['destroyed']);
	});
});
