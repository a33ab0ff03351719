/**
 * `npm run bench`: every bar for speed and size, each part in a process of its own, and the table in `docs/figures.md`. With `-- --quick`
 * the parts are short, nothing is written, and a bar counts as missed only when it is missed by a wide margin: noise cannot do that.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pack, projectFolder, TARBALL_LIMIT } from '../pack.mts';
import { Report } from '../report.mts';
import { isQuick, judge, printRows, toMarkdown, type Row } from './bars.mts';

const PARTS = ['logs', 'chat', 'requests', 'scale', 'load'];
const FIGURES = path.join(projectFolder, 'docs/figures.md');
const MARKED = /(<!-- bench:start -->\n)[\s\S]*(<!-- bench:end -->)/;

/** The rows of a part, which sends them as JSON. */
async function run(part: string): Promise<Row[]> {
	const child = fork(path.join(import.meta.dirname, `${part}.mts`), process.argv.slice(2), {
		execArgv: ['--expose-gc', '--import', 'tsx'],
	});
	const rows: Row[] = [];
	child.on('message', (sent) => rows.push(...(sent as Row[])));
	const [code] = (await once(child, 'close')) as [number | null];
	if (code !== 0 || rows.length === 0)
		throw new Error(`${part} sent ${rows.length} rows and ended with exit code ${code}`);
	printRows(rows);
	return rows;
}

function sizes(): Row[] {
	const temp = mkdtempSync(path.join(os.tmpdir(), 'compute-bench-'));
	try {
		const ratio = `${(pack(temp).bytes / 1000).toFixed(1)} kB`;
		const bar = `<= ${TARBALL_LIMIT / 1000} kB`;
		return [{ name: 'packed tarball', own: '', beside: '', other: '', ratio, bar }];
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
judge(report, rows);
if (!isQuick && rows.length > 0) writeFigures(rows);
report.end();
