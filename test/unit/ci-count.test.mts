import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = path.resolve(import.meta.dirname, '../../.ci/count.mjs');

let folder = '';

beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), 'ci-count-'));
	mkdirSync(path.join(folder, 'results'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What a run of vitest writes, with these states of the tests in each file */
function writeResults(name: string, files: Array<{ status: string; tests: string[] }>): void {
	const tests = files.flatMap((file) => file.tests);
	const results = {
		numPassedTests: tests.filter((status) => status === 'passed').length,
		numFailedTests: tests.filter((status) => status === 'failed').length,
		testResults: files.map((file) => ({
			status: file.status,
			name: `${name}.test.mts`,
			message: 'not a module',
			assertionResults: file.tests.map((status, index) => ({
				status,
				fullName: `test ${index}`,
				failureMessages: [`reason ${index}`],
			})),
		})),
	};
	writeFileSync(path.join(folder, 'results', name), JSON.stringify(results));
}

function count(status: number, log = ''): string {
	writeFileSync(path.join(folder, 'log'), log);
	const paths = ['results', 'log', 'failures'].map((name) => path.join(folder, name));
	const args = [SCRIPT, String(status), ...paths];
	return execFileSync(process.execPath, args, { encoding: 'utf8' }).trim();
}

/** What failed, for the end of the output */
function failures(): string | undefined {
	const file = path.join(folder, 'failures');
	return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

describe('what .ci/run counts of a step', () => {
	it('sums all runs of vitest and leaves skipped tests out', () => {
		writeResults('1.json', [
			{ status: 'passed', tests: ['passed', 'passed', 'pending'] },
			{ status: 'failed', tests: ['passed', 'failed'] },
		]);
		writeResults('2.json', [{ status: 'passed', tests: ['passed'] }]);
		expect(count(1)).toBe('4 1');
	});

	it('counts a test file that could not be run as failed', () => {
		writeResults('1.json', [
			{ status: 'passed', tests: ['passed'] },
			{ status: 'failed', tests: [] },
		]);
		expect(count(1)).toBe('1 1');
	});

	it('prefers the results of vitest to what the tests have printed', () => {
		writeResults('1.json', [{ status: 'passed', tests: ['passed'] }]);
		expect(count(0, '90 passed, 9 failed\n')).toBe('1 0');
	});

	it('takes the last sum that one of our own programs prints', () => {
		expect(count(1, '1 passed, 0 failed\nmore\n30 passed, 2 failed\n')).toBe('30 2');
	});

	it('counts a step without tests as one', () => {
		expect(count(0, 'no problems\n')).toBe('1 0');
		expect(count(2, 'a problem\n')).toBe('0 1');
	});

	it('counts a crash after tests that all passed as failed', () => {
		expect(count(137, '30 passed, 0 failed\n')).toBe('30 1');
		writeResults('1.json', [{ status: 'passed', tests: ['passed'] }]);
		expect(count(1)).toBe('1 1');
	});
});

describe('what .ci/run says of a step that failed', () => {
	it('the tests, with their reasons; nothing of those that passed', () => {
		writeResults('1', [{ status: 'failed', tests: ['passed', 'failed'] }]);
		count(1);
		expect(failures()).toBe('\n1.test.mts\ntest 1\nreason 1\n');
	});

	it('a test file that could not be run', () => {
		writeResults('1', [{ status: 'failed', tests: [] }]);
		count(1);
		expect(failures()).toBe('\n1.test.mts\nnot a module\n');
	});

	it('what a program said last, and which of its checks failed', () => {
		count(1, `FAILED the first\n${'x'.repeat(5_000)}\n1 passed, 1 failed\n`);
		expect(failures()).toContain('FAILED the first');
		expect(failures()).toContain('1 passed, 1 failed');
		expect(failures()?.length).toBeLessThan(5_000);
	});

	it('nothing where all passed', () => {
		count(0, 'FAILED is a word of this program\n3 passed, 0 failed\n');
		expect(failures()).toBeUndefined();
	});
});
