/**
 * The logs trigger in a real n8n that is killed in mid-stream and started again, and that is stopped cleanly and started
 * again. Its workflow sends each batch to a collector here, which counts: no line may be missing, and only the batch that
 * was in flight at a kill may come twice.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pack } from '../pack.mts';
import { Report } from '../report.mts';
import { startSandbox } from '../sandbox/index.mts';
import { secretsFor } from './credentials.mts';
import { createHome, startN8n, version } from './n8n.mts';
import { Rest } from './rest.mts';
import { serve } from './serve.mts';

/** `npm run test:logs-kill -- 3` kills less often */
const KILLS = Number(process.argv[2] ?? 20);
const CLEAN_STOPS = 3;
const LINES_EVERY_MS = 50;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const report = new Report();
const temp = mkdtempSync(join(tmpdir(), 'compute-logs-'));
const tarball = pack(temp);
const home = createHome(tarball);
process.once('exit', () => {
	home.remove();
	rmSync(temp, { recursive: true, force: true });
});
const sandbox = await startSandbox();
const log = sandbox.logs.open('d1', 'c1');
const written: string[] = [];
const seen = new Set<string>();
/** In mid-stream there are always some lines waiting, but no more than can be sent at the end */
const MOST_WAITING = 1_000;
const writer = setInterval(() => {
	if (written.length - seen.size > MOST_WAITING) return;
	const lines = Array.from({ length: 10 }, (_, index) => `line ${written.length + index}`);
	written.push(...lines);
	log.append('stdout', ...lines);
}, LINES_EVERY_MS);
const batches: string[][] = [];
const collector = await serve(({ body }) => {
	const lines = JSON.parse(body) as string[];
	batches.push(lines);
	lines.forEach((line) => seen.add(line));
	return { body: {} };
});

async function until(what: string, condition: () => boolean, ms = 60_000): Promise<void> {
	for (const end = Date.now() + ms; !condition(); await pause(20)) if (Date.now() > end) throw new Error(`Still not after ${ms} ms: ${what}`);
}

/** Lines that came again after this batch, which was the last one before the stop */
function repeatedSince(count: number): { lines: number; isLastBatch: boolean } {
	const before = new Set(batches.slice(0, count).flat());
	const again = batches.slice(count).flat().filter((line) => before.has(line));
	const last = new Set(batches[count - 1]);
	return { lines: again.length, isLastBatch: again.every((line) => last.has(line)) };
}

try {
	console.log(`${tarball.name} ${tarball.version} in n8n ${version()}: ${KILLS} kills, ${CLEAN_STOPS} clean stops`);
	let n8n = await startN8n(home);
	const rest = new Rest(n8n.url);
	await rest.setUpOwner();
	const secrets = secretsFor(sandbox);
	const credentials: Record<string, { id: string; name: string }> = {};
	for (const type of ['computeMarketplaceApi', 'computeMarketplaceTokenApi']) {
		credentials[type] = { id: await rest.createCredential(type, secrets[type] ?? {}), name: type };
	}
	const workflowId = await rest.createWorkflow({
		name: 'logs',
		nodes: [
			{
				id: 'a3f1c9a2-0000-4000-8000-000000000001', name: 'Logs', type: `${tarball.name}.caasLogsTrigger`, typeVersion: 1, position: [0, 0], credentials,
				parameters: { deploymentId: { __rl: true, mode: 'id', value: 'd1' }, containerIds: ['c1'], streams: ['stdout'], batch: { maxEntries: 50, maxWaitMs: 200 } },
			},
			{
				id: 'a3f1c9a2-0000-4000-8000-000000000002', name: 'Send', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, position: [200, 0], executeOnce: true,
				parameters: { method: 'POST', url: collector.url, sendBody: true, specifyBody: 'json', jsonBody: '={{ JSON.stringify($input.all().map((item) => item.json.line)) }}' },
			},
		],
		connections: { Logs: { main: [[{ node: 'Send', type: 'main', index: 0 }]] } },
	});
	await rest.activate(workflowId);

	let twice = 0;
	let onlyLast = true;
	for (let kill = 1; kill <= KILLS; kill++) {
		const size = seen.size;
		await until('new lines arrive', () => seen.size > size, 120_000);
		await pause(Math.random() * 2_000);
		await n8n.kill();
		const count = batches.length;
		n8n = await startN8n(home);
		await until('lines arrive after the kill', () => batches.length > count + 3, 120_000);
		const { lines, isLastBatch } = repeatedSince(count);
		twice += lines;
		onlyLast &&= isLastBatch;
		console.log(`    kill ${kill}: ${written.length} written, ${seen.size} delivered, ${lines} came again`);
	}
	report.check(`${KILLS} kills: only the batch in flight came twice (${twice} lines in all)`, onlyLast && twice <= KILLS * 50);

	let twiceAfterStop = 0;
	for (let stop = 1; stop <= CLEAN_STOPS; stop++) {
		const size = seen.size;
		await until('new lines arrive', () => seen.size > size, 120_000);
		await pause(Math.random() * 1_000);
		await n8n.stop();
		const count = batches.length;
		n8n = await startN8n(home);
		await until('lines arrive after the stop', () => batches.length > count + 3, 120_000);
		twiceAfterStop += repeatedSince(count).lines;
		console.log(`    clean stop ${stop}: ${repeatedSince(count).lines} came again`);
	}
	report.check(`${CLEAN_STOPS} clean stops: no line came twice`, twiceAfterStop === 0, `${twiceAfterStop} lines`);

	clearInterval(writer);
	await until('everything is delivered', () => seen.size >= written.length, 180_000).catch(() => undefined);
	const missing = written.filter((line) => !seen.has(line));
	report.check(`${written.length} lines written, none lost`, missing.length === 0, `${missing.length}: ${missing.slice(0, 5).join(', ')}`);
	await n8n.stop();
} catch (error) {
	report.check('the test ran to its end', false, error instanceof Error ? (error.stack ?? error.message) : String(error));
} finally {
	clearInterval(writer);
	await collector.close();
	await sandbox.close();
	report.end();
	process.exit();
}
