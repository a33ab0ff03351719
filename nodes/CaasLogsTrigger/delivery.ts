import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeExecutionData, ITriggerFunctions } from 'n8n-workflow';
import { logKey, type LogName } from '../marketplace/log/request';
import { apiError, type NodeError } from '../shared/http/errors';
import { isRecord } from '../shared/guards';
import { delay, elapsed, now } from '../shared/time';
import { execute, Saver, type Outcome } from './execution';
import { ExecutionLimit } from './executionLimit';
import { isCount, Progress, type Unfinished } from './progress';
import type { Settings } from './settings';

/** Entries of one log that go into one execution. */
export interface Batch {
	log: LogName;
	progress: Progress;
	unfinished: Unfinished;
	items: INodeExecutionData[];
	/** Lines in it. */
	lines: number;
	/** Whether the trigger is closed, and it is delivered all the same. */
	isLast?: boolean;
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

/** Executions that may run at once where none is waited for: n8n keeps the data of each in memory. */
const MAX_UNWATCHED_EXECUTIONS = 100;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;
/** n8n stops within 30 seconds, and closes one trigger after the other: all of them wait this long together, and each of them a moment. */
const CLOSE_MS = 10_000;
const LEAST_CLOSE_MS = 500;
const STOP_MS = 30_000;
/** Logs that are not followed any more whose offsets are kept, and for how long: a person may choose them again. */
const MAX_LEFT_LOGS = 50;
const LEFT_LOG_MS = 7 * 24 * 3_600_000;

/** When the first trigger of this process was closed, of those that one stop of n8n may close, and how long they have waited together. */
const closing = { at: -Infinity, waitedMs: 0 };

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
	private readonly queue: Array<{ log: string; isLast?: boolean; start: () => void }> = [];
	/** Whether the last batches of an activation may still start. */
	private isClosing = false;
	private isClosed = false;
	private idleWaiters: Array<() => void> = [];
	private activation?: Activation;
	private isReplaced = false;
	private limit = new ExecutionLimit();
	private readonly saver = new Saver(() => this.content);

	/** @param startSetting the start that was chosen in the form: with another one, another delivery is made */
	constructor(public startSetting: string) {}

	/** Reads what {@link write} wrote, in any process; undefined for anything else. */
	static load(saved: unknown): Delivery | undefined {
		if (!isRecord(saved) || !isRecord(saved.logs)) return undefined;
		const delivery = new Delivery(typeof saved.start === 'string' ? saved.start : '');
		for (const [log, entry] of Object.entries(saved.logs)) {
			const progress = Progress.load(entry);
			if (progress) delivery.logs.set(log, progress);
		}
		if (isCount(saved.heldBack)) delivery.limit = new ExecutionLimit(saved.heldBack);
		return delivery;
	}

	/** From now on the logs with these keys are followed. Of the others, the offsets are kept for a time. */
	follow(keys: ReadonlySet<string>): void {
		for (const [key, progress] of this.logs)
			progress.leftAt = keys.has(key) ? undefined : (progress.leftAt ?? now());
		[...this.logs]
			.map(([key, { leftAt = Infinity }]) => ({ key, leftAt }))
			.filter(({ leftAt }) => leftAt !== Infinity)
			.sort((one, other) => other.leftAt - one.leftAt)
			.filter(({ leftAt }, index) => index >= MAX_LEFT_LOGS || leftAt <= now() - LEFT_LOG_MS)
			.forEach(({ key }) => this.logs.delete(key));
	}

	/** From now on batches come from this activation. */
	attach(activation: Activation): void {
		this.activation = activation;
		this.isClosed = false;
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
		if (!(await this.turn(activation, batch))) return false;
		if (!this.limit.allows(batch, activation.settings.maxExecutionsPerMinute)) {
			batch.progress.finish(batch.unfinished);
			this.release();
			return true;
		}
		void this.execute(batch).then(() => this.limit.over(batch));
		return true;
	}

