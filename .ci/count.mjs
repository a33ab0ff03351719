/**
 * `node .ci/count.mjs STATUS RESULTS LOG` prints how many tests of a step passed and failed, such as `120 1`.
 *
 * STATUS is the step's exit code, RESULTS the folder where vitest has written its results as JSON, a file for each run of it,
 * and LOG the step's output, in which our own programs print `N passed, N failed` last. A step that has neither counts as one
 * test, and so does an error that no failed test tells of: a crash, or a test file that could not be run.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OWN_SUM = /^(\d+) passed, (\d+) failed$/gm;

const [status, results, log] = process.argv.slice(2);

function ofVitest() {
	return readdirSync(results).map((file) => {
		const run = JSON.parse(readFileSync(join(results, file), 'utf8'));
		const brokenFiles = run.testResults.filter(
			(result) =>
				result.status === 'failed' &&
				result.assertionResults.every((test) => test.status !== 'failed'),
		);
		return [run.numPassedTests, run.numFailedTests + brokenFiles.length];
	});
}

function ofOwnProgram() {
	const sum = [...readFileSync(log, 'utf8').matchAll(OWN_SUM)].at(-1);
	return sum === undefined ? [] : [[Number(sum[1]), Number(sum[2])]];
}

const runs = ofVitest();
const counts = runs.length > 0 ? runs : ofOwnProgram();
const total = (index) => counts.reduce((sum, run) => sum + run[index], 0);
const [passed, failed] = [total(0), total(1)];
const isBroken = status !== '0' && failed === 0;
const isOneTest = status === '0' && passed + failed === 0;
console.log(passed + Number(isOneTest), failed + Number(isBroken));
