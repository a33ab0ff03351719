import path from 'node:path';
import Table from 'cli-table3';
import { facts } from './facts/index.mts';
import { runContract } from './results.mts';

/**
 * `npm run coverage:spec`: every fact of the specifications with the tests that name it, which must have run and passed.
 * A fact without a test fails, and so does a test that names no fact. That a test notices a wrong fact is what
 * `npm run test:mutation` shows.
 */

/** One line a row. */
const PLAIN = {
	style: { head: [], border: [] },
	chars: { mid: '', 'left-mid': '', 'mid-mid': '', 'right-mid': '' },
};

const known = new Set(facts.map(({ id }) => id));
const { counts, tests, broken } = await runContract(path.resolve(import.meta.dirname, '../..'));
const table = new Table({ head: ['fact', 'from', 'what it says', 'tests'], ...PLAIN });
for (const { id, from, text } of facts) {
	const { passed, failed } = counts.get(id) ?? { passed: 0, failed: 0 };
	table.push([
		id,
		from,
		text,
		passed + failed === 0 ? 'NONE' : failed > 0 ? `${failed} FAILED` : String(passed),
	]);
}
console.log(table.toString());

const holes = facts
	.filter(({ id }) => !counts.has(id))
	.map(({ id }) => `fact without a test: ${id}`);
const unknown = [...counts.keys()]
	.filter((id) => !known.has(id))
	.map((id) => `test of a fact that is not in the list: ${id}`);
const failures = broken.map((title) => `test that did not pass: ${title}`);
const covered = facts.length - holes.length;
console.log(
	`${facts.length} facts, ${covered} with tests (${((covered / facts.length) * 100).toFixed(1)} %), ${tests} tests`,
);

const missed = [...holes, ...unknown, ...failures];
missed.forEach((line) => console.log(line));
console.log(`${covered} passed, ${missed.length} failed`);
if (missed.length > 0) process.exitCode = 1;
