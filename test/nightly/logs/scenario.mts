import { setTimeout as pause } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import type { Engine } from '../../engine/engine.mts';
import { DEPLOYMENT, logsTrigger } from '../../engine/logs.mts';
import { random } from '../../engine/random.mts';
import { ActiveTrigger } from '../../engine/trigger.mts';
import { eventually } from '../../engine/wait.mts';
import type { Fault, LogFormat, ResumeHabits, Sandbox } from '../../sandbox/index.mts';

export interface Plan {
	name: string;
	format: LogFormat;
	resume: ResumeHabits;
	options: IDataObject;
	disconnects: number;
	restarts: number;
	/** A clean restart waits for the executions in flight, as n8n does; a kill ends them. */
	restart: 'clean' | 'kill';
}

export interface Result {
	disconnects: number;
	restarts: number;
	lines: number;
	lost: number;
	duplicated: number;
	/** Lines that were in flight at a restart: after a kill they may come again. */
	inFlight: number;
}

const AHEAD = 4;

/** Follows one log that is cut at random bytes while it is written, with a slow consumer and restarts in between. */
export async function play(
	sandbox: Sandbox,
	engine: Engine,
	plan: Plan,
	seed: number,
): Promise<Result> {
	const below = random(seed);
	const container = `c${seed}`;
	const match = { path: new RegExp(`/log/${container}$`) };
	const log = sandbox.logs.open(DEPLOYMENT, container, plan.format);
	log.resume = plan.resume;
	const lines: string[] = [];
	const write = (count: number) => {
		const more = Array.from(
			{ length: count },
			(_, index) => `${lines.length + index} ü€🚀 ${'x'.repeat(below(60))}`,
		);
		lines.push(...more);
		log.append('stdout', ...more);
	};
	let consumed = 0;
	const trigger = new ActiveTrigger(
		engine,
		logsTrigger({
			containerIds: [container],
			batch: { maxEntries: 1 + below(20), maxWaitMs: 1 + below(20) },
			options: plan.options,
		}),
		async (items) => {
			consumed += items.length;
			if (below(3) === 0) await pause(below(8));
		},
	);
	const cuts: Fault[] = [];
	const used = () => sandbox.faults.used().filter((fault) => cuts.includes(fault)).length;
	/** Some ahead, since a start asks more than once. */
	const cutNext = () => {
		const read = plan.resume.ignoresOffset
			? Buffer.byteLength(lines.slice(0, consumed).join('\n'))
			: 0;
		while (cuts.length < used() + AHEAD) cuts.push({ match, cutBodyAt: read + 1 + below(1_200) });
		cuts
			.slice(-AHEAD)
			.filter((fault) => !added.has(fault))
			.forEach((fault) => {
				added.add(fault);
				sandbox.faults.add(fault);
			});
	};
	const added = new Set<Fault>();

	write(10);
	cutNext();
	await trigger.activate();
	let inFlight = 0;
	const restartEvery = Math.floor(plan.disconnects / (plan.restarts + 1));
	let restarts = 0;
	for (let disconnects = 0; disconnects < plan.disconnects; disconnects++) {
		await eventually(
			`disconnect ${disconnects} of ${plan.name}, seed ${seed}`,
			() => {
				if (lines.length - consumed < 40) write(1 + below(10));
				return used() > disconnects;
			},
			60_000,
		);
		cutNext();
		if (restarts >= plan.restarts || disconnects % restartEvery !== restartEvery - 1) continue;
		restarts++;
		// n8n's database has the offsets as of the last emit: its batch counts as in flight until the next one
		inFlight += trigger.executions.at(-1)?.items.length ?? 0;
		if (plan.restart === 'clean') {
			await trigger.deactivate();
			await eventually('the executions have ended', () =>
				trigger.executions.every(({ run }) => run !== undefined),
			);
		}
		await trigger.kill();
		await trigger.activate('init');
	}
	write(5);
	await eventually(
		`the last line of ${plan.name}, seed ${seed}`,
		() => trigger.lines.includes(lines.at(-1) ?? ''),
		60_000,
	);
	await eventually(
		'the executions have ended',
		() => trigger.executions.every(({ run }) => run !== undefined) || plan.restart === 'kill',
	);
	await trigger.deactivate();
	const seen = new Set(trigger.lines);
	return {
		disconnects: used(),
		restarts,
		lines: lines.length,
		lost: lines.filter((line) => !seen.has(line)).length,
		duplicated: trigger.lines.length - seen.size,
		inFlight,
	};
}
