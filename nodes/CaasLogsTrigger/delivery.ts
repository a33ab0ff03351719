import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { logKey, type LogName } from '../marketplace/log/request';
import { apiError, type NodeError } from '../shared/http/errors';
import { isRecord } from '../shared/guards';
import { delay, now } from '../shared/time';
import { Progress, type Unfinished } from './progress';
import type { Settings } from './settings';

/** Entries of one log that go into one execution. */
export interface Batch {
	log: LogName;
	progress: Progress;
	unfinished: Unfinished;
	items: INodeExecutionData[];
	/** Lines in it. */
	lines: number;
}

/** One activation of the node. */
export interface Activation {
	functions: ITriggerFunctions;
	settings: Pick<
		Settings,
		'delivery' | 'maxRunsInFlight' | 'giveUpAfter' | 'maxExecutionsPerMinute'
	>;
	/** Aborts when the activation is over. */
	signal: AbortSignal;
	/** Records a failed execution with this error. */
	report(error: NodeError): void;
}

/**
 * How an execution ended. `stopped`: by a person or the timeout of the workflow. `shutdown`: n8n interrupted it while stopping. `unstarted`:
 * n8n could not start it.
 */
type Outcome = 'ended' | 'failed' | 'stopped' | 'timeout' | 'shutdown' | 'unstarted';

/** Executions that may run at once where none is waited for: n8n keeps the data of each in memory. */
const MAX_UNWATCHED_EXECUTIONS = 100;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;
/** Static data is saved with each execution, and so long after the last one. */
const SAVE_AFTER_MS = 1_000;
/** n8n stops within 30 seconds, and closes one trigger after the other: all of them wait this long together. */
const CLOSE_MS = 10_000;
const STOP_MS = 30_000;
const LAST_SAVE_MS = 5_000;
const MINUTE_MS = 60_000;

/** When the first trigger of this process was closed, of those that are closed by one stop of n8n. */
const closing = { at: -Infinity };

/**
 * Starts the executions of one trigger node and commits their batches: at-least-once delivery. It outlives an activation: executions
 * continue when a workflow is deactivated, and count for the next activation in this process.
 */
export class Delivery {
	/** By log key. */
	readonly logs = new Map<string, Progress>();
	/** Executions in flight. */
	private running = 0;
	/** Logs with a batch that failed and waits to be repeated: the batches after it wait, too. */
	private readonly blocked = new Set<string>();
	/** Batches that wait for an execution, in order: logs take turns, since each has only one here. */
	private readonly queue: Array<{ log: string; start: () => void }> = [];
	private idleWaiters: Array<() => void> = [];
	private activation?: Activation;
	private isReplaced = false;
	/** When executions were started, and lines that were dropped since, where their number in a minute is limited. */
	private starts: number[] = [];
	private heldBack = 0;
	/** Key of an execution that has ended: n8n starts no second one with it, but saves static data. */
	private endedKey?: string;
	private written = '';
	private isSaveScheduled = false;
	private lastSave?: Promise<unknown>;

	/** @param startSetting the start that was chosen in the form: with another one, another delivery is made */
	constructor(public startSetting: string) {}

	/** Reads what {@link write} wrote, in any process; undefined for anything else. */
	static load(saved: IDataObject): Delivery | undefined {
		if (typeof saved.start !== 'string' || !isRecord(saved.logs)) return undefined;
		const delivery = new Delivery(saved.start);
		for (const [log, entry] of Object.entries(saved.logs)) {
			const progress = Progress.load(entry);
			if (progress) delivery.logs.set(log, progress);
		}
		return delivery;
	}

	/** From now on batches come from this activation. */
	attach(activation: Activation): void {
		this.activation = activation;
		activation.signal.addEventListener('abort', () => this.startNext());
	}

	/** Another delivery has taken its place: what its last executions commit is not saved any more. */
	markReplaced(): void {
		this.isReplaced = true;
	}

