/**
 * `npm run test:soak [-- --minutes N]`: what one real n8n executes in an hour, as fast as it goes: a followed log, chats,
 * documents with searches, deployments that are destroyed again. Heap and handles are the same at the end as after a while.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { secretsFor } from '../../e2e/credentials.mts';
import { cleanUpOnSignals } from '../../e2e/exit.mts';
import { installN8n } from '../../e2e/install.mts';
import { Lines } from '../../e2e/lines.mts';
import { createHome, startN8n, version, type RunningN8n } from '../../e2e/n8n.mts';
import { Rest } from '../../e2e/rest.mts';
import { Report } from '../../report.mts';
import { startSandbox } from '../../sandbox/index.mts';
import { checkBooks, type Batch } from '../queue/checks.mts';
import { createBatch, post } from '../queue/workflows.mts';
import { INSPECTED, Inspector, type Held } from './inspector.mts';

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const MINUTES = Number(values.minutes);
/** Of each simulated minute: a batch of log lines each second, and runs of the other workflows. */
const A_MINUTE = { batches: 60, chat: 10, document: 5, machine: 1 };
const KINDS = ['chat', 'document', 'machine'] as const;
/** n8n and the service it talks to come up, caches fill: what is held is compared from here on. */
const WARM_UP = 0.1;
const PARTS = 4;
const MOST_GROWTH = 1.1;
/** n8n arms and ends timers of its own all the time; what leaks with each execution is hundreds in the end. */
const MOST_NEW_HANDLES = 10;
const COMPLAINTS = /unhandled|uncaught|MaxListenersExceeded|heap out of memory/i;

cleanUpOnSignals();
installN8n();
const report = new Report();
const home = createHome();
const sandbox = await startSandbox({ startupMs: 200, terminationMs: 200 });
for (const offer of sandbox.hardware) offer.capacity = 1_000;
const lines = await Lines.begin(sandbox);
try {
	// n8n keeps a record of every execution on disk: not what is looked at here
	const n8n = await startN8n(home, undefined, {
		...INSPECTED,
		EXECUTIONS_DATA_SAVE_ON_SUCCESS: 'none',
	});
	try {
		console.log(
			`n8n ${version()}: ${MINUTES} minutes of ${A_MINUTE.batches} batches of log lines, ${A_MINUTE.chat} chats, ${A_MINUTE.document} documents and ${A_MINUTE.machine} machine each`,
		);
		await report.step('the hour came to its end', () => live(n8n));
	} finally {
		await n8n.stop();
	}
} finally {
	await lines.end();
	await sandbox.close();
	home.remove();
	report.end();
}

async function live(n8n: RunningN8n): Promise<void> {
	const rest = new Rest(n8n.url);
	await rest.setUpOwner();
	const secrets = secretsFor(sandbox);
	const batches: Batch[] = [];
	for (const kind of KINDS)
		batches.push(await createBatch(rest, kind, MINUTES * A_MINUTE[kind], secrets));
	await lines.activate(rest);
	const inspector = await Inspector.open(n8n.log());

	const ends = [
		WARM_UP,
		...Array.from({ length: PARTS }, (_, part) => WARM_UP + ((1 - WARM_UP) * (part + 1)) / PARTS),
	];
	const samples: Held[] = [];
	let failed = 0;
	let from = 0;
	for (const to of ends) {
		const runs = batches.map(
			async (batch) => await post(n8n.url, batch, range(batch.count * from, batch.count * to)),
		);
		failed += (await Promise.all(runs)).flat().length;
		await lines.moreThan(MINUTES * A_MINUTE.batches * to);
		const held = await inspector.held();
		samples.push(held);
		console.log(
			`    after ${Math.round(MINUTES * to)} minutes: ${mebibytes(held.heapBytes)}, ${kinds(held)}`,
		);
		from = to;
	}
	inspector.close();

	const missing = await lines.missing();
	report.check(
		`${batches.reduce((sum, { count }) => sum + count, 0)} executions succeeded`,
		failed === 0,
		`${failed} did not`,
	);
	report.check(
		`${lines.written.length} log lines in ${lines.arrivals.length} executions, none was lost`,
		missing.length === 0,
		`${missing.length} were`,
	);
	checkBooks(
		report,
		sandbox,
		batches.find(({ kind }) => kind === 'machine') ?? {
			kind: 'machine',
			workflowId: '',
			path: '',
			count: 0,
		},
	);
	checkHeld(samples);
	const complaints = n8n
		.log()
		.split('\n')
		.filter((line) => COMPLAINTS.test(line));
	report.check(
		'nothing unhandled in the log of n8n',
		complaints.length === 0,
		complaints.slice(0, 5).join('\n'),
	);
}

function checkHeld(samples: Held[]): void {
	const table = new Table({ head: ['', 'heap', 'handles'], style: { head: [], border: [] } });
	samples.forEach((sample, index) =>
		table.push([
			index === 0 ? 'warm' : `${index}/${PARTS}`,
			mebibytes(sample.heapBytes),
			kinds(sample),
		]),
	);
	console.log(table.toString());
	const [warm, ...later] = samples;
	const last = later.at(-1);
	if (!warm || !last) throw new Error('nothing was measured');
	report.check(
		`heap after garbage collection: ${mebibytes(warm.heapBytes)}, at the end ${mebibytes(last.heapBytes)}`,
		last.heapBytes <= warm.heapBytes * MOST_GROWTH,
	);
	report.check(
		`handles: ${count(warm)}, at the end ${count(last)}`,
		count(last) <= count(warm) + MOST_NEW_HANDLES,
		kinds(last),
	);
}

/** Whole numbers, counted from 1. */
function range(from: number, to: number): number[] {
	return Array.from(
		{ length: Math.round(to) - Math.round(from) },
		(_, index) => Math.round(from) + index + 1,
	);
}

function count({ handles }: Held): number {
	return Object.values(handles).reduce((sum, number) => sum + number, 0);
}

function kinds({ handles }: Held): string {
	return Object.entries(handles)
		.map(([name, number]) => `${number} ${name}`)
		.join(', ');
}

function mebibytes(bytes: number): string {
	return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
