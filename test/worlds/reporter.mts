import Table from 'cli-table3';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** Widths of the table's columns; the name of a law is wrapped. */
const WORLD_WIDTH = 36;
const LOG_WIDTH = 14;
const LAW_WIDTH = 12;

/** The test of one law in one scenario of one world. */
interface Cell {
	world: string;
	scenario: string;
	law: string;
	/** A law that is relaxed in a world has a dash. */
	result: 'ok' | 'FAIL' | '-';
	/** What contradicts the law, or why it is relaxed. */
	reasons: string[];
}

/** The cell of a test; undefined where a filter left it out. */
function cellOf(test: TestCase): Cell | undefined {
	const { parent } = test;
	if (parent.type !== 'suite' || parent.parent.type !== 'suite')
		throw new Error(`${test.fullName} is not the test of a law in a scenario of a world`);
	const names = { world: parent.parent.name, scenario: parent.name, law: test.name };
	const result = test.result();
	if (result.state === 'passed') return { ...names, result: 'ok', reasons: [] };
	if (result.state === 'failed')
		return { ...names, result: 'FAIL', reasons: result.errors.map(({ message }) => message) };
	if (result.state !== 'skipped' || result.note === undefined) return undefined;
	return { ...names, result: '-', reasons: [result.note] };
}

/** Prints worlds × laws, then what failed and what is relaxed, and as the last line `N passed, N failed`. */
export default class WorldsReporter implements Reporter {
	onTestModuleEnd(module: TestModule): void {
		const seconds = Math.round(module.diagnostic().duration / 1_000);
		console.log(`${module.relativeModuleId}: ${seconds} s`);
	}

	onTestRunEnd(modules: readonly TestModule[]): void {
		// The file with the most worlds decides their order
		const cells = modules
			.map((module) => [...module.children.allTests()].flatMap((test) => cellOf(test) ?? []))
			.sort((a, b) => b.length - a.length)
			.flat();
		console.log(`\n${tableOf(cells)}\n`);
		for (const { result, world, scenario, law, reasons } of cells) {
			if (result === 'ok') continue;
			const text = reasons.join('\n').replace(/\n/g, '\n     ');
			console.log(`${result.padEnd(4)} ${world}, ${scenario}: ${law}\n     ${text}`);
		}
		const broken = modules.flatMap((module) => module.errors());
		for (const { message } of broken) console.log(`FAIL ${message}`);
		const count = (wanted: Cell['result']) =>
			cells.filter(({ result }) => result === wanted).length;
		console.log(`\n${count('ok')} passed, ${count('FAIL') + broken.length} failed`);
	}
}

function tableOf(cells: Cell[]): string {
	const laws = [...new Set(cells.map(({ law }) => law))];
	const table = new Table({
		head: ['world', 'log', ...laws],
		style: { head: [], border: [], compact: true },
		colWidths: [WORLD_WIDTH, LOG_WIDTH, ...laws.map(() => LAW_WIDTH)],
		wordWrap: true,
	});
	for (const world of new Set(cells.map((cell) => cell.world))) {
		const ofWorld = cells.filter((cell) => cell.world === world);
		for (const scenario of new Set(ofWorld.map((cell) => cell.scenario))) {
			const row = ofWorld.filter((cell) => cell.scenario === scenario);
			const results = laws.map((name) => row.find(({ law }) => law === name)?.result ?? '');
			table.push([world, scenario, ...results]);
		}
	}
	return table.toString();
}
