/**
 * `node .ci/count.mjs STATUS RESULTS LOG FAILURES` prints how many tests of a step passed and failed, such as `120 1`, and appends what
 * failed to FAILURES.
 *
 * STATUS is the step's exit code, RESULTS the folder where vitest has written its results as JSON, a file for each run of it,
 * and LOG the step's output, in which our own programs print `N passed, N failed` last. A step that has neither counts as one
 * test, and so does an error that no failed test tells of: a crash, or a test file that could not be run.
 */
import { appendFileSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const OWN_SUM = /^(\d+) passed, (\d+) failed$/gm;

/** So much of the output of a step that failed without a failed test of vitest */
const LAST_CHARACTERS = 4_000;

const [status, results, log, report] = process.argv.slice(2);
const output = readFileSync(log, 'utf8');
const failures = [];

function ofVitest() {
	return readdirSync(results).map((file) => {
		const run = JSON.parse(readFileSync(join(results, file), 'utf8'));
		for (const result of run.testResults.filter((one) => one.status === 'failed')) {
			const broken = result.assertionResults.filter((test) => test.status === 'failed');
			for (const { fullName, failureMessages } of broken)
				failures.push(`${result.name}\n${fullName}\n${failureMessages.join('\n')}`);
			if (broken.length === 0) failures.push(`${result.name}\n${result.message}`);
		}
		const brokenFiles = run.testResults.filter(
			(result) =>
				result.status === 'failed' &&
				result.assertionResults.every((test) => test.status !== 'failed'),
		);
		return [run.numPassedTests, run.numFailedTests + brokenFiles.length];
	});
}

function ofOwnProgram() {
	const sum = [...output.matchAll(OWN_SUM)].at(-1);
	return sum === undefined ? [] : [[Number(sum[1]), Number(sum[2])]];
}

const runs = ofVitest();
const counts = runs.length > 0 ? runs : ofOwnProgram();
const total = (index) => counts.reduce((sum, run) => sum + run[index], 0);
const [passed, failed] = [total(0), total(1)];
const isBroken = status !== '0' && failed === 0;
const isOneTest = status === '0' && passed + failed === 0;
if (status !== '0' && failures.length === 0)
	failures.push(...(output.match(/^FAIL.*$/gm) ?? []), output.slice(-LAST_CHARACTERS));
if (failures.length > 0) appendFileSync(report, `\n${failures.join('\n\n')}\n`);
console.log(passed + Number(isOneTest), failed + Number(isBroken));
