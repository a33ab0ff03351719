import Table from 'cli-table3';
import { Report } from '../report.mts';

/** One comparison, as it is printed and as it appears in `docs/figures.md`. */
export interface Row {
	name: string;
	own: string;
	/** What it is compared with, and how that does. */
	beside: string;
	other: string;
	/** Own divided by the other, or the amount itself where there is no other. */
	ratio: string;
	/** `>= 0.8` or `<= +32 MB`; empty where nothing is promised. */
	bar: string;
}

/** `-- --quick`: short rounds, for a look at whether anything is far off. */
export const isQuick = process.argv.includes('--quick');

/** In the quick form a bar is missed only by this factor: far more than a busy machine takes from one side of a comparison. */
const WIDE_MARGIN = 4;

/** Ends a part of the benchmark: `main.mts` gets its rows as a message. Started alone, the part prints and judges them itself. */
export function finish(rows: Row[]): void {
	if (process.send) {
		process.send(rows);
		return;
	}
	const report = new Report();
	printRows(rows);
	judge(report, rows);
	report.end();
}

/** Checks each row that has a bar. */
export function judge(report: Report, rows: Row[]): void {
	for (const row of rows.filter(({ bar }) => bar !== '')) {
		report.check(
			`${row.name}: ${row.ratio}, bar ${row.bar}${isQuick ? ', with a wide margin' : ''}`,
			meets(row, isQuick),
		);
	}
}

export function printRows(rows: Row[]): void {
	const table = new Table({
		head: ['', 'own', 'beside', 'theirs', 'ratio', 'bar'],
		style: { head: [], border: [] },
	});
	for (const { name, own, beside, other, ratio, bar } of rows)
		table.push([name, own, beside, other, ratio, bar]);
	console.log(`\n${table.toString()}`);
}

function meets({ ratio, bar }: Row, isTolerant: boolean): boolean {
	const [, sign, limit] = /^([<>]=) \+?([\d.]+)/.exec(bar) ?? [];
	if (limit === undefined) return bar === '';
	const margin = isTolerant ? WIDE_MARGIN : 1;
	const value = Number.parseFloat(ratio);
	return sign === '>=' ? value >= Number(limit) / margin : value <= Number(limit) * margin;
}

export function toMarkdown(rows: Row[]): string {
	const head = ['', 'Ours', 'Beside', 'Theirs', 'Ratio', 'Bar'];
	const cells = rows.map((row) => [
		row.name,
		row.own,
		row.beside,
		row.other,
		row.ratio,
		row.bar && `${row.bar}${meets(row, false) ? '' : ' **missed**'}`,
	]);
	return [head, head.map(() => '---'), ...cells]
		.map((line) => `| ${line.join(' | ')} |`)
		.join('\n');
}

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Large numbers for people: `1.24 M`, `312,000`. */
export function amount(value: number): string {
	return value >= 1e6 ? `${(value / 1e6).toFixed(2)} M` : Math.round(value).toLocaleString('en');
}
