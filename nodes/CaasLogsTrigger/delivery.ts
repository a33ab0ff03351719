import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { isRecord } from '../shared/guards';
import { delay, now } from '../shared/time';
import { Checkpoint, type InFlightBatch, type ResumeOffset } from './checkpoint';
import type { Settings } from './settings';

/** Entries of one log that go into one execution. */
export interface Batch {
	checkpoint: Checkpoint;
	/** The offset after them. */
	endOffset: ResumeOffset;
	/** Set for a redelivery; otherwise set when the execution is started. */
	inFlight?: InFlightBatch;
	/** Whether it contains the line to stop on. */
	isLast: boolean;
	items: INodeExecutionData[];
}

/** One activation of the node. */
export interface Activation {
	functions: ITriggerFunctions;
	settings: Settings;
	/** Aborts when the activation is over. */
	signal: AbortSignal;
}

/** Executions that may run at once where none is waited for: n8n keeps the data of each in memory. */
const MAX_UNWATCHED_EXECUTIONS = 100;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 300_000;
/** Time in which n8n's database records a started execution, or saves the static data. It may hang, and a stop must not. */
const DATABASE_MS = 50;

/**
 * Starts the executions of one trigger node and commits their batches: at-least-once delivery. n8n saves static data only at the
 * start of an `emit`, so the committed offset of each log and the in-flight batches are written into it before each one.
 *
 * It outlives the follower: executions continue when a workflow is deactivated, and the next activation in this process
 * resumes at what they have committed.
 */
export class Delivery {
	/** By log key. */
	checkpoints = new Map<string, Checkpoint>();
	/** Marks the static data of this process, since another one may have written its own later. */
	private readonly writerId = randomUUID();
	private executionsInFlight = 0;
	private isReplaced = false;
	private lastDeduplicationKey?: string;
	private lastEmitAt = 0;
	/** Resolves when n8n has answered the last {@link saveAfterStop}. */
	private lastSave?: Promise<unknown>;
	/** Called when an execution has ended or the activation is over. */
	private waiters: Array<() => void> = [];
	private activation?: Activation;

	/** @param startSetting the start that was chosen in the form: with another one, another delivery is made */
	constructor(public startSetting: string) {}

	/** Reads what {@link writeStaticData} wrote, in any process; undefined for anything else. */
	static load(saved: IDataObject): { delivery: Delivery; writerId: string } | undefined {
		if (
			typeof saved.start !== 'string' ||
			typeof saved.writer !== 'string' ||
			!isRecord(saved.logs)
		)
			return undefined;
		const delivery = new Delivery(saved.start);
		for (const [log, entry] of Object.entries(saved.logs)) {
			const checkpoint = Checkpoint.load(entry);
			if (checkpoint) delivery.checkpoints.set(log, checkpoint);
		}
		return { delivery, writerId: saved.writer };
	}

	/** From now on batches come from this activation. */
	attach(activation: Activation): void {
		this.activation = activation;
		activation.signal.addEventListener('abort', () => this.wakeWaiters());
		this.writeStaticData(activation.functions);
	}

	/** Whether saved static data was written by this delivery. */
	isWriter(writerId: string): boolean {
		return this.writerId === writerId;
	}

	/** Whether no execution is in flight. */
	get isIdle(): boolean {
		return this.executionsInFlight === 0;
	}

	/** Resolves when no execution is in flight, or when the signal aborts. */
	async whenIdle(signal?: AbortSignal): Promise<void> {
		while (this.executionsInFlight > 0 && !signal?.aborted) await this.nextChange();
	}

	/**
	 * Starts the execution of a batch as soon as fewer than the allowed number are in flight. Returns once it is started, and
	 * follows it to its end in the background; false if the activation was over first.
	 */
	async deliver(activation: Activation, batch: Batch): Promise<boolean> {
		const { settings, signal } = activation;
		const max =
			settings.delivery === 'immediately' ? MAX_UNWATCHED_EXECUTIONS : settings.maxRunsInFlight;
		while (this.executionsInFlight >= max && !signal.aborted) await this.nextChange();
		if (signal.aborted) return false;
		this.executionsInFlight++;
		batch.inFlight ??= batch.checkpoint.beginBatch(batch.endOffset);
		// Only now are all batches before it in flight: an n8n that is killed earlier would leave them out
		if (batch.isLast) batch.checkpoint.endAfter(batch.inFlight);
		void this.execute(activation, batch).finally(() => {
			this.executionsInFlight--;
			this.wakeWaiters();
			this.saveAfterStop();
		});
		return true;
	}

