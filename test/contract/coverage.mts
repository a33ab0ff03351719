import path from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { facts } from './facts/index.mts';
import { brokenFlips, tryFlips, type Verdict } from './flip.mts';
import { flips } from './flips.mts';
import { runContract } from './results.mts';

/**
 * `npm run coverage:spec`: every fact of the specifications with the tests that name it, which must have run and passed.
 * A fact without a test is a hole, and so is a test that names no fact. Then a sample of facts is turned over in the nodes
 * and in the sandbox, and a test must notice.
 * `--flips N` turns over N of them, spread over the list; `--flips 0` none.
 */

/** One line a row. */
const PLAIN = { style: { head: [], border: [] }, chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' } };
const PROJECT = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { flips: { type: 'string' } } });
const wanted = values.flips === undefined ? flips.length : Number(values.flips);
if (!Number.isInteger(wanted) || wanted < 0) throw new Error(`--flips must be a whole number, got ${String(values.flips)}`);

const known = new Set(facts.map(({ id }) => id));
const strangers = flips.filter(({ fact }) => !known.has(fact));
if (strangers.length > 0) throw new Error(`flips of facts that are not in the list: ${strangers.map(({ fact }) => fact).join(', ')}`);

const { counts, tests, broken } = await runContract(PROJECT);
const table = new Table({ head: ['fact', 'from', 'what it says', 'tests'], ...PLAIN });
for (const { id, from, text } of facts) {
	const { passed, failed } = counts.get(id) ?? { passed: 0, failed: 0 };
	table.push([id, from, text, passed + failed === 0 ? 'NONE' : failed > 0 ? `${failed} FAILED` : String(passed)]);
}
console.log(table.toString());

const holes = facts.filter(({ id }) => !counts.has(id)).map(({ id }) => `fact without a test: ${id}`);
const unknown = [...counts.keys()].filter((id) => !known.has(id)).map((id) => `test of a fact that is not in the list: ${id}`);
const failures = broken.map((title) => `test that did not pass: ${title}`);
console.log(`${facts.length} facts, ${facts.length - holes.length} with tests (${((1 - holes.length / facts.length) * 100).toFixed(1)} %), ${tests} tests`);

const missed = [...holes, ...unknown, ...failures, ...brokenFlips(PROJECT, flips)];
// What fails already would notice anything
const sample = missed.length > 0 ? [] : spread(flips, wanted);
if (sample.length > 0) {
	const verdicts = await tryFlips(PROJECT, sample);
	console.log(flipTable(verdicts));
	const silent = verdicts.filter(({ failed }) => failed === 0);
	console.log(`${verdicts.length} flips of ${flips.length}, ${verdicts.length - silent.length} noticed, ${silent.length} not noticed`);
	missed.push(...silent.map(({ fact, file }) => `flip that no test notices: ${fact} in ${file}`));
}
missed.forEach((line) => console.log(line));
console.log(`${facts.length - holes.length + sample.length} passed, ${missed.length} failed`);
if (missed.length > 0) process.exitCode = 1;

/** So many of a list, at equal distances. */
function spread<T>(list: T[], count: number): T[] {
	return list.filter((_, index) => Math.floor((index * count) / list.length) !== Math.floor(((index - 1) * count) / list.length) || (index === 0 && count > 0));
}

function flipTable(verdicts: Verdict[]): string {
	const table = new Table({ head: ['fact', 'turned over in', 'tests that failed then', ''], ...PLAIN });
	for (const { fact, file, failed } of verdicts) table.push([fact, file, String(failed), failed > 0 ? 'noticed' : 'NOT NOTICED']);
	return table.toString();
}
