import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** How the tests of one fact ended. */
export interface Counts {
	passed: number;
	/** Failed, skipped, or not run. */
	failed: number;
}

/** The ids that a title begins with: `[deploy.body] [deploy.optional] exactly the keys …`. */
export function idsIn(title: string): string[] {
	const head = /^(?:\[[^\]]+\] ?)+/.exec(title)?.[0] ?? '';
	return [...head.matchAll(/\[([^\]]+)\]/g)].map(([, id = '']) => id);
}

export interface Run {
	/** By id of a fact. */
	counts: Map<string, Counts>;
	/** Tests that ran, whether they name a fact or not. */
	tests: number;
	/** Files that could not be run at all, and titles of tests that did not pass. */
	broken: string[];
}

/**
 * Runs the contract tests of a project, by vitest's own report: a test that was not run is not in it.
 */
export async function runContract(project: string): Promise<Run> {
	const report = path.join(os.tmpdir(), `contract-${process.pid}.json`);
	const args = [
		'node_modules/vitest/vitest.mjs',
		'run',
		'test/contract',
		'--reporter=json',
		`--outputFile=${report}`,
	];
	// A test that fails ends vitest with 1: the report tells which it was
	await new Promise<void>(
		(resolve) =>
			void execFile(
				process.execPath,
				args,
				{ cwd: project, env: { ...process.env, NO_COLOR: '1' }, maxBuffer: Infinity },
				() => resolve(),
			),
	);
	try {
		return read(readFileSync(report, 'utf8'));
	} finally {
		rmSync(report, { force: true });
	}
}

interface Report {
	testResults: Array<{
		name: string;
		status: string;
		assertionResults: Array<{ title: string; status: string }>;
	}>;
}

function read(json: string): Run {
	const { testResults } = JSON.parse(json) as Report;
	const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
	const counts = new Map<string, Counts>();
	for (const { title, status } of tests) {
		for (const id of idsIn(title)) {
			const { passed, failed } = counts.get(id) ?? { passed: 0, failed: 0 };
			counts.set(
				id,
				status === 'passed' ? { passed: passed + 1, failed } : { passed, failed: failed + 1 },
			);
		}
	}
	const files = testResults
		.filter(({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0)
		.map(({ name }) => path.basename(name));
	return {
		counts,
		tests: tests.length,
		broken: [
			...files,
			...tests.filter(({ status }) => status !== 'passed').map(({ title }) => title),
		],
	};
}