	/**
	 * Starts the execution of a batch when it is its turn. Returns once it is started, and follows it to its end in the
	 * background; false if the activation was over first.
	 */
	async deliver(activation: Activation, batch: Batch): Promise<boolean> {
		if (!(await this.turn(activation, logKey(batch.log)))) return false;
		if (!this.isAllowed(activation, batch)) {
			this.release();
			return true;
		}
		void this.execute(batch);
		return true;
	}

	/** Drops a batch above the limit of executions in a minute; the next one that starts tells how many lines that were. */
	private isAllowed({ settings }: Activation, { progress, unfinished, items, lines }: Batch) {
		if (settings.maxExecutionsPerMinute === Infinity) return true;
		this.starts = this.starts.filter((at) => at > now() - MINUTE_MS);
		if (this.starts.length >= settings.maxExecutionsPerMinute) {
			this.heldBack += lines;
			progress.finish(unfinished);
			return false;
		}
		this.starts.push(now());
		if (this.heldBack > 0 && items[0]) items[0].json.held_back = this.heldBack;
		this.heldBack = 0;
		return true;
	}

	/** Waits for a free execution. */
	private async turn({ signal }: Activation, log: string): Promise<boolean> {
		await new Promise<void>((resolve) => {
			this.queue.push({ log, start: resolve });
			this.startNext();
		});
		if (!signal.aborted) return true;
		this.release();
		return false;
	}

	private startNext(): void {
		const { activation } = this;
		if (!activation) return;
		const { delivery, maxRunsInFlight } = activation.settings;
		const max = delivery === 'immediately' ? MAX_UNWATCHED_EXECUTIONS : maxRunsInFlight;
		for (;;) {
			const isOver = activation.signal.aborted;
			const index = this.queue.findIndex(({ log }) => isOver || !this.blocked.has(log));
			if (index < 0 || (this.running >= max && !isOver)) return;
			this.running++;
			this.queue.splice(index, 1)[0]?.start();
		}
	}

	private release(): void {
		this.running--;
		if (this.running === 0) this.idleWaiters.splice(0).forEach((resolve) => resolve());
		this.startNext();
	}

