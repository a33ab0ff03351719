/**
 * The logs trigger in a real n8n that is killed in mid-stream and started again, and that is stopped cleanly and started
 * again. No line may be missing, and only the batch that was in flight at a kill may come twice.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pack } from '../../pack.mts';
import { Report } from '../../report.mts';
import { startSandbox } from '../../sandbox/index.mts';
import { Lines, BATCH } from '../../e2e/lines.mts';
import { createHome, startN8n, version } from '../../e2e/n8n.mts';
import { Rest } from '../../e2e/rest.mts';

/** `npm run test:logs-kill -- 3 5` kills and stops less often */
const KILLS = Number(process.argv[2] ?? 20);
const CLEAN_STOPS = Number(process.argv[3] ?? 20);

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
const lines = await Lines.begin(sandbox);
try {
	console.log(
		`${tarball.name} ${tarball.version} in n8n ${version()}: ${KILLS} kills, ${CLEAN_STOPS} clean stops`,
	);
	let n8n = await startN8n(home);
	const rest = new Rest(n8n.url);
	await rest.setUpOwner();
	await lines.publish(rest, tarball.name);

	let twice = 0;
	let onlyLast = true;
	for (let kill = 1; kill <= KILLS; kill++) {
		await lines.arrive();
		await pause(Math.random() * 2_000);
		await n8n.kill();
		const count = lines.batches.length;
		n8n = await startN8n(home);
		await lines.moreThan(count + 3);
		const repeated = lines.repeatedSince(count);
		twice += repeated.lines;
		onlyLast &&= repeated.isLastBatch;
		console.log(
			`    kill ${kill}: ${lines.written.length} written, ${lines.seen.size} delivered, ${repeated.lines} came again`,
		);
	}
	report.check(
		`${KILLS} kills: only the batch in flight came twice (${twice} lines in all)`,
		onlyLast && twice <= KILLS * BATCH,
	);

	let twiceAfterStop = 0;
	for (let stop = 1; stop <= CLEAN_STOPS; stop++) {
		await lines.arrive();
		await pause(Math.random() * 1_000);
		await n8n.stop();
		const count = lines.batches.length;
		n8n = await startN8n(home);
		await lines.moreThan(count + 3);
		twiceAfterStop += lines.repeatedSince(count).lines;
		console.log(`    clean stop ${stop}: ${lines.repeatedSince(count).lines} came again`);
	}
	report.check(
		`${CLEAN_STOPS} clean stops: no line came twice`,
		twiceAfterStop === 0,
		`${twiceAfterStop} lines`,
	);

	const missing = await lines.missing();
	report.check(
		`${lines.written.length} lines written, none lost`,
		missing.length === 0,
		`${missing.length}: ${missing.slice(0, 5).join(', ')}`,
	);
	await n8n.stop();
} catch (error) {
	report.check(
		'the test ran to its end',
		false,
		error instanceof Error ? (error.stack ?? error.message) : String(error),
	);
} finally {
	await lines.end();
	await sandbox.close();
	report.end();
	process.exit();
}
