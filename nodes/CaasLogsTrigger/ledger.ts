import { randomUUID } from 'node:crypto';
import type { IDataObject, INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { delay, now } from '../shared/time';
import { Checkpoint, type Flight, type Mark } from './checkpoint';
import type { Settings } from './settings';
import { isRecord } from '../shared/guards';

/** Entries that go into one run, from one log. */
export interface Parcel {
	checkpoint: Checkpoint;
	/** The place after them. */
	to: Mark;
	/** Where an earlier run of them was broken off; otherwise noted just before they are handed to n8n. */
	flight?: Flight;
	/** The line to stop at is in it. */
	isLast: boolean;
	items: INodeExecutionData[];
}

/** One start of the node. */
export interface Client {
	functions: ITriggerFunctions;
	settings: Settings;
	/** Aborts when this start is over. */
	signal: AbortSignal;
}

/** Runs that may be under way where none is waited for: n8n keeps the data of each in memory. */
const MOST_UNWATCHED_RUNS = 100;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;
/** After so long n8n's database knows a run that was started, or has saved the book. It may hang, and a stop must not. */
const SETTLE_MS = 50;

/**
 * Starts the runs of one trigger node and keeps the book of what was delivered. n8n saves static data only at the start
 * of an `emit`, so before each one stand in it the delivered position of each log and the bounds of every run in flight.
 *
 * It outlives the follower that feeds it: runs go on when a workflow is unpublished, and the next start in this process
 * goes on from what they delivered.
 */
export class Ledger {
	logs = new Map<string, Checkpoint>();
	/** Tells our own entry in the static data from one that another process has written since. */
	private readonly writer = randomUUID();
	private runs = 0;
	private isRetired = false;
	private lastKey?: string;
	private lastStart = 0;
	/** Resolves when n8n has answered the last `keep`. */
	private kept?: Promise<unknown>;
	/** Those who wait until a run has ended or the follower is closed. */
	private waiting: Array<() => void> = [];
	private client?: Client;

	/** @param start where the form wants to begin; another one later is another wish */
	constructor(public start: string) {}

	/** The book that was saved last, in any process; undefined when there is none. */
	static load(saved: IDataObject): { ledger: Ledger; writer: string } | undefined {
		if (
			typeof saved.start !== 'string' ||
			typeof saved.writer !== 'string' ||
			!isRecord(saved.logs)
		)
			return undefined;
		const ledger = new Ledger(saved.start);
		for (const [log, entry] of Object.entries(saved.logs)) {
			const checkpoint = Checkpoint.load(entry);
			if (checkpoint) ledger.logs.set(log, checkpoint);
		}
		return { ledger, writer: saved.writer };
	}

	/** From now on this start of the node feeds the ledger. */
	attach(client: Client): void {
		this.client = client;
		client.signal.addEventListener('abort', () => this.tell());
		this.write(client.functions);
	}

	isWriter(writer: string): boolean {
		return this.writer === writer;
	}

	get isIdle(): boolean {
		return this.runs === 0;
	}

	/** Resolves when no run is under way, or when the start that waits for it is over. */
	async idle(signal?: AbortSignal): Promise<void> {
		while (this.runs > 0 && !signal?.aborted) await this.change();
	}

	/**
	 * Starts the run of a parcel as soon as fewer than the allowed number are under way, and returns then; false when the
	 * start of the node that it comes from was over first. The run is followed to its end in the background.
	 */
	async deliver(client: Client, parcel: Parcel): Promise<boolean> {
		const { settings, signal } = client;
		const most =
			settings.delivery === 'immediately' ? MOST_UNWATCHED_RUNS : settings.maxRunsInFlight;
		while (this.runs >= most && !signal.aborted) await this.change();
		if (signal.aborted) return false;
		this.runs++;
		parcel.flight ??= parcel.checkpoint.begin(parcel.to);
		// Not before: all batches before it are in the book now, and an n8n that stops would leave out the others
		if (parcel.isLast) parcel.checkpoint.endWith(parcel.flight);
		void this.run(client, parcel).finally(() => {
			this.runs--;
			this.tell();
			this.keep();
		});
		return true;
	}

	/**
	 * After a stop: resolves when n8n knows of each run that was started and, where all of them have ended, has saved the book;
	 * or after a tenth of a second without.
	 *
	 * An n8n that is going down waits for this. Then it looks, every half second, whether a run is under way, and if not it
	 * drops whatever its database has not done yet: the place after a run that has just ended, and a run that was about to begin.
	 */
	async settle(): Promise<void> {
		await Promise.race([
			this.idle(),
			delay(Math.min(SETTLE_MS, this.lastStart + SETTLE_MS - now())),
		]);
		if (this.runs > 0) return;
		this.keep();
		await Promise.race([this.kept, delay(SETTLE_MS)]);
	}

	/** Another book has taken its place: what its last runs deliver is not written any more. */
	retire(): void {
		this.isRetired = true;
	}

	/**
	 * After a stop: has n8n save the book when the last run has ended. Nothing else would, and the entries of that run would
	 * come again. The key is that of a run that has ended, so n8n drops this one and only saves; where the record of
	 * that run is gone already, a run without items is started, and nothing comes of it.
	 */
	keep(): void {
		if (
			this.isRetired ||
			!this.client?.signal.aborted ||
			this.runs > 0 ||
			this.lastKey === undefined
		)
			return;
		const { functions } = this.client;
		const isSaved =
			JSON.stringify(functions.getWorkflowStaticData('node').logs) === JSON.stringify(this.save());
		if (!isSaved) this.kept = this.emit(functions, [], this.lastKey);
	}

	/** Writes the book into the node's static data, for n8n to save at the next `emit`. */
	write(functions: ITriggerFunctions): void {
		Object.assign(functions.getWorkflowStaticData('node'), {
			start: this.start,
			writer: this.writer,
			logs: this.save(),
		});
	}

	private save(): IDataObject {
		return Object.fromEntries([...this.logs].map(([log, checkpoint]) => [log, checkpoint.save()]));
	}

	private async run({ functions, settings, signal }: Client, parcel: Parcel): Promise<void> {
		for (let tries = 0; ; tries++) {
			if (settings.delivery === 'immediately') this.done(parcel);
			// n8n never starts a second run with the same key, whether the first one ended or not: with a key of its own for each
			// try no run that was killed takes its lines with it
			const key = `logs:${randomUUID()}`;
			const ended = await this.emit(functions, parcel.items, key);
			if (ended !== undefined) this.lastKey = key;
			if (settings.delivery === 'immediately') return;
			if (ended !== undefined && counts(ended, settings, signal)) return this.done(parcel);
			await delay(Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries), signal);
			// It stays in flight in the book, and is cut again exactly so after the next start
			if (signal.aborted) return;
		}
	}

	/** The run when it has ended; undefined when it could not be started or n8n took it for a repetition. */
	private async emit(
		functions: ITriggerFunctions,
		items: INodeExecutionData[],
		key: string,
	): Promise<IRun | undefined> {
		const done = functions.helpers.createDeferredPromise<IRun>();
		this.write(functions);
		this.lastStart = now();
		try {
			functions.emit([items], undefined, done, key);
			return await done.promise;
		} catch {
			return undefined;
		}
	}

	private done({ checkpoint, flight }: Parcel): void {
		if (flight) checkpoint.done(flight);
	}

	private async change(): Promise<void> {
		await new Promise<void>((resolve) => this.waiting.push(resolve));
	}

	private tell(): void {
		this.waiting.splice(0).forEach((resolve) => resolve());
	}
}

/**
 * A run that n8n itself broke off while it was stopping has delivered nothing. A run that waits (for a time, for a form)
 * has its entries with it, saved.
 */
function counts({ status }: IRun, { delivery }: Settings, signal: AbortSignal): boolean {
	if (delivery === 'succeeded') return status === 'success' || status === 'waiting';
	return !signal.aborted || !['canceled', 'crashed'].includes(status);
}
