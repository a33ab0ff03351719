import { writeFileSync } from 'node:fs';
import path from 'node:path';
import Table from 'cli-table3';
import { WORLDS_SEED } from '../engine/random.mts';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { groupBy, type Cell } from './cells.mts';
import { WORLDS_SHARE } from './loadWorlds.mts';
import { worldsPage } from './page.mts';

/** Widths of the table's columns; the name of a law is wrapped. */
const WORLD_WIDTH = 36;
const SCENARIO_WIDTH = 14;
const LAW_WIDTH = 12;
/** A table of more scenarios has one row for each world, and one for each scenario. */
const MOST_SCENARIOS = 8;
/** More of them have a table of the worlds alone: mixes, of which no two are alike. */
const MOST_ROWS = 100;
/** Where the tables are written as a page of the documentation, if they are. */
const PAGE = process.env.WORLDS_PAGE;
if (PAGE !== undefined && WORLDS_SHARE.parts > 1)
	throw new Error('WORLDS_PAGE is a page of all scenarios, so it goes without WORLDS_SHARE');

/** The cell of a test; undefined where a filter left it out. */
function cellOf(test: TestCase): Cell | undefined {
	const { parent } = test;
	if (parent.type !== 'suite' || parent.parent.type !== 'suite')
		throw new Error(`${test.fullName} is not the test of a law in a scenario of a world`);
	const [kind = ''] = path.basename(test.module.relativeModuleId).split(/[-.]/);
	const names = { kind, world: parent.parent.name, scenario: parent.name, law: test.name };
	const result = test.result();
	if (result.state === 'passed') return { ...names, result: 'ok', reasons: [] };
	if (result.state === 'failed')
		return { ...names, result: 'FAIL', reasons: result.errors.map(({ message }) => message) };
	if (result.state !== 'skipped' || result.note === undefined) return undefined;
	return { ...names, result: '-', reasons: [result.note] };
}

/** Prints worlds × laws, then what failed and what is relaxed, the seed, and as the last line `N passed, N failed`. */
export default class WorldsReporter implements Reporter {
	onTestModuleEnd(module: TestModule): void {
		const seconds = Math.round(module.diagnostic().duration / 1_000);
		console.log(`${module.relativeModuleId}: ${seconds} s`);
	}

	async onTestRunEnd(
		modules: readonly TestModule[],
		unhandled: readonly SerializedError[],
	): Promise<void> {
		// The file with the most worlds decides their order
		const cells = modules
			.map((module) => [...module.children.allTests()].flatMap((test) => cellOf(test) ?? []))
			.sort((a, b) => b.length - a.length)
			.flat();
		const kinds = groupBy(cells, ({ kind }) => kind);
		for (const ofKind of kinds.values()) console.log(`\n${tablesOf(ofKind)}\n`);
		for (const { result, world, scenario, law, reasons } of cells) {
			if (result === 'ok') continue;
			const text = reasons.join('\n').replace(/\n/g, '\n     ');
			console.log(`${result.padEnd(4)} ${world}, ${scenario}: ${law}\n     ${text}`);
		}
		// Errors of a file, of a group, and those that nothing has caught: they fail the run, too
		const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
		const broken = [...groups.flatMap((group) => group.errors()), ...unhandled];
		for (const { message, stack } of broken) console.log(`FAIL ${stack ?? message}`);
		const count = (wanted: Cell['result']) =>
			cells.filter(({ result }) => result === wanted).length;
		if (PAGE !== undefined) writeFileSync(PAGE, await worldsPage(cells, WORLDS_SEED));
		const { part, parts } = WORLDS_SHARE;
		console.log(`\nWORLDS_SEED=${WORLDS_SEED} WORLDS_SHARE=${part}/${parts}`);
		console.log(`${count('ok')} passed, ${count('FAIL') + broken.length} failed`);
	}
}

/** A row for each world and scenario; of many scenarios one for each world, then one for each scenario. */
function tablesOf(cells: Cell[]): string {
	const scenarios = new Set(cells.map((cell) => cell.scenario));
	const ofWorlds = () => tableOf(cells, ({ world }) => [world]);
	if (scenarios.size > MOST_ROWS) return ofWorlds();
	if (scenarios.size > MOST_SCENARIOS)
		return [ofWorlds(), tableOf(cells, ({ scenario }) => [scenario])].join('\n\n');
	return tableOf(cells, ({ world, scenario }) => [world, scenario]);
}

function tableOf(cells: Cell[], keysOf: (cell: Cell) => string[]): string {
	const laws = [...new Set(cells.map(({ law }) => law))];
	const rows = groupBy(cells, (cell) => keysOf(cell).join('\n'));
	const widths = [WORLD_WIDTH, SCENARIO_WIDTH];
	const heads = ['world', 'scenario'];
	const [first] = rows.keys();
	const keys = first?.split('\n').length ?? 0;
	const table = new Table({
		head: [...(keys === 1 ? [''] : heads), ...laws],
		style: { head: [], border: [], compact: true },
		colWidths: [...widths.slice(0, keys), ...laws.map(() => LAW_WIDTH)],
		wordWrap: true,
	});
	for (const [key, row] of rows)
		table.push([
			...key.split('\n'),
			...laws.map((name) => summaryOf(row.filter(({ law }) => law === name))),
		]);
	return table.toString();
}

/** What the scenarios of a world say of a law: `FAIL 2/9` where it breaks in two of nine. */
function summaryOf(cells: Cell[]): string {
	const failed = cells.filter(({ result }) => result === 'FAIL').length;
	if (failed > 0) return cells.length > 1 ? `FAIL ${failed}/${cells.length}` : 'FAIL';
	return cells.find(({ result }) => result === '-')?.result ?? cells[0]?.result ?? '';
}