	/** Executes a batch until it is committed or no activation is left. */
	private async execute(batch: Batch): Promise<void> {
		const { progress, unfinished } = batch;
		const log = logKey(batch.log);
		for (let tries = 1; this.activation; tries++) {
			unfinished.isRunning = true;
			const isUnwatched = this.activation.settings.delivery === 'immediately';
			if (isUnwatched) progress.finish(unfinished);
			const outcome = await this.run(this.activation, batch);
			unfinished.isRunning = false;
			// The workflow may have been published again since
			const { functions, settings, signal, report } = this.activation;
			const isDone = isUnwatched || isCommittable(outcome, settings);
			// What n8n interrupted while stopping is read again after the next start
			const isOver = isDone || outcome === 'shutdown' || signal.aborted;
			const isGivenUp = !isOver && outcome !== 'unstarted' && tries >= settings.giveUpAfter;
			if (isDone || isGivenUp) progress.finish(unfinished);
			if (!isOver && !isGivenUp) this.blocked.add(log);
			this.release();
			this.scheduleSave();
			if (isGivenUp) report(gaveUp(functions, batch, tries));
			if (isOver || isGivenUp) return;
			await delay(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)), signal);
			this.blocked.delete(log);
			// Before all batches of its log that came after it
			await new Promise<void>((resolve) => {
				this.queue.unshift({ log, start: resolve });
				this.startNext();
			});
			if (signal.aborted) return this.release();
		}
	}

	/** Starts an execution and waits for its end. */
	private async run({ functions, signal }: Activation, { items }: Batch): Promise<Outcome> {
		// n8n never starts a second execution with the same key, even if the first one was killed. So each try has its own
		const key = `logs:${randomUUID()}`;
		this.write(functions);
		try {
			const run = await this.emit(functions, items, key);
			if (!run) return 'unstarted';
			this.endedKey = key;
			return outcomeOf(run, signal);
		} catch (error) {
			const reason = isRecord(error) ? error.reason : undefined;
			if (reason === 'shutdown') return 'shutdown';
			if (reason !== 'manual' && reason !== 'timeout') return 'unstarted';
			this.endedKey = key;
			return reason === 'manual' ? 'stopped' : 'timeout';
		}
	}

	private async emit(
		functions: ITriggerFunctions,
		items: INodeExecutionData[],
		key: string,
	): Promise<IRun | undefined> {
		const done = functions.helpers.createDeferredPromise<IRun | undefined>();
		functions.emit([items], undefined, done as Parameters<ITriggerFunctions['emit']>[2], key);
		return await done.promise;
	}

	/** Writes the committed positions into the node's static data. n8n saves it at the start of the next `emit`, and after an activation. */
	write(functions: ITriggerFunctions): void {
		const logs = Object.fromEntries(
			[...this.logs].map(([log, progress]) => [log, progress.save()]),
		);
		const written = JSON.stringify([this.startSetting, logs]);
		if (written === this.written) return;
		this.written = written;
		Object.assign(functions.getWorkflowStaticData('node'), { start: this.startSetting, logs });
	}

	/**
	 * Saves when nothing has ended for a second. n8n saves the static data of all nodes as a whole, and an execution that writes its
	 * own brings back ours of its start: so this comes after the last execution, even if nothing has moved since.
	 */
	private scheduleSave(): void {
		if (this.isSaveScheduled || this.isReplaced) return;
		this.isSaveScheduled = true;
		void delay(SAVE_AFTER_MS, this.activation?.signal).then(() => {
			this.isSaveScheduled = false;
			if (this.running > 0 && !this.activation?.signal.aborted) return;
			this.save();
		});
	}

	/**
	 * Makes n8n save the static data: only an `emit` does. The key is that of an execution that has ended, so n8n starts none. If the record
	 * of that execution has been deleted, one without items starts, which does nothing.
	 */
	private save(): void {
		const { activation, endedKey } = this;
		if (!activation || this.isReplaced || endedKey === undefined) return;
		this.written = '';
		this.write(activation.functions);
		this.lastSave = this.emit(activation.functions, [], endedKey).catch(() => undefined);
	}

	/**
	 * After a stop: waits for the executions in flight and for the save of what they commit. n8n itself waits for nothing between the
	 * end of an execution and that save.
	 */
	async close(): Promise<void> {
		if (Math.abs(now() - closing.at) > STOP_MS) closing.at = now();
		const idle =
			this.running === 0 || new Promise<void>((resolve) => this.idleWaiters.push(resolve));
		await Promise.race([idle, delay(closing.at + CLOSE_MS - now())]);
		this.save();
		await Promise.race([this.lastSave, delay(LAST_SAVE_MS)]);
	}

	/** Whether nothing is in flight, so that all is saved that there is. */
	get isIdle(): boolean {
		return this.running === 0;
	}
}

/** One that waits (for a time, for a form) has its entries saved. One whose process is gone has delivered nothing. */
function outcomeOf({ status }: IRun, { aborted: isStopping }: AbortSignal): Outcome {
	if (status === 'success' || status === 'waiting') return 'ended';
	if (status === 'crashed' || status === 'canceled')
		return isStopping ? 'shutdown' : status === 'crashed' ? 'unstarted' : 'stopped';
	return 'failed';
}

/** What a person stops is not repeated. A workflow that runs into its timeout has failed. */
function isCommittable(outcome: Outcome, { delivery }: Activation['settings']): boolean {
	if (outcome === 'ended' || outcome === 'stopped') return true;
	return delivery !== 'succeeded' && (outcome === 'failed' || outcome === 'timeout');
}

function gaveUp(functions: ITriggerFunctions, { log, items }: Batch, tries: number): NodeError {
	const first = items[0]?.json;
	const place = first?.offset ?? first?.first_offset;
	return apiError(functions.getNode(), {
		message: `A batch of the ${log.stream} log of container ${log.containerId} failed ${tries} times and is skipped`,
		description: `It begins at offset ${String(place ?? 'unknown')}. Its executions are in the list of executions; the log continues after it.`,
	});
}
