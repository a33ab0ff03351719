/**
 * `npm run test:logs-kill [-- --kills N --idle-kills N --stops N]`: the logs trigger in a real n8n that is killed and started again,
 * with executions in flight and two seconds after they have ended, and that is stopped cleanly and started again. No line is
 * lost, and only what was in flight at a kill comes twice.
 */
import { parseArgs } from 'node:util';
import { cleanUpOnSignals } from '../../e2e/exit.mts';
import { installN8n } from '../../e2e/install.mts';
import { version } from '../../e2e/n8n.mts';
import { Restarts, type Repeated } from '../../e2e/restarts.mts';
import { Report } from '../../report.mts';

const { values } = parseArgs({
	options: {
		kills: { type: 'string', default: '20' },
		'idle-kills': { type: 'string', default: '10' },
		stops: { type: 'string', default: '200' },
	},
});
const KILLS = Number(values.kills);
const IDLE_KILLS = Number(values['idle-kills']);
const CLEAN_STOPS = Number(values.stops);

cleanUpOnSignals();
installN8n();
const report = new Report();
const restarts = await Restarts.begin();
try {
	console.log(
		`n8n ${version()}: ${KILLS} kills, ${IDLE_KILLS} kills when idle, ${CLEAN_STOPS} clean stops`,
	);
	await report.step('the test came to its end', endAndStartAgain);
} finally {
	await restarts.end();
	report.end();
}

async function endAndStartAgain(): Promise<void> {
	const kills = await times(KILLS, 'kill', () => restarts.kill());
	report.check(
		`${KILLS} kills: only batches in flight came twice (${kills.lines} lines in all)`,
		kills.delivered.length === 0,
		kills.delivered.slice(0, 5).join(', '),
	);
	const idleKills = await times(IDLE_KILLS, 'idle kill', () => restarts.killIdle());
	report.check(
		`${IDLE_KILLS} kills two seconds after the last execution: no line came twice`,
		idleKills.lines === 0,
		`${idleKills.lines} lines: ${idleKills.delivered.slice(0, 5).join(', ')}`,
	);
	const beside = await times(IDLE_KILLS, 'kill beside', () => restarts.killBeside());
	report.check(
		`${IDLE_KILLS} kills two seconds after an execution, beside another one: only that one came twice`,
		beside.delivered.length === 0,
		beside.delivered.slice(0, 5).join(', '),
	);
	const stops = await times(CLEAN_STOPS, 'stop', () => restarts.stop());
	report.check(
		`${CLEAN_STOPS} clean stops: no line came twice`,
		stops.lines === 0,
		`${stops.lines} lines`,
	);
	const missing = await restarts.missing();
	report.check(
		`${restarts.written} lines written, none lost`,
		missing.length === 0,
		`${missing.length}: ${missing.slice(0, 5).join(', ')}`,
	);
	const { counts } = restarts;
	console.log(
		`    A Code node that counted in static data came to ${Math.max(...counts)} in ${counts.length} executions`,
	);
}

async function times(
	count: number,
	name: string,
	restart: () => Promise<Repeated>,
): Promise<Repeated> {
	const sum: Repeated = { lines: 0, delivered: [] };
	for (let time = 1; time <= count; time++) {
		const { lines, delivered } = await restart();
		console.log(
			`    ${name} ${time}: ${restarts.written} lines written, ${lines} came again, ${delivered.length} of them were delivered before`,
		);
		sum.lines += lines;
		sum.delivered.push(...delivered);
	}
	return sum;
}
