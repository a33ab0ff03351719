/** What the package adds to the start of n8n: each class is required and made, as n8n does, in fresh processes, side by side. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { installation } from '../e2e/install.mts';
import { projectFolder } from '../pack.mts';
import { finish, isQuick, median, type Row } from './bars.mts';

const PROCESSES = isQuick ? 7 : 31;

interface Manifest {
	n8n: { nodes: string[]; credentials: string[] };
}

const { nodes, credentials } = (
	JSON.parse(readFileSync(path.join(projectFolder, 'package.json'), 'utf8')) as Manifest
).n8n;
const ours = [...nodes, ...credentials].map((file) => path.join(projectFolder, file));
const require = createRequire(import.meta.url);
const n8nRequire = createRequire(
	path.join(installation, 'node_modules', 'n8n-nodes-base', 'package.json'),
);
const httpRequest = n8nRequire.resolve('./dist/nodes/HttpRequest/HttpRequest.node.js');

/** Milliseconds for `n8n-workflow`, and for these files over it: of the processor, since a busy machine lets a process wait. */
function load(workflow: string, files: string[]): [workflow: number, files: number] {
	const script = `
		const used = () => (({ user, system }) => (user + system) / 1000)(process.cpuUsage());
		const begin = used();
		require(${JSON.stringify(workflow)});
		const middle = used();
		for (const file of ${JSON.stringify(files)}) new (require(file)[path.basename(file).split('.')[0]])();
		console.log(JSON.stringify([middle - begin, used() - middle]));`;
	return JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })) as [
		number,
		number,
	];
}

const own: number[] = [];
const workflow: number[] = [];
const theirs: number[] = [];
for (let process = 0; process < PROCESSES; process++) {
	const [base, files] = load(require.resolve('n8n-workflow'), ours);
	workflow.push(base);
	own.push(files);
	theirs.push(load(n8nRequire.resolve('n8n-workflow'), [httpRequest])[1]);
}

const ms = (value: number) => `${value.toFixed(1)} ms`;
const [mine, base, other] = [median(own), median(workflow), median(theirs)];
const rows: Row[] = [
	{
		name: 'loading all nodes',
		own: ms(mine),
		beside: '`n8n-workflow` itself',
		other: ms(base),
		ratio: (mine / base).toFixed(3),
		bar: '<= 0.15',
	},
	{
		name: 'loading all nodes',
		own: ms(mine),
		beside: "n8n's HTTP Request node alone",
		other: ms(other),
		ratio: (mine / other).toFixed(2),
		bar: '',
	},
];
finish(rows);
