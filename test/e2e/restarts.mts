import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startSandbox, type Sandbox } from '../sandbox/index.mts';
import { Lines } from './lines.mts';
import { createHome, startN8n, type Home, type RunningN8n } from './n8n.mts';
import { Rest } from './rest.mts';
import { until } from './until.mts';

/** An execution lasts between these, short ones as often as long ones */
const SHORTEST_MS = 5;
const LONGEST_MS = 3_000;

/** What is committed is saved after this long, even if other executions still run */
const SAVED_MS = 2_000;

/** Batches of each log that have to arrive before what came again is counted */
const BATCHES_AFTERWARDS = 3;

const ENDED_MS = 60_000;

/** Counts its executions in the static data of the workflow, which n8n saves together with the position of the trigger */
const COUNT = `
const data = $getWorkflowStaticData('global');
data.count = (data.count ?? 0) + 1;
const items = $input.all();
for (const item of items) item.json.count = data.count;
return items;`;

interface Log {
	name: string;
	lines: Lines;
	/** Whether one execution begins after the other has ended */
	isSerial: boolean;
}

/** What came twice after n8n was ended and started again */
export interface Repeated {
	/** Lines that came twice */
	lines: number;
	/** Those of them whose execution was over before n8n was ended, with the log that they are in */
	delivered: string[];
}

/**
 * A real n8n with three active logs triggers that is ended and started again: one execution at a time, three, and one that
 * writes static data of its own. Each has a container that always writes.
 */
export class Restarts {
	readonly home: Home;
	readonly #sandbox: Sandbox;
	readonly #logs: Log[] = [];
	#n8n: RunningN8n;
	#rest: Rest;

	private constructor(home: Home, sandbox: Sandbox, n8n: RunningN8n) {
		this.home = home;
		this.#sandbox = sandbox;
		this.#n8n = n8n;
		this.#rest = new Rest(n8n.url);
	}

	static async begin(): Promise<Restarts> {
		const home = createHome();
		const restarts = new Restarts(home, await startSandbox(), await startN8n(home));
		await restarts.#rest.setUpOwner();
		await restarts.#follow('one at a time', {});
		await restarts.#follow('three at a time', { options: { maxRunsInFlight: 3 } });
		await restarts.#follow('static data', { code: COUNT });
		return restarts;
	}

	async #follow(name: string, choices: Parameters<Lines['activate']>[1]): Promise<void> {
		const lines = await Lines.open(this.#sandbox, `c${this.#logs.length + 1}`);
		lines.answer = async () =>
			await delay(SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** Math.random());
		lines.keepWriting();
		await lines.activate(this.#rest, choices);
		const isSerial = name !== 'three at a time';
		this.#logs.push({ name, lines, isSerial });
	}

	/** Asks n8n to stop while executions are in flight. Throws if it did not end by itself */
	async stop(): Promise<Repeated> {
		await this.#somewhere();
		return await this.#restart(async () => {
			if (!(await this.#n8n.stop())) throw new Error(`n8n did not end:\n${this.#n8n.log()}`);
		});
	}

	/** Kills n8n while executions are in flight */
	async kill(): Promise<Repeated> {
		await this.#somewhere();
		return await this.#restart(this.#n8n.kill);
	}

	/** Kills n8n two seconds after its last execution has ended */
	async killIdle(): Promise<Repeated> {
		for (const { lines } of this.#logs) lines.pause();
		for (const { lines } of this.#logs) await lines.settle();
		await until(
			'all executions have ended',
			async () => (await this.#rest.executions({ status: 'running' })).length === 0,
			ENDED_MS,
		);
		await delay(SAVED_MS);
		return await this.#restart(this.#n8n.kill);
	}

	/** Somewhere in an execution of each log */
	async #somewhere(): Promise<void> {
		for (const { lines } of this.#logs) await lines.arrive();
		await delay(randomInt(LONGEST_MS));
	}

	async #restart(end: () => Promise<void>): Promise<Repeated> {
		const endedAt = Date.now();
		await end();
		const before = this.#logs.map(({ lines, isSerial }) => {
			const count = lines.arrivals.length;
			const last = new Set(lines.arrivals.at(-1)?.lines);
			const first = lines.firstUnanswered(endedAt - SAVED_MS);
			const wasInFlight = (line: number) =>
				line >= first && (!isSerial || last.has(lines.written[line] ?? ''));
			return { count, wasInFlight };
		});
		this.#n8n = await startN8n(this.home);
		this.#rest = new Rest(this.#n8n.url, this.#rest.session);
		for (const { lines } of this.#logs) lines.keepWriting();
		const repeated: Repeated = { lines: 0, delivered: [] };
		for (const [index, { name, lines }] of this.#logs.entries()) {
			const { count, wasInFlight } = before[index]!;
			await lines.moreThan(count + BATCHES_AFTERWARDS);
			const again = lines.repeatedSince(count);
			repeated.lines += again.length;
			const delivered = again.filter((line) => !wasInFlight(line));
			repeated.delivered.push(...delivered.map((line) => `${name}: ${lines.written[line]}`));
		}
		return repeated;
	}

	/** All lines that were written so far */
	get written(): number {
		return this.#logs.reduce((sum, { lines }) => sum + lines.written.length, 0);
	}

	/** What has not arrived when everything has had its time. Nothing is written any more */
	async missing(): Promise<string[]> {
		const missing = this.#logs.map(async ({ name, lines }) =>
			(await lines.missing()).map((line) => `${name}: ${line}`),
		);
		return (await Promise.all(missing)).flat();
	}

	/** What the Code node has counted in each of its executions, in the order in which they came */
	get counts(): number[] {
		const { lines } = this.#logs.at(-1)!;
		return lines.arrivals.map(({ count }) => Number(count));
	}

	async end(): Promise<void> {
		await this.#n8n.stop();
		for (const { lines } of this.#logs) await lines.end();
		await this.#sandbox.close();
		this.home.remove();
	}
}
