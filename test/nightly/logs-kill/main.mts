/**
 * `npm run test:logs-kill [-- --kills N --stops N]`: the logs trigger in a real n8n that is killed and started again, and that
 * is stopped cleanly and started again. No line is lost, and only the batch in flight at a kill comes twice.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { cleanUpOnSignals } from '../../e2e/exit.mts';
import { installN8n } from '../../e2e/install.mts';
import { createHome, startN8n, version } from '../../e2e/n8n.mts';
import { Rest } from '../../e2e/rest.mts';
import { Report } from '../../report.mts';
import { startSandbox } from '../../sandbox/index.mts';
import { BATCH, Lines } from '../lines.mts';

const { values } = parseArgs({
	options: {
		kills: { type: 'string', default: '20' },
		stops: { type: 'string', default: '20' },
	},
});
const KILLS = Number(values.kills);
const CLEAN_STOPS = Number(values.stops);

/** n8n is ended anywhere in the stream: after up to so many lines. 200 are written each second */
const MOST_LINES_BETWEEN = 400;

cleanUpOnSignals();
installN8n();
const report = new Report();
const home = createHome();
const sandbox = await startSandbox();
const lines = await Lines.begin(sandbox);
try {
	console.log(`n8n ${version()}: ${KILLS} kills, ${CLEAN_STOPS} clean stops`);
	await report.step('the test came to its end', endAndStartAgain);
} finally {
	await lines.end();
	await sandbox.close();
	home.remove();
	report.end();
}

async function endAndStartAgain(): Promise<void> {
	let n8n = await startN8n(home);
	const rest = new Rest(n8n.url);
	await rest.setUpOwner();
	await lines.activate(rest);
	/** Ends n8n somewhere in the stream. Returns what came again afterwards */
	const restart = async (how: 'kill' | 'stop') => {
		await lines.arrive(randomInt(1, MOST_LINES_BETWEEN));
		await n8n[how]();
		const count = lines.batches.length;
		n8n = await startN8n(home);
		await lines.moreThan(count + 3);
		const repeated = lines.repeatedSince(count);
		console.log(
			`    ${how}: ${lines.written.length} lines written, ${lines.seen.size} delivered, ${repeated.lines} came again`,
		);
		return repeated;
	};
	try {
		const afterKills = [];
		for (let kill = 0; kill < KILLS; kill++) afterKills.push(await restart('kill'));
		report.check(
			`${KILLS} kills: only the batch in flight came twice (${sumOf(afterKills)} lines in all)`,
			afterKills.every(({ isLastBatch, lines: count }) => isLastBatch && count <= BATCH),
		);
		const afterStops = [];
		for (let stop = 0; stop < CLEAN_STOPS; stop++) afterStops.push(await restart('stop'));
		report.check(
			`${CLEAN_STOPS} clean stops: no line came twice`,
			sumOf(afterStops) === 0,
			`${sumOf(afterStops)} lines`,
		);
		const missing = await lines.missing();
		report.check(
			`${lines.written.length} lines written, none lost`,
			missing.length === 0,
			`${missing.length}: ${missing.slice(0, 5).join(', ')}`,
		);
	} finally {
		await n8n.stop();
	}
}

function sumOf(repeated: Array<{ lines: number }>): number {
	return repeated.reduce((sum, { lines: count }) => sum + count, 0);
}