	/**
	 * After a stop: resolves when n8n has recorded each started execution and, if all have ended, has saved the commits; in any
	 * case after a tenth of a second.
	 *
	 * An n8n that shuts down waits for this. Then it checks every half second whether an execution is running. If none is, it
	 * drops what its database has not done yet: the commit of an execution that has just ended, and one that was about to start.
	 */
	async finishSaving(): Promise<void> {
		await Promise.race([
			this.whenIdle(),
			delay(Math.min(DATABASE_MS, this.lastEmitAt + DATABASE_MS - now())),
		]);
		if (this.executionsInFlight > 0) return;
		this.saveAfterStop();
		await Promise.race([this.lastSave, delay(DATABASE_MS)]);
	}

	/** Another delivery has taken its place: what its last executions commit is not written any more. */
	markReplaced(): void {
		this.isReplaced = true;
	}

	/**
	 * After a stop: makes n8n save the commits once the last execution has ended. Nothing else would, and its entries would be
	 * delivered again. The deduplication key is that of an execution that has ended, so n8n drops this one and only saves. If the
	 * record of that execution has been deleted, an execution without items is started, which does nothing.
	 */
	saveAfterStop(): void {
		if (
			this.isReplaced ||
			!this.activation?.signal.aborted ||
			this.executionsInFlight > 0 ||
			this.lastDeduplicationKey === undefined
		)
			return;
		const { functions } = this.activation;
		const isSaved =
			JSON.stringify(functions.getWorkflowStaticData('node').logs) ===
			JSON.stringify(this.savedCheckpoints());
		if (!isSaved) this.lastSave = this.emit(functions, [], this.lastDeduplicationKey);
	}

	/** Writes the checkpoints into the node's static data, for n8n to save at the next `emit`. */
	writeStaticData(functions: ITriggerFunctions): void {
		Object.assign(functions.getWorkflowStaticData('node'), {
			start: this.startSetting,
			writer: this.writerId,
			logs: this.savedCheckpoints(),
		});
	}

	private savedCheckpoints(): IDataObject {
		return Object.fromEntries(
			[...this.checkpoints].map(([log, checkpoint]) => [log, checkpoint.save()]),
		);
	}

	/** Executes a batch until it is committed, or the activation is over. */
	private async execute({ functions, settings, signal }: Activation, batch: Batch): Promise<void> {
		for (let tries = 0; ; tries++) {
			if (settings.delivery === 'immediately') this.commit(batch);
			// n8n never starts a second execution with the same key, even if the first one was killed. So each try has its own
			const key = `logs:${randomUUID()}`;
			const ended = await this.emit(functions, batch.items, key);
			if (ended !== undefined) this.lastDeduplicationKey = key;
			if (settings.delivery === 'immediately') return;
			if (ended !== undefined && isCommittable(ended, settings, signal)) return this.commit(batch);
			await delay(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries), signal);
			// It stays in flight, and is redelivered with the same entries after the next start
			if (signal.aborted) return;
		}
	}

	/** Starts an execution. Returns it when it has ended; undefined if it did not start or n8n dropped it by its key. */
	private async emit(
		functions: ITriggerFunctions,
		items: INodeExecutionData[],
		key: string,
	): Promise<IRun | undefined> {
		const done = functions.helpers.createDeferredPromise<IRun>();
		this.writeStaticData(functions);
		this.lastEmitAt = now();
		try {
			functions.emit([items], undefined, done, key);
			return await done.promise;
		} catch {
			return undefined;
		}
	}

	private commit({ checkpoint, inFlight }: Batch): void {
		if (inFlight) checkpoint.commit(inFlight);
	}

	private async nextChange(): Promise<void> {
		await new Promise<void>((resolve) => this.waiters.push(resolve));
	}

	private wakeWaiters(): void {
		this.waiters.splice(0).forEach((resolve) => resolve());
	}
}

/**
 * Whether the batch of an execution is committed. One that n8n interrupted while it was stopping has delivered nothing. One that
 * waits (for a time, for a form) has saved its entries.
 */
function isCommittable({ status }: IRun, { delivery }: Settings, signal: AbortSignal): boolean {
	if (delivery === 'succeeded') return status === 'success' || status === 'waiting';
	return !signal.aborted || !['canceled', 'crashed'].includes(status);
}
