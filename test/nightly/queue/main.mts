/**
 * `npm run test:queue [-- --chats N --documents N --machines N]`: n8n's own queue mode, one main and two workers on Redis and PostgreSQL, one of the workers killed in
 * the middle. What was requested, what n8n says of it and what the sandbox has sold are compared.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { secretsFor } from '../../e2e/credentials.mts';
import { cleanUpOnSignals } from '../../e2e/exit.mts';
import { installN8n } from '../../e2e/install.mts';
import { Lines } from '../../e2e/lines.mts';
import { createHome, startN8n, startWorker, version } from '../../e2e/n8n.mts';
import { Rest } from '../../e2e/rest.mts';
import { until } from '../../e2e/until.mts';
import { Report } from '../../report.mts';
import { startSandbox } from '../../sandbox/index.mts';
import {
	checkBatch,
	checkBooks,
	checkDocuments,
	checkLines,
	numbersOf,
	type Batch,
} from './checks.mts';
import { startServices } from './services.mts';
import { createBatch, post } from './workflows.mts';

const { values } = parseArgs({
	options: {
		chats: { type: 'string', default: '1000' },
		documents: { type: 'string', default: '200' },
		machines: { type: 'string', default: '100' },
	},
});

const CONCURRENCY = 10;

const BATCH_MS = 1_000;

const LONGEST_MS = 600_000;

/** A job whose worker is gone is noticed after seconds here, not after n8n's minute. What happens then is the same */
const IMPATIENT = {
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

cleanUpOnSignals();
installN8n();
const report = new Report();
const home = createHome();
const services = await startServices();
const sandbox = await startSandbox({ startupMs: 200, terminationMs: 200 });
const lines = await Lines.begin(sandbox);
const settings = { ...services.settings, ...IMPATIENT };
// Capacity for all deployments at once
for (const offer of sandbox.hardware) offer.capacity = Number(values.machines);
try {
	console.log(
		`n8n ${version()} with one main and two workers, ${CONCURRENCY} executions at a time in each`,
	);
	const main = await startN8n(home, undefined, settings);
	try {
		const workers = await Promise.all([
			startWorker(home, CONCURRENCY, settings),
			startWorker(home, CONCURRENCY, settings),
		]);
		try {
			await report.step('no execution is lost and nothing is bought twice', () =>
				withOneWorkerKilled(main.url, workers[0].kill),
			);
		} finally {
			await Promise.all(workers.map((worker) => worker.stop()));
		}
	} finally {
		await main.stop();
	}
} finally {
	await lines.end();
	await sandbox.close();
	await services.stop();
	home.remove();
	report.end();
}

async function withOneWorkerKilled(url: string, kill: () => Promise<void>): Promise<void> {
	const rest = new Rest(url);
	await rest.setUpOwner();
	const secrets = secretsFor(sandbox);
	const chats = await createBatch(rest, 'chat', Number(values.chats), secrets);
	const documents = await createBatch(rest, 'document', Number(values.documents), secrets);
	const machines = await createBatch(rest, 'machine', Number(values.machines), secrets);
	const batches: Batch[] = [chats, documents, machines];
	// So long that a batch is nearly always in flight
	lines.answer = async () => await delay(BATCH_MS);
	await lines.activate(rest, { options: { delivery: 'succeeded' } });
	await lines.arrive();

	const begin = Date.now();
	const posted = Promise.all(
		batches.map(async (batch) => ({ batch, failed: await post(url, batch, numbersOf(batch)) })),
	);
	const bought = () => sandbox.books.deployments.length;
	await until('a third of the deployments', () => bought() >= machines.count / 3, LONGEST_MS);
	await kill();
	console.log(
		`a worker was killed after ${bought()} deployments, ${chatsSeen()} chat completions, ${lines.arrivals.length} batches of log lines`,
	);
	const answered = await posted;
	console.log(
		`${batches.reduce((sum, { count }) => sum + count, 0)} executions that were asked for came to an end in ${Math.round((Date.now() - begin) / 1000)} s`,
	);

	for (const { batch, failed } of answered) await checkBatch(report, rest, batch, failed);
	checkBooks(report, sandbox, machines);
	await checkDocuments(report, sandbox, documents);
	await checkLines(report, lines);
	const again = chatsSeen() - chats.count;
	report.check(
		`${chats.count} chats needed ${chatsSeen()} completions: at most those that the killed worker had in hand were asked for again`,
		again >= 0 && again <= CONCURRENCY,
	);
}

function chatsSeen(): number {
	return sandbox.requests.filter(({ path }) => path.endsWith('/chat/completions')).length;
}
