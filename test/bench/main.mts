/**
 * `npm run bench`: every bar for speed and size, each part in a process of its own, and the table in `docs/figures.md`. With `-- --quick`
 * the parts are short, nothing is written, and a bar counts as missed only when it is missed by a wide margin: noise cannot do that.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pack, projectFolder } from '../pack.mts';
import { Report } from '../report.mts';
import { meets, printRows, readRows, toMarkdown, type Row } from './bars.mts';

const PARTS = ['logs', 'chat', 'requests', 'load'];
const FIGURES = path.join(projectFolder, 'docs/figures.md');
const MARKED = /(<!-- bench:start -->\n)[\s\S]*(<!-- bench:end -->)/;
const isQuick = process.argv.includes('--quick');

async function run(part: string): Promise<Row[]> {
	const args = [
		'--expose-gc',
		'--import',
		'tsx',
		path.join(import.meta.dirname, `${part}.mts`),
		...(isQuick ? ['--quick'] : []),
	];
	const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
	const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
	const rows = readRows(printed);
	if (rows.length === 0) throw new Error(`${part} printed no table:\n${printed}`);
	printRows(rows);
	return rows;
}

function sizes(): Row[] {
	const temp = mkdtempSync(path.join(os.tmpdir(), 'compute-bench-'));
	try {
		const ratio = `${(pack(temp).bytes / 1000).toFixed(1)} kB`;
		return [{ name: 'packed tarball', own: '', beside: '', other: '', ratio, bar: '<= 160 kB' }];
	} finally {
		rmSync(temp, { recursive: true, force: true });
	}
}

function writeFigures(rows: Row[]): void {
	const page = readFileSync(FIGURES, 'utf8');
	if (!MARKED.test(page)) throw new Error('docs/figures.md has no place for the table');
	const where = `Measured on ${os.cpus().length} cores (${os.cpus()[0]?.model.trim()}) with Node ${process.version}; a ratio is ours divided by theirs, of speeds the median over the rounds.`;
	writeFileSync(
		FIGURES,
		page.replace(
			MARKED,
			(_, start: string, end: string) => `${start}${toMarkdown(rows)}\n\n${where}\n${end}`,
		),
	);
}

const report = new Report();
const rows: Row[] = [];
for (const part of PARTS)
	await report.step(`${part} was measured`, async () => void rows.push(...(await run(part))));
rows.push(...sizes());
for (const row of rows.filter(({ bar }) => bar !== '')) {
	report.check(
		`${row.name}: ${row.ratio}, bar ${row.bar}${isQuick ? ', with a wide margin' : ''}`,
		meets(row, isQuick),
	);
}
if (!isQuick && rows.length > 0) writeFigures(rows);
report.end();
