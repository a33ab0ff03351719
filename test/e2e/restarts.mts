import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startSandbox, type Sandbox } from '../sandbox/index.mts';
import { BATCH, Lines } from './lines.mts';
import { createHome, startN8n, type Home, type RunningN8n } from './n8n.mts';
import { Rest } from './rest.mts';
import { until } from './until.mts';

/** An execution lasts between these, short ones as often as long ones */
const SHORTEST_MS = 5;
const LONGEST_MS = 3_000;

/** What is committed is saved after this long, even if other executions still run */
const SAVED_MS = 2_000;

/** An execution whose request was answered this long ago has ended, and its end was saved, on a machine with much else to do, too */
const ENDED_AND_SAVED_MS = 3 * SAVED_MS;

/** A Code node that begins while n8n stops waits this long for a runner, and not for n8n's minute */
const SETTINGS = { N8N_RUNNERS_TASK_REQUEST_TIMEOUT: '5' };

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
}

/** What came twice after n8n was ended and started again */
export interface Repeated {
	/** Lines that came twice */
	lines: number;
	/** Those of them whose execution was over before n8n was ended, with the log that they are in */
	delivered: string[];
}

/**
 * A real n8n with three active logs triggers that is ended and started again: one execution at a time, three, and one execution
 * at a time that writes static data of its own. Each follows a container that always writes.
 */
export class Restarts {
	readonly home: Home;
	readonly #sandbox: Sandbox;
	readonly #serial: Log;
	readonly #parallel: Log;
	readonly #data: Log;
	#n8n: RunningN8n;
	#rest: Rest;

	private constructor(home: Home, sandbox: Sandbox, n8n: RunningN8n, logs: [Log, Log, Log]) {
		this.home = home;
		this.#sandbox = sandbox;
		[this.#serial, this.#parallel, this.#data] = logs;
		this.#n8n = n8n;
		this.#rest = new Rest(n8n.url);
	}

	static async begin(): Promise<Restarts> {
		const home = createHome();
		const sandbox = await startSandbox();
		const logs = ['one at a time', 'three at a time', 'static data'].map(async (name) => {
			const lines = await Lines.open(sandbox, name.replaceAll(' ', '-'));
			lines.answer = async () =>
				await delay(SHORTEST_MS * (LONGEST_MS / SHORTEST_MS) ** Math.random());
			return { name, lines };
		});
		const n8n = await startN8n(home, undefined, SETTINGS);
		const restarts = new Restarts(home, sandbox, n8n, (await Promise.all(logs)) as [Log, Log, Log]);
		await restarts.#activate();
		return restarts;
	}

	async #activate(): Promise<void> {
		await this.#rest.setUpOwner();
		await this.#serial.lines.activate(this.#rest);
		await this.#parallel.lines.activate(this.#rest, { options: { maxRunsInFlight: 3 } });
		// A Code node fails when n8n stops, which stops its runner before its triggers
		const options = { delivery: 'succeeded' };
		await this.#data.lines.activate(this.#rest, { code: COUNT, options });
		for (const { lines } of this.#logs) lines.keepWriting();
	}

	get #logs(): Log[] {
		return [this.#serial, this.#parallel, this.#data];
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
		await this.#pause();
		await delay(SAVED_MS);
		return await this.#restart(this.#n8n.kill);
	}

	/** Kills n8n while an execution is in flight, two seconds after the one before it has ended */
	async killBeside(): Promise<Repeated> {
		await this.#pause();
		const { lines } = this.#parallel;
		const { answer, arrivals } = lines;
		let release: () => void = () => undefined;
		const held = new Promise<void>((resolve) => {
			release = resolve;
		});
		const { length } = arrivals;
		const [first = ''] = lines.write(2 * BATCH);
		lines.answer = async (batch) => {
			const isFirst = batch.includes(first);
			if (isFirst) await until('the second', () => arrivals.length > length + 1, ENDED_MS);
			else await held;
		};
		// The second may have arrived before it
		const firstArrival = () => arrivals.slice(length).find((batch) => batch.lines.includes(first));
		await until('the first has ended', () => firstArrival()?.answeredAt, ENDED_MS);
		await until('one execution runs', async () => (await this.#running()) === 1, ENDED_MS);
		await delay(SAVED_MS);
		lines.answer = answer;
		const repeated = await this.#restart(this.#n8n.kill);
		release();
		return repeated;
	}

	/** Writes no more, and waits until all executions have ended */
	async #pause(): Promise<void> {
		for (const { lines } of this.#logs) lines.pause();
		for (const { lines } of this.#logs) await lines.settle();
		await until('nothing runs', async () => (await this.#running()) === 0, ENDED_MS);
	}

	async #running(): Promise<number> {
		return (await this.#rest.executions({ status: 'running' })).length;
	}

	/** Somewhere in an execution of each log */
	async #somewhere(): Promise<void> {
		for (const { lines } of this.#logs) await lines.arrive();
		await delay(randomInt(LONGEST_MS));
	}

	async #restart(end: () => Promise<void>): Promise<Repeated> {
		const endedAt = Date.now();
		await end();
		const checks = this.#logs.map((log) => this.#check(log, endedAt));
		this.#n8n = await startN8n(this.home, undefined, SETTINGS);
		this.#rest = new Rest(this.#n8n.url, this.#rest.session);
		for (const { lines } of this.#logs) lines.keepWriting();
		const repeated: Repeated = { lines: 0, delivered: [] };
		for (const check of checks) {
			const { lines, delivered } = await check();
			repeated.lines += lines;
			repeated.delivered.push(...delivered);
		}
		return repeated;
	}

	/** After n8n has ended: returns what counts the lines that come again */
	#check(log: Log, endedAt: number): () => Promise<Repeated> {
		const { name, lines } = log;
		const { length } = lines.arrivals;
		const last = lines.arrivals.at(-1);
		const inLast = new Set(last?.lines);
		const first = lines.firstUnanswered(endedAt - ENDED_AND_SAVED_MS);
		const answeredAt = last?.answeredAt ?? Infinity;
		// n8n may read the static data of an execution before it has saved the position: at its end, that brings back an older one
		const isOld =
			log === this.#data && answeredAt > endedAt - ENDED_AND_SAVED_MS && answeredAt <= endedAt;
		const wasInFlight = (line: number) =>
			isOld || (line >= first && (log === this.#parallel || inLast.has(lines.written[line] ?? '')));
		return async () => {
			await lines.moreThan(length + BATCHES_AFTERWARDS).catch((error: unknown) => {
				throw new Error(`${name}: n8n is silent:\n${this.#n8n.log()}`, { cause: error });
			});
			const again = lines.repeatedSince(length);
			const delivered = again.filter((line) => !wasInFlight(line));
			return {
				lines: again.length,
				delivered: delivered.map((line) => `${name}: ${lines.written[line]}`),
			};
		};
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
		return this.#data.lines.arrivals.map(({ count }) => Number(count));
	}

	async end(): Promise<void> {
		await this.#n8n.stop();
		for (const { lines } of this.#logs) await lines.end();
		await this.#sandbox.close();
		this.home.remove();
	}
}
