/**
 * `npm run test:nightly -- worlds [NAME]`: every law in every world of logs, or in that one, in real time. `npm run test:worlds` plays the same on a
 * clock that jumps, where no wait of a busy machine and no timer of the platform can tell; here they can.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { startEngine } from '../../engine/engine.mts';
import { sandboxCredentials } from '../../engine/start.mts';
import { Report } from '../../report.mts';
import { startSandbox } from '../../sandbox/index.mts';
import type { LogWorld } from '../../sandbox/worlds/logWorld.mts';
import { loadWorlds } from '../../worlds/loadWorlds.mts';
import { logs } from '../../worlds/playLog.mts';
import type { Stage } from '../../worlds/stage.mts';

/** What is written and what is read next: so long it takes at most until both have arrived. */
const ARRIVAL_MS = 50;
const SCENARIO = { name: 'numbered', line: (number: number) => `line ${number}` };

const time: Stage['time'] = {
	pass: async (ms) => {
		await sleep(ms);
	},
	settle: async () => {
		await sleep(ARRIVAL_MS);
	},
	until: async (condition, limitMs, stepMs = 500) => {
		const end = Date.now() + limitMs;
		while (!condition() && Date.now() < end) await sleep(stepMs);
		return condition();
	},
	during: async (work, limitMs) => {
		const limit = new AbortController();
		const late = sleep(limitMs, undefined, { signal: limit.signal }).then(() => {
			throw new Error(`Not done after ${limitMs / 1_000} s`);
		});
		late.catch(() => undefined);
		return await Promise.race([work, late]).finally(() => limit.abort());
	},
};

async function play(world: LogWorld, report: Report): Promise<void> {
	const sandbox = await startSandbox();
	try {
		const engine = await startEngine(sandboxCredentials(sandbox));
		const record = await logs.play({ sandbox, engine, time }, world, SCENARIO);
		console.log(
			`${world.name}: ${record.interruptions} interruptions, ${record.written.length} lines`,
		);
		for (const { name, broken } of logs.laws) {
			if (
				world.relaxed?.some(
					({ law, scenario = SCENARIO.name }) => law === name && scenario === SCENARIO.name,
				)
			)
				continue;
			const problems = broken(record);
			report.check(`${world.name}: ${name}`, problems.length === 0, problems.join('\n'));
		}
	} catch (error) {
		report.check(`${world.name}: it was played to its end`, false, String(error));
	} finally {
		await sandbox.close();
	}
}

const [, , name] = process.argv;
const worlds = (await loadWorlds<LogWorld>('logs')).filter(
	(world) => world.name === (name ?? world.name),
);
const report = new Report();
await Promise.all(worlds.map(async (world) => await play(world, report)));
report.end();
process.exit();
