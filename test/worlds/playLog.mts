import { CUTS, type Interruption, type LogWorld } from '../sandbox/worlds/logWorld.mts';
import type { LogRecord, LogScenario } from './logRecord.mts';
import { LogScene, type LogStage } from './logScene.mts';
import { logLaws } from './laws/logs.mts';
import type { Kind, Stage } from './stage.mts';

/** How often each log is interrupted: `WORLDS_DISCONNECTS=1000` is the long form. */
const DISCONNECTS = Number(process.env.WORLDS_DISCONNECTS ?? 30);
const LONG_OUTAGE_S = 180;
/** Longest time until the trigger is back after an interruption. */
const LONGEST_RETURN_MS = 120_000;
/** Time in which the last lines come, and the end is told: it is looked for five times, after the idle time of a connection each. */
const LAST_LINES_MS = 60_000;
const END_MS = 600_000;
/** During one of so many interruptions nothing is written. */
const QUIET_EVERY = 4;
/** After so long without a line everything that was done is saved. */
const IDLE_MS = 3_000;
/** How long a trigger follows a log after an interruption, before lines come again. */
const SETTLED_MS = 2_000;
/** The same for a new log: that an offset brings nothing shows only with time. */
const NEW_LOG_MS = 20_000;

/**
 * Plays one log in one world: it is written and interrupted again and again, the trigger is stopped and started twice (in the same
 * process, then in a new one), the service is out once for long, and at last the deployment is destroyed.
 */
export async function playLog(
	stage: LogStage,
	world: LogWorld,
	scenario: LogScenario,
): Promise<LogRecord> {
	const { time } = stage;
	const scene = new LogScene(stage, world, scenario);
	const { trigger, record } = scene;
	const interruptions = world.interruptions ?? CUTS;
	const { disconnects = DISCONNECTS } = scenario;
	const third = Math.floor(disconnects / 3);
	scene.write(10);
	await scene.operate('activate', async () => await trigger.activate());
	let isRestarted = false;
	for (let turn = 0; turn < disconnects && record.silences.length === 0; turn++) {
		await writeFor(scene, stage, 5);
		const interruption = interruptions[turn % interruptions.length] ?? { kind: 'none' };
		await interrupt(scene, stage, interruption, turn);
		if (turn === third) await restartTrigger(scene, stage, 'activate');
		if (turn !== 2 * third) continue;
		await restartTrigger(scene, stage, 'init');
		isRestarted = true;
	}
	if (!isRestarted) await restartTrigger(scene, stage, 'init');
	await longOutage(scene, stage);
	await writeFor(scene, stage, 5);
	await time.pass(LAST_LINES_MS);
	const reports = scene.reports;
	scene.destroy();
	record.hasToldEnd = await time.until(() => scene.finished > 0 || scene.reports > reports, END_MS);
	// Of a crowd each log has a last line, and what is under way when the trigger stops comes at its next start
	await time.until(
		() => scene.finished >= scene.containers.length || scene.reports > reports,
		END_MS,
	);
	await scene.operate('deactivate', async () => await trigger.deactivate());
	return scene.close();
}

/** Lines come one by one while the log can be read. */
async function writeFor(scene: LogScene, { time }: Stage, lines: number): Promise<void> {
	for (let left = lines; left > 0; left--) {
		scene.write(1);
		await time.pass(400);
	}
}

/** Interrupts the log once; lines are written meanwhile, and the trigger must come back. */
async function interrupt(
	scene: LogScene,
	stage: Stage,
	interruption: Interruption,
	turn: number,
): Promise<void> {
	const { time } = stage;
	const { record } = scene;
	record.interruptions++;
	const { kind } = interruption;
	if (kind === 'half') scene.writeHalf();
	if (kind === 'restart') scene.restart((lines) => (turn % 2 === 0 ? 2 : lines + 30));
	if (kind === 'outage') scene.beginOutage(interruption.answer);
	if (kind === 'short') scene.cutNext(interruption.bytes);
	for (const connection of scene.connections) {
		if (kind === 'break' || kind === 'short') connection.break();
		if (kind === 'end') connection.end();
		if (kind === 'stall') connection.stall();
	}
	let { asked } = scene;
	await time.settle();
	// Now and then nothing is new at the next connection
	if (turn % QUIET_EVERY > 0) scene.write(2);
	if (interruption.kind === 'outage') {
		await time.pass(interruption.seconds * 1_000);
		scene.endOutage();
		({ asked } = scene);
	}
	const isBack = await time.until(
		() => scene.asked.every((count, index) => count > (asked[index] ?? 0)),
		LONGEST_RETURN_MS,
	);
	if (!isBack)
		record.silences.push(
			`after interruption ${record.interruptions} (${kind}) it did not ask for each log in ${LONGEST_RETURN_MS / 1_000} s`,
		);
	await time.pass(kind === 'restart' ? NEW_LOG_MS : SETTLED_MS);
}

/**
 * A stop and a start of the trigger with lines written in between.
 * @param mode `activate`: a person, in the same process. `init`: n8n, in a new process that knows what was saved
 */
async function restartTrigger(
	scene: LogScene,
	{ time }: Stage,
	mode: 'activate' | 'init',
): Promise<void> {
	const { trigger, record } = scene;
	const { cancels, isKilled } = record.scenario;
	if (cancels) scene.cancelsAll = 'shutdown';
	scene.write(1);
	await time.pass(isKilled ? IDLE_MS : 300);
	if (!isKilled) await scene.operate('deactivate', async () => await trigger.deactivate());
	if (isKilled || mode === 'init') await time.during(trigger.kill(), END_MS);
	scene.cancelsAll = undefined;
	// A service that has not yet seen the end of the connection offers what is written now
	await time.settle();
	scene.write(3);
	await time.pass(5_000);
	// From now on events tell of the end of the log; before, nothing but the lines themselves makes n8n save
	if (mode === 'init') scene.change({ connectionEvents: true });
	await scene.operate('resume', async () => await trigger.activate(isKilled ? 'init' : mode));
	await time.pass(SETTLED_MS);
}

/** The service is out for so long that a person must hear of it. */
async function longOutage(scene: LogScene, { time, sandbox }: Stage): Promise<void> {
	const from = sandbox.clock.now();
	const { reports } = scene;
	scene.beginOutage();
	for (let passed = 0; passed < LONG_OUTAGE_S; passed += 10) {
		scene.write(1);
		await time.pass(10_000);
	}
	scene.record.outages.push({
		asked: scene
			.logRequests()
			.filter((at) => at >= from)
			.map((at) => (at - from) / 1_000),
		seconds: LONG_OUTAGE_S,
		reports: scene.reports - reports,
	});
	scene.endOutage();
	await time.pass(LAST_LINES_MS);
}

/** The worlds of the logs trigger. */
export const logs: Kind<LogWorld, LogScenario, LogRecord> = { laws: logLaws, play: playLog };
