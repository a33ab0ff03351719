import Table from 'cli-table3';

/** One comparison, as it is printed and as it stands in `docs/figures.md`. */
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

/** In the quick form a bar is missed only by this factor: far more than a busy machine takes from one side of a comparison. */
const WIDE_MARGIN = 4;

/** The form in which every part of the benchmark prints its rows, and in which `main.mts` reads them again. */
export function printRows(rows: Row[]): void {
	const table = new Table({
		head: ['', 'own', 'beside', 'theirs', 'ratio', 'bar'],
		style: { head: [], border: [] },
	});
	table.push(
		...rows.map(({ name, own, beside, other, ratio, bar }) => [
			name,
			own,
			beside,
			other,
			ratio,
			bar,
		]),
	);
	console.log(`\n${table.toString()}`);
}

/** The rows in what a part printed. */
export function readRows(text: string): Row[] {
	const [, ...lines] = text.split('\n').filter((line) => line.startsWith('│'));
	return lines.map((line) => {
		const [name = '', own = '', beside = '', other = '', ratio = '', bar = ''] = line
			.split('│')
			.slice(1, -1)
			.map((cell) => cell.trim());
		return { name, own, beside, other, ratio, bar };
	});
}

export function meets({ ratio, bar }: Row, isQuick: boolean): boolean {
	const [, sign, limit] = /^([<>]=) \+?([\d.]+)/.exec(bar) ?? [];
	if (limit === undefined) return bar === '';
	const margin = isQuick ? WIDE_MARGIN : 1;
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
