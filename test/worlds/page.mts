import { format } from 'prettier';
import { groupBy, type Cell } from './cells.mts';

/** Headings of the kinds of worlds. */
export const HEADINGS: Record<string, string> = {
	compute: 'VMs',
	caas: 'Containers',
	logs: 'Logs',
	ai: 'Chat, embeddings and agents',
	rag: 'Retrieval',
	mixesOfCompute: 'Mixes: VMs and containers',
	mixesOfLogs: 'Mixes: logs',
	mixesOfIntelligence: 'Mixes: chat and embeddings',
	mixesOfRetrieval: 'Mixes: retrieval',
};

const INTRODUCTION = `# Worlds and laws

What the specification leaves open, services do in different ways. Each way is a **world**: a file in
\`test/sandbox/worlds\`. What the package promises is a **law**: a sentence about outputs, errors and
the books of the service. \`npm run test:worlds\` plays every scenario in every world that can touch
it, through n8n's engine and over real sockets, and judges it by every law. A mix behaves like two
or three worlds at once, chosen at random.

\`WORLDS_PAGE=docs/worlds.md npm run test:worlds\` wrote this page. The number of a column is that of
the law above the table; a cell has the number of scenarios in which the law held. Where a law
cannot hold in a scenario, whatever a client does, the reason is under the table, and the scenario
is not counted.
`;

const plain = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function summaryOf(cells: readonly Cell[]): string {
	const count = (wanted: Cell['result']) => cells.filter(({ result }) => result === wanted).length;
	if (count('FAIL') > 0) return `**${count('FAIL')} failed**`;
	return cells.length === 0 ? '' : count('ok') === 0 ? '-' : String(count('ok'));
}

function sectionOf(kind: string, cells: readonly Cell[]): string {
	const laws = [...groupBy(cells, ({ law }) => law).keys()];
	const rows = [...groupBy(cells, ({ world }) => world)].map(([world, ofWorld]) => [
		plain(world),
		...laws.map((name) => summaryOf(ofWorld.filter(({ law }) => law === name))),
	]);
	const table = [['World', ...laws.map((_, index) => String(index + 1))], rows[0]?.map(() => '-')]
		.concat(rows)
		.map((row = []) => `| ${row.join(' | ')} |`);
	const reasons = [
		...groupBy(
			cells.filter(({ result }) => result === '-'),
			({ world, law, reasons: [why = ''] }) => `${plain(world)}, “${law}”: ${why}`,
		).keys(),
	];
	return [
		`## ${HEADINGS[kind] ?? kind}`,
		laws.map((name, index) => `${index + 1}. ${name}`).join('\n'),
		table.join('\n'),
		reasons.map((reason) => `- ${reason}`).join('\n'),
	].join('\n\n');
}

/** The page of the documentation with the tables of all kinds. */
export async function worldsPage(cells: readonly Cell[], seed: string): Promise<string> {
	const kinds = groupBy(cells, ({ kind }) => kind);
	const known = Object.keys(HEADINGS).filter((kind) => kinds.has(kind));
	const held = cells.filter(({ result }) => result === 'ok').length;
	const failed = cells.filter(({ result }) => result === 'FAIL').length;
	const text = [
		INTRODUCTION,
		`${held.toLocaleString('en')} cells passed, ${failed} failed, with \`WORLDS_SEED=${seed}\`.`,
		...known.map((kind) => sectionOf(kind, kinds.get(kind) ?? [])),
	].join('\n\n');
	return await format(text, { parser: 'markdown', printWidth: 100 });
}
