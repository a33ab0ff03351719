import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import Table from 'cli-table3';
import { flips, type Flip } from './flips.mts';

/**
 * A test that names a fact must fail when the fact is turned over. In copies of the project, each flip of `flips.mts` is
 * made, and only the tests that name its fact are run: at least one must fail. Before that they must pass.
 */

const PROJECT = path.resolve(import.meta.dirname, '../..');
const PARTS = ['build.mts', 'credentials', 'dist', 'icons', 'nodes', 'test', 'package.json', 'tsconfig.json', 'vitest.config.mts'];
const AT_ONCE = 2;

interface Counts {
	passed: number;
	failed: number;
}

interface Verdict extends Flip {
	before: Counts;
	after: Counts;
	noticed: boolean;
}

function copyProject(): string {
	const copy = mkdtempSync(path.join(os.tmpdir(), 'flips-'));
	for (const part of PARTS) cpSync(path.join(PROJECT, part), path.join(copy, part), { recursive: true });
	symlinkSync(path.join(PROJECT, 'node_modules'), path.join(copy, 'node_modules'));
	return copy;
}

/** Runs the tests whose title begins with one of the facts, and counts how they end, by fact. */
async function runTests(copy: string, facts: string[]): Promise<Map<string, Counts>> {
	const pattern = facts.map((fact) => `\\[${fact.replaceAll('.', '\\.')}\\]`).join('|');
	const report = path.join(copy, 'report.json');
	const files = readdirSync(path.join(copy, 'test/contract')).filter((file) => {
		return file.endsWith('.test.mts') && facts.some((fact) => isNamedIn(path.join(copy, 'test/contract', file), fact));
	});
	rmSync(report, { force: true });
	const args = ['node_modules/vitest/vitest.mjs', 'run', ...files.map((file) => `test/contract/${file}`), '-t', pattern, '--reporter=json', `--outputFile=${report}`];
	// A test that fails ends vitest with 1: the report tells which it was
	await new Promise<void>((resolve) => void execFile(process.execPath, args, { cwd: copy, env: { ...process.env, NO_COLOR: '1' } }, () => resolve()));
	const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: Array<{ assertionResults: Array<{ title: string; status: string }> }> };
	const results = testResults.flatMap(({ assertionResults }) => assertionResults);
	const count = (fact: string, status: string) => results.filter((result) => result.title.startsWith(`[${fact}]`) && result.status === status).length;
	return new Map(facts.map((fact) => [fact, { passed: count(fact, 'passed'), failed: count(fact, 'failed') }]));
}

/** A title may be made from a table: `[device.%s]`. */
function isNamedIn(file: string, fact: string): boolean {
	const titles = [...readFileSync(file, 'utf8').matchAll(/\[([a-z_0-9%-]+(?:\.[a-zA-Z_0-9%-]+)*)\]/g)].map(([, title = '']) => title);
	return titles.some((title) => new RegExp(`^${title.replaceAll('.', '\\.').replaceAll('%s', '.+')}$`).test(fact));
}

async function tryFlip(copy: string, flip: Flip, before: Counts): Promise<Verdict> {
	const file = path.join(copy, flip.file);
	const text = readFileSync(file, 'utf8');
	const found = text.split(flip.from).length - 1;
	if (found !== 1) throw new Error(`${flip.fact}: the text stands ${found} times in ${flip.file}, not once: ${flip.from}`);
	const write = async (content: string) => {
		writeFileSync(file, content);
		if (!flip.file.startsWith('test/')) await build(copy);
	};
	await write(text.replace(flip.from, () => flip.to));
	try {
		const after = (await runTests(copy, [flip.fact])).get(flip.fact) ?? { passed: 0, failed: 0 };
		return { ...flip, before, after, noticed: before.passed > 0 && before.failed === 0 && after.failed > 0 };
	} finally {
		await write(text);
	}
}

async function build(copy: string): Promise<void> {
	await promisify(execFile)(process.execPath, ['--import', 'tsx', 'build.mts'], { cwd: copy });
}

const copies = Array.from({ length: AT_ONCE }, copyProject);
try {
	const facts = [...new Set(flips.map(({ fact }) => fact))];
	const before = await runTests(copies[0] ?? PROJECT, facts);
	const verdicts: Verdict[] = [];
	const waiting = [...flips];
	await Promise.all(copies.map(async (copy) => {
		for (let flip = waiting.shift(); flip; flip = waiting.shift()) verdicts.push(await tryFlip(copy, flip, before.get(flip.fact) ?? { passed: 0, failed: 0 }));
	}));
	const table = new Table({ head: ['fact', 'flipped in', 'before', 'after the flip', ''], style: { head: [], border: [] } });
	const words = ({ passed, failed }: Counts) => `${passed} passed, ${failed} failed`;
	for (const verdict of flips.flatMap((flip) => verdicts.find(({ fact, file }) => fact === flip.fact && file === flip.file) ?? [])) {
		table.push([verdict.fact, verdict.file, words(verdict.before), words(verdict.after), verdict.noticed ? 'noticed' : 'NOT NOTICED']);
	}
	console.log(table.toString());
	const missed = verdicts.filter(({ noticed }) => !noticed).length;
	console.log(`${verdicts.length} flips, ${verdicts.length - missed} noticed, ${missed} not noticed`);
	if (missed > 0) process.exitCode = 1;
} finally {
	copies.forEach((copy) => rmSync(copy, { recursive: true, force: true }));
}