	/** Waits for a free execution. */
	private async turn({ signal }: Activation, { log, isLast }: Batch): Promise<boolean> {
		await new Promise<void>((resolve) => {
			this.queue.push({ log: logKey(log), isLast, start: resolve });
			this.startNext();
		});
		if (!signal.aborted || (isLast && this.isClosing)) return true;
		this.release();
		return false;
	}

	private startNext(): void {
		const { activation } = this;
		if (!activation) return;
		const { delivery, maxRunsInFlight } = activation.settings;
		const max = delivery === 'immediately' ? MAX_UNWATCHED_EXECUTIONS : maxRunsInFlight;
		for (;;) {
			const isOver = ({ isLast }: { isLast?: boolean }) =>
				activation.signal.aborted && !(isLast && this.isClosing);
			const isFree = this.running < max;
			const index = this.queue.findIndex(
				(one) => isOver(one) || (isFree && !this.blocked.has(one.log)),
			);
			if (index < 0) return;
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
		const finish = () => {
			progress.finish(unfinished);
			this.limit.committed(batch);
		};
		for (let tries = 1; this.activation; tries++) {
			unfinished.isRunning = true;
			const isUnwatched = this.activation.settings.delivery === 'immediately';
			if (isUnwatched) finish();
			const outcome = await this.run(this.activation, batch);
			unfinished.isRunning = false;
			// The workflow may have been published again since
			const { functions, settings, signal, report } = this.activation;
			// What n8n interrupted while stopping is read again after the next start
			const isOver = outcome === 'shutdown' || signal.aborted;
			const isDone = isUnwatched || isCommittable(outcome, settings);
			const isGivenUp =
				!isDone && !isOver && outcome !== 'unstarted' && tries >= settings.giveUpAfter;
			if (isDone || isGivenUp) finish();
			// Before the next batch can start: that may be one of this log
			else if (!isOver) this.blocked.add(log);
			this.release();
			if (!this.isReplaced) this.saver.schedule(functions, signal, () => this.isIdle);
			if (isGivenUp) report(gaveUp(functions, batch, tries));
			if (isDone || isOver || isGivenUp) return;
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
		const outcome = await execute(functions, items, key, signal);
		if (outcome !== 'unstarted' && outcome !== 'shutdown') this.saver.endedKey = key;
		return outcome;
	}

	/** Writes the committed positions into the node's static data, for n8n to save. */
	write(functions: ITriggerFunctions): void {
		this.saver.write(functions);
	}

	private get content(): IDataObject {
		const logs = [...this.logs].map(([log, progress]) => [log, progress.save()]);
		const { untold } = this.limit;
		return {
			start: this.startSetting,
			logs: Object.fromEntries(logs) as IDataObject,
			heldBack: untold > 0 ? untold : undefined,
		};
	}

	/**
	 * At a stop: waits for the executions in flight and for the save of what they commit. n8n itself waits for nothing between the
	 * end of an execution and that save.
	 * @param stopReading ends the activation; the last batches are delivered meanwhile
	 */
	async close(stopReading: () => Promise<void>): Promise<void> {
		const at = elapsed();
		if (at - closing.at > STOP_MS) Object.assign(closing, { at, waitedMs: 0 });
		this.isClosing = true;
		const stopped = stopReading();
		const idle = stopped.then(async () => {
			if (!this.isIdle) await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
		});
		await Promise.race([idle, delay(Math.max(LEAST_CLOSE_MS, CLOSE_MS - closing.waitedMs))]);
		closing.waitedMs += elapsed() - at;
		this.isClosing = false;
		this.isClosed = true;
		this.startNext();
		await stopped;
		if (this.activation && !this.isReplaced) this.saver.save(this.activation.functions);
		await this.saver.finish();
	}

	private get isIdle(): boolean {
		return this.running === 0;
	}

	/** Whether executions did not end in the time that a stop waits for them. What they have not committed can be read again. */
	get isStuck(): boolean {
		return this.isClosed && !this.isIdle && !this.saver.isImpossible;
	}

	/** Whether nothing is in flight, and all is saved that there is. */
	get isSaved(): boolean {
		return this.isIdle && !this.saver.isImpossible;
	}
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
