import { logRequest, type LogName } from '../Caas/logStream';
import { ByteReader } from '../shared/bytes';
import { Decoder, type StreamEvent } from '../shared/decoder';
import { failure, type Api } from '../shared/request';
import { openStream, type OpenStream } from '../shared/stream';
import { now } from '../shared/time';
import type { Checkpoint } from './checkpoint';
import { Cursor } from './cursor';
import { decoding, honoursOffset, nameOf } from './offsets';
import { endingOf, type Ending } from './ending';
import type { Parcel } from './ledger';
import { Picker } from './picker';
import type { Settings } from './settings';

/** What a source needs of the follower that it belongs to. */
export interface Host {
	settings: Settings;
	signal: AbortSignal;
	/** Opens the credentials anew: they may have been mended since. */
	api(): Promise<Api>;
	/** Whether the service honours the offset, once it is known; the same for all logs. */
	isOffsetHonoured?: boolean;
	deliver(parcel: Parcel): Promise<boolean>;
	/** Whether the container will not write any more. */
	hasEnded(log: LogName): Promise<boolean>;
}

/** A log is silent so long once everything that was there has been sent. */
const CAUGHT_UP_MS = 500;
const LONGEST_CATCH_UP_MS = 10_000;

/** Follows one stream of one container over one connection after another; {@link Follower} decides what comes between them. */
export class Source {
	readonly cursor: Cursor;
	/** The reconnection time that the stream asked for. */
	retryMs?: number;
	private readonly picker: Picker;
	private readonly halter = new AbortController();
	private batchUntil = Infinity;
	private catchUpUntil = Infinity;
	private received = 0;

	constructor(
		readonly log: LogName,
		readonly checkpoint: Checkpoint,
		private readonly host: Host,
	) {
		this.cursor = new Cursor(checkpoint, host.settings.offsetUnit);
		this.picker = new Picker(log, host.settings);
	}

	/** Stops reading; what was read already is still handed over, unless the host is closed. */
	halt(): void {
		this.halter.abort();
	}

	get halted(): AbortSignal {
		return this.halter.signal;
	}

	/** One connection from its first byte to its end. */
	async connect(onOpen: () => void): Promise<Ending> {
		const { host, log, cursor } = this;
		this.received = 0;
		const api = await host.api();
		const isHonoured = cursor.isAtBeginning || (await this.isOffsetHonoured(api));
		if (typeof isHonoured !== 'boolean') return isHonoured;
		const opened = await openStream(api, logRequest(log, host.settings, cursor.requestFrom(isHonoured)));
		if (opened.kind !== 'open') return endingOf(opened, () => failure(api, opened));
		onOpen();
		cursor.connected(isHonoured);
		const ending = await this.read(opened);
		// In the middle of a batch that is cut again exactly as it was, the rest of it is waited for
		if (!host.signal.aborted && !cursor.isCuttingAgain) await this.cut();
		return host.signal.aborted ? { kind: 'closed' } : { ...ending, ...(this.received > 0 && { isProgress: true }) };
	}

	private async isOffsetHonoured(api: Api): Promise<boolean | Ending> {
		const { host, log } = this;
		if (host.isOffsetHonoured !== undefined) return host.isOffsetHonoured;
		const answer = await honoursOffset(api, log, host.settings);
		if ('kind' in answer) return endingOf(answer, () => failure(api, answer));
		if (answer.isSure) host.isOffsetHonoured = answer.isHonoured;
		return answer.isHonoured;
	}

	private async read({ body }: OpenStream): Promise<Ending> {
		const { host } = this;
		const decoder = new Decoder(decoding(host.settings));
		const reader = new ByteReader(body, this.halted);
		const events: StreamEvent[] = [];
		const idleMs = host.settings.idleTimeoutMs || Infinity;
		let heardAt = now();
		this.catchUpUntil = heardAt + LONGEST_CATCH_UP_MS;
		try {
			for (;;) {
				const quietUntil = this.checkpoint.skipsOld ? Math.min(this.catchUpUntil, heardAt + CAUGHT_UP_MS) : Infinity;
				const got = await reader.next(Math.min(this.batchUntil, heardAt + idleMs, quietUntil));
				if (got.kind === 'chunk') {
					decoder.push(got.bytes, events);
					const isOver = await this.take(events);
					this.retryMs = decoder.retryMs ?? this.retryMs;
					if (isOver) return { kind: 'stopped' };
				}
				if (got.kind === 'closed') return { kind: 'stopped' };
				if (got.kind === 'broken') return { kind: 'again', reason: 'The connection broke' };
				if (got.kind === 'end') return await this.ended(decoder, events);
				if (now() >= quietUntil) this.checkpoint.skipsOld = false;
				const isSilent = got.kind === 'late' && now() >= heardAt + idleMs;
				if (now() >= this.batchUntil) await this.cut();
				// Not from when the bytes came: while runs were waited for, nothing was read
				if (got.kind === 'chunk') heardAt = now();
				if (isSilent) return { kind: 'again', reason: `Nothing came for ${idleMs / 1000} seconds`, isIdle: true };
							}
		} finally {
			reader.destroy();
		}
	}

	/** After a clean end: of a container that goes on the last line may be cut, and it comes whole with the next connection. */
	private async ended(decoder: Decoder, events: StreamEvent[]): Promise<Ending> {
		if (!(await this.host.hasEnded(this.log))) return { kind: 'again', reason: 'The service ended the stream' };
		decoder.end(events);
		await this.take(events);
		return { kind: 'finished' };
	}

	/** Takes the events in; true when the line to stop at was among them. */
	private async take(events: StreamEvent[]): Promise<boolean> {
		const { cursor, picker, host } = this;
		const { stopOn, maxEntries, maxWaitMs } = host.settings;
		const receivedAt = new Date(now()).toISOString();
		for (const event of events.splice(0)) {
			const step = cursor.next(event);
			if (step === 'known') continue;
			this.received++;
			if (step === 'done' || this.checkpoint.skipsOld) {
				this.passed();
				continue;
			}
			const isStop = stopOn?.test(event.data) ?? false;
			picker.add(event, cursor, receivedAt, isStop);
			if (isStop) this.checkpoint.isOver = true;
			if (cursor.isCuttingAgain ? cursor.isAtCut : isStop || picker.size >= maxEntries) {
				await this.cut();
				if (isStop || this.halted.aborted) return isStop;
			} else if (picker.size === 0) this.passed();
			else if (this.batchUntil === Infinity && !cursor.isCuttingAgain) this.batchUntil = now() + maxWaitMs;
		}
		return false;
	}

	/** Entries that need no run, up to here. */
	private passed(): void {
		const { cursor, checkpoint, picker } = this;
		if (!cursor.isReplaying) checkpoint.pass(picker.neededFrom(cursor.place));
	}

	/** Starts a run with what was chosen so far; waits until it may be started. */
	private async cut(): Promise<void> {
		const { cursor, checkpoint, picker, host, log } = this;
		this.batchUntil = Infinity;
		const again = cursor.takeFlight();
		if (picker.size === 0) {
			if (again) checkpoint.done(again);
			return;
		}
		const flight = again ?? checkpoint.begin(picker.neededFrom(cursor.place));
		await host.deliver({ log: nameOf(log), checkpoint, flight, items: picker.take() });
	}
}
